/**
 * Tells whether what a hook printed may be an echo: a hook that only logs its input (`jq -r .tool_input.command`) prints
 * what the model or a web page wrote, and JSON in it would count as the hook's own answer. Pure.
 *
 * Finds texts that a hook prints whole, in any order and joined, as they are or decoded (escapes, percent signs, base64,
 * hexadecimal). Does not find what a hook makes of a text by cutting, deleting or replacing letters in it.
 */
import type { HookCall } from '../protocol/extensions/hooks.ts';

/** True if the input of a hook contains what grants something in a hook's output, whole or in parts. */
export function mayEchoGrants(input: HookCall['input']): boolean {
  const { joined, pieces } = readingsOf(input);
  const contains = (word: string): boolean =>
    joined.some((text) => text.includes(word)) || isBuiltFrom(word, pieces);
  return (
    contains('permissiondecision') ||
    contains('updatedinput') ||
    (contains('behavior') && contains('allow')) ||
    (contains('decision') && contains('approve'))
  );
}

/** True if the input of a hook contains a text, and the name of the field in which the hook's output had it. */
export function isEcho(input: HookCall['input'], field: string, text: string): boolean {
  const { joined, pieces } = readingsOf(input);
  const name = field.toLowerCase();
  const wanted = folded(text).trim();
  return (
    wanted !== '' &&
    (joined.some((one) => one.includes(name)) || isBuiltFrom(name, pieces)) &&
    joined.some((one) => one.includes(wanted))
  );
}

interface Readings {
  /** All texts one after another, with and without the names of fields, in every decoding. */
  readonly joined: readonly string[];
  /** Each text on its own, and each name. */
  readonly pieces: readonly string[];
}

function readingsOf(input: HookCall['input']): Readings {
  // Ours, and it names the behavior that "don't ask again" would save.
  const { permission_suggestions: _, ...foreign } = input;
  const texts: string[] = [];
  const named: string[] = [];
  collect(foreign, texts, named);
  const joined = [texts.join(''), named.join('')].flatMap(decodings);
  const pieces = new Set([...texts, ...named].flatMap((text) => [text, unescaped(text)]).map(folded));
  return { joined: [...new Set(joined.map(folded))], pieces: [...pieces] };
}

/** JSON in a text of JSON, decoded once more by the `echo` of a shell. */
const DECODED_TIMES = 3;

function decodings(written: string): readonly string[] {
  const found = [written];
  let text = written;
  for (let round = 0; round < DECODED_TIMES; round++) {
    const decoded = unescaped(text);
    if (decoded === text) break;
    found.push(decoded);
    text = decoded;
  }
  return [...found, ...encodedIn(written).flatMap((one) => [one, unescaped(one)])];
}

/** Base64 and hexadecimal numbers of some length, decoded; where base64 begins is not known. */
function encodedIn(text: string): readonly string[] {
  const runs = text.replace(/(?<=[\w+/-])\r?\n(?=[\w+/=-])/g, '').match(/[\w+/-]{12,}/g) ?? [];
  return runs.flatMap((run) => [
    ...[0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')),
    ...(/^(?:[0-9a-f]{2})+$/i.test(run) ? [Buffer.from(run, 'hex').toString('latin1')] : []),
  ]);
}

/** True if a word is the end of a text, whole texts, and the beginning of one: a hook may print its fields in any order. */
function isBuiltFrom(word: string, pieces: readonly string[]): boolean {
  const reached = new Set<number>();
  for (let end = 1; end < word.length; end++)
    if (pieces.some((piece) => piece.endsWith(word.slice(0, end)))) reached.add(end);
  // The loop also visits the positions added in its body.
  for (const at of reached) {
    const rest = word.slice(at);
    for (const piece of pieces) {
      if (piece.startsWith(rest)) return true;
      if (piece !== '' && rest.startsWith(piece)) reached.add(at + piece.length);
    }
  }
  return false;
}

/** Letters, digits, colons and spaces: quotes, backslashes and line breaks may be added or lost on the way. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9: ]+/g, '')
    .replace(/ {2,}/g, ' ');
}

/** All texts in a value, in order: alone, and among the names of their fields. */
function collect(value: unknown, texts: string[], named: string[]): void {
  if (typeof value === 'string') {
    texts.push(value);
    named.push(value);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      if (!Array.isArray(value)) named.push(`${name}:`);
      collect(one, texts, named);
    }
  else named.push(String(value));
}

/** Resolves the escapes of JSON, of the shells' `echo` and `printf`, and of URLs: `\u0044`, `\x44`, `\0104`, `\104`, `%44`. */
function unescaped(text: string): string {
  return text.replace(
    /%([0-9a-f]{2})|\\(?:u\{?([0-9a-f]{1,6})\}?|x([0-9a-f]{1,2})|(0?[0-7]{1,3})|([nrtbfva])|([\\"'/]))/gi,
    (
      _,
      percent?: string,
      code?: string,
      byte?: string,
      octal?: string,
      blank?: string,
      own?: string,
    ): string => {
      if (blank !== undefined) return blank === 't' ? ' ' : '';
      if (own !== undefined) return own;
      const point =
        octal === undefined ? Number.parseInt(percent ?? code ?? byte ?? '0', 16) : Number.parseInt(octal, 8);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    },
  );
}
