/**
 * What a log knows by itself, without a model: files as they were left, commands and tests as they ended, what
 * the user demanded, what was decided, what went wrong. Linear; what was read of an entry once is kept as long
 * as the entry is, so asking again costs little. Paths, identifiers and numbers at large are not indexed:
 * `occurring` looks for the few that somebody asks about.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { afterPast, pastOf } from '../history/past.ts';
import { type CommandRun, commandRuns } from './commandRuns.ts';
import { type Constraint, userConstraints } from './constraints.ts';
import { type Decision, decisionsOf } from './decisions.ts';
import { type ErrorLine, errorLines } from './errorLines.ts';
import { type ChangedFile, changedFiles } from './fileChanges.ts';
import { runInSlices } from './slices.ts';
import { latestTestRuns } from './testOutcomes.ts';

export interface KnownFacts {
  readonly files: readonly ChangedFile[];
  readonly commands: readonly CommandRun[];
  readonly constraints: readonly Constraint[];
  readonly decisions: readonly Decision[];
  readonly errors: readonly ErrorLine[];
}

/** Everything in log order, with what is known of a part of the log that is not in memory. */
export function knownFacts(entries: readonly JSONLEntry[]): KnownFacts {
  const past = pastOf(entries)?.facts;
  const own = afterPast(entries);
  return {
    files: changedFiles(own, past?.files),
    commands: [...(past?.commands ?? []), ...commandRuns(own)],
    constraints: userConstraints(own, past?.constraints),
    decisions: [...(past?.decisions ?? []), ...decisionsOf(own)],
    errors: [...(past?.errors ?? []), ...errorLines(own)],
  };
}

/** What of them can still be told in a summary, which has room for far less: the newest. */
export function boundedFacts({ files, commands, constraints, decisions, errors }: KnownFacts): KnownFacts {
  const tests = new Set(latestTestRuns(commands).map(({ seq }) => seq));
  const from = commands.length - MAX_COMMANDS;
  return {
    files: files.slice(-MAX_FILES),
    commands: commands.filter(({ seq }, index) => index >= from || tests.has(seq)),
    constraints: constraints.slice(-MAX_SENTENCES),
    decisions: decisions.slice(-MAX_SENTENCES),
    errors: errors.slice(-MAX_SENTENCES),
  };
}

const MAX_FILES = 5000;
const MAX_COMMANDS = 200;
const MAX_SENTENCES = 500;

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
