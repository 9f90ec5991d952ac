/** A unified diff for the eyes: line numbers, signs, colours, the changed words marked. */
import { largest } from '../../protocol/largest.ts';
import type { Paint, Theme } from '../theme.ts';
import { count } from './numbers.ts';
import { type DiffLine, parseDiff } from './parseDiff.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { paintLine, prefixLines, type Span, wrapColumns } from './spans.ts';
import { padStart, truncate } from './width.ts';
import { type WordRun, wordDiff } from './wordDiff.ts';

export interface DiffOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Rows to print at most, the closing "… 40 more lines" included; everything when absent. */
  readonly maxLines?: number;
  /** What becomes of characters that print nothing: left out, unless somebody is to approve the change. */
  readonly clean?: (text: string) => string;
}

/** Rows joined by `\n`; empty for text that is no diff. Names files only where there is more than one. */
export function renderDiff(
  unified: string,
  { width, theme, maxLines = Infinity, clean = sanitize }: DiffOptions,
): string {
  const lines = parseDiff(unified).map((line) => ({ ...line, text: clean(line.text) }));
  const several = lines.filter((line) => line.type === 'file').length > 1;
  const shown = several ? lines : lines.filter((line) => line.type !== 'file');
  const digits = String(
    largest(
      shown.map((line) => line.number ?? 0),
      0,
    ),
  ).length;
  const words = changedWords(shown);
  const rows: string[] = [];
  for (const [index, line] of shown.entries()) {
    const block = renderLine(line, words.get(index), digits, width, theme);
    const isLast = index === shown.length - 1;
    if (rows.length + block.length > maxLines - (isLast ? 0 : 1)) {
      const left = shown.slice(index).filter((rest) => rest.number !== undefined).length;
      rows.push(theme.dim(`${' '.repeat(digits + 1)}… ${count(left, 'more line')}`));
      break;
    }
    for (const row of block) rows.push(row);
  }
  return rows.join('\n');
}

function renderLine(
  line: DiffLine,
  words: readonly WordRun[] | undefined,
  digits: number,
  width: number,
  theme: Theme,
): string[] {
  const indent = ' '.repeat(digits + 1);
  if (line.type === 'file') return [theme.strong(truncate(sanitizeLine(line.text), width))];
  if (line.type === 'gap') return [theme.dim(`${indent}⋮`)];
  if (line.type === 'note') return [theme.dim(truncate(`${indent}${sanitizeLine(line.text)}`, width))];
  const paint = line.type === 'added' ? theme.added : line.type === 'removed' ? theme.removed : theme.text;
  const sign = line.type === 'added' ? '+' : line.type === 'removed' ? '-' : ' ';
  const number = theme.dim(padStart(String(line.number ?? ''), digits));
  const code = words === undefined ? [{ text: line.text, paint }] : painted(words, line.type, theme);
  const rows = wrapColumns(code, width - digits - 3).map(paintLine);
  return prefixLines(rows, `${number} ${paint(sign)} `, `${indent}  `).map((row) => row.trimEnd());
}

function painted(words: readonly WordRun[], type: DiffLine['type'], theme: Theme): Span[] {
  const [plain, changed]: [Paint, Paint] =
    type === 'added' ? [theme.added, theme.addedWord] : [theme.removed, theme.removedWord];
  return words.map((word) => ({ text: word.text, paint: word.changed ? changed : plain }));
}

/** For runs of removed lines followed by as many added ones: the words of each. */
function changedWords(lines: readonly DiffLine[]): Map<number, readonly WordRun[]> {
  const words = new Map<number, readonly WordRun[]>();
  for (let from = 0; from < lines.length; from += 1) {
    if (lines[from]?.type !== 'removed') continue;
    const removed = runLength(lines, from, 'removed');
    const added = runLength(lines, from + removed, 'added');
    for (let pair = 0; removed === added && pair < removed; pair += 1) {
      const [before, after] = [lines[from + pair], lines[from + removed + pair]];
      if (before === undefined || after === undefined) continue;
      const runs = wordDiff(before.text, after.text);
      if (runs === undefined) continue;
      words.set(from + pair, runs.before);
      words.set(from + removed + pair, runs.after);
    }
    from += removed + added - 1;
  }
  return words;
}

function runLength(lines: readonly DiffLine[], from: number, type: DiffLine['type']): number {
  let length = 0;
  while (lines[from + length]?.type === type) length += 1;
  return length;
}
