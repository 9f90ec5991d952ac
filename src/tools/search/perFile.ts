/** Distributes a line limit over many files: the first lines of each, so that no file is missing. Pure. */

interface FileLines {
  readonly path: string;
  readonly lines: readonly string[];
}

/**
 * At most `limit` lines: up to the same number of lines per file, with a note on how many more it has. If there are
 * more files than that, one line of each of the first ones.
 */
export function perFile(files: readonly FileLines[], limit: number): readonly string[] {
  const all = files.reduce((sum, { lines }) => sum + lines.length, 0);
  if (all <= limit) return files.flatMap(({ lines }) => lines);
  let low = 1;
  let high = limit;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (shown(files, middle).length <= limit) low = middle;
    else high = middle - 1;
  }
  return shown(files, low).slice(0, limit);
}

function shown(files: readonly FileLines[], level: number): readonly string[] {
  return files.flatMap(({ path, lines }) => {
    const more = lines.length - level;
    // A note about one more line would take as much space as that line.
    if (more <= 1) return lines;
    return [...lines.slice(0, level), `${path}: (+${more} more in this file)`];
  });
}
