/**
 * Turns the argument text that a model wrote into a JSON object, repairing obvious mistakes. Never invents anything:
 * truncated text is rejected, because half a file must never be written.
 */

import { isRecord } from '../../../protocol/json.ts';
import { wellFormed } from '../../json.ts';

interface RepairedArguments {
  /** Valid JSON of type object; `{}` when `invalid` is set. */
  readonly arguments: string;
  /** The model's original text, if it differs. */
  readonly rawArguments?: string;
  /** Why the call must not run, in words that the model can act on. */
  readonly invalid?: string;
}

/** Returns a valid object byte for byte; repairs anything else as described above. */
export async function repairArguments(raw: string, toolName: string): Promise<RepairedArguments> {
  if (raw.trim() === '') return { arguments: '{}' };
  if (isTooDeep(raw)) return { arguments: '{}', rawArguments: raw, invalid: explainDepth(raw, toolName) };
  const strict = parse(raw);
  if (isRecord(strict.value)) return { arguments: raw };
  const repaired = unwrapString(strict.value) ?? firstOfTwins(raw) ?? (await mend(raw, strict));
  if (repaired !== undefined) return { arguments: repaired, rawArguments: raw };
  return { arguments: '{}', rawArguments: raw, invalid: explain(raw, toolName, strict) };
}

/** Deeper than any tool's input; far below the depth that overflows a stack later on. */
const MAX_DEPTH = 100;

/** A model that is stuck writes `[[[[…`. Brackets in strings do not count. */
function isTooDeep(raw: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < raw.length && depth <= MAX_DEPTH; at += 1) {
    const char = raw[at];
    if (inString && char === '\\') at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === '{' || char === '[')) depth += 1;
    else if (!inString && (char === '}' || char === ']')) depth -= 1;
  }
  return depth > MAX_DEPTH;
}

function explainDepth(raw: string, toolName: string): string {
  return `${calling(toolName)} did not run, because its arguments are nested more than ${MAX_DEPTH} levels deep (${excerpt(raw, 80)}). Make the call again with the plain arguments of the tool.`;
}

/** The beginning of a sentence about a call: "The Read call". */
export const calling = (toolName: string): string =>
  toolName === '' ? 'The call of a tool without a name' : `The ${toolName} call`;

interface Parsed {
  readonly value?: unknown;
  readonly error?: string;
}

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** `"{\"path\": …}"`: an object that was JSON-encoded once or twice too often. */
function unwrapString(value: unknown): string | undefined {
  let text = value;
  for (let depth = 0; depth < 3 && typeof text === 'string'; depth += 1) {
    const inner = parse(text).value;
    if (isRecord(inner)) return text;
    text = inner;
  }
  return undefined;
}

/** Some servers send the complete arguments again at the end of the call. */
function firstOfTwins(raw: string): string | undefined {
  const half = raw.slice(0, raw.length / 2);
  return raw === half + half && isRecord(parse(half).value) ? half : undefined;
}

async function mend(raw: string, strict: Parsed): Promise<string | undefined> {
  if (strict.error === undefined) return undefined; // valid JSON but not an object: nothing to repair
  const shape = scan(raw);
  if (shape.missing) return undefined;
  if (shape.open !== '') {
    // Only closing brackets are missing, which is repairable. Anything else, such as an open string, was cut off; so
    // may be a number at the very end (`12` of `120`).
    const closed = raw.trimEnd() + shape.open;
    return /["}\]]\s*$/.test(raw) && isRecord(parse(closed).value) ? closed : undefined;
  }
  try {
    const escaped = keepBackslashes(raw);
    if (isRecord(parse(escaped).value)) return escaped;
    const { jsonrepair } = await import('jsonrepair');
    const repaired = jsonrepair(escaped).trim();
    return isRecord(parse(repaired).value) ? repaired : undefined;
  } catch {
    return undefined; // jsonrepair throws at input it cannot repair
  }
}

/** Escapes the backslash in `"\d+"` and `"C:\q"`; jsonrepair would drop it. It handles `\'` correctly. */
function keepBackslashes(raw: string): string {
  return raw.replace(/\\(["\\/bfnrt']|u[0-9a-f]{4})|\\/gi, (found) => (found === '\\' ? '\\\\' : found));
}

/**
 * The closing brackets that are missing at the end, and whether a string is unterminated or a value is missing or
 * elided.
 */
function scan(text: string): { readonly open: string; readonly missing: boolean } {
  const open: string[] = [];
  let quote = '';
  let previous = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
      continue;
    }
    if (/\s/.test(char)) continue;
    if (previous === ':' && /[,}\]]/.test(char)) return { open: '', missing: true };
    if (char === '.' && text.startsWith('...', at)) return { open: '', missing: true };
    if (char === '"' || (char === "'" && /^[{[,:]?$/.test(previous))) quote = char;
    else if (char === '{') open.push('}');
    else if (char === '[') open.push(']');
    else if (char === '}' || char === ']') open.pop();
    previous = char;
  }
  return { open: open.reverse().join(''), missing: quote !== '' || /[:,]/.test(previous) };
}

function explain(raw: string, toolName: string, strict: Parsed): string {
  const problem =
    strict.error === undefined
      ? `they are valid JSON but not an object`
      : `they are not valid JSON (${wellFormed(strict.error)})`;
  return (
    `${calling(toolName)} did not run, because its arguments could not be read: ${problem}. ` +
    `What arrived (${raw.length} characters): ${excerpt(raw)}\n` +
    'Make the call again with one complete JSON object as its arguments; split very long content over several calls.'
  );
}

/** The text, or its head and tail if it is longer than `max` characters. */
export function excerpt(text: string, max = 240): string {
  if (text.length <= max) return wellFormed(text);
  const half = Math.floor(max / 2);
  return wellFormed(`${text.slice(0, half)} … ${text.slice(-half)}`);
}
