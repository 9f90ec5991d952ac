/** What a log says for certain, without a model: the files that were changed, and the commands that were run. */

import type { FileChange } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  afterEvictedPrefix,
  type ChangedFile,
  evictedPrefixOf,
  type KnownFacts,
} from '../history/evictedPrefix.ts';
import { commandRuns } from './commandRuns.ts';
import { runInSlices } from './slices.ts';

/** Everything in log order, including what is known of a part of the log that is not in memory. */
export function knownFacts(entries: readonly JSONLEntry[]): KnownFacts {
  const past = evictedPrefixOf(entries)?.facts;
  const own = afterEvictedPrefix(entries);
  return {
    files: changedFiles(own, past?.files),
    commands: [...(past?.commands ?? []), ...commandRuns(own)],
  };
}

/** The part that is kept of a past: more than a summary has room for. */
export function boundedFacts({ files, commands }: KnownFacts): KnownFacts {
  const from = commands.length - MAX_COMMANDS;
  const lastTests = commands.findLastIndex(({ tests }) => tests !== undefined);
  return {
    files: files.slice(-MAX_FILES),
    commands: commands.filter((_, index) => index >= from || index === lastTests),
  };
}

const MAX_FILES = 5000;
const MAX_COMMANDS = 200;

/** Reads a log for the first time in slices; afterwards the facts are there at once. */
export async function readFacts(entries: readonly JSONLEntry[]): Promise<void> {
  await runInSlices(readEach(entries));
}

const BATCH = 20;

function* readEach(entries: readonly JSONLEntry[]): Generator<void, void> {
  // A call and its result are usually in the same batch; where they are not, the result is read again later.
  for (let start = 0; start < entries.length; start += BATCH) {
    knownFacts(entries.slice(start, start + BATCH + 1));
    yield;
  }
}

/** The files that successful results say were changed, oldest change first; each once, as it was left. `before` is what was known ahead of the entries. */
export function changedFiles(
  entries: readonly JSONLEntry[],
  before: readonly ChangedFile[] = [],
): ChangedFile[] {
  const files = new Map(before.map((file) => [file.path, file]));
  for (const { seq, toolResult } of entries) {
    for (const change of toolResult?.filesChanged ?? []) {
      const known = files.get(change.path);
      // Taken out and put in again: the order is that of the last change.
      files.delete(change.path);
      files.set(change.path, {
        path: change.path,
        kind: kindAfter(known?.kind, change.kind),
        seq,
      });
    }
  }
  return [...files.values()];
}

function kindAfter(before: FileChange['kind'] | undefined, now: FileChange['kind']): FileChange['kind'] {
  if (now === 'deleted' || before === undefined) return now;
  return before === 'created' ? 'created' : before === 'deleted' ? 'created' : now;
}
