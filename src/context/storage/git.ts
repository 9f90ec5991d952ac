/** Reads branch and remote from git's own files, without starting a process; `undefined` if they cannot be read. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../../disk/readSmallFile.ts';

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
