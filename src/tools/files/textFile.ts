/** Loads a text file for Edit and Write: its text, and the properties to preserve when writing it back. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { openRealFile, PathMovedError, type ResolvedPath } from '../../disk/realFile.ts';
import { fileStamp } from '../../protocol/files/fileStamp.ts';
import type { ToolContext } from '../../protocol/tools.ts';
import { errorCode } from '../outcomes.ts';

/** The limit up to which Read also returns a hash. */
const MAX_EDIT_BYTES = 256 * 1024 * 1024;

interface TextFile extends DecodedText {
  readonly hash: string;
  /** Changes when the file is modified or replaced. */
  readonly stamp: string;
}

/** A file that can be changed, a missing one, or the reason why it must not be changed. */
type LoadedFile =
  | { readonly type: 'file'; readonly file: TextFile }
  | { readonly type: 'missing' }
  /** `hint`: advice that only the model sees. */
  | { readonly type: 'refused'; readonly why: string; readonly hint?: string };

/** Loads a file for a change; refuses if this session has not read its current content. */
export async function loadForChange(place: ResolvedPath, context: ToolContext): Promise<LoadedFile> {
  const { path, realPath } = place;
  const info = await statOf(realPath);
  if (info === undefined) return { type: 'missing' };
  if (info.isDirectory()) return { type: 'refused', why: `${path} is a directory.` };
  if (!info.isFile())
    return { type: 'refused', why: `${path} is a device, pipe or socket, not a regular file.` };
  const seen = context.fileReads(path) ?? context.fileReads(realPath);
  if (seen === undefined) {
    return {
      type: 'refused',
      why: `${path} has not been read in this session.`,
      hint: ' Read it first, then try again.',
    };
  }
  if (info.size > MAX_EDIT_BYTES)
    return { type: 'refused', why: `${path} is too large to edit.`, hint: ' Use a command.' };
  const { bytes, stamp } = await readAll(realPath);
  const hash = sha256(bytes);
  if (seen !== hash) {
    return {
      type: 'refused',
      why: `${path} has changed on disk since it was read (by the user, a command or a formatter).`,
      hint: ' Read it again, then try again.',
    };
  }
  if (looksBinary(bytes.subarray(0, 8192))) return { type: 'refused', why: `${path} is a binary file.` };
  return { type: 'file', file: { ...decodeText(bytes), hash, stamp } };
}

/**
 * The file at a real path; undefined if there is none. Throws if it is a link: a circular one (system error), or a new
 * one (`PathMovedError`).
 */
export async function statOf(realPath: string): Promise<Stats | undefined> {
  try {
    const info = await lstat(realPath);
    if (!info.isSymbolicLink()) return info;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  await stat(realPath);
  throw new PathMovedError(realPath);
}

async function readAll(realPath: string): Promise<{ bytes: Buffer; stamp: string }> {
  const file = await openRealFile(realPath);
  try {
    const stamp = fileStamp(await file.stat({ bigint: true }));
    return { bytes: await file.readFile(), stamp };
  } finally {
    await file.close();
  }
}

/** SHA-256 in hex, by which the log identifies file contents. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// Text encodings of files: detected by the byte order mark, otherwise UTF-8; preserved when a file is written back.

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

interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** False if bytes had to be replaced: writing the text back would damage the file. */
  readonly valid: boolean;
}

/** Decodes an entire file; the byte order mark is not part of the text. */
function decodeText(bytes: Uint8Array): DecodedText {
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
