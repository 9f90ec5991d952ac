/**
 * What a session's private temporary folder shows in the shared one. Commands can replace anything in the private folder
 * at any time, so nothing outside may ever follow a path into it: files are shown as hard links, checked at a place that
 * no command can reach, and folders as new folders that contain such links. Ends with the session without moving
 * anything: only the private names have to be removed.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { entriesOf, lstatOf, namesIn, readSmallText } from '../../disk/fileLookups.ts';
import { linkAt } from '../../disk/paths.ts';
import type { Steps } from '../../disk/slices.ts';

/** Files at the top, and entries of all folders, that are shown while the session runs. */
const MAX_SHOWN = 1000;
/** Entries of all folders that remain after the session. */
const MAX_KEPT = 50_000;
/** Each level holds a handle. */
const MAX_DEPTH = 100;

export interface ShownPlaces {
  readonly shared: string;
  readonly own: string;
  /** Out of the commands' reach, in the same file system. */
  readonly session: string;
}

export interface ShownEntries {
  readonly has: (name: string) => boolean;
  /** Shows files, and no longer shows what commands have removed. Never throws. */
  files(isShown: (name: string) => boolean, isLast?: boolean): void;
  /** Shows folders, the first ones first. Never throws. */
  folders(names: readonly string[], isLast?: boolean): Steps<void>;
  /**
   * Makes a file that a tool of the session has created or replaced in the shared folder available to commands; a
   * replaced one only if it was shown. `path`: relative to the shared folder. Throws system errors.
   */
  adopt(path: string, kind: 'created' | 'modified'): void;
}

/** `link`: for file systems without hard links, which show files only after the session. */
export function createShownEntries(places: ShownPlaces, link = linkSync): ShownEntries {
  const showing: Showing = {
    ...places,
    made: new Map(),
    link,
  };
  for (const name of namesIn(notesIn(places.session))) {
    const ino = notedFolder(places.session, name);
    if (ino !== undefined) showing.made.set(name, { ino, kind: 'folder' });
  }
  const filesNow = createFileNames(places.own);
  return {
    has: (name) => showing.made.has(name),
    files(isShown, isLast = false) {
      removeGone(showing);
      let count = [...showing.made.keys()].filter((path) => !path.includes('/')).length;
      for (const name of filesNow().filter(isShown)) {
        const isNew = !showing.made.has(name);
        if (isNew && count >= MAX_SHOWN) continue;
        showFile(showing, join(places.own, name), name, isLast);
        if (isNew) count++;
      }
    },
    *folders(names, isLast = false) {
      const budget = { left: isLast ? MAX_KEPT : MAX_SHOWN };
      for (const name of names) {
        const walk: Walk = { ...showing, isLast, budget, isCut: false, seen: new Set() };
        try {
          yield* showFolder(walk, places.own, name, 0);
        } catch {
          walk.isCut = true;
        }
        if (!walk.isCut) removeUnseen(walk, name);
      }
    },
    adopt: (path, kind) => adopt(showing, path.split('/'), kind),
  };
}

/** The kernel may give changes within this time the same change time. */
const TICK_MS = 100;

/**
 * Creates a function that lists the files in a folder. The folder may have a thousand links and is listed twice for
 * each command, so it is reread only if it has changed.
 */
