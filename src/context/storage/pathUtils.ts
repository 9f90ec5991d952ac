/** Paths of sessions: `<data root>/projects/<slug>/<session>.jsonl`. Pure except for resolving links. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { readSmallFile } from '../../disk/realFile.ts';
import { isSafeSessionId } from './newEntries.ts';
import { InvalidSessionIdError } from './sessionStore.ts';

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
  return keepEnd(name) || 'root';
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

/** The folder of a project by its name in `projects/`. */
export function projectFolderIn(dataRoot: string, project: string): string {
  if (basename(project) !== project || ['', '.', '..'].includes(project))
    throw new TypeError(`${project} is not a folder name.`);
  return join(dataRoot, 'projects', project);
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
function keepEnd(text: string): string {
  const characters = [...text];
  let bytes = Buffer.byteLength(text);
  let first = 0;
  while (bytes > maxSlugBytes) bytes -= Buffer.byteLength(characters[first++] ?? '');
  return characters
    .slice(first)
    .join('')
    .replace(/^[-.]+/, '');
}

// Reads branch and remote from git's own files, without starting a process; `undefined` if they cannot be read.

const MAX_BYTES = 1_000_000;

/** The current branch, the short commit hash for a detached HEAD, or undefined outside a repository. */
export async function detectGitBranch(root: string): Promise<string | undefined> {
  const folder = await findGitFolder(root);
  const head = folder === undefined ? undefined : (await readText(join(folder, 'HEAD')))?.trim();
  if (head === undefined) return undefined;
  const branch = /^ref:\s*refs\/heads\/(.+)$/.exec(head)?.[1];
  // With the reftable format, HEAD has this placeholder and the real branch is stored elsewhere.
  if (branch !== undefined) return branch === '.invalid' ? undefined : branch;
  return /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined;
}

/** The URL of `origin`, otherwise of the first remote, without user name and password. */
export async function detectGitRemote(root: string): Promise<string | undefined> {
  const folder = await findGitFolder(root);
  if (folder === undefined) return undefined;
  const common = (await readText(join(folder, 'commondir')))?.trim();
  const config = await readText(join(common === undefined ? folder : resolve(folder, common), 'config'));
  const remotes = remoteUrls(config ?? '');
  const url = remotes.get('origin') ?? remotes.values().next().value;
  return url?.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** The folder with HEAD: `.git` here or in a parent folder, or the target of a worktree's `.git` file. */
async function findGitFolder(root: string): Promise<string | undefined> {
  for (let folder = resolve(root); ; folder = dirname(folder)) {
    const candidate = join(folder, '.git');
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isDirectory()) return candidate;
    if (found?.isFile()) {
      const target = /^gitdir:\s*(.+?)\s*$/m.exec((await readText(candidate)) ?? '')?.[1];
      return target === undefined ? undefined : resolve(folder, target);
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function remoteUrls(config: string): Map<string, string> {
  const urls = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1];
    if (section !== undefined) remote = /^remote\s+"(.*)"$/i.exec(section.trim())?.[1];
    const url = /^\s*url\s*=\s*"?([^"\s]+)"?\s*$/i.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !urls.has(remote)) urls.set(remote, url);
  }
  return urls;
}

function readText(file: string): Promise<string | undefined> {
  return readSmallFile(file, MAX_BYTES);
}

const maxAgeMs = 3000;

/** Caches the branch of a project, so that reading it never waits. */
export class BranchWatch {
  readonly #root: string;
  #branch: string | undefined;
  #readAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The last known branch; refreshes it in the background if it is more than a few seconds old. */
  current(): string | undefined {
    if (Date.now() - this.#readAt > maxAgeMs) void this.refresh();
    return this.#branch;
  }

  async refresh(): Promise<void> {
    this.#readAt = Date.now();
    this.#branch = await detectGitBranch(this.#root);
  }
}
