/** A finished call: its line, followed by the relevant details: diff, todo list, end of the output, or error. */
import { type FileChange, kindsWithoutText } from '../../protocol/entries/fields.ts';
import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { count } from '../../protocol/text/numbers.ts';
import { revealLine } from '../../protocol/text/reveal.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import { displayText, textField } from './content.ts';
import { renderDiff } from './diff.ts';
import type { MarkdownRenderer } from './markdown.ts';
import { sanitize, shownLine } from './sanitize.ts';
import { renderTodos } from './todos.ts';
import { failureOf, renderToolLine, resultFacts, type ToolResult } from './toolLine.ts';
import { textWidth, truncate } from './width.ts';

export interface EntryOptions {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  /** Looks up the `tool_use` call for a result's id, if known. */
  readonly tools: (callId: string) => JSONLEntry['tool'];
  /** Looks up the number of an entry, if known. */
  readonly seqOf?: (uuid: string) => number | undefined;
  /** Print the model's reasoning instead of a line that summarizes it. */
  readonly showReasoning?: boolean;
  /** The user's home folder, shown as `~`. */
  readonly home?: string | undefined;
  /** The key that opens the full transcript, for display; named where output is folded. */
  readonly transcriptKey?: string | undefined;
}

const foldedRows = 3;
const errorRows = 6;
const diffRows = 60;
const todoRows = 30;

/** Renders a tool result; `undefined` for an entry without one. */
export function renderToolResult(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const result = entry.toolResult;
  if (result === undefined) return undefined;
  const { width, theme } = options;
  const call = options.tools(result.id);
  const facts = resultFacts(result, call);
  const { status } = facts;
  const line = renderToolLine({ ...facts, summary: summaryOf(result, status) }, width, theme);
  // For an edit, the diff already shows the changes.
  const changed = result.kind === 'command' ? (result.filesChanged ?? []) : [];
  return [
    ...planOf(call, options),
    line,
    ...bodyOf(result, status, call, options),
    ...changedFilesRow(changed, { cwd: entry.cwd, width, theme }),
  ].join('\n');
}

/** The plan that the user was asked about: its dialog has closed, and later work may refer to it. */
function planOf(call: JSONLEntry['tool'], { width, theme, markdown }: EntryOptions): string[] {
  if (call?.name !== toolNames.exitPlanMode) return [];
  const plan = textField(call.input, 'plan');
  return plan === undefined ? [] : [markdown(plan, { width, theme }), ''];
}

function bodyOf(
  result: ToolResult,
  status: string,
  call: JSONLEntry['tool'],
  { width, theme, markdown, transcriptKey }: EntryOptions,
): string[] {
  const output = withoutModelNotes(displayText(result.output), result.display);
  const room = { width, theme, transcriptKey };
  if (status === 'error' || status === 'denied') {
    const { text, keep } = failureOf(result);
    return foldOutput(text, { ...room, rows: errorRows, keep, paint: theme.error });
  }
  const total = result.original?.lines;
  if (status === 'interrupted')
    return foldOutput(output, { ...room, rows: foldedRows, keep: 'end', paint: theme.warning, total });
  const diff = result.display?.diff ?? diffOfNew(result, call);
  if (diff !== undefined && diff !== '') {
    const rows = renderDiff(diff, {
      width: width - 4,
      theme,
      maxLines: diffRows,
      highlight: markdown.highlight,
      path: textField(call?.input, 'file_path'),
    });
    return rows === '' ? [] : rows.split('\n').map((row) => `    ${row}`);
  }
  if (result.todos !== undefined)
    return renderTodos(result.todos, width - 4, todoRows, theme).map((row) => `    ${row}`);
  const { answers } = result.display ?? {};
  if (answers !== undefined) return answerRows(answers, width, theme);
  if (kindsWithoutText.has(result.kind)) return [];
  // The result of an accepted plan is meant for the model; the plan itself is shown above.
  if (call?.name === toolNames.exitPlanMode && status === 'ok') return [];
  const fold = { ...room, rows: foldedRows, total } as const;
  if (isAnswerOfAgent(result, status)) {
    const rows = markdown(output, { width: width - 4, theme }).split('\n');
    return foldRows(
      rows.filter((row) => row !== ''),
      { ...fold, keep: 'start' },
    );
  }
  return foldOutput(output, { ...fold, keep: result.kind === 'command' ? 'end' : 'start' });
}

/** True for what a subagent wrote, which is Markdown like any reply. */
export const isAnswerOfAgent = ({ display }: ToolResult, status: string): boolean =>
  display?.agent !== undefined && (status === 'ok' || status === 'partial');

