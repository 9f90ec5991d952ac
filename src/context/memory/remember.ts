/** Adds to the user's own memory files; called for nobody but the user. */
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_FILE_BYTES } from './memoryFiles.ts';
import { plainText } from './quotes.ts';

export type Remembered =
  | { readonly type: 'saved'; readonly file: string }
  /** Nothing was written; the message says why and is ready to show. */
  | { readonly type: 'refused'; readonly message: string };

/** Longer texts belong in a file of their own. */
const MAX_CHARACTERS = 4000;

/** Appends the text as one list item to `notes.md` in the folder, which is made when it is missing. */
export async function appendMemory(folder: string, text: string): Promise<Remembered> {
  const plain = plainText(text.slice(0, MAX_CHARACTERS + 1)).trim();
  const file = join(folder, 'notes.md');
  if (plain === '') return { type: 'refused', message: 'There is nothing to remember: the text is empty.' };
  if (plain.length > MAX_CHARACTERS) {
    const message = `The text is longer than ${MAX_CHARACTERS} characters. Put it into a Markdown file of its own in ${folder}.`;
    return { type: 'refused', message };
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await append(file, `- ${plain.split('\n').join('\n  ')}\n`);
  } catch (error) {
    return { type: 'refused', message: `${file} could not be written: ${reasonOf(error)}` };
  }
}

async function append(file: string, item: string): Promise<Remembered> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const info = await handle.stat();
    if (!info.isFile()) return { type: 'refused', message: `${file} is no file.` };
    if (info.size + Buffer.byteLength(item) > MAX_FILE_BYTES) {
      const message = `${file} is full: only its first ${MAX_FILE_BYTES} bytes are searched. Rename it, and a new one is begun.`;
      return { type: 'refused', message };
    }
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, info.size - 1));
    const needsBreak = info.size > 0 && buffer[0] !== 0x0a;
    await handle.appendFile(needsBreak ? `\n${item}` : item);
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