function createFileNames(folder: string): () => readonly string[] {
  let known: { readonly changed: bigint; readonly names: readonly string[] } | undefined;
  return () => {
    const changed = lstatOf(folder)?.ctimeNs;
    if (changed !== undefined && known?.changed === changed) return known.names;
    const names = entriesOf(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
    const isSettled = changed !== undefined && BigInt(Date.now() - TICK_MS) * 1_000_000n > changed;
    known = isSettled ? { changed, names } : undefined;
    return names;
  };
}

/** True if another session shows this entry of the shared folder. `sessions`: absolute. */
export function shownBy(sessions: readonly string[], shared: string): (name: string) => boolean {
  const shown = new Set(
    sessions.flatMap((session) => [
      ...entriesOf(join(session, 'tmp'))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .filter((name) => lstatOf(join(session, 'tmp', name))?.ino === lstatOf(join(shared, name))?.ino),
      ...namesIn(notesIn(session)).filter(
        (name) => notedFolder(session, name) === lstatOf(join(shared, name))?.ino,
      ),
    ]),
  );
  return (name) => shown.has(name);
}

/** The folders that a session shows, for its successor if it is killed: their names, containing the inode. */
export const notesIn = (session: string): string => join(session, 'folders');

function notedFolder(session: string, name: string): bigint | undefined {
  const text = readSmallText(join(notesIn(session), name));
  return /^\d+$/.test(text) ? BigInt(text) : undefined;
}

interface Made {
  readonly ino: bigint;
  readonly kind: 'file' | 'folder' | 'link';
}

interface Showing extends ShownPlaces {
  /** What was put in the shared folder, by path relative to it. Anything else there is never touched. */
  readonly made: Map<string, Made>;
  readonly link: typeof linkSync;
}

interface Walk extends Showing {
  readonly isLast: boolean;
  readonly seen: Set<string>;
  /** The number of entries that may still be shown. */
  readonly budget: { left: number };
  /** True if the folder was not checked completely. */
  isCut: boolean;
}

/** Removes what commands have removed or replaced with something else at the top. */
function removeGone(showing: Showing): void {
  for (const [path, { kind }] of showing.made) {
    if (path.includes('/')) continue;
    const found = lstatOf(join(showing.own, path));
    if (kind === 'file' ? found?.isFile() : found?.isDirectory()) continue;
    remove(showing, path);
  }
}

function removeUnseen(walk: Walk, top: string): void {
  const unseen = [...walk.made.keys()].filter((path) => path.startsWith(`${top}/`) && !walk.seen.has(path));
  // Contents are created after their folder.
  for (const path of unseen.reverse()) removeOne(walk, path);
}

/** Removes what was put there, including anything inside it. */
function remove(showing: Showing, path: string): void {
  if (showing.made.get(path)?.kind === 'folder') {
    const below = [...showing.made.keys()].filter((one) => one.startsWith(`${path}/`));
    for (const one of below.reverse()) removeOne(showing, one);
  }
  removeOne(showing, path);
}

function removeOne({ shared, session, made }: Showing, path: string): void {
  const before = made.get(path);
  made.delete(path);
  if (before === undefined) return;
  const place = join(shared, path);
  attempt(() => {
    if (lstatOf(place)?.ino === before.ino) before.kind === 'folder' ? rmdirSync(place) : unlinkSync(place);
  });
  if (before.kind === 'folder' && !path.includes('/')) rmSync(join(notesIn(session), path), { force: true });
}

/** `from` must lead to the entry itself, through folders that commands cannot replace. */
function showFile(showing: Showing, from: string, path: string, isLast: boolean): void {
  const place = join(showing.shared, path);
  const [found, there] = [lstatOf(from), lstatOf(place)];
  if (found === undefined) return;
  const before = showing.made.get(path)?.ino;
  if (there?.ino === found.ino) {
    // By a session that was killed, or a tool.
    if (before === undefined && there.isFile()) showing.made.set(path, { ino: there.ino, kind: 'file' });
    return;
  }
  const isRemovedByUser = there === undefined && before === found.ino;
  const isOfOthers = there !== undefined && there.ino !== before;
  if (isRemovedByUser || isOfOthers) return;
  attempt(() => {
    const staged = stage(showing, from, isLast);
    if (staged === undefined) return;
    if (there === undefined) putNew(showing, staged.path, place);
    else renameSync(staged.path, place);
    rmSync(staged.path, { force: true });
    showing.made.set(path, { ino: staged.ino, kind: 'file' });
  });
}

/** Never replaces anything. */
function putNew({ link }: Showing, staged: string, place: string): void {
  try {
    link(staged, place);
  } catch (error) {
    if (!isWithoutLinks(error) || lstatOf(place) !== undefined) throw error;
    renameSync(staged, place);
  }
}

/** Puts an entry where no command can reach it, and checks it there. Undefined if it is not a plain file. */
function stage(
  { session, link }: Showing,
  from: string,
  isLast: boolean,
): { readonly path: string; readonly ino: bigint } | undefined {
  const path = join(session, `checked-${randomBytes(6).toString('hex')}`);
  try {
    // Links the entry itself, even if it is a symbolic link.
    link(from, path);
  } catch (error) {
    if (!isWithoutLinks(error) || !isLast || lstatOf(from)?.isFile() !== true) throw error;
    renameSync(from, path);
  }
  const found = lstatSync(path, { bigint: true });
  if (found.isFile()) return { path, ino: found.ino };
  // A folder is removed with the session.
  if (!found.isDirectory()) unlinkSync(path);
  return undefined;
}

const isWithoutLinks = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/** `parent`: a path through a handle, or the private folder. */
function* showFolder(walk: Walk, parent: string, path: string, depth: number): Steps<void> {
  const opened = openFolder(join(parent, path.slice(path.lastIndexOf('/') + 1)));
  if (opened === undefined) {
    walk.isCut = true;
    return;
  }
  try {
    if (!makeFolder(walk, path, opened.mode)) return;
    for (let entry = opened.next(); entry !== null; entry = opened.next()) {
      yield;
      if (walk.budget.left-- <= 0) {
        walk.isCut = true;
        return;
      }
      const [from, below] = [join(opened.path, entry.name), `${path}/${entry.name}`];
      if (entry.isDirectory()) {
        walk.seen.add(below);
        if (depth < MAX_DEPTH) yield* showFolder(walk, opened.path, below, depth + 1);
      } else if (entry.isFile()) {
        if (walk.made.has(below) && walk.made.get(below)?.kind !== 'file') remove(walk, below);
        walk.seen.add(below);
        showFile(walk, from, below, walk.isLast);
      } else if (entry.isSymbolicLink() && showLink(walk, from, below, depth)) walk.seen.add(below);
    }
  } finally {
    opened.close();
  }
}

interface OpenFolder {
  /** Still leads to this folder if its path is replaced. */
  readonly path: string;
  readonly mode: number;
  next(): Dirent | null;
  close(): void;
}

/** Undefined for a link, or if it cannot be opened. */
function openFolder(place: string): OpenFolder | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const path = `/proc/self/fd/${handle}`;
    const entries = opendirSync(path);
    const opened = handle;
    return {
      path,
      mode: fstatSync(opened).mode & 0o777,
      next: () => entries.readSync(),
      close() {
        entries.closeSync();
        closeSync(opened);
      },
    };
  } catch {
    if (handle !== undefined) closeSync(handle);
    return undefined;
  }
}

