/** Reads what git's index records about the files of a work tree. */
import type { Pace } from '../scan/Coverage.ts';
import type { DiskEntry } from '../scan/diskEntry.ts';
import { type GitProgram, runGit } from './ObjectReader.ts';

export interface IndexEntry {
  readonly oid: string;
  readonly size: number;
  /** The lower 32 bits. */
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Files and submodules by absolute path. */
export interface IndexFiles {
  readonly files: ReadonlyMap<string, IndexEntry>;
  readonly submodules: readonly string[];
}

/** One entry of `ls-files -z -s --debug`. */
const ENTRY =
  /(\d+) ([0-9a-f]+) (\d)\t([^\0]*)\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n.*\n {2}size: (\d+)\tflags: [0-9a-f]+\n/y;

/** Undefined if git fails, or its output has an unknown format. */
export async function readIndex(git: GitProgram, root: string, pace: Pace): Promise<IndexFiles | undefined> {
  const output = await runGit(git, root, ['ls-files', '-z', '-s', '--debug']);
  if (output === undefined) return undefined;
  const text = output.toString();
  const files = new Map<string, IndexEntry>();
  const submodules: string[] = [];
  const pattern = new RegExp(ENTRY);
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const [, mode, oid = '', stage, path = '', cSec, cNano, mSec, mNano, ino, size] = found;
    if (mode === '160000') submodules.push(`${root}/${path}`);
    else if (stage === '0' && mode?.startsWith('100'))
      files.set(`${root}/${path}`, {
        oid,
        size: Number(size),
        ino: Number(ino),
        mtimeMs: milliseconds(mSec, mNano),
        ctimeMs: milliseconds(cSec, cNano),
      });
    if (pace.isDue()) await pace.breathe();
  }
  return { files, submodules };
}

/**
 * True if a file is unchanged since git indexed it. `writtenMs`: when the index was written. A file that is not older
 * may have been changed within the same clock tick.
 */
export function isAsIndexed(indexed: IndexEntry, entry: DiskEntry, writtenMs: number): boolean {
  return (
    entry.kind === 'file' &&
    entry.size === indexed.size &&
    entry.mtimeMs === indexed.mtimeMs &&
    entry.ctimeMs === indexed.ctimeMs &&
    entry.ino % 2 ** 32 === indexed.ino &&
    entry.mtimeMs < writtenMs
  );
}

/** In the same unit and precision as Node's times, so that they can be compared. */
function milliseconds(seconds: string | undefined, nanoseconds: string | undefined): number {
  return Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
}
