/** Recognizes a folder, whatever it is called, and another one that has taken its place. */
import { lstatOf } from './fileLookups.ts';

export interface FolderIdentity {
  readonly dev: number;
  readonly ino: number;
  /** Milliseconds since the epoch; 0 if the file system does not provide it. */
  readonly birthtimeMs: number;
}

/** `path`: with links resolved. Undefined if there is no folder. */
export function folderIdentity(path: string): FolderIdentity | undefined {
  const info = lstatOf(path);
  if (info?.isDirectory() !== true) return undefined;
  // Systems that do not know it report the change time instead.
  const isKnown = info.birthtimeNs !== info.ctimeNs;
  return {
    dev: Number(info.dev),
    ino: Number(info.ino),
    birthtimeMs: isKnown ? Number(info.birthtimeMs) : 0,
  };
}

/**
 * Inode numbers are reused after a folder was deleted, creation times are not; device numbers may change when a disk is
 * mounted again, so they count only without a creation time.
 */
export function isSameIdentity(a: FolderIdentity, b: FolderIdentity): boolean {
  if (a.ino !== b.ino) return false;
  const [born, bornToo] = [Math.trunc(a.birthtimeMs), Math.trunc(b.birthtimeMs)];
  return born > 0 && bornToo > 0 ? born === bornToo : a.dev === b.dev;
}
