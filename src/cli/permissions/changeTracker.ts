/**
 * Tracks changes that the user did not approve, in records that the sessions of a folder share, or in memory if they
 * cannot be stored. A review by the user clears them.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isInside, realpath } from '../../disk/paths.ts';
import type { Access } from '../../protocol/permissions.ts';
import type { ChangeReview, RunningProgram, UnapprovedChanges } from '../../protocol/settingsPrograms.ts';
import { findRoot } from '../process/appPaths.ts';
import type { FolderNames } from './changedFiles.ts';
import type { ChangeRecord, UnreviewedChange } from './unreviewedChanges.ts';

interface ChangePlaces {
  readonly dataRoot: string;
  /** The folders of the workspace, links resolved; the root comes first. More may be added. */
  readonly workspace: readonly [string, ...string[]];
  /** Links resolved. */
  readonly home: string;
  /** Other folders that sandboxed commands may change, links resolved. */
  readonly opened: readonly string[];
  /** Whether the paths of changed files may be stored. */
  readonly keepsPaths: boolean;
  readonly now: () => number;
  /** The user's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called once, with the reason why changes cannot be stored. */
  readonly onProblem: (text: string) => void;
}

interface ChangeTracker extends ChangeReview {
  /** Resolves when the change is recorded, so that the call may run. Never rejects. */
  note(access: Access): Promise<void>;
  /**
   * Called when something starts that may change files until it ends; returns the function to call when it ends, which
   * records a change. A confined program that ended before the user was shown the changes is not recorded, since one
   * may start every second.
   */
  started(program: RunningProgram, access: Access): () => void;
  /** Called before a command starts that the user let run in the sandbox. */
  look(access: Access): Promise<void>;
  /**
   * The same as `started` for a command that the user let run in the sandbox: a change is recorded only if it has changed
   * files that programs may run. While it runs, it counts as one that has.
   */
  startedConfined(command: ConfinedCommand): () => void;
  /** Waits for what is known about such commands that have ended. Never rejects. */
  checked(): Promise<void>;
  /** Resolves when everything that has ended is recorded, so that we may exit. Never rejects. */
  settled(): Promise<void>;
  /** Notes a change found in the log of a resumed session; `at` in milliseconds since the epoch. */
  noteEarlier(at: number): void;
  /** The folders that may contain unreviewed changes; undefined if there are none. */
  changedFolders(): Promise<readonly string[] | undefined>;
}

export interface ConfinedCommand {
  readonly command: string;
  readonly cwd: string;
  /** In milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** True once its shell has ended; some of its processes may still run. */
  readonly isOver: () => boolean;
  /** True if it does nothing but install what the project lists. */
  readonly onlyInstalls: () => Promise<boolean>;
}

/** One that runs, or of which it is not yet known what it has changed. */
interface OpenCommand {
  readonly folders: readonly string[];
  readonly isOver: () => boolean;
  /** Resolves when its last process has ended. */
  readonly gone: Promise<void>;
  readonly hasGone: () => boolean;
  /** Resolves when its change is recorded, or there is none. */
  readonly recorded: Promise<unknown>;
}

interface Records {
  /** The record of a folder of the workspace, or of another project that calls have changed. */
  of(folder: string): ChangeRecord;
  readonly own: readonly [ChangeRecord, ...ChangeRecord[]];
  /** Changes in the records of other folders, whose sessions may add more at any time. */
  related(): readonly UnreviewedChange[];
}

