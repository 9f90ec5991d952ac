/** The formats in which models write calls as text, each identified by its marker. Pure. */
import { endOfJson, readJsonCalls } from './jsonCall.ts';
import { readFunctionTag, readInvokeTag, readToolCallTag } from './tagCall.ts';
import {
  type Found,
  meets,
  type Offered,
  offeredName,
  type Reader,
  skipSpace,
  type TextCall,
} from './types.ts';

interface Sign {
  readonly sign: string;
  readonly read: Reader;
  /** Recognized only at the start of a line. */
  readonly atLineStart?: boolean;
}

/** Longer markers come before shorter ones that are their prefix. */
export const signs: readonly Sign[] = [
  { sign: '<tool_call>', read: readToolCallTag }, // Hermes, Qwen, GLM
  { sign: '<tool_calls>', read: readJsonCalls }, // Jamba
  { sign: '<tools>', read: readJsonCalls }, // Qwen 2.5 Coder
  { sign: '<functioncall>', read: readJsonCalls }, // older Hermes
  { sign: '<function_call>', read: readJsonCalls },
  { sign: '<|tool_call|>', read: readJsonCalls }, // Phi, Granite
  { sign: '<|python_tag|>', read: readJsonCalls }, // Llama 3.1 and later
  { sign: '<|START_ACTION|>', read: readJsonCalls }, // Cohere
  { sign: '<function=', read: readFunctionTag }, // Llama, Functionary 3.1, Qwen 3 Coder
  { sign: '<invoke name="', read: readInvokeTag }, // Claude, MiniMax
  { sign: '[TOOL_CALLS]', read: readMistral },
  { sign: '<｜tool▁call▁begin｜>', read: readDeepSeek },
  { sign: '<|tool_call_begin|>', read: readKimi },
  { sign: '>>>', read: readFunctionary, atLineStart: true }, // Functionary 3.2
];

/** Meaningless tokens that may surround calls: wrappers, closing tags, and stop tokens. */
const fillers: readonly string[] = [
  ...[
    '</tool_call>',
    '</tool_calls>',
    '</tools>',
    '</functioncall>',
    '</function_call>',
    '<|/tool_call|>',
    '</function>',
  ],
  ...[
    '<function_calls>',
    '</function_calls>',
    '<minimax:tool_call>',
    '</minimax:tool_call>',
    '<|END_ACTION|>',
  ],
  ...['<｜tool▁calls▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁calls▁end｜>', '<｜end▁of▁sentence｜>'],
  ...['<|tool_calls_section_begin|>', '<|tool_call_end|>', '<|tool_calls_section_end|>'],
  ...['</s>', '<|eot_id|>', '<|eom_id|>', '<|im_end|>', '<|end|>', '<|endoftext|>', '<end_of_turn>'],
];

/** Wrappers that may come before the first marker. */
export const wrappers: readonly string[] = fillers.filter((filler) =>
  /begin|^<function_calls>|^<minimax/.test(filler),
);

/** The start of a tool result that the model made up: the call is kept, the result is dropped. */
const madeUpResults: readonly string[] = [
  '<tool_response>',
  '<|tool_response',
  '<function_results>',
  '<tool_result',
];

/**
 * Parses the calls of a text that begins with a marker or wrapper. Returns `no` if anything
 * else appears between or after them, since such text only talks about a call; `more` while the end is open, unless
 * `isFinal`.
 */
export function readCalls(text: string, offered: Offered, isFinal: boolean): Found {
  const calls: TextCall[] = [];
  let next = 0;
  for (;;) {
    next = skipSpace(text, next);
    const rest = text.length - next;
    if (rest === 0) return isFinal && calls.length > 0 ? { calls, end: next } : isFinal ? 'no' : 'more';
    const filler = fillers.find((one) => text.startsWith(one, next));
    if (filler !== undefined) {
      next += filler.length;
      continue;
    }
    if (calls.length > 0 && madeUpResults.some((one) => text.startsWith(one, next)))
      return isFinal ? { calls, end: text.length } : 'more';
    const sign = signs.find((one) => text.startsWith(one.sign, next));
    if (sign === undefined) {
      const all = [...fillers, ...madeUpResults, ...signs.map((one) => one.sign)];
      return !isFinal && all.some((one) => one.startsWith(text.slice(next))) ? 'more' : 'no';
    }
    const found = sign.read(text, next + sign.sign.length, offered);
    if (found === 'more') return isFinal ? 'no' : 'more';
    if (found === 'no') return 'no';
    calls.push(...found.calls);
    next = found.end;
  }
}

