/**
 * The temporary folders of a session's confined commands. Other programs of the user run code and read settings from
 * the shared ones (`/tmp`), so commands get a private folder instead. They read the shared one through links. Of what
 * they create, documents and what their command line names are shown there (`shownEntries.ts`) and remain after the
 * session; the rest is removed with it. A later session cleans up after one that was killed.
 */
import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { isRunning } from '../../disk/isRunning.ts';
import { isInside, linkAt } from '../../disk/paths.ts';
import { inSlices } from '../../disk/slices.ts';
import { createShownEntries, notesIn, type ShownEntries, type ShownPlaces, shownBy } from './shownEntries.ts';
import { isDocument, namesWritten } from './temporaryNames.ts';

/** If there are more entries, only those that the command names are linked. */
const MAX_LINKED = 1000;
/** Maximum entries that are mounted because a command names them. */
const MAX_MOUNTED = 20;
/**
 * Minimum age of a dead process's folder before it is removed: its pid may belong to a process that this one cannot
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
  /**
   * Entries of the shared folder that a command names, to be mounted, because `find` and `cp` treat links differently.
   * Without links, which would expose their target even if it is hidden, and without names that a command has used for
   * a link, because a mount would follow it out of the sandbox. Never throws.
   */
  named(folder: PrivateTemporary, command: string): readonly string[];
  /**
   * Links the entries of the shared folder, except for names at which something is mounted. Returns a function to call
   * once the sandbox is built: until then, no other command creates a link where it mounts something. Never throws.
   */
  link(folder: PrivateTemporary, mounted: readonly string[], command: string): () => void;
  /** True if a command created this entry. */
  isOwn(folder: PrivateTemporary, name: string): boolean;
  /** Lets commands change a file that a tool of the session has created or changed in a shared folder. Never throws. */
  adopt(path: string, kind: 'created' | 'modified'): void;
  /** The location of a file that commands see at this path, if it is shown nowhere else. Absolute. */
  sandboxPathOf(path: string): string | undefined;
  /** Shows files that commands have created in the shared folders. Never throws. */
  showFiles(): void;
  /**
   * Shows what commands have created in the shared folders: files at once, folders by the time the result resolves.
   * Never throws or rejects.
   */
  share(): Promise<void>;
  /** Ends the session: what is shown stays, the rest is removed. Never throws or rejects. */
  release(): Promise<void>;
}

export interface TemporaryOptions {
  /** Name of the folder in each shared one that contains those of this user's sessions and commands. */
  readonly parentName: string;
  /** True if other programs use an entry of that name for themselves: it is neither linked nor shown. */
  readonly isOfProgram: (name: string) => boolean;
  /** True if variables make programs look for code under that name: an entry created by a command is not shown. */
  readonly isOnPath?: (name: string) => boolean;
}

