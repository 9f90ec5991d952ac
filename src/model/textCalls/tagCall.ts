/**
 * Parses calls written as tags: a name, then a pair of tags per argument. Argument types come from the tool's schema.
 */
import { record } from '../json.ts';
import { endOfJson, readJsonCalls } from './jsonCall.ts';
import { type Found, meets, type Offered, offeredName, skipSpace, type TextCall } from './types.ts';

/** After `<function=`: `NAME>{…}</function>`, or `NAME><parameter=KEY>…</parameter></function>`. */
export function readFunctionTag(text: string, at: number, offered: Offered): Found {
  const head = nameUntil(text, at, '>', offered);
  if (typeof head === 'string') return head;
  const start = skipSpace(text, head.end);
  if (text[start] !== '{') {
    return readPairs(text, start, head.name, offered, {
      open: /<parameter=([^<>\n]{1,128})>/y,
      begun: '<parameter=',
      close: '</parameter>',
      end: '</function>',
    });
  }
  const stop = endOfJson(text, start);
  if (stop === undefined) return 'more';
  return closed(text, stop, { name: head.name, arguments: text.slice(start, stop) });
}

/** After `<invoke name="`: `NAME"><parameter name="KEY">…</parameter></invoke>`. */
export function readInvokeTag(text: string, at: number, offered: Offered): Found {
  const head = nameUntil(text, at, '">', offered);
  if (typeof head === 'string') return head;
  const tags = {
    open: /<parameter name="([^"\n]{1,128})"[^>\n]{0,64}>/y,
    begun: '<parameter name="',
    close: '</parameter>',
    end: '</invoke>',
  };
  return readPairs(text, skipSpace(text, head.end), head.name, offered, tags);
}

/** After `<tool_call>`: JSON, a function tag, or `NAME` and `<arg_key>KEY</arg_key><arg_value>…</arg_value>`. */
export function readToolCallTag(text: string, at: number, offered: Offered): Found {
  const start = skipSpace(text, at);
  if (start >= text.length) return 'more';
  if (/[{[]/.test(text[start] ?? '')) return readJsonCalls(text, start, offered);
  if (text[start] === '<') {
    const met = meets(text, start, '<function=');
    if (met !== 'whole') return met === 'begun' ? 'more' : 'no';
    return readFunctionTag(text, start + '<function='.length, offered);
  }
  const word = /[\w.-]{1,128}/y;
  word.lastIndex = start;
  const written = word.exec(text)?.[0] ?? '';
  const after = start + written.length;
  if (after >= text.length) return couldBeName(written, offered) ? 'more' : 'no';
  const name = offeredName(written, offered);
  if (name === undefined) return 'no';
  const tags = {
    open: /<arg_key>([^<>\n]{1,128})<\/arg_key>\s{0,4}<arg_value>/y,
    begun: '<arg_key>',
    close: '</arg_value>',
    end: '</tool_call>',
  };
  return readPairs(text, skipSpace(text, after), name, offered, tags);
}

interface Tags {
  /** Sticky; the first group is the key. */
  readonly open: RegExp;
  readonly begun: string;
  readonly close: string;
  readonly end: string;
}

function readPairs(text: string, at: number, name: string, offered: Offered, tags: Tags): Found {
  const pairs: [string, unknown][] = [];
  let next = at;
  for (;;) {
    next = skipSpace(text, next);
    const done = meets(text, next, tags.end);
    if (done === 'whole') break;
    tags.open.lastIndex = next;
    const opened = tags.open.exec(text);
    if (opened === null) {
      const isBegun = done === 'begun' || meets(text, next, tags.begun) === 'begun';
      const isUnfinished = text.startsWith(tags.begun, next) && text.length - next < 256;
      return isBegun || isUnfinished ? 'more' : 'no';
    }
    const from = next + opened[0].length;
    const to = text.indexOf(tags.close, from);
    if (to === -1) return 'more';
    const key = (opened[1] ?? '').trim();
    pairs.push([key, readArgument(text.slice(from, to), key, name, offered)]);
    next = to + tags.close.length;
  }
  // `fromEntries` keeps a key such as __proto__ as a plain entry.
  const call = { name, arguments: JSON.stringify(Object.fromEntries(pairs)) };
  return { calls: [call], end: next + tags.end.length };
}

/**
 * Strings are taken verbatim, without the line break after the opening and before the closing tag; other types are
 * parsed as JSON.
 */
function readArgument(written: string, key: string, name: string, offered: Offered): unknown {
  const { type } = record(record(record(offered.get(name)?.parameters).properties)[key]);
  if (type === 'string') return written.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written.trim();
  }
}

function nameUntil(
  text: string,
  at: number,
  sign: string,
  offered: Offered,
): { name: string; end: number } | 'more' | 'no' {
  const stop = text.indexOf(sign, at);
  if (stop === -1) return couldBeName(text.slice(at), offered) ? 'more' : 'no';
  const name = stop - at > 140 ? undefined : offeredName(text.slice(at, stop), offered);
  return name === undefined ? 'no' : { name, end: stop + sign.length };
}

/** True if this is the beginning of an offered name, possibly with part of the characters that end it. */
function couldBeName(written: string, offered: Offered): boolean {
  const begun = written.trimStart();
  return [...offered.keys()].some(
    (name) =>
      `functions.${name}">`.startsWith(begun) ||
      `${name}">`.startsWith(begun) ||
      `${name}>`.startsWith(begun),
  );
}

/** The closing tag may be missing at the very end: the server cuts it off if it is a stop token. */
function closed(text: string, at: number, call: TextCall): Found {
  const tag = '</function>';
  const next = skipSpace(text, at);
  const isClosed = text.startsWith(tag, next);
  return { calls: [call], end: isClosed ? next + tag.length : at };
}