export function createChangeTracker(places: ChangePlaces): ChangeTracker {
  const { dataRoot, now } = places;
  /** Time of the last change that could not be stored. */
  let unstoredAt = 0;
  let hasReported = false;
  let opened: { readonly folders: number; readonly records: Promise<Records> } | undefined;
  const byFolder = new Map<string, ChangeRecord>();
  const running = new Set<RunningProgram>();
  const ending = new Set<Promise<void>>();
  const confined = new Set<OpenCommand>();
  /** What was in the folders before such commands. */
  const names = new Map<string, Promise<FolderNames | undefined>>();
  const open = (): Promise<Records> => {
    const { workspace } = places;
    if (opened?.folders !== workspace.length)
      opened = { folders: workspace.length, records: openRecords(dataRoot, workspace, byFolder) };
    return opened.records;
  };
  const unreviewed = async (): Promise<readonly UnreviewedChange[]> => {
    const { own, related } = await open();
    const { workspace } = places;
    const { reviewedAt } = own[0].read();
    const unstored = (at: number, folders: readonly string[]): UnreviewedChange => ({
      ...{ type: 'changed', at, folder: workspace[0], paths: [] },
      workspace: [...new Set([...workspace, ...folders])],
    });
    const inMemory = [
      ...(unstoredAt > reviewedAt ? [unstored(unstoredAt, [])] : []),
      ...[...confined].map(({ folders }) => unstored(now(), folders)),
    ];
    return [
      ...own.flatMap((record) => record.read().changes),
      ...related().filter(({ at }) => at > reviewedAt),
      ...inMemory,
    ];
  };
  const note: ChangeTracker['note'] = async (access) => {
    const at = now();
    const paths = access.type === 'write' ? access.paths.map(realpath) : [];
    try {
      const records = await open();
      const folders = foldersOf(access, paths, places);
      const change = {
        at,
        paths: places.keepsPaths ? paths : [],
        workspace: [...new Set([...places.workspace, ...folders])],
      };
      await Promise.all(folders.map((folder) => records.of(folder).add(change)));
    } catch (error) {
      unstoredAt = at;
      if (hasReported) return;
      hasReported = true;
      const why = error instanceof Error ? error.message : String(error);
      places.onProblem(
        `Changes without your approval cannot be recorded (${why}). Later sessions will not know about them and will run hooks as before.`,
      );
    }
  };
  const changedBy = async (access: Access, startedAtMs: number, onlyInstalls: boolean): Promise<boolean> => {
    const { hasChanged } = await import('./changedFiles.ts');
    for (const folder of foldersOf(access, [], places)) {
      const before = await names.get(folder);
      const repository = repositoryOf(folder);
      const search = { startedAtMs, onlyInstalls, repository, env: places.env };
      if (before === undefined || (await hasChanged(folder, { before, ...search }))) return true;
    }
    return false;
  };
  /** Lets other sessions know of a change that may be made. Returns a function that takes it back. */
  const expectChange = async (folders: readonly string[]): Promise<() => Promise<unknown>> => {
    const records = await open();
    const change = { at: now(), workspace: [...new Set([...places.workspace, ...folders])] };
    const expected = await Promise.all(folders.map((folder) => records.of(folder).expect(change)));
    return () => Promise.all(expected.map((remove) => remove()));
  };
  const checked = async (): Promise<void> => {
    await Promise.all([...confined].filter(({ isOver }) => isOver()).map(known));
  };
  return {
    note,
    async look(access) {
      const { namesIn } = await import('./changedFiles.ts');
      for (const folder of foldersOf(access, [], places)) {
        // Older ones of a running command still apply.
        if (confined.size === 0 || !names.has(folder)) names.set(folder, namesIn(folder));
      }
      await Promise.all(names.values());
    },
    startedConfined({ command, cwd, startedAtMs, isOver, onlyInstalls }) {
      const access = { type: 'command', command, cwd } as const;
      const own = { command };
      running.add(own);
      const folders = foldersOf(access, [], places);
      const taken = expectChange(folders).catch(() => async () => undefined);
      let hasGone = false;
      let onGone = (): void => undefined;
      const gone = new Promise<void>((resolve) => {
        onGone = resolve;
      });
      const isChanged = gone
        .then(async () => changedBy(access, startedAtMs, await onlyInstalls()))
        .catch(() => true);
      const recorded = isChanged.then(async (isTrue) => {
        if (isTrue) await note(access);
        const takeBack = await taken;
        await takeBack().catch(() => undefined);
        running.delete(own);
        confined.delete(one);
      });
      const one: OpenCommand = { folders, isOver, gone, hasGone: () => hasGone, recorded };
      confined.add(one);
      return () => {
        hasGone = true;
        onGone();
      };
    },
    checked,
    started(program, access) {
      const own = { ...program };
      const at = now();
      running.add(own);
      let hasEnded = false;
      return () => {
        if (hasEnded) return;
        hasEnded = true;
        const noted = open()
          .then(({ own: [record] }) => {
            const { reviewedAt, isShown } = record.read();
            return program.role === undefined || isShown || reviewedAt >= at;
          })
          .catch(() => true)
          .then((isNoted) => (isNoted ? note(access) : undefined))
          .then(() => {
            running.delete(own);
            ending.delete(noted);
          });
        ending.add(noted);
      };
    },
    async settled() {
      await Promise.all([...ending, ...[...confined].map(known)]);
    },
    async running() {
      for (let waitedMs = 0; running.size > 0 && waitedMs < END_WAIT_MS; waitedMs += END_POLL_MS)
        await delay(END_POLL_MS);
      return [...running];
    },
    noteEarlier(at) {
      unstoredAt = Math.max(unstoredAt, at);
    },
    async changedFolders() {
      await checked();
      const changes = await unreviewed();
      return changes.length === 0
        ? undefined
        : [...new Set([...places.workspace, ...changes.flatMap((change) => change.workspace)])];
    },
    list: async () => summaryOf(await unreviewed()),
    async begin() {
      const { own } = await open();
      const shown = await Promise.all(own.map((record) => record.show()));
      const changes = summaryOf(await unreviewed());
      if (changes === undefined) return undefined;
      const at = now();
      return {
        changes,
        async confirm() {
          for (const { reviewed } of shown) await reviewed(at);
        },
      };
    },
  };
}