interface State extends PrivateTemporary, ShownPlaces {
  /** Entries of the shared folder that are linked, or need no link. */
  readonly linked: Set<string>;
  readonly shown: ShownEntries;
  /** Names that the session's command lines contain. */
  readonly written: Set<string>;
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
  const mayBeShown =
    ({ mounted }: State) =>
    (name: string): boolean =>
      !mounted.has(name) && !isKept(name);
  const isShownFile = (state: State) => {
    const mayBe = mayBeShown(state);
    return (name: string): boolean => mayBe(name) && (isDocument(name) || state.written.has(name));
  };
  /** The most recently named come first. */
  const shownFolders = (state: State): readonly string[] =>
    [...state.written].reverse().filter(mayBeShown(state));
  const all = (): readonly State[] => [...states.values()].filter((state) => state !== undefined);
  const showFiles = (): void => {
    for (const state of all()) state.shown.files(isShownFile(state));
  };
  let sharing = Promise.resolve();
  /** One at a time: two would interfere with each other. */
  const soon = (act: () => Promise<void>): Promise<void> => {
    sharing = sharing.then(act).catch(() => undefined);
    return sharing;
  };
  const states = new Map<string, State | undefined>();
  const stateOf = ({ shared }: PrivateTemporary): State | undefined => states.get(shared);
  return {
    open(shared) {
      if (!states.has(shared)) states.set(shared, make(shared, parentName, isKept));
      return states.get(shared);
    },
    named(folder, command) {
      const state = stateOf(folder);
      if (state === undefined) return [];
      readNames(state, isOfProgram);
      return state.names
        .filter((name) => command.includes(`/${name}`) && !state.shown.has(name) && canBeMounted(state, name))
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
      for (const name of namesWritten(command, state.shared)) {
        state.written.delete(name);
        state.written.add(name);
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
    adopt(path, kind) {
      const found = placeOf(states.values(), path);
      if (found === undefined || isOfProgram(found.name)) return;
      attempt(() => {
        if (kind === 'created' && found.path === found.name) letGo(found.state, found.name);
        found.state.shown.adopt(found.path, kind);
      });
    },
    sandboxPathOf(path) {
      const found = placeOf(states.values(), path);
      if (found === undefined || lstatOf(join(found.state.own, found.name))?.isSymbolicLink())
        return undefined;
      const own = join(found.state.own, found.path);
      return lstatOf(path) === undefined && lstatOf(own) !== undefined ? own : undefined;
    },
    showFiles,
    share() {
      showFiles();
      return soon(async () => {
        for (const state of all()) await inSlices(state.shown.folders(shownFolders(state)));
      });
    },
    release() {
      const ended = all();
      states.clear();
      return soon(async () => {
        for (const state of ended) await finish(state, state.shown, isShownFile(state), shownFolders(state));
      });
    },
  };
}

/** The shared folder around a path, the path relative to it, and the name of the entry there. */
function placeOf(
  states: Iterable<State | undefined>,
  path: string,
): { readonly state: State; readonly path: string; readonly name: string } | undefined {
  const state = [...states]
    .filter((one) => one !== undefined)
    .filter(({ shared, parent }) => path !== shared && isInside(path, shared) && !isInside(path, parent))
    .sort((a, b) => b.shared.length - a.shared.length)[0];
  if (state === undefined) return undefined;
  const below = relative(state.shared, path);
  return { state, path: below, name: below.split('/')[0] ?? '' };
}

/**
 * Anyone may create folders in a shared one: undefined if the parent belongs to another user or is accessible to
 * others.
 */
function make(shared: string, parentName: string, isKept: (name: string) => boolean): State | undefined {
  try {
    const parent = join(shared, parentName);
    if (lstatOf(parent) === undefined) mkdirSync(parent, { mode: 0o700 });
    const found = lstatSync(parent);
    if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0)
      return undefined;
    for (const name of namesIn(parent))
      if (isLeft(parent, name)) void finishLeft(shared, parent, name, isKept);
    const session = mkdtempSync(join(parent, `session-${process.pid}-`)).slice(parent.length + 1);
    const places = placesOf(shared, parent, session);
    for (const folder of [places.own, places.outside, notesIn(places.session)])
      mkdirSync(folder, { mode: 0o700 });
    return {
      ...places,
      ...{ linked: new Set(), written: new Set(), mounted: new Set(), building: new Set(), names: [] },
      shown: createShownEntries(places),
    };
  } catch {
    // Disk full, or a folder that this user may not write to.
    return undefined;
  }
}

const placesOf = (shared: string, parent: string, session: string): PrivateTemporary & ShownPlaces => ({
  ...{ shared, parent, session: join(parent, session) },
  own: join(parent, session, 'tmp'),
  outside: join(parent, session, 'outside'),
});

function isLeft(parent: string, name: string): boolean {
  const pid = /^session-(\d+)-\w{6}$/.exec(name)?.[1];
  if (pid === undefined || isRunning(Number(pid))) return false;
  const found = lstatOf(join(parent, name));
  return found?.isDirectory() === true && Date.now() - Number(found.mtimeMs) >= LEFT_BEHIND_MS;
}

/** Ends a session that was killed. Never rejects. */
async function finishLeft(
  shared: string,
  parent: string,
  name: string,
  isKept: (name: string) => boolean,
): Promise<void> {
  try {
    // Another session may want to do the same.
    const taken = name.replace(/\d+/, String(process.pid));
    renameSync(join(parent, name), join(parent, taken));
    const places = placesOf(shared, parent, taken);
    const shown = createShownEntries(places);
    const isShown = (entry: string): boolean => !isKept(entry) && isDocument(entry);
    await finish(places, shown, isShown, namesIn(notesIn(places.session)));
  } catch {
    // Claimed by another session.
  }
}

/** Shows what remains, and removes the rest. Never rejects. */
async function finish(
  places: ShownPlaces,
  shown: ShownEntries,
  isShownFile: (name: string) => boolean,
  folders: readonly string[],
): Promise<void> {
  shown.files(isShownFile, true);
  await inSlices(shown.folders(folders, true));
  // If the program ends first, a later session does this.
  await rm(places.session, { recursive: true, force: true }).catch(() => undefined);
}

/** Reads the shared folder again if it has changed. */
function readNames(state: State, isOfProgram: (name: string) => boolean): void {
  const readAt = lstatOf(state.shared)?.mtimeNs;
  if (readAt !== undefined && readAt !== state.readAt) {
    const sessions = namesIn(state.parent)
      .filter((name) => name.startsWith('session-'))
      .map((name) => join(state.parent, name))
      .filter((session) => session !== state.session);
    const isOfOtherSession = shownBy(sessions, state.shared);
    const all = namesIn(state.shared).filter((name) => !isOfOtherSession(name));
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
  return lstatOf(own)?.isSymbolicLink() !== true || linkAt(own) === join(state.outside, name);
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

/** Makes room for a file that commands are to see instead of the shared folder's entry. */
function letGo(state: State, name: string): void {
  if (state.mounted.has(name)) unmounted(state, name);
  state.linked.delete(name);
  unlink(join(state.own, name), join(state.outside, name));
}

/** Removes a link to that target, and nothing else. */
function unlink(path: string, target: string): void {
  if (linkAt(path) === target) attempt(() => unlinkSync(path));
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
