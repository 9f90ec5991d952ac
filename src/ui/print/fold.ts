/** Long output folded to a few rows. */
import type { Paint, Theme } from '../theme.ts';
import { count } from './numbers.ts';
import { sanitize } from './sanitize.ts';
import { truncate } from './width.ts';

export interface FoldOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Rows of text to keep; the "+N lines" row comes on top. */
  readonly rows: number;
  /** Which end says more: the end of a command's output, the beginning of anything else. */
  readonly keep: 'start' | 'end';
  readonly paint?: Paint;
}

/** Rows cut to `width` under a `⎿`; what is left out is counted. Nothing for blank text. */
export function foldOutput(
  text: string,
  { width, theme, rows, keep, paint = theme.dim }: FoldOptions,
): string[] {
  const all = linesOf(text);
  if (all.length === 0) return [];
  // One line more costs as much as saying that it is missing.
  const fits = all.length <= rows + 1;
  const shown = fits ? all : keep === 'start' ? all.slice(0, rows) : all.slice(-rows);
  const lines = shown.map((line) => paint(truncate(line, width - 4)));
  const more = theme.dim(`… +${count(all.length - shown.length, 'line')}`);
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
