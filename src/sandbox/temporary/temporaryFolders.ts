/**
 * The temporary folders of a session's confined commands. Other programs of the user run code and read settings from
 * the shared ones (`/tmp`), so commands get a private folder instead. They read the shared one through links; plain
 * files and folders that a command creates appear there as links, and replace these links when the session ends. A
 * later session cleans up after one that was killed.
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
import { isRunning } from '../../disk/isRunning.ts';
import { isInside } from '../../disk/paths.ts';

/** If there are more entries, only those that the command names are linked. */
const MAX_LINKED = 1000;
/** Beyond this, files that commands create stay in the session: showing, moving and removing each takes time. */
const MAX_SHOWN = 1000;
/** Maximum entries that are mounted because a command names them. */
const MAX_MOUNTED = 20;
/**
 * Minimum age of a dead process's folder before it is cleaned up: its pid may belong to a process that this one cannot
 * see.
 */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** A shared temporary folder and the private folder that commands see instead. Absolute, resolved. */
export interface PrivateTemporary {
  readonly shared: string;
  /** Contains this folder and those of running commands; each command sees only its own. */
  readonly parent: string;
  /** Mounted over the shared one. */
  readonly own: string;
  /** Where commands find the shared one, read-only. */
  readonly outside: string;
}

export interface TemporaryFolders {
  /** The private folder for a shared one, created on first use. Undefined if that fails. Never throws. */
  open(shared: string): PrivateTemporary | undefined;
  /** All folders opened so far. */
  opened(): readonly PrivateTemporary[];
  /**
   * Entries of the shared folder that a command names, to be mounted, because `find` and `cp` treat links differently.
   * Without links, which would expose their target even if it is hidden, and without names that a command has used for
   * a link, because a mount would follow it out of the sandbox. Never throws.
   */
  named(folder: PrivateTemporary, command: string): readonly string[];
  /**
   * Links the entries of the shared folder, except for names at which something is mounted. Returns what to call once
   * the sandbox is built: until then, no other command puts a link where it mounts something. Never throws.
   */
  link(folder: PrivateTemporary, mounted: readonly string[], command: string): () => void;
  /** True if a command created this entry. */
  isOwn(folder: PrivateTemporary, name: string): boolean;
  /** Moves a file that the session itself created in a shared folder to the private one. Never throws. */
  adopt(path: string): void;
  /** Makes files that commands have created visible in the shared folders. Never throws. */
  share(): void;
  /** Ends the session: visible files stay, the rest is removed. Never throws. */
  release(): void;
}

export interface TemporaryOptions {
  /** Name of the folder in each shared one that contains those of this user's sessions and commands. */
  readonly parentName: string;
  /** True if other programs use an entry of that name for themselves: it is neither linked nor shown. */
  readonly isOfProgram: (name: string) => boolean;
  /** True if programs outside would look for code under that name: an entry created by a command is not shown. */
  readonly isOnPath?: (name: string) => boolean;
}

interface State extends PrivateTemporary {
  /** Entries of the shared folder that are linked, or need no link. */
  readonly linked: Set<string>;
  readonly shown: Set<string>;
  /** Names at which something was mounted, which leaves an empty entry. */
  readonly mounted: Set<string>;
  /** The names at which sandboxes that are being built mount something. */
  readonly building: Set<readonly string[]>;
  /** Modification time of the shared folder when it was last read. */
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
      if (state === undefined) return () => undefined;
      state.building.add(mounted);
      const needed = new Set([...state.building].flat());
      for (const name of state.mounted) if (!needed.has(name)) unmounted(state, name);
      for (const name of mounted) {
        state.mounted.add(name);
        state.linked.delete(name);
        removeLink(join(state.own, name));
      }
      readNames(state, isOfProgram);
      linkNames(state, command);
      return () => void state.building.delete(mounted);
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
        moveBack(state);
      }
      states.clear();
    },
  };
}

/**
 * Anyone may create folders in a shared one: undefined if the parent belongs to another user or is accessible to
 * others.
 */
function make(shared: string, parentName: string): State | undefined {
  try {
    const parent = join(shared, parentName);
    if (lstatOf(parent) === undefined) mkdirSync(parent, { mode: 0o700 });
    const found = lstatSync(parent);
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
      return undefined;
    for (const name of namesIn(parent)) if (isLeft(parent, name)) moveBack(placesOf(shared, parent, name));
    const session = mkdtempSync(join(parent, `session-${process.pid}-`)).slice(parent.length + 1);
    const places = placesOf(shared, parent, session);
    for (const folder of [places.own, places.outside]) mkdirSync(folder, { mode: 0o700 });
    const none = { linked: new Set<string>(), shown: new Set<string>(), mounted: new Set<string>() };
    return { ...places, ...none, building: new Set(), names: [] };
  } catch {
    // Disk full, or a folder that this user may not write to.
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

/** Reads the shared folder again if it has changed. */
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

/**
 * Removes the empty entry that a mount has left, so that a link can replace it. A command that still has it mounted
 * then sees the link.
 */
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
    // If the command has created an entry of that name, it stays.
    attempt(() => symlinkSync(join(state.outside, name), join(state.own, name)));
    state.linked.add(name);
  }
}

/** True for a link made by this or another session; the folders of other sessions are not visible here. */
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
    // The file is in both places until the link exists, so that a crash in between does not lose it.
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
    // Links are not shown: a program that writes to one could be led anywhere.
    const isPlain = entry.isFile() || entry.isDirectory();
    if (!isPlain || state.shown.has(entry.name) || state.mounted.has(entry.name) || isKept(entry.name))
      continue;
    // An existing entry of the shared folder stays.
    attempt(() => {
      symlinkSync(join(state.own, entry.name), join(state.shared, entry.name));
      state.shown.add(entry.name);
    });
  }
}

/** Replaces each link with the file or folder it shows, and removes the rest. */
function moveBack({ shared, own }: PrivateTemporary): void {
  const moving = join(own, '..', 'moving');
  // A session that was killed in between had removed the link and not yet moved the folder.
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
      // A file replaces its link atomically, so that a crash loses neither; a folder cannot, so it is noted first.
      if (found?.isDirectory()) mkdirSync(join(moving, entry.name), { recursive: true });
      if (found?.isFile() !== true) unlinkSync(place);
      if (found?.isFile() || found?.isDirectory()) renameSync(target, place);
    });
  }
  // If the program ends first, a later session removes the rest.
  void rm(join(own, '..'), { recursive: true, force: true }).catch(() => undefined);
}

/** Removes a link to that target, and nothing else. */
function unlink(path: string, target: string): void {
  if (targetOf(path) === target) attempt(() => unlinkSync(path));
}

/** Removes a link to any target: nothing must be mounted through it. */
function removeLink(path: string): void {
  if (lstatOf(path)?.isSymbolicLink()) attempt(() => unlinkSync(path));
}

/** Ignores failures: the entry already exists, has disappeared, or belongs to another user. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The next command handles whatever is there.
  }
}
