/**
 * Checks the indexes of a repository, its submodules and linked worktrees. A command can write an index of its own, and
 * git trusts it: a checkout writes the files it lists, wherever they are.
 */
import { dirname, join } from 'node:path';
import { lstatOf, readFileNow, resolved } from '../../../disk/fileLookups.ts';
import { checkIndex } from '../../../disk/gitIndexCheck.ts';
import type { Steps } from '../../../disk/slices.ts';
import { LEADS_OUT, UNREADABLE_INDEX } from '../dangers.ts';

const MAX_BYTES = 64 * 2 ** 20;
const MAX_SETTINGS_BYTES = 2 ** 20;

interface Known {
  readonly state: string;
  /** The file next to the index with shared entries. */
  readonly shared: string | undefined;
  readonly stamp: string | undefined;
}

/**
 * Creates a function that returns the indexes in these git folders that git must not read, absolute, each with its
 * stamp. It rereads an index only after a change. Never throws.
 */
export function createIndexCheck(): (folders: readonly string[]) => Steps<ReadonlyMap<string, string>> {
  const known = new Map<string, Known>();
  function* stampOf(index: string, folders: readonly string[]): Steps<string | undefined> {
    // Git follows a link here.
    const [file] = resolved(index);
    if (file === undefined || lstatOf(file)?.isFile() !== true) return undefined;
    const before = known.get(index);
    const files = (shared?: string): readonly string[] =>
      shared === undefined ? [file] : [file, join(dirname(index), shared)];
    if (before !== undefined && before.state === stateOf(files(before.shared))) return before.stamp;
    // A file that changes meanwhile is read again.
    const state = stateOf(files());
    const { stamp, shared } = yield* check(index, folders);
    known.set(index, { state: shared === undefined ? state : stateOf(files(shared)), shared, stamp });
    return stamp;
  }
  return function* (folders) {
    const stamps = new Map<string, string>();
    for (const folder of folders) {
      yield;
      const index = join(folder, 'index');
      const stamp = yield* stampOf(index, [...folders.slice(0, 2), folder]);
      if (stamp !== undefined) stamps.set(index, stamp);
    }
    return stamps;
  };
}

/** Uses the change time, which no program can set. */
const stateOf = (files: readonly string[]): string =>
  files
    .map(lstatOf)
    .map((found) => `${found?.ino} ${found?.ctimeNs}`)
    .join('\n');

function* check(index: string, folders: readonly string[]): Steps<Omit<Known, 'state'>> {
  const content = readFileNow(index, MAX_BYTES);
  const read = (name: string): Buffer | null | undefined =>
    readFileNow(join(dirname(index), name), MAX_BYTES);
  // Which size applies depends on settings that a command may have written.
  const found: Result[] = [];
  for (const bytes of hashSizes(folders)) found.push(yield* checked(content, bytes, read));
  const shared = found.find((one) => one.shared !== undefined)?.shared;
  const isUnreadable = found.every(({ result }) => result === 'unreadable');
  const leadsOut = found.some(({ result }) => result === 'leads_out');
  const stamp = leadsOut ? LEADS_OUT : isUnreadable ? UNREADABLE_INDEX : undefined;
  return { stamp, shared };
}

type Result = ReturnType<typeof checkIndex> extends Steps<infer T> ? T : never;

function* checked(
  content: Buffer | null | undefined,
  bytes: number,
  read: (name: string) => Buffer | null | undefined,
): Steps<Result> {
  try {
    if (content != null) return yield* checkIndex(content, bytes, read);
  } catch {
    // Damaged.
  }
  return { result: 'unreadable' };
}

/** The possible lengths of object ids, in bytes. */
function hashSizes(folders: readonly string[]): readonly number[] {
  const texts = folders.map((folder) => readFileNow(join(folder, 'config'), MAX_SETTINGS_BYTES));
  const mayDiffer = texts.some((text) => text === undefined || /objectformat/i.test(text?.toString() ?? ''));
  return mayDiffer ? [20, 32] : [20];
}
