/**
 * Parses calls written as JSON: `{"name": …, "arguments": {…}}` with any of the keys that models use, alone or in an
 * array.
 */
import { list, record, text as textOf } from '../json.ts';
import { type Found, type Offered, offeredName, skipSpace, type TextCall } from './types.ts';

const ARGUMENTS = ['arguments', 'parameters', 'args', 'input'] as const;
const KEYS: ReadonlySet<string> = new Set([
  ...['name', 'tool', 'tool_name', 'function', 'type', 'id', 'index', 'tool_call_id'],
  ...ARGUMENTS,
]);

/** Parses one or more values starting at `at`, separated by white space, commas or semicolons. Each must be a call. */
export function readJsonCalls(text: string, at: number, offered: Offered): Found {
  const calls: TextCall[] = [];
  let end = at;
  for (;;) {
    const start = calls.length === 0 ? skipSpace(text, end) : skipBetween(text, end);
    if (start >= text.length) return calls.length === 0 ? 'more' : { calls, end: start };
    if (!/[{[]/.test(text[start] ?? '')) return calls.length === 0 ? 'no' : { calls, end };
    const stop = endOfJson(text, start);
    if (stop === undefined) return 'more';
    const read = readValue(text.slice(start, stop), offered);
    if (read === undefined) return calls.length === 0 ? 'no' : { calls, end };
    calls.push(...read);
    end = stop;
  }
}

function skipBetween(text: string, at: number): number {
  let next = at;
  while (next < text.length && /[\s,;]/.test(text[next] ?? '')) next += 1;
  return next;
}

/** The position after the JSON value that begins at `at`; undefined while its brackets or a string are open. */
export function endOfJson(text: string, at: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let next = at; next < text.length; next += 1) {
    const char = text[next];
    if (inString) {
      if (char === '\\') next += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return next + 1;
    }
  }
  return undefined;
}

function readValue(json: string, offered: Offered): readonly TextCall[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const call = readBroken(json, offered);
    return call === undefined ? undefined : [call];
  }
  const many = Array.isArray(value) ? value : list(record(value).tool_calls);
  if (many.length === 0) {
    const call = readCall(value, offered);
    return call === undefined ? undefined : [call];
  }
  const calls = many.map((one) => readCall(one, offered));
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

/** One call; undefined for any other object, including one with additional keys. */
function readCall(value: unknown, offered: Offered): TextCall | undefined {
  const fields = record(value);
  const keys = Object.keys(fields);
  if (keys.length === 0 || keys.some((key) => !KEYS.has(key))) return undefined;
  if (typeof fields.function === 'object') return readCall(fields.function, offered);
  const written =
    textOf(fields.name) ?? textOf(fields.tool_name) ?? textOf(fields.tool) ?? textOf(fields.function);
  const name = written === undefined ? undefined : offeredName(written, offered);
  const key = ARGUMENTS.find((one) => one in fields);
  if (name === undefined || key === undefined) return undefined;
  const input = fields[key];
  if (input === null) return { name, arguments: '{}' };
  if (typeof input !== 'object' && typeof input !== 'string') return undefined;
  return { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
}

/**
 * JSON that is invalid inside (e.g. a line break in a string): separates name and arguments; the arguments are repaired
 * later.
 */
function readBroken(json: string, offered: Offered): TextCall | undefined {
  const match = /^\{\s*"name"\s*:\s*"([^"\\]{1,128})"\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)/.exec(
    json,
  );
  const name = offeredName(match?.[1] ?? '', offered);
  if (match === null || name === undefined) return undefined;
  const end = endOfJson(json, match[0].length);
  return end === undefined ? undefined : { name, arguments: json.slice(match[0].length, end) };
}
