/** Paths of sessions: `<data root>/projects/<slug>/<session>.jsonl`. Pure except for resolving links. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { InvalidSessionIdError } from './errors.ts';
import { isSafeSessionId } from './ids.ts';

export { detectGitBranch, detectGitRemote } from './git.ts';

/**
 * Maximum bytes of the readable part of a slug: with hash and suffixes it stays well below the 255 bytes of a file
 * name.
 */
const maxSlugBytes = 120;

/** The program's data folder: the override, or `.clawdcode` in the home directory. */
export function getStorageRoot(options: {
  readonly home: string;
  readonly override?: string | undefined;
}): string {
  return resolve(options.override || join(options.home, '.clawdcode'));
}

/** Converts a path to a readable name: separators become "-". Not unique: `/a-b` and `/a/b` give the same name. */
export function escapeProjectPath(absolutePath: string): string {
  const name = absolutePath
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._]/gu, '-')
    .replace(/^[-.]+|-+$/g, '');
  return keepEnd(name, maxSlugBytes) || 'root';
}

/** The folder name of a project: its escaped path, made unique by a hash of the real path. */
export function projectSlug(realRoot: string): string {
  const hash = createHash('sha256').update(realRoot).digest('hex').slice(0, 8);
  return `${escapeProjectPath(realRoot)}-${hash}`;
}

/** The folder of a project's sessions. Links are resolved, so all paths to a project give the same folder. */
export function getProjectStoragePath(dataRoot: string, projectRoot: string): string {
  return join(resolve(dataRoot), 'projects', projectSlug(realPath(projectRoot)));
}

/** The file of a session. Throws `InvalidSessionIdError` for an id that could lead elsewhere. */
export function getSessionFilePath(dataRoot: string, projectRoot: string, sessionId: string): string {
  return sessionFileIn(getProjectStoragePath(dataRoot, projectRoot), sessionId);
}

/** The file of a session in a project's folder. Throws `InvalidSessionIdError`. */
export function sessionFileIn(projectFolder: string, sessionId: string): string {
  const file = resolve(projectFolder, `${sessionId}.jsonl`);
  const contained = file.startsWith(resolve(projectFolder) + sep) && dirname(file) === resolve(projectFolder);
  if (!isSafeSessionId(sessionId) || !contained) throw new InvalidSessionIdError(sessionId);
  return file;
}

/**
 * The folder with the sessions of a session's subagents, each in a log like any other. Throws `InvalidSessionIdError`.
 */
export function agentsFolderIn(projectFolder: string, sessionId: string): string {
  if (!isSafeSessionId(sessionId)) throw new InvalidSessionIdError(sessionId);
  return join(projectFolder, 'agents', sessionId);
}

/** The lock file of a session, in a separate folder because lock files are not deleted after use. */
export function lockFileOf(sessionFile: string): string {
  return join(dirname(sessionFile), 'locks', `${basename(sessionFile, '.jsonl')}.lock`);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** The end of the text, which is the most specific part of a path, in complete characters. */
function keepEnd(text: string, maxBytes: number): string {
  const characters = [...text];
  let bytes = Buffer.byteLength(text);
  let first = 0;
  while (bytes > maxBytes) bytes -= Buffer.byteLength(characters[first++] ?? '');
  return characters
    .slice(first)
    .join('')
    .replace(/^[-.]+/, '');
}
