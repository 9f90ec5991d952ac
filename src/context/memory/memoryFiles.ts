/** Finds the files that contain memories, and those next to them that are left out. */
import { constants, type Stats } from 'node:fs';
import { mkdir, open, opendir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { openRealFile } from '../../disk/realFile.ts';
import { hasRealFolders } from '../storage/storedFiles.ts';
import { plainText } from './formatMemories.ts';
import { categoryNamed, readMemories } from './parseMemories.ts';

export type MemoryScope = 'user' | 'project';

export interface MemoryFolders {
  /** Folder for all projects. */
  readonly user: string;
  /** Folder for this project only. */
  readonly project: string;
}

export type SkipReason = 'link' | 'sensitive' | 'too many' | 'too large' | 'no file';

export interface MemoryFile {
  /** Path as shown to the user. */
  readonly path: string;
  readonly realPath: string;
  readonly scope: MemoryScope;
  readonly stamp: string;
  readonly bytes: number;
  /** Reason why it is not read; absent if it is. */
  readonly leftOut?: SkipReason;
}

/** Maximum files read, of both folders together. */
export const MAX_FILES = 200;
/** Maximum bytes read per file. */
export const MAX_FILE_BYTES = 1_000_000;
/** Maximum bytes of all files together; beyond that the index takes too much memory. */
const MAX_TOTAL_BYTES = 16_000_000;
/** Maximum names read per folder. */
const MAX_NAMES = 2000;

/**
 * The `*.md` files of both folders, the project's first, by name. A file outside its folder (a link), with a sensitive
 * name or beyond the limits is listed with the reason.
 */
export async function findMemoryFiles(
  folders: MemoryFolders,
  isSensitive: (path: string) => boolean,
): Promise<MemoryFile[]> {
  const found: MemoryFile[] = [];
  let files = 0;
  let bytes = 0;
  for (const scope of ['project', 'user'] as const) {
    const folder = await realPathOf(folders[scope]);
    if (folder === undefined) continue;
    if (scope === 'project' && !isProjectMemoryReal(folders)) {
      const path = folders.project;
      found.push({ path, realPath: folder, scope, stamp: '', bytes: 0, leftOut: 'link' });
      continue;
    }
    for (const name of await markdownNames(folder)) {
      const file = await look(join(folders[scope], name), folder, scope, isSensitive);
      if (file === undefined) continue;
      let { leftOut } = file;
      if (leftOut === undefined) {
        const counted = Math.min(file.bytes, MAX_FILE_BYTES);
        if (files >= MAX_FILES) leftOut = 'too many';
        else if (bytes + counted > MAX_TOTAL_BYTES) leftOut = 'too large';
        else {
          files++;
          bytes += counted;
        }
      }
      found.push(leftOut === undefined ? file : { ...file, leftOut });
    }
  }
  return found;
}

/** The user may link the folder for all projects, but a project's is stored with its sessions. */
export function isProjectMemoryReal({ project }: MemoryFolders): boolean {
  return hasRealFolders(dirname(project), project);
}

async function markdownNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (/\.md$/i.test(name) && !name.startsWith('.')) names.push(name);
      if (names.length >= MAX_NAMES) break;
    }
  } catch {
    // The folder does not exist or cannot be read: no memories.
  }
  return names.sort();
}

async function look(
  path: string,
  folder: string,
  scope: MemoryScope,
  isSensitive: (path: string) => boolean,
): Promise<MemoryFile | undefined> {
  const realPath = await realPathOf(path);
  const info = realPath === undefined ? undefined : await stat(realPath).catch(() => undefined);
  if (realPath === undefined || info === undefined) return undefined;
  const file = { path, realPath, scope, stamp: stampOf(info), bytes: info.size };
  if (!isInside(realPath, folder)) return { ...file, leftOut: 'link' };
  if (isSensitive(path) || isSensitive(realPath)) return { ...file, leftOut: 'sensitive' };
  return info.isFile() ? file : { ...file, leftOut: 'no file' };
}

// Reads text files from untrusted sources: pipes, links, huge files, invalid bytes.

interface TextStart {
  readonly text: string;
  /** True if the file continues after `text`. */
  readonly isCut: boolean;
  /** Changes when the file does, as far as the file system reports it. */
  readonly stamp: string;
}

/**
 * The first `maxBytes` of a regular file, in complete characters, with invalid bytes as U+FFFD. Undefined for a file
 * that is missing, irregular, unreadable or reached through a link. Never blocks on a pipe.
 */
