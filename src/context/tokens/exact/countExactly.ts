import { countBytePairs } from './bytePairs.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Tokens of a text with this vocabulary; special tokens are counted as plain text. Exact except for runs of more than
 * 32,768 characters without a boundary, which are split.
 */
export function countExactly(vocabulary: Vocabulary, text: string): number {
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const end = cutBefore(text, start, start + WINDOW);
    tokens += countWindow(vocabulary, start === 0 && end === text.length ? text : text.slice(start, end));
    start = end;
  }
  return tokens;
}

/** Maximum characters per pass: the regular expression would overflow the stack on a longer run. */
const WINDOW = 32_768;
/** UTF-8 buffer for one pass: a UTF-16 unit has at most three bytes. */
const bytes = new Uint8Array(3 * WINDOW);

function countWindow(vocabulary: Vocabulary, text: string): number {
  const { pattern } = vocabulary;
  let tokens = 0;
  let start = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) {
    const end = pattern.lastIndex;
    tokens += countBytePairs(vocabulary, bytes, writeUtf8(text, start, end));
    start = end;
  }
  return tokens;
}

/** Writes `text[start, end)` to `bytes`, a lone surrogate as U+FFFD; returns the number of bytes. */
function writeUtf8(text: string, start: number, end: number): number {
  let at = 0;
  for (let index = start; index < end; index++) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = index + 1 < end ? text.charCodeAt(index + 1) : 0;
      if (code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        index++;
      } else code = 0xfffd;
    }
    if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
      else {
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/**
 * A position at or before `limit` where the text can be split without changing the tokens on either side: after an
 * ASCII letter or digit followed by another class, or between a character and a blank. If the last 4,096 characters
 * have none (an unbroken run), returns `limit`, which may add a token or two, but never splits a surrogate pair.
 * Returns `text.length` if that is at most `limit`.
 */
export function cutBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length;
  const least = Math.max(start + 1, limit - REACH);
  for (let at = limit; at >= least; at--) if (isBoundary(text, at)) return at;
  const isInsidePair = isHigh(text.charCodeAt(limit - 1)) && limit - 1 > start;
  return isInsidePair ? limit - 1 : limit;
}

const REACH = 4096;

function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (after === 32) return before > 32 && before < 0x80;
  if (after >= 0x80 || after === 39) return false;
  const kind = kindOf(before);
  return kind !== 0 && kind !== kindOf(after);
}

/** 1 = ASCII letter, 2 = ASCII digit, 0 = anything else. */
function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 1;
  return code >= 48 && code <= 57 ? 2 : 0;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