/** Questions that the user answered, a row each; on a narrow screen the question is cut before the answer. */
function answerRows(
  answers: NonNullable<NonNullable<ToolResult['display']>['answers']>,
  width: number,
  theme: Theme,
): string[] {
  return answers.map(({ question, answer }) => {
    const shown = shownLine(answer) || 'not answered';
    const room = width - 4;
    const asked = truncate(shownLine(question), Math.max(Math.floor(room / 3), room - 3 - textWidth(shown)));
    return `    ${theme.dim(asked)} → ${truncate(shown, Math.max(1, room - 3 - textWidth(asked)))}`;
  });
}

/** The diff of a newly created file, built from the content in the call. */
export function diffOfNew({ filesChanged = [] }: ToolResult, call: JSONLEntry['tool']): string | undefined {
  const content = textField(call?.input, 'content');
  if (content === undefined || filesChanged.length !== 1 || filesChanged[0]?.kind !== 'created')
    return undefined;
  const lines = content.replace(/\r?\n$/, '').split(/\r?\n/);
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function summaryOf(result: ToolResult, status: string): string | undefined {
  const words = result.display?.summary;
  if (status === 'partial' && !saysWhyPartial.test(words ?? ''))
    return words === undefined || words === '' ? 'partial' : `partial · ${words}`;
  if (words !== undefined) return words;
  if (status === 'denied') return 'not allowed';
  if (status === 'interrupted') return 'stopped';
  return undefined;
}

/** The word "partial" would add nothing. */
const saysWhyPartial = /^(?:interrupted|moved to the background|stopped|step limit|repeated itself)\b/;

// The files that a command changed, on one row below its output.

/** One row of at most `width` columns with as many files as fit and a count of the others; empty for no files. */
export function changedFilesRow(
  files: readonly FileChange[],
  { cwd, width, theme }: { readonly cwd: string; readonly width: number; readonly theme: Theme },
): string[] {
  const words = files.map((file) => wordOf(file, cwd));
  const [first] = words;
  if (first === undefined) return [];
  let row = first;
  let shown = 1;
  for (; shown < words.length; shown += 1) {
    const longer = `${row}, ${words[shown]}`;
    const rest = words.length - shown - 1;
    if (textWidth(longer) + (rest === 0 ? 0 : textWidth(moreOf(rest))) > width - 4) break;
    row = longer;
  }
  const more = shown === words.length ? '' : moreOf(words.length - shown);
  const room = Math.max(1, width - 4 - textWidth(more));
  return [theme.dim(`  ✎ ${truncate(row, room)}${more}`)];
}

/** Returns text such as "lib/a.ts +1 −2", "b.txt new", "c.txt gone". */
function wordOf({ path, kind, added = 0, removed = 0 }: FileChange, cwd: string): string {
  const short = revealLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
  if (kind === 'deleted') return `${short} gone`;
  const lines = added + removed === 0 ? '' : ` +${added} −${removed}`;
  return kind === 'created' ? `${short} new${lines}` : short + lines;
}

function moreOf(many: number): string {
  return ` … +${many}`;
}

/** Options for folding long output to a few rows. */
interface FoldOptions extends Pick<EntryOptions, 'width' | 'theme' | 'transcriptKey'> {
  /** Rows of text to keep, not counting the "+N lines" row. */
  readonly rows: number;
  /** Which end to keep: the end of a command's output, the start of anything else. */
  readonly keep: 'start' | 'end';
  readonly paint?: Paint;
  /** Lines of the complete output, if the text is only part of it. */
  readonly total?: number | undefined;
}

/** Rows cut to `width`, below a `⎿`, with a count of the omitted lines. Empty for blank text. */
export function foldOutput(text: string, { paint, ...options }: FoldOptions): string[] {
  const { width, theme } = options;
  return foldRows(linesOf(text), options, (line) => (paint ?? theme.dim)(truncate(line, width - 4)));
}

/** The same for rows that fit and are painted already, if there is no `render`. */
function foldRows(
  all: readonly string[],
  { width, theme, transcriptKey, rows, keep, total = 0 }: FoldOptions,
  render: (row: string) => string = (row) => row,
): string[] {
  if (all.length === 0) return [];
  // Showing one more line takes no more room than reporting it missing.
  const fits = all.length <= rows + 1;
  const shown = fits ? all : keep === 'start' ? all.slice(0, rows) : all.slice(-rows);
  const lines = shown.map(render);
  const counted = `… +${count(Math.max(total, all.length) - shown.length, 'line')}`;
  const named = transcriptKey === undefined ? counted : `${counted} (${transcriptKey})`;
  const more = theme.dim(textWidth(named) <= width - 4 ? named : counted);
  const folded = fits ? lines : keep === 'start' ? [...lines, more] : [more, ...lines];
  return folded.map((line, index) => `${index === 0 ? theme.dim('  ⎿ ') : '    '}${line}`);
}

function linesOf(text: string): string[] {
  const lines = sanitize(text)
    .split('\n')
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  while (lines[0] === '') lines.shift();
  return lines;
}
