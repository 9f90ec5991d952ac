/**
 * Reads objects by name from one `git cat-file --batch` process, which starts on demand and exits when idle: a process
 * for each object would take too long.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayHaveRepository } from '../../disk/gitFiles.ts';
import { runGit, startGit, stopGit } from '../../disk/ownGit.ts';
import type { YieldTimer } from '../scan/Coverage.ts';
import { gitName } from '../scan/contents.ts';

interface Wanted {
  readonly oid: string;
  readonly resolve: (bytes: Buffer | undefined) => void;
}

const IDLE_MS = 500;
/** `<name> missing` or `<name> blob <size>`. */
const MAX_HEADER_BYTES = 200;

export class ObjectReader {
  readonly #git: GitProgram;
  readonly #gitFolder: string;
  readonly #algorithm: 'sha1' | 'sha256';
  #child: ChildProcessWithoutNullStreams | undefined;
  #wanted: Wanted[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Size of the header and content of the first pending object, once known. */
  #needed = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Runs while an answer is pending. */
  #late: NodeJS.Timeout | undefined;

  constructor(git: GitProgram, gitFolder: string, algorithm: 'sha1' | 'sha256') {
    this.#git = git;
    this.#gitFolder = gitFolder;
    this.#algorithm = algorithm;
  }

