/** What an index of git says, as far as the sandbox needs it. Source: gitformat-index. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDirectory, lstatOf } from './fileLookups.ts';
import { linkedGitFolder } from './gitPlaces.ts';

const MAX_BYTES = 64 * 2 ** 20;
/** The mode of a submodule, 0160000. */
const SUBMODULE_MODE = Buffer.from([0, 0, 0xe0, 0]);
/** From this version on a path is written as what is different from the one before. */
const FIRST_COMPRESSED_VERSION = 4;
/** Of the flags before a path: its length, or all bits where it is longer. */
const LENGTH_BITS = 0xfff;

export interface IndexLook {
  /** How many submodules there are; by chance more, where other bytes look like one. */
  readonly submodules: number;
  /** Of the paths that were asked about, those that git has. Where that cannot be told, all of them. */
  readonly tracked: readonly string[];
}

const nothing: IndexLook = { submodules: 0, tracked: [] };

/**
 * A function that looks into the index of the repository at a folder for some absolute paths in it. It reads again only
 * what has changed. Never throws.
 */
export function createIndexLook(): (repository: string, paths: readonly string[]) => IndexLook {
  const known = new Map<string, { readonly state: string; readonly found: IndexLook }>();
  return (repository, paths) => {
    const own = join(repository, '.git');
    const [folder] = isDirectory(own) ? [own] : linkedGitFolder(repository);
    const index = join(folder ?? own, 'index');
    const file = lstatOf(index);
    if (file?.isFile() !== true) return nothing;
    if (file.size > MAX_BYTES) return { submodules: 0, tracked: paths };
    const state = [file.ino, file.ctimeNs, ...paths].join('\n');
    const before = known.get(index);
    if (before?.state === state) return before.found;
    const found = readIndex(index, repository, paths);
    known.set(index, { state, found });
    return found;
  };
}

function readIndex(index: string, repository: string, paths: readonly string[]): IndexLook {
  try {
    const bytes = readFileSync(index);
    const isCompressed = bytes.readUInt32BE(4) >= FIRST_COMPRESSED_VERSION;
    return {
      submodules: placesOf(SUBMODULE_MODE, bytes).length,
      tracked: isCompressed ? paths : paths.filter((path) => isEntry(relative(repository, path), bytes)),
    };
  } catch {
    return nothing;
  }
}

function placesOf(wanted: Buffer, bytes: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

/** The flags stand before the path, in version 3 with two bytes more between them. */
function isEntry(path: string, bytes: Buffer): boolean {
  const written = Buffer.from(`${path}\0`);
  const length = Math.min(written.length - 1, LENGTH_BITS);
  return placesOf(written, bytes).some((at) =>
    [at - 2, at - 4].some((flags) => flags >= 0 && (bytes.readUInt16BE(flags) & LENGTH_BITS) === length),
  );
}

/** The repository that a folder lies in, if it is none itself. */
export function repositoryAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  return lstatOf(join(above, '.git')) === undefined ? repositoryAbove(above) : above;
}
