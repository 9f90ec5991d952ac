/** Rows of equal columns; numbers to the right. */
export function table(heads, rows) {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at].length)));
  const line = (cells) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  ');
  return [line(heads), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export const percent = (share) => `${(100 * share).toFixed(1)}%`;
export const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
