/** A finished call in words: the call, its outcome, and the important part of its result. Pure. */
import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { diffSize } from '../../protocol/text/diff.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { textOf } from '../print/content.ts';
import { parseDiff } from '../print/diff.ts';
import { count } from '../print/numbers.ts';
import { reveal, revealLine, sanitize, sanitizeLine } from '../print/sanitize.ts';
import { failureOf, type ResultFacts, resultFacts, shownCall, type ToolResult } from '../print/toolLine.ts';

const OUTPUT_LINES = 10;
const ERROR_LINES = 12;
const DIFF_LINES = 40;

const outcomes: Readonly<Record<ResultFacts['status'], string>> = {
  ok: 'Done',
  partial: 'Partly done',
  error: 'Failed',
  denied: 'Not allowed',
  interrupted: 'Stopped',
};

interface ToolWordsOptions {
  readonly cwd: string;
  /** The call, if known. */
  readonly call: JSONLEntry['tool'];
  readonly markdown: (text: string) => string;
  /** True if its changes were read out when it needed approval. */
  readonly isHeard: boolean;
}

export function toolWords(result: ToolResult, { cwd, call, markdown, isHeard }: ToolWordsOptions): string {
  const facts = resultFacts(result, call);
  const { status } = facts;
  const shown = shownCall(facts.tool, facts.title);
  const tool = sanitizeLine(reveal(shown.tool));
  const title = sanitizeLine(reveal(shown.title, tool === toolNames.bash));
  const named = title === '' || title === tool ? tool : `${tool}: ${title}`;
  const summary = sanitizeLine(result.display?.summary ?? '').replaceAll(' · ', ', ');
  // The full screen leaves out the exit code of a successful command; here it is read out.
  const isFine = result.kind === 'command' && status === 'ok' && !summary.startsWith('exit');
  const said = isFine ? ['exit code 0', ...(summary === '' ? [] : [summary])].join(', ') : summary;
  const outcome = [outcomes[status], ...(said === '' ? [] : [said])].join(', ');
  const changed = result.kind === 'command' ? (result.filesChanged ?? []) : [];
  return [
    ...planWords(call, markdown),
    `${named}${/[.!?]$/.test(named) ? '' : '.'} ${outcome}.`,
    ...bodyWords(result, status, isHeard),
    ...(changed.length === 0
      ? []
      : [`Files changed: ${changed.map(({ path, kind }) => `${short(path, cwd)} ${kind}`).join(', ')}.`]),
  ].join('\n');
}

/**
 * The changed lines of a unified diff in words, with line numbers. `clean`: use `revealed` for a diff that the user is
 * to approve.
 */
export function diffWords(diff: string, most: number, clean = sanitizeLine): string[] {
  const lines = parseDiff(diff).filter(({ type }) => type === 'added' || type === 'removed');
  const { added, removed } = diffSize(diff);
  const shown = lines
    .slice(0, most)
    .map(({ type, number, text }) => `${type} line ${number}: ${clean(text)}`);
  return [
    `${count(added, 'line')} added, ${count(removed, 'line')} removed.`,
    ...shown,
    ...(lines.length > most ? [`And ${count(lines.length - most, 'more changed line')}.`] : []),
  ];
}

/** For approvals: the whole text, with hidden characters shown by their code points. */
export const revealed = (text: string): string => sanitize(reveal(text));

function bodyWords(result: ToolResult, status: ResultFacts['status'], isHeard: boolean): string[] {
  if (status === 'error' || status === 'denied') {
    const { text, keep } = failureOf(result);
    return outputWords(text, ERROR_LINES, keep);
  }
  if (result.display?.diff !== undefined && result.display.diff !== '')
    return isHeard ? [] : diffWords(result.display.diff, DIFF_LINES);
  if (result.todos !== undefined)
    return result.todos.map(
      ({ content, status: state }) => `- ${stateWords[state]}: ${sanitizeLine(content)}`,
    );
  const { answers } = result.display ?? {};
  if (answers !== undefined)
    return answers.map(
      ({ question, answer }) =>
        `- ${sanitizeLine(reveal(question))} ${sanitizeLine(reveal(answer)) || 'not answered'}`,
    );
  if (result.kind !== 'command') return [];
  return outputWords(withoutModelNotes(textOf(result.output), result.display), OUTPUT_LINES, 'end');
}

const stateWords = { completed: 'done', in_progress: 'now', pending: 'open' } as const;

/** Output of a command, or an error: a few lines, and how many there are. */
export function outputWords(text: string, most: number, keep: 'start' | 'end'): string[] {
  const lines = sanitize(text)
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.length === 1 && lines[0] === '') return [];
  if (lines.length <= most + 1) return lines;
  const shown = keep === 'start' ? lines.slice(0, most) : lines.slice(-most);
  return [`${keep === 'start' ? 'First' : 'Last'} ${most} of ${lines.length} lines:`, ...shown];
}

function planWords(call: JSONLEntry['tool'], markdown: (text: string) => string): string[] {
  const { input } = call ?? {};
  if (
    call?.name !== toolNames.exitPlanMode ||
    typeof input !== 'object' ||
    input === null ||
    !('plan' in input)
  )
    return [];
  return typeof input.plan === 'string' ? ['Plan:', markdown(input.plan), 'End of the plan.'] : [];
}

function short(path: string, cwd: string): string {
  return revealLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
}
