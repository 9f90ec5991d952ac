/**
 * The temporary folders of a session's confined commands. Other programs of the user run code and obey what lies in the
 * shared ones (`/tmp`), so commands get a private folder instead. They read the shared one through links; plain files and
 * folders that a command makes appear there as links and replace these links when the session ends. A later session
 * cleans up after one that was killed.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { entriesOf, isDirectory, lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/realPath.ts';
import { isRunning } from '../places/gitFolders.ts';

/** More are not linked at each command; then only those that the command names. */
const MAX_LINKED = 1000;
/** More of what commands make stays in the session: showing, moving and removing each takes its time. */
const MAX_SHOWN = 1000;
/** Entries that a command names, and that are mounted for it. */
const MAX_MOUNTED = 20;
/** How old the folder of a dead process has to be: its number may be that of a process that this one cannot see. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** A shared temporary folder and what commands see instead. Absolute, resolved. */
export interface PrivateTemporary {
  readonly shared: string;
  /** Holds this folder and those of running commands; only the command's own are seen. */
  readonly parent: string;
  /** In the place of the shared one. */
  readonly own: string;
  /** Where commands find the shared one, read-only. */
  readonly outside: string;
}

export interface TemporaryFolders {
  /** The folder for a shared one, made on first use. Undefined where none can be had. Never throws. */
  open(shared: string): PrivateTemporary | undefined;
  /** Those that are there. */
  opened(): readonly PrivateTemporary[];
  /**
   * Entries of the shared folder that a command names: `find` and `cp` treat a link to one differently. None that is a
   * link itself: mounted, it would show what it leads to, hidden or not. None whose name a command gave to a link: a mount
   * would follow it out of the sandbox. Never throws.
   */
  named(folder: PrivateTemporary, command: string): readonly string[];
  /** Links what is in the shared folder, but for names that something else is mounted at. Never throws. */
  link(folder: PrivateTemporary, mounted: readonly string[], command: string): void;
  /** Whether an entry was made by a command. */
  isOwn(folder: PrivateTemporary, name: string): boolean;
  /** A file that the session has made in a shared folder by itself becomes one of its own. Never throws. */
  adopt(path: string): void;
  /** Shows in the shared folders what commands have made. Never throws. */
  share(): void;
  /** The session is over: what is shown stays, the rest is removed. Never throws. */
  release(): void;
}

export interface TemporaryOptions {
  /** Of the folder in each shared one that holds those of this user's sessions and commands. */
  readonly parentName: string;
  /** Whether other programs take an entry of that name for theirs: it is neither linked nor shown. */
  readonly isOfProgram: (name: string) => boolean;
  /** Whether programs outside would look for code there: what a command makes under that name is not shown. */
  readonly isOnPath?: (name: string) => boolean;
}

interface State extends PrivateTemporary {
  /** Entries of the shared folder that are linked, or need no link. */
  readonly linked: Set<string>;
  readonly shown: Set<string>;
  /** Something was mounted there, which leaves an empty entry. */
  readonly mounted: Set<string>;
  /** When the shared folder was read last. */
  readAt?: bigint;
  names: readonly string[];
}

