/** Lines of many files within a limit: of each file the first ones, so that no file is missing. Pure. */

export interface FileLines {
  readonly path: string;
  readonly lines: readonly string[];
}

/**
 * At most `limit` lines, each file with as many as fit when all have equally many, and a word on how many more
 * it has. With more files than that, the first line of the first of them.
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
    // To say that there is one more takes as much as that one.
    if (more <= 1) return lines;
    return [...lines.slice(0, level), `${path}: (+${more} more in this file)`];
  });
}
