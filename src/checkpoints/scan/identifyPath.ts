import { linkAt } from '../../disk/paths.ts';
import type { PathChange } from '../../protocol/checkpoints.ts';
import { type Contents, presentState } from './contents.ts';
import {
  type Content,
  type DiskEntry,
  isYoung,
  type ScannedState,
  sameEntry,
  statEntrySafely,
} from './diskEntry.ts';

/** A path that looks different from before. */
export interface ChangedPath {
  readonly path: string;
  readonly before: ScannedState | undefined;
  /** Absent if it is gone. */
  readonly entry: DiskEntry | undefined;
}

interface Identified {
  readonly now: ScannedState | undefined;
  /** Present if something changed; computed only on request. */
  readonly change?: PathChange;
}

interface IdentifyDeps {
  readonly contents: Contents;
  /** The content of a file that git has and that is unchanged since, so that it need not be read. */
  readonly knownToGit: (path: string, entry: DiskEntry) => Content | undefined;
  readonly scan: number;
  readonly isNamed: boolean;
  /** `copy`: the content is stored permanently; `change`: the change is returned, and the earlier content stored, too. */
  readonly wants: 'nothing' | 'copy' | 'change';
}

export async function identifyPath(found: ChangedPath, deps: IdentifyDeps): Promise<Identified> {
  const { path, before } = found;
  const now =
    found.entry === undefined ? undefined : await identifyEntry(path, found.entry, before, deps, TRIES);
  if (deps.wants !== 'change' || (before === undefined && now === undefined)) return { now };
  if (before !== undefined && now !== undefined && isAlike(before, now)) return { now };
  return {
    now,
    change: {
      path,
      ...(before !== undefined && { before: await deps.contents.lastingState(before) }),
      ...(now !== undefined && { after: presentState(now) }),
    },
  };
}

/** How often a file that disappears before it is read is looked up again. */
const TRIES = 3;

async function identifyEntry(
  path: string,
  entry: DiskEntry,
  before: ScannedState | undefined,
  deps: IdentifyDeps,
  tries: number,
): Promise<ScannedState | undefined> {
  const known = { entry, isYoung: false, isNamed: deps.isNamed, seen: deps.scan };
  const again = (): Promise<ScannedState | undefined> | undefined => {
    const next = tries > 0 ? statEntrySafely(path) : undefined;
    return next === undefined ? undefined : identifyEntry(path, next, before, deps, tries - 1);
  };
  if (entry.kind === 'link') {
    const target = linkAt(path);
    return target === undefined ? again() : { ...known, target };
  }
  if (entry.kind !== 'file') return known;
  const lookedAtMs = Date.now();
  const fromGit = before === undefined ? deps.knownToGit(path, entry) : undefined;
  if (fromGit !== undefined) return { ...known, content: fromGit, isYoung: isYoung(entry, lookedAtMs) };
  const taken = await deps.contents.take(path, before?.content, {
    isNamed: deps.isNamed,
    isLasting: deps.wants !== 'nothing',
    entry,
  });
  if (taken === undefined) return again();
  return {
    ...known,
    entry: taken.entry,
    content: taken.content,
    isYoung: isYoung(taken.entry, lookedAtMs),
  };
}

/** True if the path need not be examined again. */
export function isUnchanged(before: ScannedState, entry: DiskEntry): boolean {
  if (entry.kind === 'folder') return before.entry.kind === 'folder' && before.entry.mode === entry.mode;
  return !before.isYoung && sameEntry(before.entry, entry);
}

/** True if the relevant properties are the same: times and inode numbers are not. */
function isAlike(a: ScannedState, b: ScannedState): boolean {
  if (a.entry.kind !== b.entry.kind) return false;
  if (a.entry.kind === 'link') return a.target === b.target;
  if (a.entry.kind !== 'file') return a.entry.kind !== 'folder' || a.entry.mode === b.entry.mode;
  if (a.entry.mode !== b.entry.mode) return false;
  if (a.content === b.content) return true;
  const isUnread = a.content?.in === 'nowhere' && a.content.hash === undefined;
  if (isUnread) return sameEntry(a.entry, b.entry);
  const [before, after] = [hashOf(a.content), hashOf(b.content)];
  if (before !== undefined || after !== undefined) return before === after;
  return sameEntry(a.entry, b.entry);
}

const hashOf = (content: Content | undefined): string | undefined =>
  content === undefined || content.in === 'git' ? undefined : content.hash;
