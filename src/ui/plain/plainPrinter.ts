/** Prints finished output in words, in order, each item once: the counterpart of `printer.ts` for plain mode. */
import { type Page, plainLines } from '../../commands/pages/page.ts';
import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { diffSize } from '../../protocol/text/diff.ts';
import { count } from '../../protocol/text/numbers.ts';
import { revealLine } from '../../protocol/text/reveal.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { Print } from '../controller/view.ts';
import { displayText, shellRun } from '../print/content.ts';
import { parseDiff } from '../print/diff.ts';
import { promptText, renderEntry } from '../print/entry.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import type { Printer, PrinterOptions } from '../print/printer.ts';
import { sanitize, sanitizeLine, shownLine, shownText } from '../print/sanitize.ts';
import { callLabel, failureOf, type ResultFacts, resultFacts, type ToolResult } from '../print/toolLine.ts';
import type { EntryOptions } from '../print/toolResult.ts';
import { withoutBoxDrawing } from './asciiSymbols.ts';
import { quoted, type Room, rowsOf } from './foreignText.ts';
import { plainTheme } from './plainMarkdown.ts';

/** Wider than any line: the terminal wraps. */
const ENDLESS = 100_000;
const SHELL_LINES = 40;

interface WordsOptions extends PrinterOptions {
  readonly room: () => Room;
  readonly words: MarkdownRenderer;
  /** True for a prompt that the terminal has already echoed. */
  readonly isEchoed: (text: string) => boolean;
  /** True for a call whose preview was printed for approval, so that its changes are known. */
  readonly isHeard: (callId: string) => boolean;
}

export function createPlainPrinter(options: WordsOptions): Printer {
  const calls = new Map<string, JSONLEntry['tool']>();
  const words: MarkdownRenderer = options.words;
  const spoken = (text: string): string => words(text, { width: ENDLESS, theme: plainTheme });
  const entryOptions = (): EntryOptions => ({
    width: ENDLESS,
    theme: plainTheme,
    markdown: (text) => `ClawdCode: ${spoken(text)}`,
    tools: (id) => calls.get(id),
    showReasoning: options.showReasoning(),
    seqOf: (uuid) => options.entries?.().find((one) => one.uuid === uuid)?.seq,
  });
  const inRows = (...lines: readonly string[]): string =>
    lines.flatMap((line) => rowsOf(line, options.room())).join('\n');
  const entryWords = (entry: JSONLEntry): string | undefined => {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    const { toolResult } = entry;
    if (toolResult !== undefined) {
      const text = toolWords(toolResult, {
        cwd: entry.cwd,
        call: calls.get(toolResult.id),
        markdown: spoken,
        isHeard: options.isHeard(toolResult.id),
      });
      calls.delete(toolResult.id);
      return inRows(...text);
    }
    if (entry.type === 'user' && (entry.subtype === undefined || entry.subtype === 'prompt')) {
      const text = promptText(entry);
      return entry.isCompactSummary === true || options.isEchoed(text)
        ? undefined
        : inRows(`You: ${sanitize(text).trim()}`);
    }
    if (entry.type === 'user' && entry.subtype === 'shell') return inRows(...shellWords(entry));
    const text = renderEntry(entry, entryOptions());
    if (text === undefined) return undefined;
    // A reply comes before any question, and users copy from it; a compaction has several lines of ours.
    const isWhole = entry.type === 'assistant' || entry.subtype === 'compact_boundary';
    return isWhole ? withoutMarks(text) : inRows(withoutMarks(text));
  };
  const renderOne = (print: Print): string | undefined => {
    switch (print.type) {
      case 'entry':
        return entryWords(print.entry);
      case 'markdown':
        if (print.text.trim() === '') return undefined;
        return print.first ? `ClawdCode: ${spoken(print.text)}` : spoken(print.text);
      case 'reads':
        return print.entries.flatMap((entry) => entryWords(entry) ?? []).join('\n');
      // Already on the terminal, as typed.
      case 'command':
        return undefined;
      case 'page':
        return withoutKeys(pageWords(print.page));
      case 'notice':
        return inRows(...noticeLines(print.level, shownText(print.text).trim()));
    }
  };
  return {
    render: (prints) =>
      prints
        .flatMap((print) => renderOne(print) ?? [])
        .filter((text) => text.trim() !== '')
        .map((text) => {
          const lines = text.split('\n').map((line) => withoutTrailing(line, ' \t'));
          return `${lines.join('\n')}\n`;
        })
        .join(''),
  };
}

/** The answer to a command (`info`) may have several lines of ours; a problem may quote other text. */
function noticeLines(level: 'info' | 'warning' | 'error', text: string): readonly string[] {
  if (level === 'info') return text.split('\n');
  return [`${level === 'error' ? 'Error' : 'Warning'}: ${text}`];
}

