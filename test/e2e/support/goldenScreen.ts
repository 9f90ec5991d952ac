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
  const file = join(options.folder ?? screens, `${name}.txt`);
  const drawn = drawGolden(source, options);
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
export function drawGolden(source: GoldenSource, { styles = false, rules = [] }: GoldenOptions = {}): string {
  const all = source.cells();
  const columns = Math.max(0, ...all.map(({ cells }) => cells.reduce((sum, cell) => sum + cell.width, 0)));
  const cursor = source.cursor();
  const at = source.isCursorVisible()
    ? `cursor in column ${cursor.x + 1} of row ${cursor.y + 1}`
    : 'no cursor';
  const rows = logicalLines(all)
    .map((line) => [...rules, ...goldenRules].reduce(replaced, line))
    .flatMap((line) => rowsOf(line, columns));
  const last = rows.findLastIndex((row) => row.some((cell) => cell.text !== ' ' || cell.style !== ''));
  const legend = new Map<string, string>();
  const drawn = rows.slice(0, last + 1).flatMap((row) => {
    const text = `│${row.map((cell) => cell.text).join('')}`.trimEnd();
    if (!styles || row.every((cell) => cell.style === '')) return [text];
    const letters = row.map((cell) => letterOf(cell.style, legend).repeat(cell.width)).join('');
    return [text, `·${letters}`.trimEnd()];
  });
  const meanings = [...legend].map(([style, letter]) => `${letter} ${style}`);
  const parts = [
    `${columns} × ${all.length}, ${at}`,
    drawn.join('\n'),
    ...(meanings.length === 0 ? [] : [meanings.join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
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

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function letterOf(style: string, legend: Map<string, string>): string {
  if (style === '') return ' ';
  const letter = legend.get(style) ?? letters[legend.size] ?? '?';
  legend.set(style, letter);
  return letter;
}
