/** What going back would do to the files, as lines: each path with what happens to it, then the diffs. */
import type { RestoreStep } from '../../protocol/checkpoints.ts';
import { renderDiff } from '../print/diff.ts';
import { count } from '../print/numbers.ts';
import { reveal, sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { padEnd, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** Lines that are laid out; nobody scrolls through more. */
const MAX_LINES = 5000;
/** So many lines are laid out at once. */
const STEP = 500;

/** What happens to a path, in a word. */
export const actionWords: Readonly<Record<RestoreStep['action'], string>> = {
  create: 'recreate',
  modify: 'restore',
  delete: 'delete',
  mode: 'permissions',
  merge: 'merge',
  refuse: 'leave',
  nothing: 'unchanged',
};

/** E.g. "2 files restored, 1 deleted, 1 left unchanged"; what stays as it is anyway is not counted. */
export function planSummary(steps: readonly RestoreStep[]): string {
  const many = (...actions: RestoreStep['action'][]): number =>
    steps.filter(({ action }) => actions.includes(action)).length;
  const parts = [
    [many('create', 'modify', 'mode'), 'to restore'],
    [many('delete'), 'to delete'],
    [many('merge'), 'to merge with your changes'],
    [many('refuse'), 'left unchanged'],
  ] as const;
  const said = parts.filter(([number]) => number > 0);
  if (said.length === 0) return 'every file already matches that point';
  return said
    .map(([number, what], index) => (index === 0 ? `${count(number, 'path')} ${what}` : `${number} ${what}`))
    .join(', ');
}

/** How many lines to lay out for a page that ends at this line: some more, so that scrolling goes on. */
export function linesWanted(end: number): number {
  return Math.min(MAX_LINES, STEP * Math.ceil((end + STEP / 2) / STEP));
}

export interface PlanLinesOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Paths are relative to it where they lie in it. */
  readonly root: string;
  /** Lines to lay out at most; the list of paths is always whole. */
  readonly limit: number;
}

/** Painted lines of at most `width` columns. */
export function planLines(
  steps: readonly RestoreStep[],
  { width, theme, root, limit }: PlanLinesOptions,
): readonly string[] {
  const shown = steps.filter(({ action }) => action !== 'nothing');
  const lines = shown.flatMap((step) => stepLines(step, width, theme, root));
  for (const step of shown) {
    if (step.diff === undefined || step.diff === '') continue;
    const left = limit - lines.length;
    if (left < 3) return [...lines, theme.dim(truncate('… and more diffs', width))];
    lines.push('', theme.strong(truncate(shortPath(step.path, root), width, 'start')));
    lines.push(
      ...renderDiff(step.diff, { width, theme, maxLines: left, clean: reveal }).split('\n').filter(Boolean),
    );
  }
  return lines;
}

/** A path on one line, whatever it holds. */
export function shortPath(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return sanitizeLine(reveal(inside));
}

/** E.g. "  600 → 644", where permissions change. */
function modesOf({ from, to }: RestoreStep): string {
  if (from?.type !== 'file' || to?.type !== 'file' || from.mode === to.mode) return '';
  return `  ${from.mode.toString(8)} → ${to.mode.toString(8)}`;
}

function stepLines(step: RestoreStep, width: number, theme: Theme, root: string): string[] {
  const { action, path, reason, added, removed } = step;
  const paint = action === 'refuse' || action === 'merge' ? theme.warning : theme.text;
  const word = width >= 40 ? padEnd(actionWords[action], 12) : `${actionWords[action]} `;
  const modes = modesOf(step);
  const lines = width < 40 ? '' : added + removed > 0 ? `  +${added} −${removed}${modes}` : modes;
  const room = Math.max(4, width - word.length - lines.length);
  const head = paint(word) + truncate(shortPath(path, root), room, 'start') + theme.dim(lines);
  const why = reason === undefined ? [] : wrapText(sanitizeLine(reason), Math.max(4, width - 2), paint);
  return [head, ...why.map((line) => `  ${line}`)];
}
