/** Renders a unified diff with line numbers, signs, colors and marked words. */
import { readDiff } from '../../protocol/text/diff.ts';
import { count, largest } from '../../protocol/text/numbers.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import type { Highlighter } from './highlight.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { paintLine, prefixLines, type Span, wrapColumns } from './spans.ts';
import { padEnd, padStart, truncate } from './width.ts';

interface DiffOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Maximum rows, including the closing "… 40 more lines"; unlimited if absent. */
  readonly maxLines?: number;
  /** Highlights the code; the file extension determines the language. */
  readonly highlight?: Highlighter | undefined;
  /** Path of the file, for a diff that does not name it. */
  readonly path?: string | undefined;
  /** Handles characters that print nothing: removed by default, revealed when the user must approve the change. */
  readonly clean?: (text: string) => string;
}

/** Returns rows joined by `\n`; empty if the text is not a diff. Shows file names only for several files. */
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

/** Combines both: marks the changed words and keeps the syntax colors of the rest. */
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

/** Syntax colors per line: removed lines as part of the old file, all others as part of the new one. */
function highlightedLines(
  lines: readonly DiffLine[],
  { highlight, path, theme }: Pick<DiffOptions, 'highlight' | 'path' | 'theme'>,
): ReadonlyMap<DiffLine, readonly Span[]> {
  const colors = new Map<DiffLine, readonly Span[]>();
  if (highlight === undefined) return colors;
  let file = path ?? '';
  let hunk: DiffLine[] = [];
  const finish = (): void => {
    for (const side of ['removed', 'added'] as const) {
      const code = hunk.filter(({ type }) => type === 'context' || type === side);
      const spans = highlight(code.map(({ text }) => text).join('\n'), languageOf(file), theme);
      for (const [index, line] of (spans === undefined ? [] : splitLines(spans)).entries()) {
        const of = code[index];
        if (of !== undefined) colors.set(of, line);
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
  return colors;
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

/** The file extension, which selects the grammar. */
function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1] ?? '';
}

/** Word differences for each run of removed lines followed by an equally long run of added ones. */
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

/** A line of a diff as displayed. */
interface DiffLine {
  /** `gap`: separates two hunks of a file. */
  readonly type: 'context' | 'added' | 'removed' | 'gap' | 'note' | 'file';
  /** Text without its sign. */
  readonly text: string;
  /** Line number in the new file; for a removed line, in the old one. */
  readonly number?: number;
}

/** Parses a unified diff. Never fails: text that is not a diff yields no lines. */
export function parseDiff(unified: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let hunks = 0;
  for (const { kind, line, number } of readDiff(unified)) {
    if (kind === 'added' || kind === 'removed' || kind === 'context')
      lines.push({ type: kind, text: line.slice(1), ...(number === undefined ? {} : { number }) });
    else if (kind === 'note' && hunks > 0) lines.push({ type: 'note', text: line.slice(1).trim() });
    else if (kind === 'file' && line.startsWith('+++ ')) {
      lines.push({ type: 'file', text: line.slice(4).split('\t')[0] ?? '' });
      hunks = 0;
    } else if (kind === 'hunk') {
      if (hunks > 0) lines.push({ type: 'gap', text: '' });
      hunks += 1;
    }
  }
  return lines;
}

/** A run of words in a changed line. */
interface WordRun {
  readonly text: string;
  readonly changed: boolean;
}

/** Above this, only the common prefix and suffix are matched, because the table grows quadratically. */
const maxTokens = 250;

/** Runs of both lines, or `undefined` if they have so little in common that marking words would be noise. */
export function wordDiff(before: string, after: string): { before: WordRun[]; after: WordRun[] } | undefined {
  const [a, b] = [tokens(before), tokens(after)];
  const keepA = new Array<boolean>(a.length).fill(false);
  const keepB = new Array<boolean>(b.length).fill(false);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    keepA[head] = keepB[head] = true;
    head += 1;
  }
  let [endA, endB] = [a.length, b.length];
  while (endA > head && endB > head && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
    keepA[endA] = keepB[endB] = true;
  }
  if (endA - head <= maxTokens && endB - head <= maxTokens) matchMiddle(a, b, head, endA, endB, keepA, keepB);
  const common = a.reduce((sum, token, i) => sum + (keepA[i] && token.trim() !== '' ? token.length : 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length);
  if (common < longest * 0.3) return undefined;
  return { before: runs(a, keepA), after: runs(b, keepB) };
}

function tokens(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Longest common subsequence between the common prefix and suffix. */
function matchMiddle(
  a: readonly string[],
  b: readonly string[],
  head: number,
  endA: number,
  endB: number,
  keepA: boolean[],
  keepB: boolean[],
): void {
  const columns = endB - head + 1;
  const table = new Uint16Array((endA - head + 1) * columns);
  const cell = (i: number, j: number) => table[(i - head) * columns + (j - head)] ?? 0;
  for (let i = endA - 1; i >= head; i -= 1)
    for (let j = endB - 1; j >= head; j -= 1)
      table[(i - head) * columns + (j - head)] =
        a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  for (let i = head, j = head; i < endA && j < endB; ) {
    if (a[i] === b[j]) {
      keepA[i] = keepB[j] = true;
      i += 1;
      j += 1;
    } else if (cell(i + 1, j) >= cell(i, j + 1)) i += 1;
    else j += 1;
  }
}

function runs(all: readonly string[], keep: readonly boolean[]): WordRun[] {
  const out: { text: string; changed: boolean }[] = [];
  all.forEach((text, index) => {
    const changed = keep[index] !== true;
    const last = out.at(-1);
    if (last?.changed === changed) last.text += text;
    else out.push({ text, changed });
  });
  return out;
}
