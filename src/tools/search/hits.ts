/** Sorts ripgrep's output lines, whose order depends on its threads. Pure. */

export interface Hits {
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly lines: readonly string[] }[];
  /** Matching lines, without context. */
  readonly matches: number;
  /** Number of files left out as hidden. */
  readonly hidden: number;
}

/**
 * Groups lines of the form `path NUL rest` by file, each as `path:rest`; `--` between groups stays with the preceding
 * file. `numbers`: whether to show the line numbers with which the rest begins (`12:` a match, `12-` context);
 * undefined if it has none.
 */
export function collectHits(
  lines: readonly string[],
  numbers: boolean | undefined,
  isHidden: (path: string) => boolean,
): Hits {
  const files = new Map<string, string[]>();
  const hidden = new Set<string>();
  let matches = 0;
  let last: { readonly path: string; readonly lines: string[] } | undefined;
  for (const line of lines) {
    const nul = line.indexOf('\0');
    if (nul === -1) {
      // "--", or a further line of a multi-line match.
      last?.lines.push(line);
      continue;
    }
    const path = line.slice(0, nul).replace(/^\.\//, '');
    const rest = line.slice(nul + 1);
    if (last?.path !== path) {
      if (isHidden(path)) hidden.add(path);
      last = { path, lines: files.get(path) ?? [] };
      if (!hidden.has(path)) files.set(path, last.lines);
    }
    const isContext = numbers !== undefined && /^\d+-/.test(rest);
    if (!isContext && !hidden.has(path)) matches += 1;
    const text = numbers === false ? rest.replace(/^\d+[:-]/, '') : rest;
    last.lines.push(isContext ? `${path}-${text}` : `${path}:${text}`);
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    files: sorted.map(([path, own]) => ({ path, lines: own.at(-1) === '--' ? own.slice(0, -1) : own })),
    matches,
    hidden: hidden.size,
  };
}
