/**
 * What a log knows by itself, without a model: files as they were left, commands and tests as they ended, what
 * the user demanded, what was decided, what went wrong. Linear; what was read of an entry once is kept as long
 * as the entry is, so asking again costs little. Paths, identifiers and numbers at large are not indexed:
 * `occurring` looks for the few that somebody asks about.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type CommandRun, commandRuns } from './commandRuns.ts';
import { type Constraint, userConstraints } from './constraints.ts';
import { type Decision, decisionsOf } from './decisions.ts';
import { type ErrorLine, errorLines } from './errorLines.ts';
import { type ChangedFile, changedFiles } from './fileChanges.ts';
import { runInSlices } from './slices.ts';

export interface KnownFacts {
  readonly files: readonly ChangedFile[];
  readonly commands: readonly CommandRun[];
  readonly constraints: readonly Constraint[];
  readonly decisions: readonly Decision[];
  readonly errors: readonly ErrorLine[];
}

/** Everything in log order. */
export function knownFacts(entries: readonly JSONLEntry[]): KnownFacts {
  return {
    files: changedFiles(entries),
    commands: commandRuns(entries),
    constraints: userConstraints(entries),
    decisions: decisionsOf(entries),
    errors: errorLines(entries),
  };
}

/** Reads a log for the first time in slices; afterwards every function of facts answers at once. */
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