/** The lines of a page that the user asked for; only line breaks in names are marked. */
function pageWords(page: Page): string {
  const lines = plainLines(page).map((line) => shownText(line));
  const rows = lines.flatMap((line) => rowsOf(line, { columns: ENDLESS, isUtf8: true }));
  return withoutBoxDrawing(rows.join('\n'));
}

/** Replaces the keys in `/help`, which apply to the full screen. */
function withoutKeys(text: string): string {
  return text.replace(/\n\nKeys\n[\s\S]*$/, `\n\n${KEYS}`);
}

const KEYS =
  'A backslash at the end of a line continues on the next. !command runs a command yourself, @path names a file. Ctrl+C interrupts, twice quits; Ctrl+D quits too.';

function shellWords(entry: JSONLEntry): readonly string[] {
  const { command, output, ending } = shellRun(entry);
  return [
    `You ran: ${shownLine(command, true)}`,
    ...outputText(output, SHELL_LINES, 'end'),
    ...(ending === '' ? [] : [`Outcome: ${sanitizeLine(ending)}.`]),
  ];
}

/** Removes leading symbols, which only add color to the sentence. */
function withoutMarks(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*[⎿◇◆↪✻✎●·]\s?/, '').replace(/^! /, 'Warning: '))
    .filter((line, index, all) => line !== '' || all[index - 1] !== '')
    .join('\n')
    .trim();
}

// A finished call in words: the call, its outcome, and the important part of its result. Pure.

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

function toolWords(
  result: ToolResult,
  { cwd, call, markdown, isHeard }: ToolWordsOptions,
): readonly string[] {
  const facts = resultFacts(result, call);
  const { status } = facts;
  const shown = callLabel(facts.tool, facts.title);
  const tool = shownLine(shown.tool).replace(' · ', ' ');
  const title = shownLine(shown.title, tool === toolNames.bash);
  const named = title === '' || title === tool ? tool : `${tool}: ${title}`;
  const summary = shownLine(result.display?.summary ?? '').replaceAll(' · ', ', ');
  // The full screen leaves out the exit code of a successful command; here it is read out.
  const isFine = result.kind === 'command' && status === 'ok' && !summary.startsWith('exit');
  const details = isFine ? ['exit code 0', ...(summary === '' ? [] : [summary])].join(', ') : summary;
  const outcome = [outcomes[status], ...(details === '' ? [] : [details])].join(', ');
  const changed = result.kind === 'command' ? (result.filesChanged ?? []) : [];
  return [
    ...planWords(call, markdown),
    `${named}${/[.!?]$/.test(named) ? '' : '.'} ${outcome}.`,
    ...bodyWords(result, status, isHeard),
    ...(changed.length === 0
      ? []
      : [`Files changed: ${changed.map(({ path, kind }) => `${short(path, cwd)} ${kind}`).join(', ')}.`]),
  ];
}

/**
 * The changed lines of a unified diff in words, with line numbers. `clean`: pass `revealed` for a diff that the user
 * has to approve.
 */
export function diffText(diff: string, most: number, clean = sanitizeLine): string[] {
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
function bodyWords(result: ToolResult, status: ResultFacts['status'], isHeard: boolean): string[] {
  if (status === 'error' || status === 'denied') {
    const { text, keep } = failureOf(result);
    return outputText(text, ERROR_LINES, keep);
  }
  if (result.display?.diff !== undefined && result.display.diff !== '')
    return isHeard ? [] : diffText(result.display.diff, DIFF_LINES);
  if (result.todos !== undefined)
    return result.todos.map(({ content, status: state }) => `- ${stateWords[state]}: ${shownLine(content)}`);
  const { answers } = result.display ?? {};
  if (answers !== undefined)
    return answers.map(
      ({ question, answer }) => `- ${shownLine(question)} ${shownLine(answer) || 'not answered'}`,
    );
  if (result.kind !== 'command') return [];
  return outputText(withoutModelNotes(displayText(result.output), result.display), OUTPUT_LINES, 'end');
}

const stateWords = { completed: 'done', in_progress: 'now', pending: 'open' } as const;

/** Output of a command, or an error: a few quoted lines, and how many there are. */
export function outputText(text: string, most: number, keep: 'start' | 'end'): string[] {
  const lines = sanitize(text)
    .replace(/^\n+/, '')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.length === 1 && lines[0] === '') return [];
  if (lines.length <= most + 1) return lines.flatMap(quoted);
  const shown = keep === 'start' ? lines.slice(0, most) : lines.slice(-most);
  return [
    `${keep === 'start' ? 'First' : 'Last'} ${most} of ${lines.length} lines:`,
    ...shown.flatMap(quoted),
  ];
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
  return typeof input.plan === 'string' ? ['Plan:', ...quoted(markdown(input.plan)), 'End of the plan.'] : [];
}

function short(path: string, cwd: string): string {
  return revealLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
}
