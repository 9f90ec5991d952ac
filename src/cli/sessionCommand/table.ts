/** Lays out columns: each as wide as its widest cell; the least important are dropped if a line would be too long. */
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { padEnd, padStart, textWidth, truncate } from '../../ui/print/width.ts';
import type { Paint } from '../../ui/theme/paints.ts';

export interface Column<T> {
  readonly head: string;
  /** May contain anything; it is sanitized here. */
  cell(row: T): string;
  readonly align?: 'right';
  readonly paint?: Paint;
  /** Dropped if there is little room, the highest number first; columns without a number stay. */
  readonly luxury?: number;
}

interface Filled<T> {
  readonly column: Column<T>;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * Returns the lines, headings first. Drops empty columns, then columns with `luxury` until the last column has enough
 * room; only the last column is truncated.
 */
export function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
  paintHead: Paint,
): string[] {
  const filled = columns
    .map((column) => fill(column, rows))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const shown = fittingColumns(filled, width);
  const room = Math.max(MIN_LAST, width - widthBeforeLast(shown));
  const lineOf = (
    cellOf: (one: Filled<T>) => string,
    paintOf: (one: Filled<T>) => Paint | undefined,
  ): string =>
    shown
      .map((one, index) => {
        const pad = one.column.align === 'right' ? padStart : padEnd;
        const text = index === shown.length - 1 ? truncate(cellOf(one), room) : pad(cellOf(one), one.width);
        return paintOf(one)?.(text) ?? text;
      })
      .join(GAP)
      .trimEnd();
  return [
    lineOf(
      ({ column }) => column.head,
      () => paintHead,
    ),
    ...rows.map((_, row) =>
      lineOf(
        ({ cells }) => cells[row] ?? '',
        ({ column }) => column.paint,
      ),
    ),
  ];
}

const GAP = '  ';
/** Minimum width of the last column. */
const MIN_LAST = 12;
/** Width that the last column gets before optional columns are shown. */
const GOOD_LAST = 32;

function fill<T>(column: Column<T>, rows: readonly T[]): Filled<T> {
  const cells = rows.map((row) => sanitizeLine(column.cell(row)));
  const width = cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), textWidth(column.head));
  return { column, cells, width };
}

function fittingColumns<T>(filled: readonly Filled<T>[], width: number): readonly Filled<T>[] {
  let shown = filled;
  while (width - widthBeforeLast(shown) < GOOD_LAST) {
    const least = Math.max(...shown.map(({ column }) => column.luxury ?? 0));
    if (least <= 0) break;
    shown = shown.filter(({ column }) => column.luxury !== least);
  }
  return shown;
}

function widthBeforeLast<T>(shown: readonly Filled<T>[]): number {
  return shown.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}
