/**
 * Reads JSON of other programs, such as servers. Parsing takes many times the memory of the text if the text consists
 * mostly of brackets, so these are counted first. Pure.
 */

import { grouped } from './numbers.ts';

/** Far more than any useful message has. An array or object takes up to 200 bytes. */
const MAX_CONTAINERS = 500_000;
/** Recursive code copies, checks and prints messages. */
const MAX_NESTING = 1000;

/** The code of an error for an answer that was aborted because of its size. */
export const REPLY_TOO_LARGE = 'ERR_REPLY_TOO_LARGE';

/** Thrown for a message that is too large to be parsed. */
export class JsonBoundError extends Error {}

/** Parses JSON. Throws `SyntaxError` if it is none, and `JsonBoundError` if it has too many arrays and objects. */
export function parseBoundedJson(text: string): unknown {
  checkJsonBounds(text);
  return JSON.parse(text);
}

/** Throws `JsonBoundError` for JSON that has too many arrays and objects, or too deep ones. */
export function checkJsonBounds(text: string): void {
  const { containers, nesting } = shapeOf(text);
  if (containers > MAX_CONTAINERS)
    throw new JsonBoundError(
      `It sent a message with more than ${grouped(MAX_CONTAINERS)} arrays and objects.`,
    );
  if (nesting > MAX_NESTING)
    throw new JsonBoundError(`It sent a message that is nested more than ${MAX_NESTING} levels deep.`);
}

/** Prints a value, with line breaks unless the indentation would multiply its size. */
export function printJson(value: unknown): string {
  const compact = JSON.stringify(value) ?? '';
  return compact.length * shapeOf(compact).nesting > MAX_INDENTED ? compact : JSON.stringify(value, null, 1);
}

/** Maximum characters times levels for which lines are indented. */
const MAX_INDENTED = 2_000_000;

/** The number of arrays and objects, and how deep they are nested, in one pass. */
function shapeOf(text: string): { readonly containers: number; readonly nesting: number } {
  let containers = 0;
  let depth = 0;
  let nesting = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) isString = !isString;
    else if (isString) {
      if (unit === BACKSLASH) at++;
    } else if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) {
      containers += 1;
      depth += 1;
      if (depth > nesting) nesting = depth;
    } else if (unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) depth -= 1;
  }
  return { containers, nesting };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
