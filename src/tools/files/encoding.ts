/** Text encodings of files: detected by the byte order mark, otherwise UTF-8; preserved when a file is written back. */
import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

interface EncodingGuess {
  readonly encoding: Encoding;
  /** Length of the byte order mark, in bytes; 0 without one. */
  readonly bomBytes: number;
}

/** Guesses from the first bytes; UTF-16 is only recognized by its byte order mark. */
export function guessEncoding(head: Uint8Array): EncodingGuess {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', bomBytes: 3 };
  // FF FE 00 00 would be UTF-32, which the binary check handles.
  if (head[0] === 0xff && head[1] === 0xfe && !(head[2] === 0 && head[3] === 0)) {
    return { encoding: 'utf-16le', bomBytes: 2 };
  }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  return { encoding: 'utf-8', bomBytes: 0 };
}

/** True if the first bytes do not look like text: a NUL, or more than a tenth control characters. */
export function looksBinary(head: Uint8Array): boolean {
  if (guessEncoding(head).encoding !== 'utf-8') return false;
  if (head.includes(0)) return true;
  let controls = 0;
  // By index: every Read scans 8 kB here, and an iterator takes ten times as long.
  for (let at = 0; at < head.length; at += 1) {
    const byte = head[at] ?? 0;
    // Tab to carriage return, backspace and escape occur in text.
    if (byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) controls += 1;
  }
  return controls > head.length / 10;
}

export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** False if bytes had to be replaced: writing the text back would damage the file. */
  readonly valid: boolean;
}

/** Decodes an entire file; the byte order mark is not part of the text. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const { encoding, bomBytes } = guessEncoding(bytes);
  const body = bytes.subarray(bomBytes);
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(body);
  const valid = encoding === 'utf-8' ? isUtf8(body) : body.length % 2 === 0 && text.isWellFormed();
  return { text, encoding, bom: bomBytes > 0, valid };
}

/** Encodes a text in the encoding that `decodeText` detected. */
export function encodeText(text: string, encoding: Encoding, bom: boolean): Buffer {
  const whole = bom ? `\uFEFF${text}` : text;
  if (encoding === 'utf-8') return Buffer.from(whole, 'utf8');
  const bytes = Buffer.from(whole, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}