export function createTemporaryFolders({
  parentName,
  isOfProgram,
  isOnPath = () => false,
}: TemporaryOptions): TemporaryFolders {
  const isKept = (name: string): boolean => isOfProgram(name) || isOnPath(name);
  const states = new Map<string, State | undefined>();
  const stateOf = ({ shared }: PrivateTemporary): State | undefined => states.get(shared);
  return {
    open(shared) {
      if (!states.has(shared)) states.set(shared, make(shared, parentName));
      return states.get(shared);
    },
    opened: () => [...states.values()].filter((state) => state !== undefined),
    named(folder, command) {
      const state = stateOf(folder);
      if (state === undefined) return [];
      readNames(state, isOfProgram);
      return state.names
        .filter((name) => command.includes(`/${name}`) && canBeMounted(state, name))
        .slice(0, MAX_MOUNTED);
    },
    link(folder, mounted, command) {
      const state = stateOf(folder);
      if (state === undefined) return;
      for (const name of state.mounted) if (!mounted.includes(name)) unmounted(state, name);
      for (const name of mounted) {
        state.mounted.add(name);
        state.linked.delete(name);
        removeLink(join(state.own, name));
      }
      readNames(state, isOfProgram);
      linkNames(state, command);
    },
    isOwn(folder, name) {
      const state = stateOf(folder);
      if (state === undefined || state.mounted.has(name)) return false;
      const found = lstatOf(join(folder.own, name));
      return found !== undefined && !found.isSymbolicLink();
    },
    adopt(path) {
      const state = [...states.values()].find((one) => one?.shared === dirname(path));
      if (state !== undefined && !isOfProgram(basename(path))) adopt(state, basename(path));
    },
    share() {
      for (const state of states.values()) if (state !== undefined) show(state, isKept);
    },
    release() {
      for (const state of states.values()) {
        if (state === undefined) continue;
        show(state, isKept);
        settle(state);
      }
      states.clear();
    },
  };
}

/** Anybody may make folders in a shared one: undefined where the parent is not the user's own, or open to others. */
function make(shared: string, parentName: string): State | undefined {
  try {
    const parent = join(shared, parentName);
    if (lstatOf(parent) === undefined) mkdirSync(parent, { mode: 0o700 });
    const found = lstatSync(parent);
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
      return undefined;
    for (const name of namesIn(parent)) if (isLeft(parent, name)) settle(placesOf(shared, parent, name));
    const session = mkdtempSync(join(parent, `session-${process.pid}-`)).slice(parent.length + 1);
    const places = placesOf(shared, parent, session);
    for (const folder of [places.own, places.outside]) mkdirSync(folder, { mode: 0o700 });
    return { ...places, linked: new Set(), shown: new Set(), mounted: new Set(), names: [] };
  } catch {
    // A full disk, or a folder that only others may write to.
    return undefined;
  }
}

const placesOf = (shared: string, parent: string, session: string): PrivateTemporary => ({
  ...{ shared, parent },
  own: join(parent, session, 'tmp'),
  outside: join(parent, session, 'outside'),
});

function isLeft(parent: string, name: string): boolean {
  const pid = /^session-(\d+)-\w{6}$/.exec(name)?.[1];
  if (pid === undefined || isRunning(Number(pid))) return false;
  const found = lstatOf(join(parent, name));
  return found?.isDirectory() === true && Date.now() - Number(found.mtimeMs) >= LEFT_BEHIND_MS;
}

/** Reads the shared folder again where it has changed. */
function readNames(state: State, isOfProgram: (name: string) => boolean): void {
  const readAt = lstatOf(state.shared)?.mtimeNs;
  if (readAt !== undefined && readAt !== state.readAt) {
    const all = entriesOf(state.shared)
      .filter((entry) => !entry.isSymbolicLink() || !isOfSession(state, entry.name))
      .map(({ name }) => name);
    const there = new Set(all);
    for (const name of state.linked)
      if (!there.has(name)) {
        state.linked.delete(name);
        unlink(join(state.own, name), join(state.outside, name));
      }
    state.names = all.filter((name) => !isOfProgram(name));
    state.readAt = readAt;
  }
}

function canBeMounted(state: State, name: string): boolean {
  if (lstatOf(join(state.shared, name))?.isSymbolicLink() !== false) return false;
  const own = join(state.own, name);
  return lstatOf(own)?.isSymbolicLink() !== true || targetOf(own) === join(state.outside, name);
}

/** What a mount has left, empty: a link takes its place. Where a command still has it mounted, it has the link then. */
function unmounted(state: State, name: string): void {
  const left = join(state.own, name);
  state.mounted.delete(name);
  attempt(() => {
    const found = lstatSync(left);
    if (found.isDirectory()) rmdirSync(left);
    else if (found.isFile() && found.size === 0) unlinkSync(left);
  });
}

