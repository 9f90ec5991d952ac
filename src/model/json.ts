/// <reference lib="es2024.string" />
/** Careful reading of JSON that a stranger wrote. */

/** A value as an object with unknown fields; an empty one when it is something else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The value when it is a string that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value when it is a whole number from 0 up. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The value as an array; an empty one when it is something else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Deeper than any answer, and far less deep than what overflows the stack of whoever walks through it. */
const MAX_DEPTH = 500;
/** Characters that hold neither too many values nor too deep ones, so that the events of tokens are not looked through. */
const SMALL = 2 * MAX_DEPTH;

/**
 * Does this JSON hold more than `maxValues` values, or is it so deep that it could overflow the stack? Of each value V8
 * makes up to 60 bytes, though it takes as little as three characters. Brackets and commas within strings do not count.
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

/** Lone surrogates, which are no valid UTF-8, become U+FFFD. */
export function wellFormed(value: string): string {
  return value.toWellFormed();
}
