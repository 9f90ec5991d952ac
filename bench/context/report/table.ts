/** Text tables: the first column to the left, numbers to the right. */
export type Row = readonly string[];

export function table(head: Row, rows: readonly Row[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: Row): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export const fixed = (value: number, digits = 2): string => value.toFixed(digits);
export const percent = (share: number): string =>
  `${(100 * share).toFixed(share > 0.999 || share === 0 ? 0 : 1)}%`;

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
