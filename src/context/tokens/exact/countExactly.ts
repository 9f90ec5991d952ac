import { countBytePairs } from './bytePairs.ts';
import { cutBefore } from './cutText.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Tokens of a text, as a tokenizer with this vocabulary encodes it; the texts of special tokens are text.
 * Exact, but for runs without any boundary that are longer than 32,768 characters: these are cut there.
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

/** Characters: more would overflow the stack of the regular expression on a single run. */
const WINDOW = 32_768;
/** UTF-8 of one piece: no UTF-16 unit takes more than three bytes. */
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

/** Writes `text[start, end)` into `bytes`, a lone surrogate as U+FFFD; returns how many bytes that are. */
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
