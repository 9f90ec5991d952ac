/** Commands that were run, their outcomes, and which of these are still current. */
import { shellOutput } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import { headOf, tailOf } from '../tokens/truncate.ts';
import { parseTests, type TestReport } from './testReports.ts';

export interface CommandRun {
  readonly command: string;
  /** Undefined if it did not finish: interrupted, denied or moved to the background. */
  readonly exitCode: number | undefined;
  /** Final report of a test runner or a type checker. */
  readonly tests: TestReport | undefined;
  /** Seq of the result. */
  readonly seq: number;
}

/** Command runs in log order. A call is matched with the next result for its id, since providers reuse ids. */
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

interface StandingOutcomes {
  /** The newest test run whose result is still current. */
  readonly tests: (CommandRun & { readonly tests: TestReport }) | undefined;
  /** The newest command that did something, if it failed. */
  readonly failed: CommandRun | undefined;
}

/**
 * The outcomes that can be reported as current. A run supersedes all earlier ones, whatever it ran, unless it only
 * displayed something: a failure is reported only if no later command could have fixed it or shown that it is fixed.
 * When in doubt nothing is reported; the log and the summary have the rest.
 */
export function currentOutcomes(runs: readonly CommandRun[]): StandingOutcomes {
  const newest = runs.findLast(({ command }) => !onlyDisplays(command));
  const tested = runs.findLast(hasTests);
  const passed = tested !== undefined && tested.tests.failed === 0 && tested.exitCode === 0;
  const newestFailed = newest !== undefined && newest.exitCode !== 0;
  // A pass is current until a command fails, a failure until another command is run.
  const stands = tested === newest || (passed && !newestFailed);
  return {
    tests: stands ? tested : undefined,
    failed: newest === tested || newest?.exitCode === undefined || !newestFailed ? undefined : newest,
  };
}

/** The outcome of a run as far as output and exit code are conclusive. */
interface CertainOutcome {
  /** Present if tests certainly failed, or certainly all passed. */
  readonly tests: TestReport | undefined;
  /** True if the exit code proves that the whole command succeeded. */
  readonly isSuccess: boolean;
}

/**
 * Determines the certain outcome of a run; nothing rather than something wrong. The exit code of a pipe or list is that
 * of its last command, so 0 may hide failed tests. Reported failures are then trusted, and a pass only if the command
 * runs nothing but one test runner and its report is complete.
 */
function certainOutcome({ command, exitCode, tests }: CommandRun): CertainOutcome {
  const isHidden = /[|;&\n`!]|\$\(/.test(plain(command).replaceAll('&&', ''));
  const hasFailures = tests !== undefined && (tests.failed > 0 || tests.failing.length > 0);
  const isSuccess = exitCode === 0 && !isHidden && !hasFailures;
  const isCertain = (report: TestReport): boolean => {
    if (onlyDisplays(command)) return false;
    if (report.failed > 0) return exitCode !== 0 || isHidden;
    if (report.passed === 0 || hasFailures || exitCode !== 0) return false;
    return !isHidden || (report.isComplete && onlyRuns(report.runner, command));
  };
  return { tests: tests !== undefined && isCertain(tests) ? tests : undefined, isSuccess };
}

function hasTests(run: CommandRun): run is CommandRun & { readonly tests: TestReport } {
  return run.tests !== undefined;
}

/** Programs that only display something, without changing or checking anything. */
const DISPLAY_COMMAND =
  /^(?:cd|ls|ll|cat|bat|head|tail|less|more|grep|egrep|fgrep|rg|ag|wc|pwd|echo|printf|which|type|file|stat|tree|jq|sort|uniq|cut|tr|nl|date|du|df|printenv|whoami|uname|true|sed\s+-n\b|git\s+(?:status|log|diff|show|branch|blame|remote|rev-parse|ls-files))(?:\s|$)/;

/** True if all parts of a command line only display something; an unknown command counts as doing something. */
function onlyDisplays(command: string): boolean {
  return effectiveParts(command).length === 0;
}

/** True if a command line runs this test runner once and otherwise only displays something. */
function onlyRuns(runner: string, command: string): boolean {
  const [part, ...others] = effectiveParts(command);
  return part !== undefined && others.length === 0 && DIRECT_RUN.exec(part)?.[1] === runner;
}

/** The program that a command runs, after variables and prefixes such as npx. */
const DIRECT_RUN =
  /^(?:\w+=\S*\s+|(?:env|npx|bunx|yarn|pnpm(?: exec)?|poetry run|uv run|bundle exec|python3? -m)\s+)*(\w+)(?=\s|$)/;

/** The parts of a command line that do more than display something. */
function effectiveParts(command: string): readonly string[] {
  return plain(command)
    .split(/[&;|\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !(DISPLAY_COMMAND.test(part) && !/[`>]|[$<]\(/.test(part)));
}

