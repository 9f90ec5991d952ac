/** Facts that a log proves without a model: changed files and executed commands. */

import { inSlices, type Steps } from '../../disk/slices.ts';
import type { FileChange } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  afterEvictedPrefix,
  type ChangedFile,
  evictedPrefixOf,
  type KnownFacts,
} from '../history/evictedPrefix.ts';
import { commandRuns } from './commandRuns.ts';

/** All facts in log order, including those of the evicted part. */
export function knownFacts(entries: readonly JSONLEntry[]): KnownFacts {
  const past = evictedPrefixOf(entries)?.facts;
  const own = afterEvictedPrefix(entries);
  return {
    files: changedFiles(own, past?.files),
    commands: [...(past?.commands ?? []), ...commandRuns(own)],
  };
}

/** The facts to keep for an evicted part: more than fit into a summary. */
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

/** Reads the facts of a log in slices; afterwards they are cached. */
export async function readFacts(entries: readonly JSONLEntry[]): Promise<void> {
  await inSlices(readEach(entries));
}

const BATCH = 20;

function* readEach(entries: readonly JSONLEntry[]): Steps<void> {
  // A call and its result are usually in the same batch; otherwise the result is read again later.
  for (let start = 0; start < entries.length; start += BATCH) {
    knownFacts(entries.slice(start, start + BATCH + 1));
    yield;
  }
}

/**
 * The files changed according to successful results, without duplicates, ordered by their last change and with their
 * net change. `before` is the state before the entries.
 */
function changedFiles(entries: readonly JSONLEntry[], before: readonly ChangedFile[] = []): ChangedFile[] {
  const files = new Map(before.map((file) => [file.path, file]));
  for (const { seq, toolResult } of entries) {
    for (const change of toolResult?.filesChanged ?? []) {
      const known = files.get(change.path);
      // Delete first, so that the map is ordered by the last change.
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
