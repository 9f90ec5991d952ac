import type { ModelInfo } from '../protocol/models/model.ts';

/** Formats a share as "12.3 %", or "<0.1 %" instead of rounding to zero. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const share = (part / whole) * 100;
  return share > 0 && share < 0.1 ? '<0.1 %' : `${share.toFixed(1)} %`;
}

/** Formats US dollars: two decimals from 1 dollar up (and for 0), otherwise four. */
export function dollars(amount: number): string {
  return `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : amount.toFixed(4)}`;
}

/** Lays out rows as lines of text: pads each column to its widest cell; columns in `right` are right-aligned. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const padding = ' '.repeat((widths[column] ?? 0) - [...cell].length);
      return right.has(column) ? padding + cell : cell + padding;
    });
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

/** The source of a context window's size, as a remark after the number. */
export const windowSources: Readonly<Record<ModelInfo['source'], string>> = {
  catalogue: '(known for this model)',
  setting: '(from your settings)',
  server: '(reported by the server)',
  learned: '(learned from the server)',
  assumed: '(assumed; not reported by the server)',
};