  /** Undefined if there is no such object, or git cannot be run. */
  read(oid: string): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      clearTimeout(this.#idle);
      const child = this.#start();
      if (child === undefined) return resolve(undefined);
      this.#wanted.push({ oid, resolve });
      this.#late ??= setTimeout(() => this.close(), TIMEOUT_MS);
      child.stdin.write(`${oid}\n`);
    });
  }

  close(): void {
    clearTimeout(this.#idle);
    if (this.#child !== undefined) void stopGit(this.#child);
    this.#end();
  }

  /** Undefined if git could not read the repository. */
  #start(): ChildProcessWithoutNullStreams | undefined {
    if (this.#child !== undefined) return this.#child;
    const cwd = this.#gitFolder;
    const args = [`--git-dir=${cwd}`, 'cat-file', '--batch'];
    const child = startGit({ ...this.#git, workspace: [cwd] }, { cwd, args });
    if (typeof child === 'string') return undefined;
    child.stderr.resume();
    const end = (): void => {
      if (this.#child === child) this.#end();
    };
    child.on('error', end);
    child.on('close', end);
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#child !== child) return;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes >= this.#needed) this.#answer();
    });
    this.#child = child;
    return child;
  }

  #end(): void {
    clearTimeout(this.#late);
    this.#late = undefined;
    const unanswered = this.#wanted;
    this.#child = undefined;
    this.#wanted = [];
    this.#chunks = [];
    this.#bytes = 0;
    this.#needed = 0;
    for (const { resolve } of unanswered) resolve(undefined);
  }

  /** Resolves all requests whose answer is complete. */
  #answer(): void {
    let rest = Buffer.concat(this.#chunks);
    this.#needed = 0;
    for (let first = this.#wanted[0]; first !== undefined; first = this.#wanted[0]) {
      const end = rest.subarray(0, MAX_HEADER_BYTES).indexOf('\n');
      if (end === -1) break;
      const size = Number(/ blob (\d+)$/.exec(rest.toString('latin1', 0, end))?.[1] ?? Number.NaN);
      const needed = Number.isNaN(size) ? end + 1 : end + 1 + size + 1;
      if (rest.length < needed) {
        this.#needed = needed;
        break;
      }
      const bytes = Number.isNaN(size) ? undefined : rest.subarray(end + 1, end + 1 + size);
      this.#wanted.shift();
      this.#late?.refresh();
      rest = rest.subarray(needed);
      const isIt = bytes !== undefined && gitName(bytes, this.#algorithm) === first.oid;
      first.resolve(isIt ? bytes : undefined);
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    if (this.#wanted.length > 0) return;
    clearTimeout(this.#late);
    this.#late = undefined;
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
  }
}

// Runs git for reading only: none of its commands here writes, takes a lock, runs a hook or uses the network.

export interface GitProgram {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts processes started from now on, once their answer is no longer needed. */
  readonly signal?: () => AbortSignal;
}

/** If git takes longer, the repository is handled without it. */
const TIMEOUT_MS = 30_000;

/** A larger list of a repository's files does not fit into a JavaScript string. */
const MAX_BYTES = 500_000_000;

/** The output; undefined if git is missing, fails, or takes too long. */
export async function readGit(
  git: GitProgram,
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<Buffer | undefined> {
  if (!mayHaveRepository(cwd)) return undefined;
  const call = { cwd, args, input, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const { code, stdout } = await runGit({ ...git, workspace: [cwd] }, call, git.signal?.());
  return code === 0 ? stdout : undefined;
}

// Keeps a repository's objects available through hard links, which take no space: even a command that cleans up or
// deletes the repository cannot remove earlier states of the tree. If hard links are impossible (on another file
// system), objects are read in place.

interface Borrowed {
  /** Our own bare repository, without any of the other's settings. */
  readonly gitFolder: string;
  readonly release: () => void;
}

interface BorrowOptions {
  /** Where to create it. */
  readonly folder: string;
  /** The repository's object folder. */
  readonly objects: string;
  /** The wanted loose objects. */
  readonly oids: ReadonlySet<string>;
  readonly algorithm: 'sha1' | 'sha256';
}

const SUFFIX = '.borrowed';
/** Folders left behind by a crash are removed after this time. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

export async function borrowObjects(options: BorrowOptions, pace: YieldTimer): Promise<Borrowed | undefined> {
  const gitFolder = join(options.folder, `${randomBytes(9).toString('hex')}${SUFFIX}`);
  const release = (): void => rmSync(gitFolder, { recursive: true, force: true });
  try {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    removeAbandoned(options.folder);
    mkdirSync(join(gitFolder, 'objects/pack'), { recursive: true, mode: 0o700 });
    mkdirSync(join(gitFolder, 'objects/info'));
    mkdirSync(join(gitFolder, 'refs'));
    writeFileSync(join(gitFolder, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(gitFolder, 'config'), configOf(options.algorithm));
    writeFileSync(join(gitFolder, 'objects/info/alternates'), `${quoted(options.objects)}\n`);
    await linkObjects(options, join(gitFolder, 'objects'), pace);
    return { gitFolder, release };
  } catch {
    release();
    return undefined;
  }
}

function configOf(algorithm: BorrowOptions['algorithm']): string {
  const core = (version: number): string => `[core]\n\trepositoryformatversion = ${version}\n\tbare = true\n`;
  return algorithm === 'sha1' ? core(0) : `${core(1)}[extensions]\n\tobjectformat = sha256\n`;
}

/** Quotes a path as git reads it in that file: in C style if necessary. */
function quoted(path: string): string {
  return /^[#"]|[\n\\"]/.test(path) ? `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"` : path;
}

async function linkObjects(
  { objects, oids }: BorrowOptions,
  target: string,
  pace: YieldTimer,
): Promise<void> {
  for (const name of readdirSync(join(objects, 'pack')))
    if (/\.(pack|idx)$/.test(name) && !tryLink(join(objects, 'pack', name), join(target, 'pack', name)))
      return;
  const folders = new Set(readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name)));
  const loose = new Map<string, ReadonlySet<string>>();
  const made = new Set<string>();
  for (const oid of oids) {
    const [folder, name] = [oid.slice(0, 2), oid.slice(2)];
    if (!folders.has(folder)) continue;
    const names = loose.get(folder) ?? new Set(readdirSync(join(objects, folder)));
    loose.set(folder, names);
    if (!names.has(name)) continue;
    if (!made.has(folder)) mkdirSync(join(target, folder), { recursive: true });
    made.add(folder);
    if (!tryLink(join(objects, folder, name), join(target, folder, name))) return;
    if (pace.isDue()) await pace.pause();
  }
}

/** False if hard links are impossible; a file that has just disappeared is skipped. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'EEXIST';
  }
}

function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = name.endsWith(SUFFIX) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
