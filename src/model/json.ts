/// <reference lib="es2024.string" />
/** Defensive reading of untrusted JSON. */

/** The value as an object with unknown fields; an empty object if it is anything else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The value if it is a non-empty string. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is a non-negative integer. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The value as an array; an empty array if it is anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Deeper than any answer, and far below the depth at which recursive code overflows the stack. */
const MAX_DEPTH = 500;
/** Characters that cannot hold too many values or too deep ones, so that single-token events skip the scan. */
const SMALL = 2 * MAX_DEPTH;

/**
 * True if this JSON holds more than `maxValues` values, or is nested deeply enough to overflow the stack. V8 needs up
 * to 60 bytes per value, which may take as little as three characters. Brackets and commas in strings do not count.
 */
export function isJsonBomb(json: string, maxValues: number): boolean {
  if (json.length <= SMALL) return false;
  let [depth, values, inString] = [0, 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      values += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    else if (code === COMMA) values += 1;
    if (depth > MAX_DEPTH || values > maxValues) return true;
  }
  return false;
}

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125];

/** Replaces lone surrogates, which are not valid UTF-8, with U+FFFD. */
export function wellFormed(value: string): string {
  return value.toWellFormed();
}
