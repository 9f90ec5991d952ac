/**
 * Golden screens: what a person sees, kept in a file that a reviewer can read, below `test/e2e/golden/screens`.
 *
 *     await goldenScreen(terminal, 'welcome-dark-80');                      // a program: `Terminal`
 *     await goldenScreen(screen, 'parts/todo-20', { styles: true });        // a component: `Screen`
 *     await goldenScreen(screen, 'x', { rules: [[/#\d+/, '#0']] });         // what differs from run to run
 *
 * `UPDATE_GOLDEN=1` writes the files instead of comparing them; read the difference before it is committed.
 * Wait for what ends the drawing first (`waitFor`, `settle`): a screen is taken as it is.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { ScreenCell, ScreenRow } from '../../ui/screenCells.ts';

/** What `Terminal` and `Screen` have in common. */
export interface GoldenSource {
  cells(): readonly ScreenRow[];
  cursor(): { readonly x: number; readonly y: number };
  isCursorVisible(): boolean;
}

/** What is replaced before the comparison; the pattern is looked for everywhere. */
export type GoldenRule = readonly [find: RegExp, replacement: string];

export interface GoldenOptions {
  /** Below each row a letter for each cell that is painted; what the letters mean stands at the end. */
  readonly styles?: boolean;
  /** On top of `goldenRules`, and before them. */
  readonly rules?: readonly GoldenRule[];
  /** Letters that stand for certain styles wherever they appear; all others get one by their order. */
  readonly letters?: Readonly<Record<string, string>>;
  /**
   * Known text that differs from run to run and may be broken anywhere, by the program too: replaced character by
   * character, so that rows break where they broke. Both are of one length.
   */
  readonly broken?: readonly (readonly [find: string, replacement: string])[];
  /** Where the files are. */
  readonly folder?: string;
}

const screens = resolve(import.meta.dirname, '../golden/screens');

