/** Commands that were run, how each ended, and which outcomes still stand. */

import { shellOutput } from '../../protocol/entries/shellOutput.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf, tailOf } from '../tokens/truncate.ts';
import { parseTests, type TestReport } from './testReports.ts';

export interface CommandRun {
  readonly command: string;
  /** Undefined when it did not end: interrupted, denied, moved to the background. */
  readonly exitCode: number | undefined;
  /** What a test runner or a type checker reported at its end. */
  readonly tests: TestReport | undefined;
  /** Of the result. */
  readonly seq: number;
}

/** In log order. A call is matched with the next result of its id, since providers reuse ids. */
export function commandRuns(entries: readonly JSONLEntry[]): CommandRun[] {
  const open = new Map<string, string>();
  const runs: CommandRun[] = [];
  for (const entry of entries) {
    const { tool, toolResult } = entry;
    if (tool !== undefined) {
      const command = commandOf(tool.input);
      if (command === undefined) open.delete(tool.id);
      else open.set(tool.id, command);
    }
    if (toolResult !== undefined) {
      const command = open.get(toolResult.id);
      if (command === undefined) continue;
      open.delete(toolResult.id);
      runs.push({ command, ...endOf(entry, toolResult.output, toolResult.status), seq: entry.seq });
    }
    const shell = entry.subtype === 'shell' ? entry.data : undefined;
    if (typeof shell?.command === 'string')
      runs.push({
        command: shell.command,
        ...endOf(entry, shellOutput(entry), shell.status),
        seq: entry.seq,
      });
  }
  return runs;
}

export interface StandingOutcomes {
  /** The newest run of tests that still says how things are. */
  readonly tests: (CommandRun & { readonly tests: TestReport }) | undefined;
  /** The newest command that did something, when it failed. */
  readonly failed: CommandRun | undefined;
}

/**
 * The outcomes that may be told as the current state. A run supersedes every earlier one, whatever it ran, unless it
 * only looked at something: a failure is told only while no later command could have shown it fixed. This says
 * nothing rather than something outdated; the log and the summary have the rest.
 */
export function standingOutcomes(runs: readonly CommandRun[]): StandingOutcomes {
  const newest = runs.findLast(({ command }) => !onlyLooks(command));
  const tested = runs.findLast(hasTests);
  const passed = tested !== undefined && tested.tests.failed === 0 && tested.exitCode === 0;
  const newestFailed = newest !== undefined && newest.exitCode !== 0;
  // A pass is told until something fails, a failure until something else was run.
  const stands = tested === newest || (passed && !newestFailed);
  return {
    tests: stands ? tested : undefined,
    failed: newest === tested || newest?.exitCode === undefined || !newestFailed ? undefined : newest,
  };
}

/** What a run came to, where its output and exit code leave no doubt. */
export interface CertainOutcome {
  /** Present when it is certain that tests failed, or that all of them passed. */
  readonly tests: TestReport | undefined;
  /** The exit code says that all of it went well. */
  readonly isSuccess: boolean;
}

/**
 * What may be said of a run in a word: nothing rather than something that may be wrong. The exit code of a pipe or a
 * list is that of its last command, so failing tests may hide behind a 0. Then they are believed, and a pass only
 * where nothing but one runner was run and its whole report is there.
 */
