/**
 * Tells whether the grant that a hook printed may be an echo: a hook that only logs its input (`jq -r
 * .tool_input.command`) prints what the model wrote, and JSON in it would count as the hook's own decision. Pure.
 */
import type { HookCall } from '../protocol/extensions/hooks.ts';

/**
 * True if the input of a hook contains what grants something in a hook's output, as a whole decision, a part of one, or
 * spread over several texts. Whatever the hook has printed, it could have come from there.
 */
export function mayEchoGrants(input: HookCall['input']): boolean {
  // Ours, and it names the behavior that "don't ask again" would save.
  const { permission_suggestions: _, ...foreign } = input;
  const texts: string[] = [];
  const named: string[] = [];
  collect(foreign, texts, named);
  return grantsSomething(texts.join('')) || grantsSomething(named.join(''));
}

function grantsSomething(written: string): boolean {
  let text = written;
  for (let round = 0; round <= DECODED_TIMES; round++) {
    if (namesGrant(folded(text))) return true;
    const decoded = unescaped(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return false;
}

/** JSON in a text of JSON, decoded once more by the `echo` of a shell. */
const DECODED_TIMES = 3;

/** What allows a call or changes its input, see `readOutput.ts`, in any order: a hook may print fields in another one. */
const namesGrant = (text: string): boolean =>
  /permissiondec|updatedin|behavior.*allow|allow.*behavior|decision.*approve|approve.*decision/s.test(text);

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
}

/** Resolves the escapes of JSON and of the shells' `echo` and `printf`: `\u0044`, `\x44`, `\0104`, `\104`. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:u\{?([0-9a-f]{1,6})\}?|x([0-9a-f]{1,2})|(0?[0-7]{1,3})|([nrtbfva])|([\\"'/]))/gi,
    (_, code?: string, byte?: string, octal?: string, blank?: string, own?: string) => {
      if (blank !== undefined) return blank === 't' ? ' ' : '';
      if (own !== undefined) return own;
      const point =
        octal === undefined ? Number.parseInt(code ?? byte ?? '0', 16) : Number.parseInt(octal, 8);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    },
  );
}