/** What differs from run to run on every screen: temporary folders, ids, times, versions, the spinner. */
export const goldenRules: readonly GoldenRule[] = [
  [/(?:\/[\w.-]+)*\/clawdcode-[\w-]+/, '/there'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/, '00000000-0000'],
  [/\b\d{4}-\d\d-\d\d\b/, '2000-01-01'],
  [/\b\d\d:\d\d(?::\d\d)?\b/, '00:00'],
  [/(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?(?!\.?\d)/, '0.0.0'],
  [/\b(?:\d+m ?)?\d+(?:\.\d+)?m?s\b/, '0s'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

/** Fails, with the rows that differ, where the visible screen is not what the file shows. */
export async function goldenScreen(
  source: GoldenSource,
  name: string,
  options: GoldenOptions = {},
): Promise<void> {
  await compareGolden(drawGolden(source, options), name, options.folder);
}

/** The same for what is drawn already. */
export async function compareGolden(drawn: string, name: string, folder = screens): Promise<void> {
  const file = join(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN === '1') {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, drawn);
    return;
  }
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept === undefined)
    throw new Error(`There is no ${file}; UPDATE_GOLDEN=1 writes it. The screen:\n${drawn}`);
  expect(drawn, `${name} is not as in its file; UPDATE_GOLDEN=1 takes the new screen over`).toBe(kept);
}

/** The text of the file: size and cursor, a `│` before each row, a `·` before the letters of its styles. */
export function drawGolden(source: GoldenSource, options: GoldenOptions = {}): string {
  return drawRows(goldenRows(source, options), source, options);
}

/** Cells of the visible screen, row by row, after everything that differs from run to run was replaced. */
export function goldenRows(source: GoldenSource, { rules = [], broken = [] }: GoldenOptions): ScreenCell[][] {
  const columns = columnsOf(source);
  return logicalLines(broken.reduce(replacedBroken, source.cells()))
    .map((line) => [...rules, ...goldenRules].reduce(replaced, line))
    .flatMap((line) => rowsOf(line, columns));
}

/** Writes such rows down; `source` tells the size and the cursor. */
export function drawRows(
  rows: readonly (readonly ScreenCell[])[],
  source: GoldenSource,
  { styles = false, letters = {} }: GoldenOptions,
): string {
  const cursor = source.cursor();
  const at = source.isCursorVisible()
    ? `cursor in column ${cursor.x + 1} of row ${cursor.y + 1}`
    : 'no cursor';
  const last = rows.findLastIndex((row) => row.some((cell) => cell.text !== ' ' || cell.style !== ''));
  const legend = new Map<string, string>();
  const drawn = rows.slice(0, last + 1).flatMap((row) => {
    const text = `│${row.map((cell) => cell.text).join('')}`.trimEnd();
    if (!styles || row.every((cell) => cell.style === '')) return [text];
    const marks = row.map((cell) => letterOf(cell.style, legend, letters).repeat(cell.width)).join('');
    return [text, `·${marks}`.trimEnd()];
  });
  const meanings = [...legend].map(([style, letter]) => `${letter} ${style}`);
  const parts = [
    `${columnsOf(source)} × ${source.cells().length}, ${at}`,
    drawn.join('\n'),
    ...(meanings.length === 0 ? [] : [meanings.join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function columnsOf(source: GoldenSource): number {
  const widths = source.cells().map(({ cells }) => cells.reduce((sum, cell) => sum + cell.width, 0));
  return Math.max(0, ...widths);
}

/** Rows are read on without the blanks at their ends and beginnings, which a program that breaks lines leaves. */
function replacedBroken(
  rows: readonly ScreenRow[],
  [find, replacement]: readonly [string, string],
): readonly ScreenRow[] {
  const places = rows.flatMap(({ cells }, y) => {
    const written = cells.map((cell) => cell.text !== ' ');
    const to = written.lastIndexOf(true) + 1;
    return cells.slice(0, to).flatMap((cell, x) => (x < written.indexOf(true) ? [] : [{ y, x, cell }]));
  });
  // One unit to a cell, so that positions are those of cells.
  const text = places.map(({ cell }) => cell.text.charAt(0)).join('');
  const changed = rows.map(({ cells, wrapped }) => ({ cells: [...cells], wrapped }));
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + 1)) {
    for (const [offset, letter] of [...replacement].entries()) {
      const place = places[at + offset];
      const row = changed[place?.y ?? 0]?.cells;
      if (place !== undefined && row !== undefined) row[place.x] = { ...place.cell, text: letter };
    }
  }
  return changed;
}

/** A row that the terminal broke is put together again, so that a path is found that runs over its end. */
function logicalLines(rows: readonly ScreenRow[]): ScreenCell[][] {
  const lines: ScreenCell[][] = [];
  for (const { cells, wrapped } of rows) {
    const before = lines.at(-1);
    if (wrapped && before !== undefined) before.push(...cells);
    else lines.push([...cells]);
  }
  return lines;
}

function rowsOf(line: readonly ScreenCell[], columns: number): ScreenCell[][] {
  const end = line.findLastIndex((cell) => cell.text !== ' ' || cell.style !== '') + 1;
  const rows: ScreenCell[][] = [[]];
  let used = 0;
  for (const cell of line.slice(0, end)) {
    if (used + cell.width > columns) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(cell);
    used += cell.width;
  }
  return rows;
}

/** The line with every match replaced; what is put in is painted as the first character of what it replaces. */
function replaced(line: ScreenCell[], [find, replacement]: GoldenRule): ScreenCell[] {
  const starts: number[] = [];
  let text = '';
  for (const cell of line) {
    starts.push(text.length);
    text += cell.text;
  }
  const out: ScreenCell[] = [];
  let next = 0;
  for (const match of text.matchAll(
    new RegExp(find, find.flags.includes('g') ? find.flags : `${find.flags}g`),
  )) {
    if (match[0] === '') continue;
    const from = starts.findIndex((start) => start >= match.index);
    const after = starts.findIndex((start) => start >= match.index + match[0].length);
    const to = after === -1 ? line.length : after;
    const style = line[from]?.style ?? '';
    out.push(...line.slice(next, from), ...[...replacement].map((one) => ({ text: one, width: 1, style })));
    next = to;
  }
  return [...out, ...line.slice(next)];
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function letterOf(
  style: string,
  legend: Map<string, string>,
  known: Readonly<Record<string, string>>,
): string {
  if (style === '') return ' ';
  const reserved = new Set(Object.values(known));
  const others = [...alphabet].filter((letter) => !reserved.has(letter));
  const used = [...legend.keys()].filter((one) => known[one] === undefined).length;
  const letter = legend.get(style) ?? known[style] ?? others[used] ?? '?';
  legend.set(style, letter);
  return letter;
}