export async function readTextStart(realPath: string, maxBytes: number): Promise<TextStart | undefined> {
  const file = await openRealFile(realPath).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(info.size, maxBytes) + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const isCut = bytesRead > maxBytes || info.size > bytesRead;
    // With `stream` the decoder holds back an incomplete character at the end.
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, maxBytes)), {
      stream: isCut,
    });
    return { text, isCut, stamp: stampOf(info) };
  } catch {
    // A file that cannot be read counts as empty.
    return undefined;
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Identity, size and times of a file: if the stamp differs, the file has to be read again. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(':');
}

/** The path with links resolved; undefined if it does not exist or its links form a loop. */
export function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

// Adds notes to the user's memory files; called only for the user.

export type Remembered =
  | { readonly type: 'saved'; readonly file: string }
  /** Nothing was written; `message` gives the reason for the user. */
  | { readonly type: 'refused'; readonly message: string };

interface RememberOptions {
  /** Category of the note; without one it is added to `notes.md`. */
  readonly category?: string;
  /** True for names of sensitive files: such a file would never be searched. */
  readonly isSensitive?: (path: string) => boolean;
}

/** Longer texts belong in a separate file. */
const MAX_CHARACTERS = 4000;

/**
 * Appends the text as a list item to `notes.md` in the folder, or to the file of its category, which has the category
 * in its front matter. Creates folder and file if necessary.
 */
export async function appendMemory(
  folder: string,
  text: string,
  { category: named, isSensitive = () => false }: RememberOptions,
): Promise<Remembered> {
  const plain = plainText(text.slice(0, MAX_CHARACTERS + 1)).trim();
  if (plain === '') return { type: 'refused', message: 'There is nothing to remember: the text is empty.' };
  if (plain.length > MAX_CHARACTERS) {
    const message = `The text is longer than ${MAX_CHARACTERS} characters. Put it into a separate Markdown file in ${folder}.`;
    return { type: 'refused', message };
  }
  const category = named === undefined ? undefined : categoryNamed(named);
  if (named !== undefined && category === undefined) {
    const message = 'A category is up to 61 characters on one line, without quotation marks.';
    return { type: 'refused', message };
  }
  const item = `- ${plain.split('\n').join('\n  ')}\n`;
  let file = join(folder, 'notes.md');
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (category === undefined) return await append(file, item, '');
    const free = await fileOfCategory(folder, category, isSensitive);
    if (free === undefined) {
      const message = `No file in ${folder} can take the category "${category}". Name one of them for it, with "category: ${category}" in its front matter.`;
      return { type: 'refused', message };
    }
    file = free;
    return await append(file, item, `---\ncategory: ${category}\n---\n\n`);
  } catch (error) {
    return { type: 'refused', message: `${file} could not be written: ${reasonOf(error)}` };
  }
}

/** Maximum names tried for a category before the user has to choose one. */
const MAX_TRIES = 9;

/** The first file name for the category that is unused, or whose last section has this category. */
async function fileOfCategory(
  folder: string,
  category: string,
  isSensitive: (path: string) => boolean,
): Promise<string | undefined> {
  const name = category.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '') || 'category';
  // A category may be called "secrets", but a file with that name would be sensitive.
  const names = [name, `about-${name}`].flatMap((one) => [
    one,
    ...Array.from({ length: MAX_TRIES - 1 }, (_, index) => `${one}-${index + 2}`),
  ]);
  const realFolder = (await realPathOf(folder)) ?? folder;
  for (const one of names) {
    const file = join(folder, `${one}.md`);
    if (isSensitive(file)) continue;
    const start = await readTextStart(join(realFolder, `${one}.md`), MAX_FILE_BYTES);
    if (start === undefined || start.text === '') return file;
    let last: string | undefined;
    for (const memory of readMemories(`${start.text}\n- x\n`)) last = memory?.category ?? last;
    if (last === category) return file;
  }
  return undefined;
}

/** `front` is the beginning of a new file. */
async function append(file: string, item: string, front: string): Promise<Remembered> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const info = await handle.stat();
    if (!info.isFile()) return { type: 'refused', message: `${file} is not a regular file.` };
    if (info.size + Buffer.byteLength(item) > MAX_FILE_BYTES) {
      const message = `${file} is full: only its first ${MAX_FILE_BYTES} bytes are searched. Rename it to start a new one.`;
      return { type: 'refused', message };
    }
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, info.size - 1));
    const needsBreak = info.size > 0 && buffer[0] !== 0x0a;
    const before = info.size === 0 ? front : needsBreak ? '\n' : '';
    await handle.appendFile(before + item);
    return { type: 'saved', file };
  } finally {
    await handle.close();
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ELOOP') return 'it is a link.';
  if (code === 'EACCES' || code === 'EPERM') return 'permission is denied.';
  if (code === 'ENOSPC') return 'the disk is full.';
  return error instanceof Error ? error.message : String(error);
}
