export type Line = Record<string, unknown> & { type: string };

/** The objects of a stream, one a line. */
export function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