/** Removes redirections of stderr, which would look like separate commands. */
function plain(command: string): string {
  return command.replace(/2>(?:&1|\/dev\/null)/g, '');
}

/** Characters from the end: test runners report there, and name failures shortly before. */
const MAX_TAIL = 16_000;
const MAX_HEAD = 4_000;

type End = Pick<CommandRun, 'exitCode' | 'tests'>;
/** Entries never change, so each is parsed once. */
const ends = new WeakMap<JSONLEntry, End>();

function endOf(entry: JSONLEntry, output: unknown, status: unknown): End {
  const known = ends.get(entry);
  if (known !== undefined) return known;
  const text = typeof output === 'string' ? output : '';
  const end = { exitCode: exitCodeOf(text, status), tests: parseTests(bothEnds(text)) };
  ends.set(entry, end);
  return end;
}

/** The beginning and end of a long text, in complete lines if possible; a short text unchanged. */
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

// The outcome of a call in a few words, for the ledger line or stub that replaces it.

export interface CallOutcome {
  /**
   * Short, the most informative first: `vitest: 1 failed, 5 passed`, `ok`, `exit 1 · 2.0 s`. Empty if nothing is
   * certain.
   */
  readonly words: readonly string[];
  readonly isFailure: boolean;
  /** For a failure: the name of a failed test or the first error line, of any length. */
  readonly detail: string | undefined;
}

/** Outcome of a call and its result; without a result it was interrupted. */
export function callOutcome(call: JSONLEntry, result: JSONLEntry | undefined): CallOutcome {
  const { toolResult } = result ?? {};
  const [run] = result === undefined ? [] : commandRuns([call, result]);
  const output = toolResult?.output ?? '';
  return outcomeOf({
    status: result === undefined ? 'interrupted' : (toolResult?.status ?? 'ok'),
    summary: toolResult?.display?.summary ?? '',
    output: typeof output === 'string' ? output : JSON.stringify(output),
    run,
  });
}

/** Outcome of a command that the user ran; undefined for other entries and for those of older versions. */
export function shellOutcome(entry: JSONLEntry): CallOutcome | undefined {
  const [run] = commandRuns([entry]);
  const { status, display } = (entry.subtype === 'shell' ? entry.data : undefined) ?? {};
  if (run === undefined || status === undefined) return undefined;
  const summary = display?.summary ?? '';
  return outcomeOf({ status, summary, output: shellOutput(entry) ?? '', run });
}

interface Ended {
  readonly status: string;
  readonly summary: string;
  readonly output: string;
  /** Undefined if the call was not a command. */
  readonly run: CommandRun | undefined;
}

function outcomeOf({ status, summary, output, run }: Ended): CallOutcome {
  const { tests, isSuccess } =
    run === undefined ? { tests: undefined, isSuccess: summary === '' } : certainOutcome(run);
  const hasFailed = status !== 'ok' && status !== 'partial';
  const isFailure = hasFailed || (tests !== undefined && tests.failed > 0);
  const report = tests === undefined ? '' : reportWords(tests);
  const state =
    hasFailed && summary === '' ? status : isSuccess && status === 'ok' && report === '' ? 'ok' : '';
  return {
    words: [report, state, summary].filter((word) => word !== ''),
    isFailure,
    detail: isFailure ? (tests === undefined ? firstErrorLine(output) : tests.failing[0]) : undefined,
  };
}

/** Type checkers report in each other's format, so they are not named. */
function reportWords({ runner, passed, failed }: TestReport): string {
  if (runner === 'tsc' || runner === 'eslint') return `${failed} ${failed === 1 ? 'error' : 'errors'}`;
  return `${runner}: ${failed === 0 ? '' : `${failed} failed, `}${passed} passed`;
}
