import { readFileNow } from '../../disk/fileLookups.ts';

/** Settings of a repository: `.git/config`, also that of a submodule or worktree. */
const settings = /\/\.git\/(?:.*\/)?config(?:\.worktree)?$/;
/** A password or token in a URL, an authorization header, or a setting named like a password: git-config(1). */
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
