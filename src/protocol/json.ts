/** Reading JSON that other programs or users wrote. */

/** True for an object, not for null or an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * For schemas used only a few times per run. zod generates and compiles code for each object schema on first use, which
 * pays off only for thousands of values: for the settings it took 8 ms of each start; for the entries that a session
 * appends it took 2 ms and saves 1 µs each.
 */
export const JITLESS = { jitless: true } as const;
