/**
 * Golden screens: the visible screen, stored as a readable file in `test/e2e/golden/screens`.
 *
 *     await goldenScreen(terminal, 'welcome-dark-80');                      // a program: `Terminal`
 *     await goldenScreen(screen, 'parts/todo-20', { styles: true });        // a component: `Screen`
 *     await goldenScreen(screen, 'x', { rules: [[/#\d+/, '#0']] });         // what differs from run to run
 *
 * `UPDATE_GOLDEN=1` writes the files instead of comparing them; read the diff before you commit it. Wait until drawing
 * has finished (`waitFor`, `settle`): the comparison does not wait.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { ScreenCell, ScreenRow } from '../../ui/screenCells.ts';

/** The common part of `Terminal` and `Screen`. */
export interface GoldenSource {
  cells(): readonly ScreenRow[];
  cursor(): { readonly x: number; readonly y: number };
  isCursorVisible(): boolean;
}

/** A replacement before the comparison; the pattern applies everywhere. */
export type GoldenRule = readonly [find: RegExp, replacement: string];

export interface GoldenOptions {
  /** True to add a row of letters below each row, one per styled cell, and a legend at the end. */
  readonly styles?: boolean;
  /** Applied before `goldenRules`. */
  readonly rules?: readonly GoldenRule[];
  /** Fixed letters for certain styles; all others get one in order of appearance. */
  readonly letters?: Readonly<Record<string, string>>;
  /**
   * Known text that differs from run to run and may be wrapped anywhere, even by the program: replaced character by
   * character, so that the row breaks stay. Both texts have the same length.
   */
  readonly broken?: readonly (readonly [find: string, replacement: string])[];
  /** The folder of the files. */
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
  // Ages, for which a minute may have passed: right-aligned in a row of sessions, at the start of a row of prompts.
  [/(?<=\S.*\s)(?: \dm|\d\dm)(?=\s*$|\s{2}\d)/, 'now'],
  [/(?<=^[❯ ] )(?:\dm |\d\dm)(?= {3})/, 'now'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '⠋'],
];

/** Fails with the differing rows if the visible screen does not match the file. */
export async function goldenScreen(
  source: GoldenSource,
  name: string,
  options: GoldenOptions = {},
): Promise<void> {
  await compareGolden(drawGolden(source, options), name, options.folder);
}

/** The same for a screen that is already formatted. */
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

/** The content of the file: size and cursor, a `│` before each row, a `·` before its style letters. */
export function drawGolden(source: GoldenSource, options: GoldenOptions = {}): string {
  return drawRows(goldenRows(source, options), source, options);
}

/** The cells of the visible screen, row by row, after all replacements. */
export function goldenRows(source: GoldenSource, { rules = [], broken = [] }: GoldenOptions): ScreenCell[][] {
  const columns = columnsOf(source);
  return logicalLines(broken.reduce(replacedBroken, source.cells()))
    .map((line) => [...rules, ...goldenRules].reduce(replaced, line))
    .flatMap((line) => rowsOf(line, columns));
}

/** Formats such rows; `source` provides the size and the cursor. */
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

/** Joins rows without the spaces at their ends and starts, which come from wrapping. */
function replacedBroken(
  rows: readonly ScreenRow[],
  [find, replacement]: readonly [string, string],
): readonly ScreenRow[] {
  const places = rows.flatMap(({ cells }, y) => {
    const written = cells.map((cell) => cell.text !== ' ');
    const to = written.lastIndexOf(true) + 1;
    return cells.slice(0, to).flatMap((cell, x) => (x < written.indexOf(true) ? [] : [{ y, x, cell }]));
  });
  // One code unit per cell, so that string positions are cell positions.
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

/** Joins a row that the terminal wrapped, so that a path across the break is found. */
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

/** Replaces every match in the line; the replacement gets the style of the match's first character. */
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
