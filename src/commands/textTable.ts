/** Rows as lines of text: columns padded to one width, all but the columns in `right` left-aligned. */
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
