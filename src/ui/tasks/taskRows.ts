/** Background tasks as rows of text, and the visible part of an output. Pure. */
import { grouped } from '../../protocol/grouped.ts';
import type { TaskInfo, TaskOutput } from '../../protocol/tasks.ts';
import { formatDuration } from '../print/numbers.ts';
import { sanitize, sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** From this width on the last line of the output stands beside its command. */
const WIDE = 72;
const NARROW = 40;
const STATE_COLUMNS = 16;

/** E.g. `running 1m 05s`, `exit 1 · 12s`, `stopped · 3.2s`. */
export function stateText({ startedAtMs, end }: TaskInfo, now: number): string {
  const duration = formatDuration((end?.endedAtMs ?? now) - startedAtMs);
  if (end === undefined) return `running ${duration}`;
  if (end.problem !== undefined) return 'failed to start';
  return `${end.stoppedBy === undefined ? `exit ${end.code ?? '?'}` : 'stopped'} · ${duration}`;
}

function shortState(task: TaskInfo, now: number): string {
  return task.end === undefined
    ? formatDuration(now - task.startedAtMs)
    : stateText(task, now).split(' · ', 1).join();
}

/** One row of at most `width` columns. */
export function taskRow(
  task: TaskInfo,
  { width, isSelected, now, theme }: { width: number; isSelected: boolean; now: number; theme: Theme },
): string {
  const isWide = width >= WIDE;
  const id = width < NARROW ? task.id : padEnd(task.id, 4);
  const text = width < NARROW ? shortState(task, now) : stateText(task, now);
  const state = isWide ? padEnd(truncate(text, STATE_COLUMNS), STATE_COLUMNS) : truncate(text, 16);
  const paint = task.end === undefined ? theme.accent : task.end.code === 0 ? theme.success : theme.warning;
  const room = width - textWidth(id) - textWidth(state) - 2;
  const command = sanitizeLine(task.command);
  const name = (columns: number): string => {
    const shown = truncate(command, Math.max(0, columns));
    return isSelected ? theme.strong(shown) : shown;
  };
  if (room < 4) return truncate(`${task.id} ${command}`, width);
  const lead = `${theme.dim(id)} ${paint(state)} `;
  if (!isWide || task.lastLine === '') return lead + name(room);
  const commandColumns = Math.min(textWidth(command), Math.ceil(room * 0.6));
  const rest = room - commandColumns - 3;
  return `${lead}${name(commandColumns)}${theme.dim(` │ ${truncate(sanitizeLine(task.lastLine), rest)}`)}`;
}

/** Said below a list that is too narrow for it: the last line of the task under the cursor. */
export function detailRow(task: TaskInfo | undefined, width: number, theme: Theme): string {
  if (task === undefined || width >= WIDE || task.lastLine === '') return '';
  return theme.dim(truncate(`  ${sanitizeLine(task.lastLine)}`, width));
}

/** An output as lines that scroll; a line feed at the end does not begin another. */
export function outputLines({ text, missing }: TaskOutput): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (missing === 0) return text === '' ? [] : lines;
  // The first is the rest of one whose beginning is gone.
  return [`… ${grouped(missing)} earlier characters …`, ...lines.slice(1)];
}

/** The rows from a line on; from the last `rows` rows where `top` is absent. Only what is visible is laid out. */
export function outputRows(
  lines: readonly string[],
  top: number | undefined,
  { width, rows }: { width: number; rows: number },
): readonly string[] {
  const laidOut: string[] = [];
  if (top !== undefined) {
    for (let at = top; at < lines.length && laidOut.length < rows; at++)
      laidOut.push(...rowsOf(lines[at] ?? '', width));
    return laidOut.slice(0, rows);
  }
  for (let at = lines.length - 1; at >= 0 && laidOut.length < rows; at--)
    laidOut.unshift(...rowsOf(lines[at] ?? '', width));
  return laidOut.slice(-rows);
}

/** The first line of the last page: where scrolling up begins. */
export function firstOfLastPage(
  lines: readonly string[],
  { width, rows }: { width: number; rows: number },
): number {
  let taken = 0;
  for (let at = lines.length - 1; at >= 0; at--) {
    taken += rowsOf(lines[at] ?? '', width).length;
    if (taken > rows) return at + 1;
    if (taken === rows) return at;
  }
  return 0;
}

/** A minified file can be one line of a quarter of a million characters. */
const LINE_CHARACTERS = 4000;

function rowsOf(line: string, width: number): readonly string[] {
  const shown = line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}…`;
  const rows = wrapText(sanitize(shown), width);
  return rows.length === 0 ? [''] : rows;
}
