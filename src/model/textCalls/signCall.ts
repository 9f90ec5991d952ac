/** Parses calls between special tokens that the server failed to parse: Mistral, DeepSeek, Kimi, Functionary. */
import { endOfJson, readJsonCalls } from './jsonCall.ts';
import { type Found, meets, type Offered, offeredName, skipSpace } from './types.ts';

/** After `[TOOL_CALLS]`: an array, or `NAME{…}`, `NAME[ARGS]{…}`, `NAME[CALL_ID]…[ARGS]{…}`. */
export function readMistral(text: string, at: number, offered: Offered): Found {
  const start = skipSpace(text, at);
  if (start >= text.length) return 'more';
  if (/[{[]/.test(text[start] ?? '')) return readJsonCalls(text, start, offered);
  return readNamed(text, start, offered, /([\w.-]{1,128})(?:\[CALL_ID\][\w-]{0,64})?(?:\[ARGS\])?\s{0,4}/y);
}

/**
 * After the marker of one DeepSeek call: `NAME<｜tool▁sep｜>{…}`, in older models `function<｜tool▁sep｜>NAME`, a line
 * break and the arguments in a fence.
 */
export function readDeepSeek(text: string, at: number, offered: Offered): Found {
  return readNamed(
    text,
    skipSpace(text, at),
    offered,
    /(?:function<｜tool▁sep｜>)?([\w.-]{1,128})(?:<｜tool▁sep｜>)?\s{0,4}(?:```(?:json)?\s{0,4})?/y,
    /^\s{0,4}```/,
  );
}

/** After `<|tool_call_begin|>` (Kimi): `functions.NAME:0<|tool_call_argument_begin|>{…}`. */
export function readKimi(text: string, at: number, offered: Offered): Found {
  const pattern = /([\w.-]{1,128})(?::\d{1,4})?<\|tool_call_argument_begin\|>\s{0,4}/y;
  return readNamed(text, skipSpace(text, at), offered, pattern);
}

/** After `>>>` at the start of a line (Functionary): `NAME`, a line break, `{…}`. */
export function readFunctionary(text: string, at: number, offered: Offered): Found {
  return readNamed(text, at, offered, /([\w.-]{1,128})\n\s{0,4}/y);
}

function readNamed(text: string, at: number, offered: Offered, head: RegExp, foot?: RegExp): Found {
  head.lastIndex = at;
  const found = head.exec(text);
  const start = at + (found?.[0].length ?? 0);
  // The head may be incomplete; the longest possible head is shorter than 256 characters.
  if (found === null || text[start] !== '{') {
    const isUnfinished =
      text.length - at < 256 && (start >= text.length || isHeadBegun(text.slice(at), offered));
    return isUnfinished ? 'more' : 'no';
  }
  const name = offeredName(found[1] ?? '', offered);
  if (name === undefined) return 'no';
  const stop = endOfJson(text, start);
  if (stop === undefined) return 'more';
  if (foot !== undefined && /^\s{0,4}`{1,2}$/.test(text.slice(stop, stop + 16))) return 'more';
  const footLength = foot?.exec(text.slice(stop, stop + 16))?.[0].length ?? 0;
  return { calls: [{ name, arguments: text.slice(start, stop) }], end: stop + footLength };
}

const SIGNS = ['<｜tool▁sep｜>', '<|tool_call_argument_begin|>', '[CALL_ID]', '[ARGS]', '```json', '\n'];

/** True for an offered name, or the beginning of one, followed by the beginning of a marker that may follow it. */
function isHeadBegun(head: string, offered: Offered): boolean {
  const [written = ''] = /^[\w.-]*/.exec(head) ?? [];
  const isName = [...offered.keys(), 'function'].some(
    (name) => name.startsWith(written.replace(/^functions\./, '')) || `functions.${name}`.startsWith(written),
  );
  if (!isName) return false;
  const rest = head.slice(written.length);
  return (
    rest === '' ||
    rest.startsWith('[CALL_ID]') ||
    rest.startsWith('<｜tool▁sep｜>') ||
    rest.startsWith(':') ||
    SIGNS.some((sign) => meets(rest, 0, sign) !== 'no')
  );
}
