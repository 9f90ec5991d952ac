/** What a log says for certain, without a model: the files that were changed, and the commands that were run. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { afterPast, pastOf } from '../history/past.ts';
import { type CommandRun, commandRuns } from './commandRuns.ts';
import { type ChangedFile, changedFiles } from './fileChanges.ts';
import { runInSlices } from './slices.ts';

export interface KnownFacts {
  readonly files: readonly ChangedFile[];
  readonly commands: readonly CommandRun[];
}

/** Everything in log order, including what is known of a part of the log that is not in memory. */
export function knownFacts(entries: readonly JSONLEntry[]): KnownFacts {
  const past = pastOf(entries)?.facts;
  const own = afterPast(entries);
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