/** Waits for what is known about a command that is about to end. */
async function known(command: OpenCommand): Promise<void> {
  await Promise.race([command.gone, delay(END_WAIT_MS)]);
  if (command.hasGone()) await command.recorded;
}

/** `byFolder`: those that are open. */
async function openRecords(
  dataRoot: string,
  workspace: ChangePlaces['workspace'],
  byFolder: Map<string, ChangeRecord>,
): Promise<Records> {
  const { openChangeRecord, relatedChanges } = await import('./unreviewedChanges.ts');
  const of = (folder: string): ChangeRecord => {
    const record = byFolder.get(folder) ?? openChangeRecord(dataRoot, folder);
    byFolder.set(folder, record);
    return record;
  };
  const [root, ...added] = workspace;
  return { of, own: [of(root), ...added.map(of)], related: relatedChanges(dataRoot, workspace) };
}

/** For programs that only run for a moment, such as a status line command. */
const END_WAIT_MS = 1000;
const END_POLL_MS = 50;

/** The folders in whose sessions the change matters. */
function foldersOf(
  access: Access,
  paths: readonly string[],
  { workspace: [root, ...added], opened, home }: Pick<ChangePlaces, 'workspace' | 'opened' | 'home'>,
): readonly string[] {
  if (access.type === 'write') {
    // A rule or setting allowed it. A file directly in the home does not stand for the entire home.
    const placeOf = (path: string): readonly string[] => {
      if ([root, ...added].some((folder) => isInside(path, folder))) return [];
      const folder = dirname(path);
      return isInside(home, folder) || isInside(root, folder) ? [path] : [folder];
    };
    return [
      ...new Set([
        root,
        ...added.filter((folder) => paths.some((path) => isInside(path, folder))),
        ...paths.flatMap((path) => repositoryOf(dirname(path)) ?? placeOf(path)),
      ]),
    ];
  }
  const elsewhere = access.type === 'command' ? repositoryOf(access.cwd) : undefined;
  return [...new Set([root, ...added, ...opened, ...(elsewhere === undefined ? [] : [elsewhere])])];
}

/** The repository around a folder, such as the worktree that a subagent works in. */
function repositoryOf(folder: string): string | undefined {
  const root = findRoot(folder);
  return existsSync(join(root, '.git')) ? root : undefined;
}

/** Maximum file names kept for display. */
const MAX_SHOWN = 1000;

function summaryOf(changes: readonly UnreviewedChange[]): UnapprovedChanges | undefined {
  if (changes.length === 0) return undefined;
  const times = changes.map(({ at }) => at).filter((at) => at > 0);
  return {
    ...(times.length === 0 ? {} : { since: Math.min(...times) }),
    paths: [...new Set(changes.flatMap(({ paths }) => paths))].slice(0, MAX_SHOWN),
    hasOthers: changes.some(({ paths }) => paths.length === 0),
  };
}
