export type Line = Record<string, unknown> & { type: string };

/** Parses a stream with one object per line. */
export function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
