/** Lists the files of a plugin and identifies their content. */
import { createHash } from 'node:crypto';
import { lstat, opendir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Limits of one plugin. */
const MAX_FILES = 2000;
const MAX_BYTES = 20_000_000;
const MAX_DEPTH = 12;

export const TOO_MUCH = `It has more than ${MAX_FILES} files or ${MAX_BYTES / 1_000_000} MB, so it is not installed.`;

/**
 * The regular files in a folder and its subfolders, sorted; undefined beyond the limits. Links and `.git` are not
 * copied; a copy that contains one was modified, so the result for it is undefined, too.
 */
export async function filesIn(
  folder: string,
  { isCopy }: { readonly isCopy: boolean },
): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  let bytes = 0;
  const walk = async (at: string, depth: number): Promise<boolean> => {
    for await (const entry of await opendir(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && (isCopy || entry.name !== '.git')) {
        if (depth >= MAX_DEPTH || !(await walk(path, depth + 1))) return false;
      } else if (entry.isFile()) {
        bytes += (await lstat(path)).size;
        if (found.push(path) > MAX_FILES || bytes > MAX_BYTES) return false;
      } else if (isCopy) return false;
    }
    return true;
  };
  return (await walk(folder, 0)) ? found.sort() : undefined;
}

/** Identifies names and contents of all files of a copy; undefined if they cannot be read. */
export function contentHash(folder: string): Promise<string | undefined> {
  return digestOf(folder, async (file) =>
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  );
}

/** Changes whenever a file of a copy is written; much cheaper than its hash. */
export function contentStamp(folder: string): Promise<string | undefined> {
  return digestOf(folder, async (file) => {
    const { ino, size, mtimeNs, ctimeNs, mode } = await lstat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs, mode].join(' ');
  });
}

async function digestOf(
  folder: string,
  partOf: (file: string) => Promise<string>,
): Promise<string | undefined> {
  try {
    const files = await filesIn(folder, { isCopy: true });
    if (files === undefined) return undefined;
    const hash = createHash('sha256');
    for (const file of files) hash.update(JSON.stringify([relative(folder, file), await partOf(file)]));
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

/** The bytes of all files in a folder and its subfolders; stops counting beyond the limit. Never rejects. */
export async function bytesBelow(folder: string, limit: number): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder, { recursive: true })) {
      if (entry.isFile())
        bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
      if (bytes > limit) break;
    }
  } catch {
    // git moves its files while it works.
  }
  return bytes;
}