export function certainOutcome({ command, exitCode, tests }: CommandRun): CertainOutcome {
  const isHidden = /[|;&\n`!]|\$\(/.test(plain(command).replaceAll('&&', ''));
  const hasFailures = tests !== undefined && (tests.failed > 0 || tests.failing.length > 0);
  const isSuccess = exitCode === 0 && !isHidden && !hasFailures;
  const isCertain = (report: TestReport): boolean => {
    if (onlyLooks(command)) return false;
    if (report.failed > 0) return exitCode !== 0 || isHidden;
    if (report.passed === 0 || hasFailures || exitCode !== 0) return false;
    return !isHidden || (report.isComplete && onlyRuns(report.runner, command));
  };
  return { tests: tests !== undefined && isCertain(tests) ? tests : undefined, isSuccess };
}

function hasTests(run: CommandRun): run is CommandRun & { readonly tests: TestReport } {
  return run.tests !== undefined;
}

/** Programs that show something and change or check nothing. */
const LOOKING =
  /^(?:cd|ls|ll|cat|bat|head|tail|less|more|grep|egrep|fgrep|rg|ag|wc|pwd|echo|printf|which|type|file|stat|tree|jq|sort|uniq|cut|tr|nl|date|du|df|printenv|whoami|uname|true|sed\s+-n\b|git\s+(?:status|log|diff|show|branch|blame|remote|rev-parse|ls-files))(?:\s|$)/;

/** True when every part of a command line only looks; what is not understood is taken to do something. */
function onlyLooks(command: string): boolean {
  return doingParts(command).length === 0;
}

/** True when a command line runs this test runner, once, and everything else in it only looks. */
function onlyRuns(runner: string, command: string): boolean {
  const [part, ...others] = doingParts(command);
  return part !== undefined && others.length === 0 && DIRECT_RUN.exec(part)?.[1] === runner;
}

/** The name of the program that a command runs, behind variables and the likes of npx. */
const DIRECT_RUN =
  /^(?:\w+=\S*\s+|(?:env|npx|bunx|yarn|pnpm(?: exec)?|poetry run|uv run|bundle exec|python3? -m)\s+)*(\w+)(?=\s|$)/;

/** The parts of a command line that do not only look. */
function doingParts(command: string): readonly string[] {
  return plain(command)
    .split(/[&;|\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !(LOOKING.test(part) && !/[`>]|[$<]\(/.test(part)));
}

/** Without redirections of errors, which would look like parts. */
function plain(command: string): string {
  return command.replace(/2>(?:&1|\/dev\/null)/g, '');
}

/** Test runners report at their end, and name failures a little before it. */
const MAX_TAIL = 16_000;
const MAX_HEAD = 4_000;

type End = Pick<CommandRun, 'exitCode' | 'tests'>;
/** Entries never change, so each is read once. */
const ends = new WeakMap<JSONLEntry, End>();

function endOf(entry: JSONLEntry, output: unknown, status: unknown): End {
  const known = ends.get(entry);
  if (known !== undefined) return known;
  const text = typeof output === 'string' ? output : '';
  const end = { exitCode: exitCodeOf(text, status), tests: parseTests(bothEnds(text)) };
  ends.set(entry, end);
  return end;
}

/** The first and last characters of a long text, in whole lines where it has any; a short text as it is. */
function bothEnds(text: string): string {
  if (text.length <= MAX_HEAD + MAX_TAIL) return text;
  const first = headOf(text, MAX_HEAD);
  const last = tailOf(text, MAX_TAIL);
  const firstEnd = first.lastIndexOf('\n');
  return `${firstEnd === -1 ? first : first.slice(0, firstEnd)}\n${last.slice(last.indexOf('\n') + 1)}`;
}

function exitCodeOf(text: string, status: unknown): number | undefined {
  const last = /(?:^|\n)exit code (-?\d{1,5})\b[^\n]*\s*$/.exec(tailOf(text, 200));
  if (last?.[1] !== undefined) return Number(last[1]);
  if (/\((?:Interrupted by the user\.|Still running after )[^\n]*\s*$/.test(tailOf(text, 400)))
    return undefined;
  if (/(?:^|\n)Runs in the background as task [^\n]*\s*$/.test(tailOf(text, 400))) return undefined;
  if (status === 'ok' || status === 'partial' || status === undefined) return 0;
  return status === 'error' ? 1 : undefined;
}

function commandOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('command' in input)) return undefined;
  return typeof input.command === 'string' && input.command.trim() !== '' ? input.command.trim() : undefined;
}
