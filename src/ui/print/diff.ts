/** A unified diff for the eyes: line numbers, signs, colours, the changed words marked. */
import { largest } from '../../protocol/largest.ts';
import type { Paint, Theme } from '../theme.ts';
import type { Highlighter } from './highlight.ts';
import { count } from './numbers.ts';
import { type DiffLine, parseDiff } from './parseDiff.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { paintLine, prefixLines, type Span, wrapColumns } from './spans.ts';
import { padEnd, padStart, truncate } from './width.ts';
import { type WordRun, wordDiff } from './wordDiff.ts';

export interface DiffOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Rows to print at most, the closing "… 40 more lines" included; everything when absent. */
  readonly maxLines?: number;
  /** Colours the code, in the language that the file's name tells. */
  readonly highlight?: Highlighter | undefined;
  /** Of the file, where the diff itself does not name it. */
  readonly path?: string | undefined;
  /** What becomes of characters that print nothing: left out, unless somebody is to approve the change. */
  readonly clean?: (text: string) => string;
}

/** Rows joined by `\n`; empty for text that is no diff. Names files only where there is more than one. */
export function renderDiff(
  unified: string,
  { width, theme, maxLines = Infinity, clean = sanitize, highlight, path }: DiffOptions,
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
  const code =
    theme.addedLine === undefined ? undefined : highlightedLines(lines, { highlight, path, theme });
  const rows: string[] = [];
  for (const [index, line] of shown.entries()) {
    const block = renderLine(line, words.get(index), code?.get(line), digits, width, theme);
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
  code: readonly Span[] | undefined,
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
  const tint =
    line.type === 'added' ? theme.addedLine : line.type === 'removed' ? theme.removedLine : undefined;
  const plain = code ?? [{ text: line.text, paint: tint === undefined ? paint : theme.text }];
  const marked = line.type === 'added' ? theme.addedWord : theme.removedWord;
  const spans = words === undefined ? plain : withWords(words, plain, marked);
  const wrapped = wrapColumns(spans, width - digits - 3).map(paintLine);
  const rows = prefixLines(wrapped, `${number} ${paint(sign)} `, `${indent}  `);
  return rows.map((row) => (tint === undefined ? row.trimEnd() : tint(padEnd(row, width))));
}

/** Both together: the changed words are marked, the rest keeps its colours. */
function withWords(words: readonly WordRun[], code: readonly Span[], marked: Paint): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const word of words) {
    const end = at + word.text.length;
    if (word.changed) spans.push({ text: word.text, paint: marked });
    else spans.push(...sliceSpans(code, at, end));
    at = end;
  }
  return spans;
}

function sliceSpans(spans: readonly Span[], from: number, to: number): Span[] {
  const found: Span[] = [];
  let at = 0;
  for (const { text, paint } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== '') found.push({ text: part, paint });
    at += text.length;
  }
  return found;
}

/** The colours of each line: of removed ones as they stood in the old file, of all others as in the new one. */
function highlightedLines(
  lines: readonly DiffLine[],
  { highlight, path, theme }: Pick<DiffOptions, 'highlight' | 'path' | 'theme'>,
): ReadonlyMap<DiffLine, readonly Span[]> {
  const colours = new Map<DiffLine, readonly Span[]>();
  if (highlight === undefined) return colours;
  let file = path ?? '';
  let hunk: DiffLine[] = [];
  const finish = (): void => {
    for (const side of ['removed', 'added'] as const) {
      const code = hunk.filter(({ type }) => type === 'context' || type === side);
      const spans = highlight(code.map(({ text }) => text).join('\n'), languageOf(file), theme);
      for (const [index, line] of (spans === undefined ? [] : splitLines(spans)).entries()) {
        const of = code[index];
        if (of !== undefined) colours.set(of, line);
      }
    }
    hunk = [];
  };
  for (const line of lines) {
    if (line.number !== undefined) hunk.push(line);
    else if (line.type !== 'note') finish();
    if (line.type === 'file') file = line.text;
  }
  finish();
  return colours;
}

function splitLines(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const { text, paint } of spans)
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push({ text: part, paint });
    }
  return lines;
}

/** The ending of a file's name; grammars go by it. */
function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? '';
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
