/**
 * What a machine knows better than a model, for the end of a summary: the user's constraints, files, tests,
 * commands and todos, from the log itself. Written anew from the whole log each time, so nothing in it ages.
 */
import { isAbsolute, relative, sep } from 'node:path';
import type { JSONLEntry, Todo } from '../../protocol/entries.ts';
import type { CommandRun } from '../facts/commandRuns.ts';
import { foldText } from '../facts/constraints.ts';
import type { Decision } from '../facts/decisions.ts';
import type { ChangedFile } from '../facts/fileChanges.ts';
import { type KnownFacts, knownFacts } from '../facts/knownFacts.ts';
import { failingTests, latestTestRuns } from '../facts/testOutcomes.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { fillSections, type Section } from './fillSections.ts';
import { tameSyntax } from './neutralise.ts';

export interface RecordedFactsOptions {
  /** What the model wrote: constraints that it quotes are not repeated. */
  readonly summary?: string;
  /** First and last `seq` of what the summary stands for. */
  readonly archived?: { readonly from: number; readonly to: number };
  /** `seq` of what stays in the request word for word: where room is short, that needs no second place. */
  readonly kept?: ReadonlySet<number>;
}

/**
 * A section for the end of a summary, at most `maxCharacters` long; empty when there is nothing to say. Where
 * not everything fits, constraints and changed files come first, then failing tests, todos, commands; of each
 * the strongest or newest. `entries` is the live log, not only what is archived: what was superseded later is
 * not told.
 */
export function recordedFacts(
  entries: readonly JSONLEntry[],
  maxCharacters: number,
  { summary = '', archived, kept = new Set() }: RecordedFactsOptions = {},
): string {
  const facts = knownFacts(entries);
  const root = entries[0]?.cwd ?? '';
  const heading = '### Recorded by the program';
  const last = pointerLine(archived);
  const sections = [
    constraintSection(facts, summary, kept),
    fileSection(facts.files, root),
    testSection(facts.commands),
    todoSection(latestTodos(entries)),
    commandSection(facts.commands),
    decisionSection(facts.decisions),
  ];
  const body = fillSections(sections, maxCharacters - heading.length - last.length - 2);
  const text = [heading, ...body, ...(last === '' ? [] : [last])].join('\n');
  return (body.length === 0 && last === '') || text.length > maxCharacters ? '' : text;
}

/** The todo list as the last tool result left it. */
export function latestTodos(entries: readonly JSONLEntry[]): readonly Todo[] {
  return entries.findLast((entry) => entry.toolResult?.todos !== undefined)?.toolResult?.todos ?? [];
}

/** Those that the summary quotes word for word are already there. */
function constraintSection({ constraints }: KnownFacts, summary: string, kept: ReadonlySet<number>): Section {
  const said = foldText(summary);
  const missing = constraints.filter(({ text }) => !said.includes(foldText(text)));
  return {
    heading: "Constraints in the user's words (a newer one wins over an older):",
    lines: missing.map(({ text, seq, strength }) => ({
      full: `- #${seq}: "${text.replace(/\s*\n\s*/g, ' ')}"`,
      weight: kept.has(seq) ? strength - STRONGEST : strength,
    })),
  };
}

const STRONGEST = 3;

function fileSection(files: readonly ChangedFile[], root: string): Section {
  return {
    heading: 'Files changed in this session, newest last:',
    lines: files.map(({ path, kind, hash, added, removed, seq }) => {
      const counts = added + removed === 0 ? '' : `, +${added} -${removed}`;
      const content = hash === undefined ? '' : `, ${hash.slice(0, 8)}`;
      return {
        full: `- ${visible(path)} (${kind}${content}${counts}, #${seq})`,
        bare: kind === 'deleted' ? `- ${shortened(path, root)} (deleted)` : `- ${shortened(path, root)}`,
      };
    }),
  };
}

/** A name may hold a line end, and must not begin a line of its own. */
function visible(path: string): string {
  return path.replace(/[\n\r]/g, '?');
}

function shortened(path: string, root: string): string {
  const way = root === '' ? '' : relative(root, path);
  const isOutside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return visible(isOutside ? path : way);
}

const MAX_TEST_RUNS = 8;
const MAX_FAILING = 40;
const MAX_COMMAND = 200;

/** Failing tests by name, then what the latest runs counted. */
function testSection(commands: readonly CommandRun[]): Section {
  const failing = failingTests(commands).slice(-MAX_FAILING);
  const runs = latestTestRuns(commands).slice(-MAX_TEST_RUNS);
  return {
    heading: 'Tests, by their latest run:',
    lines: [
      ...runs.map(({ command, tests, seq }) => ({
        full: `- ${tests.failed === 0 ? 'passed' : `${tests.failed} failed`} (${tests.runner}, ${tests.passed} passed, #${seq}): \`${oneLine(command)}\``,
        weight: tests.failed === 0 ? 1 : 2,
      })),
      ...failing.map(({ name, seq }) => ({
        full: `- failing: ${tameSyntax(oneLine(name))} (#${seq})`,
        weight: 3,
      })),
    ],
  };
}

/** A list on which everything is done has nothing more to say. */
function todoSection(todos: readonly Todo[]): Section {
  const isDone = todos.every(({ status }) => status === 'completed');
  return {
    heading: 'Todo list:',
    lines: (isDone ? [] : todos).map(({ status, content }) => ({
      full: `- [${status}] ${oneLine(content)}`,
      weight: { in_progress: 3, pending: 2, completed: 1 }[status],
    })),
  };
}

const MAX_DECISIONS = 60;

/** In the words of whoever decided; a newer one may have changed an older. */
function decisionSection(decisions: readonly Decision[]): Section {
  return {
    heading: 'Decisions as they were put, newest last (a newer one wins):',
    lines: decisions.slice(-MAX_DECISIONS).map(({ text, seq }) => ({ full: `- #${seq}: ${oneLine(text)}` })),
  };
}

const MAX_COMMANDS = 20;

/** The newest distinct commands and how they ended, failures before all others when there is little room. */
function commandSection(commands: readonly CommandRun[]): Section {
  const latest = new Map<string, CommandRun>();
  for (const run of commands) {
    latest.delete(run.command);
    latest.set(run.command, run);
  }
  const ended = [...latest.values()].filter(
    ({ exitCode, tests }) => exitCode !== undefined && tests === undefined,
  );
  const failed = ended.filter(({ exitCode }) => exitCode !== 0).slice(-MAX_COMMANDS / 2);
  const good = ended.filter(({ exitCode }) => exitCode === 0).slice(-(MAX_COMMANDS - failed.length));
  return {
    heading: 'Commands and their exit codes, failures first:',
    lines: [
      ...failed.map(({ command, exitCode, seq }) => ({
        full: `- exit ${exitCode}: \`${oneLine(command)}\` (#${seq})`,
        weight: 2,
      })),
      ...good.map(({ command, seq }) => ({ full: `- exit 0: \`${oneLine(command)}\` (#${seq})`, weight: 1 })),
    ],
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_COMMAND ? line : `${headOf(line, MAX_COMMAND - 1)}…`;
}

function pointerLine(archived: RecordedFactsOptions['archived']): string {
  if (archived === undefined) return '';
  const { from, to } = archived;
  return `Everything archived is still there as #${from}-#${to}: Recall shows an entry (#${to}), a range, or what a query finds.`;
}
