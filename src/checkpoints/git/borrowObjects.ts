/**
 * Keeps the objects of a repository available through hard links, which take no space: a command that cleans up or
 * deletes the repository cannot remove earlier states of the tree. If hard links are impossible (on another file
 * system), objects are read in place.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pace } from '../scan/Coverage.ts';

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

export async function borrowObjects(options: BorrowOptions, pace: Pace): Promise<Borrowed | undefined> {
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

async function linkObjects({ objects, oids }: BorrowOptions, target: string, pace: Pace): Promise<void> {
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
    if (pace.isDue()) await pace.breathe();
  }
}

/** False if hard links are impossible; a file that has just disappeared is no reason to stop. */
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
