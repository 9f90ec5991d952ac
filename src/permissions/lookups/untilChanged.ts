/** Remembers what the content of files says until they change: searching one again takes 20 to 80 ms per MB. */
import { type BigIntStats, statSync } from 'node:fs';

/** A file that has changed within this time is looked at again: some file systems record times in steps of two seconds. */
const SETTLED_MS = 2000;
const MAX_FILES = 10_000;

/** The same lookup; its answer for a file holds as long as the file is the same and unchanged. `now`: milliseconds. */
export function untilChanged(
  lookUp: (path: string) => boolean,
  now: () => number = Date.now,
): (path: string) => boolean {
  const known = new Map<string, { readonly version: string; readonly answer: boolean }>();
  return (path) => {
    const version = versionOf(path, now);
    if (version === undefined) return lookUp(path);
    const before = known.get(path);
    if (before?.version === version) return before.answer;
    const answer = lookUp(path);
    if (known.size >= MAX_FILES) known.clear();
    if (versionOf(path, now) === version) known.set(path, { version, answer });
    return answer;
  };
}

/** Identifies the content of a regular file that has settled, also behind a link; undefined for anything else. */
function versionOf(path: string, now: () => number): string | undefined {
  const found = statNow(path);
  if (found?.isFile() !== true) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = found;
  const age = now() - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  return age > SETTLED_MS ? `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}` : undefined;
}

function statNow(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
