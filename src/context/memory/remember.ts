/** Adds notes to the user's memory files; called only for the user. */
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { plainText } from './formatMemories.ts';
import { MAX_FILE_BYTES, readTextStart, realPathOf } from './memoryFiles.ts';
import { categoryNamed, readMemories } from './parseMemories.ts';

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

/** Longer texts belong in a file of their own. */
const MAX_CHARACTERS = 4000;

/**
 * Appends the text as a list item to `notes.md` in the folder, or to the file of its category, which has the category
 * in its front matter. Creates folder and file if necessary.
 */
export async function appendMemory(
  folder: string,
  text: string,
  { category: named, isSensitive = () => false }: RememberOptions = {},
): Promise<Remembered> {
  const plain = plainText(text.slice(0, MAX_CHARACTERS + 1)).trim();
  if (plain === '') return { type: 'refused', message: 'There is nothing to remember: the text is empty.' };
  if (plain.length > MAX_CHARACTERS) {
    const message = `The text is longer than ${MAX_CHARACTERS} characters. Put it into a Markdown file of its own in ${folder}.`;
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
    if (!info.isFile()) return { type: 'refused', message: `${file} is no file.` };
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
