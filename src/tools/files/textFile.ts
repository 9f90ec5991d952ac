/** Loads a text file for Edit and Write: its text, and the properties to preserve when writing it back. */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { type FilePlace, openRealFile, PathMovedError } from '../../disk/realFile.ts';
import { fileStamp } from '../../protocol/files/fileStamp.ts';
import type { ToolContext } from '../../protocol/tools.ts';
import { errorCode } from '../outcomes.ts';
import { type DecodedText, decodeText, looksBinary } from './encoding.ts';

/** The same limit up to which Read returns a hash. */
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
  | { readonly type: 'refused'; readonly reason: string };

/** Loads a file for a change; refuses if this session has not read its current content. */
export async function loadForChange(place: FilePlace, context: ToolContext): Promise<LoadedFile> {
  const { path, realPath } = place;
  const info = await statOf(realPath);
  if (info === undefined) return { type: 'missing' };
  if (info.isDirectory()) return { type: 'refused', reason: `${path} is a directory.` };
  if (!info.isFile())
    return { type: 'refused', reason: `${path} is a device, pipe or socket, not a regular file.` };
  const seen = context.fileReads(path) ?? context.fileReads(realPath);
  if (seen === undefined) {
    return {
      type: 'refused',
      reason: `${path} has not been read in this session. Read it first, then try again.`,
    };
  }
  if (info.size > MAX_EDIT_BYTES)
    return { type: 'refused', reason: `${path} is too large to edit. Use a command.` };
  const { bytes, stamp } = await readAll(realPath);
  const hash = sha256(bytes);
  if (seen !== hash) {
    return {
      type: 'refused',
      reason: `${path} has changed on disk since it was read (by the user, a command or a formatter). Read it again, then try again.`,
    };
  }
  if (looksBinary(bytes.subarray(0, 8192))) return { type: 'refused', reason: `${path} is a binary file.` };
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
