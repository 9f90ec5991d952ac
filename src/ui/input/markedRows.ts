import { tabWidth } from './graphemes.ts';
import type { Layout } from './layout.ts';
import type { Unit } from './units.ts';

/** A stretch of units, its end not included. */
export interface Mark {
  readonly from: number;
  readonly to: number;
}

/** The rows of a layout as text, the mark's units painted, and folds with another paint. */
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
    // A marked line break is a cell, so that an empty line can be seen in a selection.
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
