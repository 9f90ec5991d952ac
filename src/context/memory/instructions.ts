import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** One instruction file as it was read; together they are a pinned block of the request. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

/** In each directory the first of these that exists counts; other agents' names are fallbacks. */
export const INSTRUCTION_NAMES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'] as const;

/** Bytes read of one file; what is beyond is left out, and the text says so. */
const MAX_BYTES = 32_768;

/**
 * Reads the user's own file, then those from the repository's root down to the working directory, nearest last.
 * They are sent without a question, so a repository's file must not be a link to a secret or out of the
 * repository: such a one is named and not read. The user's own may lead anywhere.
 */
export async function readInstructions(
  dataRoot: string,
  root: string,
  cwd: string,
  isSensitive: (path: string) => boolean,
): Promise<InstructionFile[]> {
  const found: InstructionFile[] = [];
  const realRoot = await realpath(root).catch(() => root);
  const mayRead = (path: string): boolean => isInside(path, realRoot) && !isSensitive(path);
  for (const directory of [dataRoot, ...directoriesBetween(root, cwd)]) {
    for (const name of INSTRUCTION_NAMES) {
      const file = await readStart(join(directory, name), directory === dataRoot ? undefined : mayRead);
      if (file === undefined) continue;
      found.push(file);
      break;
    }
  }
  return found;
}

/** The block as the model reads it; an empty string when there are no instructions. */
export function formatInstructions(files: readonly InstructionFile[]): string {
  return files.map(({ path, text }) => `# Instructions from ${path}\n\n${text.trim()}`).join('\n\n');
}

function directoriesBetween(root: string, cwd: string): string[] {
  const inside = relative(root, cwd);
  if (inside.startsWith('..')) return [cwd];
  const chain = [cwd];
  for (const _ of inside.split(sep).filter((part) => part !== '')) chain.unshift(dirname(chain[0] ?? cwd));
  return chain;
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const NOT_READ = '(This file is a link to a secret or out of the project, so it was not read.)';

async function readStart(
  path: string,
  mayRead?: (realPath: string) => boolean,
): Promise<InstructionFile | undefined> {
  const realPath = await realpath(path).catch(() => undefined);
  if (realPath === undefined) return undefined;
  if (mayRead?.(realPath) === false) return { path, text: NOT_READ };
  // Not blocking: a pipe of that name would never be opened.
  const file = await open(realPath, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    if (bytesRead === 0) return undefined;
    const cut = bytesRead > MAX_BYTES;
    const text = new TextDecoder().decode(buffer.subarray(0, Math.min(bytesRead, MAX_BYTES)));
    return { path, text: cut ? `${text}\n(only the first ${MAX_BYTES} bytes of this file are shown)` : text };
  } catch {
    // A file that cannot be read: there are simply no instructions in it.
    return undefined;
  } finally {
    await file.close();
  }
}