/** False if another program has the name, or the user has removed the folder. */
function makeFolder(walk: Showing, path: string, mode: number): boolean {
  const place = join(walk.shared, path);
  if (walk.made.has(path) && walk.made.get(path)?.kind !== 'folder') remove(walk, path);
  const there = lstatOf(place);
  const before = walk.made.get(path);
  // Below the top, it may have been created before the session was killed.
  if (there !== undefined && path.includes('/')) return there.isDirectory();
  if (there !== undefined || before !== undefined) return there !== undefined && there.ino === before?.ino;
  try {
    mkdirSync(place, { mode: mode | 0o700 });
    const { ino } = lstatSync(place, { bigint: true });
    if (!path.includes('/')) writeFileSync(join(notesIn(walk.session), path), String(ino), { mode: 0o600 });
    walk.made.set(path, { ino, kind: 'folder' });
    return true;
  } catch {
    return false;
  }
}

/** Creates its own link for a link that stays in its folder. False for any other. */
function showLink(walk: Walk, from: string, path: string, depth: number): boolean {
  const target = linkAt(from);
  if (target === undefined || !staysInside(target, depth)) return false;
  const place = join(walk.shared, path);
  if (walk.made.has(path) && linkAt(place) !== target) remove(walk, path);
  attempt(() => {
    if (walk.made.has(path)) return;
    symlinkSync(target, place);
    walk.made.set(path, { ino: lstatSync(place, { bigint: true }).ino, kind: 'link' });
  });
  return true;
}

/**
 * True if a link's target stays in the folder, even if parts of it are such links themselves; so it may go up only at
 * its start. `depth`: of the link in the folder.
 */
export function staysInside(target: string, depth: number): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const ups = parts.findIndex((part) => part !== '..');
  return !target.startsWith('/') && ups >= 0 && ups <= depth && !parts.slice(ups).includes('..');
}

function adopt(showing: Showing, parts: readonly string[], kind: 'created' | 'modified'): void {
  const path = parts.join('/');
  const { shared, own, made } = showing;
  const [top = '', name = ''] = [parts[0], parts.at(-1)];
  if (kind === 'modified' && !made.has(path)) return;
  const isShown = parts.length === 1 || made.has(top);
  const handles: OpenFolder[] = [];
  try {
    let folder = own;
    // Below the top, only folders that commands created belong to them.
    for (const at of parts.slice(0, -1).keys()) {
      const [below, next] = [parts.slice(0, at + 1).join('/'), join(folder, parts[at] ?? '')];
      const outside = lstatOf(join(shared, below));
      if (outside?.isDirectory() !== true) return;
      if (at > 0) attempt(() => mkdirSync(next));
      const opened = openFolder(next);
      if (opened === undefined) return;
      handles.push(opened);
      folder = opened.path;
      if (isShown && !made.has(below)) made.set(below, { ino: outside.ino, kind: 'folder' });
    }
    const place = join(folder, name);
    // Replaces only files of commands.
    if (lstatOf(place)?.isFile() === false) return;
    const staged = stage(showing, join(shared, path), false);
    if (staged === undefined) return;
    renameSync(staged.path, place);
    rmSync(staged.path, { force: true });
    if (isShown) made.set(path, { ino: staged.ino, kind: 'file' });
  } finally {
    for (const opened of handles) opened.close();
  }
}

/** Ignores failures: the entry already exists, has disappeared, or belongs to another user. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next time handles whatever is there.
  }
}
