/**
 * Small JSON files that several parts of the program and several processes change. Nothing is lost: a change reads the
 * file again when it is its turn and replaces it atomically, and writes nothing that could not be read again. A file that
 * cannot be read is kept under another name (`<file>.damaged-<time>`), so that the user can be told.
 */
import {
  accessSync,
  chmodSync,
  constants,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn, readFileNow, statOf } from './fileLookups.ts';
import { inTurn } from './fileTurn.ts';
import { writePrivateFile } from './privateFile.ts';

interface JsonFileOptions<T> {
  readonly file: string;
  /** Throws if the value is not what the file should contain. */
  readonly parse: (value: unknown) => T;
  /** What a missing file stands for. */
  readonly empty: T;
  /** What a damaged file stands for, also after it was moved aside; `empty` if absent. */
  readonly damaged?: T;
  readonly maxBytes?: number;
  /** On one line. */
  readonly isCompact?: boolean;
}

export interface JsonFile<T> {
  /** What the file contains now. A damaged file is moved aside. Never throws. */
  read(): T;
  /**
   * Changes the file; nothing is written if `next` returns what it was given. Rejects, and leaves the file as it is, if the
   * change cannot be written or `read` would not accept it.
   */
  change(next: (current: T) => T): Promise<void>;
}

const MAX_BYTES = 1_000_000;

export function openJsonFile<T>(options: JsonFileOptions<T>): JsonFile<T> {
  const { file, parse, empty, damaged = empty, maxBytes = MAX_BYTES, isCompact = false } = options;
  const load = (): { readonly value: T; readonly isStuck: boolean } => {
    const bytes = readFileNow(file, maxBytes);
    if (bytes === null) {
      const isAside = damaged !== empty && damagedFilesIn(dirname(file)).some((one) => one.file === file);
      return { value: isAside ? damaged : empty, isStuck: false };
    }
    try {
      if (bytes !== undefined) return { value: parse(JSON.parse(decoded(bytes))), isStuck: false };
    } catch {
      // Damaged.
    }
    const isDamaged = bytes !== undefined || isUnusable(file, maxBytes);
    return { value: damaged, isStuck: !isDamaged || !moveAside(file, bytes) };
  };
  return {
    read: () => load().value,
    change: (next) =>
      inTurn(file, { isShared: true }, async () => {
        const { value, isStuck } = load();
        if (isStuck) throw new Error(`${file} cannot be read`);
        const changed = next(value);
        if (changed === value) return;
        const text = `${JSON.stringify(changed, null, isCompact ? undefined : 2)}\n`;
        assertReadable(text, options);
        await writePrivateFile(file, text);
      }),
  };
}

/** Throws for what `read` would take for damage: everything else in the file would be lost with it. */
function assertReadable<T>(text: string, { file, parse, maxBytes = MAX_BYTES }: JsonFileOptions<T>): void {
  if (Buffer.byteLength(text) > maxBytes)
    throw new Error(`${file} would be larger than ${maxBytes / 1_000_000} MB`);
  try {
    parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} cannot contain this change`, { cause });
  }
}

/** Editors on Windows start a file with a byte order mark. */
const decoded = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\uFEFF/, '');

/** False for a folder or a pipe, and for a file that could not be read just now, as with too many open files. */
function isUnusable(file: string, maxBytes: number): boolean {
  const info = statOf(file);
  if (info?.isFile() !== true) return false;
  if (info.size > maxBytes) return true;
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch {
    return true;
  }
}

const MARK = '.damaged-';

/** Returns false if the file stays where it is. */
function moveAside(file: string, bytes: Buffer | undefined): boolean {
  const name = `${file}${MARK}${new Date().toISOString().replace(/[:.]/g, '-')}`;
  let aside = name;
  for (let next = 2; lstatSync(aside, { throwIfNoEntry: false }) !== undefined; next += 1)
    aside = `${name}-${next}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    // Another process was faster.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  try {
    if (lstatSync(aside).isSymbolicLink()) return true;
    chmodSync(aside, 0o600);
    if (bytes === undefined || readFileSync(aside).equals(bytes)) return true;
    // Another process has replaced the damaged file since it was read.
    linkSync(aside, file);
    unlinkSync(aside);
  } catch {
    // It is kept.
  }
  return true;
}

/** A file that was moved aside. Absolute paths. */
export interface DamagedFile {
  readonly file: string;
  readonly aside: string;
}

/** The files of a folder that were moved aside and are still there. Never throws. */
export function damagedFilesIn(folder: string): readonly DamagedFile[] {
  return namesIn(folder)
    .filter((name) => name.includes(MARK))
    .map((name) => ({
      file: join(folder, name.slice(0, name.lastIndexOf(MARK))),
      aside: join(folder, name),
    }));
}

/** Moves a file aside if it is not JSON; for files that are read later. */
export function checkJsonFile(folder: string, name: string): void {
  openJsonFile({ file: join(folder, basename(name)), parse: (value) => value, empty: undefined }).read();
}
