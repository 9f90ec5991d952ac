/**
 * Positions of units on screen. Lines wrap one column before the width, so that the cursor fits after the last
 * character of a row and the terminal never wraps on its own.
 */

import type { Theme } from '../theme/theme.ts';
import { cellWidth, tabWidth, type Unit } from './units.ts';

/** Part of a visual row that is drawn in one style. */
type Span = { readonly text: string; readonly isFold: boolean };

/** One visual row. */
export type Row = { readonly spans: readonly Span[]; readonly width: number };

/** The rows, and the cursor's cell for each position (0 to the number of units). */
export type Layout = {
  readonly rows: readonly Row[];
  readonly rowOf: Int32Array;
  readonly columnOf: Int32Array;
};

/** Lays out units in rows of fewer than `width` columns (at least 3). */
export function layOut(units: readonly Unit[], width: number): Layout {
  const limit = Math.max(width - 1, 2);
  let row: { spans: { text: string; isFold: boolean }[]; width: number } = { spans: [], width: 0 };
  const rows = [row];
  const rowOf = new Int32Array(units.length + 1);
  const columnOf = new Int32Array(units.length + 1);
  const breakRow = (): void => {
    row = { spans: [], width: 0 };
    rows.push(row);
  };
  const draw = (text: string, cells: number, isFold: boolean): void => {
    if (row.width + cells > limit && row.width > 0) breakRow();
    const last = row.spans.at(-1);
    if (last?.isFold === isFold) last.text += text;
    else row.spans.push({ text, isFold });
    row.width += cells;
  };
  const mark = (position: number): void => {
    rowOf[position] = rows.length - 1;
    columnOf[position] = row.width;
  };

  for (const [position, unit] of units.entries()) {
    if (unit === '\n') {
      mark(position);
      breakRow();
      continue;
    }
    const cells = typeof unit === 'string' ? Math.min(cellWidth(unit), limit) : unit.label.length;
    // A fold's label stays in one piece if a row can hold it; otherwise it breaks like a long word.
    if (row.width + Math.min(cells, limit) > limit && row.width > 0) breakRow();
    mark(position);
    if (typeof unit !== 'string') for (const character of unit.label) draw(character, 1, true);
    else draw(unit === '\t' ? ' '.repeat(cells) : unit, cells, false);
  }
  mark(units.length);
  return { rows, rowOf, columnOf };
}

/** The position in `row` that is closest to `column` without exceeding it; undefined if the row contains none. */
export function positionAt(layout: Layout, row: number, column: number): number | undefined {
  const first = layout.rowOf.indexOf(row);
  if (first === -1) return undefined;
  let at = first;
  while (layout.rowOf[at + 1] === row && (layout.columnOf[at + 1] ?? 0) <= column) at++;
  return at;
}

/** A range of units; `to` is exclusive. */
export interface Mark {
  readonly from: number;
  readonly to: number;
}

/** The rows of a layout as text, with the marked units and the folds painted. */
export function markedRows(
  units: readonly Unit[],
  layout: Layout,
  mark: Mark | undefined,
  paint: (text: string) => string,
  paintFold: (text: string) => string = (text) => text,
): readonly string[] {
  const rows = layout.rows.map(() => [] as { text: string; isMarked: boolean; isFold: boolean }[]);
  for (const [at, unit] of units.entries()) {
    const isMarked = mark !== undefined && at >= mark.from && at < mark.to;
    // A marked line break takes a cell, so that an empty line is visible in a selection.
    if (unit === '\n' && !isMarked) continue;
    const text =
      unit === '\n'
        ? ' '
        : unit === '\t'
          ? ' '.repeat(tabWidth)
          : typeof unit === 'string'
            ? unit
            : unit.label;
    const row = rows[layout.rowOf[at] ?? 0];
    const last = row?.at(-1);
    const isFold = typeof unit !== 'string';
    if (last?.isMarked === isMarked && last.isFold === isFold) last.text += text;
    else row?.push({ text, isMarked, isFold });
  }
  return rows.map(
    (row) =>
      row
        .map(({ text, isMarked, isFold }) => (isMarked ? paint(text) : isFold ? paintFold(text) : text))
        .join('') || ' ',
  );
}

/** The paints that the composer needs; a subset of the theme. */
export type ComposerTheme = Pick<Theme, 'accent' | 'dim' | 'warning' | 'success' | 'underline'>;