/** The calls of a reply that is nothing but calls in JSON, bare or, with `mayFence`, in one code fence. */
export function readBareCalls(text: string, offered: Offered, mayFence: boolean): readonly TextCall[] {
  const whole = text.trim();
  if (isFence(whole) && !mayFence) return [];
  const fenced = /^```(?:json|tool_call|tool_calls)?[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(whole)?.[1];
  const body = (fenced ?? whole).trim();
  if (!/^[{[]/.test(body)) return [];
  const found = readJsonCalls(body, 0, offered);
  return typeof found === 'object' && skipSpace(body, found.end) === body.length ? found.calls : [];
}

/** True if a reply that begins like this could be nothing but calls in JSON. Called as the reply grows. */
export function couldBeBareCalls(text: string, offered: Offered, mayFence: boolean): boolean {
  const begun = text.trimStart();
  if (isFence(begun) && !mayFence) return false;
  if (begun === '' || FENCES.some((fence) => fence.startsWith(begun))) return true;
  const body = begun.replace(/^```(?:json|tool_calls?)?[ \t]*(?:\r?\n|$)/, '').trimStart();
  if (body === '') return true;
  const opened = /^(?:\[\s*)?(?:\{\s*)?/.exec(body)?.[0] ?? '';
  const rest = body.slice(opened.length);
  if (opened === '') return false;
  if (rest === '') return true;
  if (!opened.includes('{') || !FIRST_KEYS.some((key) => key.startsWith(rest.slice(0, key.length))))
    return false;
  const named = /^"name"\s*:\s*"([^"\\]{0,128})"/.exec(rest)?.[1];
  if (named !== undefined && offeredName(named, offered) === undefined) return false;
  const found = readJsonCalls(body, 0, offered);
  return typeof found === 'string' ? found === 'more' : /^\s*`{0,3}\s*$/.test(body.slice(found.end));
}

function isFence(text: string): boolean {
  return text.startsWith('`');
}

const FENCES = ['```json', '```tool_calls'];
const FIRST_KEYS = [
  ...['name', 'function', 'tool', 'tool_name', 'tool_calls', 'type', 'id', 'arguments', 'parameters'],
].map((key) => `"${key}"`);

// Parses calls between special tokens that the server failed to parse: Mistral, DeepSeek, Kimi, Functionary.

/** After `[TOOL_CALLS]`: an array, or `NAME{…}`, `NAME[ARGS]{…}`, `NAME[CALL_ID]…[ARGS]{…}`. */
function readMistral(text: string, at: number, offered: Offered): Found {
  const start = skipSpace(text, at);
  if (start >= text.length) return 'more';
  if (/[{[]/.test(text[start] ?? '')) return readJsonCalls(text, start, offered);
  return readNamed(text, start, offered, /([\w.-]{1,128})(?:\[CALL_ID\][\w-]{0,64})?(?:\[ARGS\])?\s{0,4}/y);
}

/**
 * After the marker of one DeepSeek call: `NAME<｜tool▁sep｜>{…}`, in older models `function<｜tool▁sep｜>NAME`, a line
 * break and the arguments in a fence.
 */
function readDeepSeek(text: string, at: number, offered: Offered): Found {
  return readNamed(
    text,
    skipSpace(text, at),
    offered,
    /(?:function<｜tool▁sep｜>)?([\w.-]{1,128})(?:<｜tool▁sep｜>)?\s{0,4}(?:```(?:json)?\s{0,4})?/y,
    /^\s{0,4}```/,
  );
}

/** After `<|tool_call_begin|>` (Kimi): `functions.NAME:0<|tool_call_argument_begin|>{…}`. */
function readKimi(text: string, at: number, offered: Offered): Found {
  const pattern = /([\w.-]{1,128})(?::\d{1,4})?<\|tool_call_argument_begin\|>\s{0,4}/y;
  return readNamed(text, skipSpace(text, at), offered, pattern);
}

/** After `>>>` at the start of a line (Functionary): `NAME`, a line break, `{…}`. */
function readFunctionary(text: string, at: number, offered: Offered): Found {
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
