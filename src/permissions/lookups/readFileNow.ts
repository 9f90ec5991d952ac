import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a regular file synchronously: null if it does not exist, undefined if it is too large, a pipe, a device, or
 * unreadable. Never blocks on a pipe, even if one replaces the file in the meantime.
 */
export function readFileNow(path: string, maxBytes: number): Buffer | null | undefined {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : undefined;
  }
  try {
    const info = fstatSync(file);
    return info.isFile() && info.size <= maxBytes ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** Settings of a repository: `.git/config`, also that of a submodule or worktree. */
const settings = /\/\.git\/(?:.*\/)?config(?:\.worktree)?$/;
/** A password or token in an address, a header that logs in, or a password by its name: git-config(1). */
const credential =
  /:\/\/[^\s/@:"]*:[^\s/@"]+@|:\/\/[^\s/@:"]{16,}@|(?:^|\])\s*(?:extraheader|\w*(?:password|token|secret|passwd))\s*=\s*\S/im;
const MAX_BYTES = 1_000_000;

/** True for a path that may be the settings of a repository. Pure. */
export const isGitSettings = (path: string): boolean => settings.test(path);

/** True if a file is the settings of a repository and holds credentials, or cannot be read. Never throws. */
export function holdsCredentials(path: string): boolean {
  if (!isGitSettings(path)) return false;
  const content = readFileNow(path, MAX_BYTES);
  return content !== null && (content === undefined || credential.test(content.toString('utf8')));
}
