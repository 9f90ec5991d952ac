/**
 * Checks symbolic refs, such as HEAD. Git treats some targets that are no ref names as paths, and writes a ref and a
 * log there, with a message that the command chooses.
 */
import { lstatOf, readFileNow } from '../../../disk/fileLookups.ts';

const MAX_BYTES = 64 * 1024;

/** What git writes to HEAD if it does not store refs in files. Source: reftable. */
const WITHOUT_FILES = 'refs/heads/.invalid';

/** What no ref name contains. Source: git-check-ref-format. */
const invalid = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[/.]$/;

/** True if a symbolic ref may have this target. */
export const isRefTarget = (target: string): boolean =>
  target === WITHOUT_FILES || (target.startsWith('refs/') && !invalid.test(target));

/** True for the content of a ref that git cannot take for a path. */
function isSound(text: string): boolean {
  const target = /^ref:[ \t-\r]*(.*?)[ \t-\r]*$/s.exec(text)?.[1];
  return target === undefined || isRefTarget(target);
}

interface SymbolicRefs {
  /** True if git would write elsewhere through this file. Reads it only after a change. */
  isUnsound(file: string): boolean;
  /** The last sound content that was seen. */
  earlier(file: string): string | undefined;
}

export function createSymbolicRefs(): SymbolicRefs {
  const known = new Map<string, { readonly state: string; readonly isUnsound: boolean }>();
  const sound = new Map<string, string>();
  return {
    isUnsound(file) {
      const found = lstatOf(file);
      if (found?.isFile() !== true) return false;
      // No program can set the change time.
      const state = `${found.ino} ${found.ctimeNs}`;
      const before = known.get(file);
      if (before?.state === state) return before.isUnsound;
      const text = readFileNow(file, MAX_BYTES)?.toString('utf8');
      const isUnsound = text === undefined || !isSound(text);
      known.set(file, { state, isUnsound });
      if (text !== undefined && /^(?:ref: \S+|[0-9a-f]{40,64})\n$/.test(text) && !isUnsound)
        sound.set(file, text);
      return isUnsound;
    },
    earlier: (file) => sound.get(file),
  };
}