function linkNames(state: State, command: string): void {
  const isMany = state.names.length > MAX_LINKED;
  for (const name of state.names) {
    if (state.linked.has(name) || state.mounted.has(name) || (isMany && !command.includes(name))) continue;
    // Where the command has an entry of that name, it keeps it.
    attempt(() => symlinkSync(join(state.outside, name), join(state.own, name)));
    state.linked.add(name);
  }
}

/** Shown by this session or by another, whose folder is out of sight. */
function isOfSession({ shared, parent }: State, name: string): boolean {
  const target = targetOf(join(shared, name));
  return target !== undefined && isInside(target, parent);
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function adopt(state: State, name: string): void {
  const [place, own] = [join(state.shared, name), join(state.own, name)];
  attempt(() => {
    if (!lstatSync(place).isFile()) return;
    if (state.mounted.has(name)) unmounted(state, name);
    state.linked.delete(name);
    unlink(own, join(state.outside, name));
    if (lstatOf(own) !== undefined) return;
    // At both places until the link is there: a crash in between loses neither.
    linkSync(place, own);
    const link = join(state.own, '..', 'link');
    rmSync(link, { force: true });
    symlinkSync(own, link);
    if (lstatOf(place)?.ino === lstatOf(own)?.ino) renameSync(link, place);
    state.shown.add(name);
  });
}

function show(state: State, isKept: (name: string) => boolean): void {
  for (const name of state.shown) {
    const found = lstatOf(join(state.own, name));
    if (found?.isFile() || found?.isDirectory()) continue;
    state.shown.delete(name);
    unlink(join(state.shared, name), join(state.own, name));
  }
  for (const entry of entriesOf(state.own)) {
    if (state.shown.size >= MAX_SHOWN) break;
    // A link could lead a program that writes to it anywhere.
    const isPlain = entry.isFile() || entry.isDirectory();
    if (!isPlain || state.shown.has(entry.name) || state.mounted.has(entry.name) || isKept(entry.name))
      continue;
    // What is there in the shared folder stays.
    attempt(() => {
      symlinkSync(join(state.own, entry.name), join(state.shared, entry.name));
      state.shown.add(entry.name);
    });
  }
}

/** Puts what is shown in the place of its link, and removes the rest. */
function settle({ shared, own }: PrivateTemporary): void {
  const moving = join(own, '..', 'moving');
  // A session that was killed in between had removed the link and not yet put the folder there.
  for (const name of namesIn(moving)) {
    if (lstatOf(join(shared, name)) === undefined && isDirectory(join(own, name)))
      attempt(() => renameSync(join(own, name), join(shared, name)));
  }
  for (const entry of entriesOf(shared)) {
    if (!entry.isSymbolicLink()) continue;
    const [place, target] = [join(shared, entry.name), join(own, entry.name)];
    attempt(() => {
      if (readlinkSync(place) !== target) return;
      const found = lstatOf(target);
      // A file replaces its link in one step, so that a crash loses neither; a folder cannot, and is noted before.
      if (found?.isDirectory()) mkdirSync(join(moving, entry.name), { recursive: true });
      if (found?.isFile() !== true) unlinkSync(place);
      if (found?.isFile() || found?.isDirectory()) renameSync(target, place);
    });
  }
  // What is left when the program ends first is removed by a later session.
  void rm(join(own, '..'), { recursive: true, force: true }).catch(() => undefined);
}

/** Removes a link that leads there, and nothing else. */
function unlink(path: string, target: string): void {
  if (targetOf(path) === target) attempt(() => unlinkSync(path));
}

/** Wherever it leads: nothing must be mounted through it. */
function removeLink(path: string): void {
  if (lstatOf(path)?.isSymbolicLink()) attempt(() => unlinkSync(path));
}

/** What fails here is there already, gone, or not the user's. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next command finds it as it is.
  }
}
