/**
 * Tracks the state of the tree since the last scan, and reports changes. Owns these records and the copies behind them;
 * never writes into the tree. Handles one call at a time; callers must serialize them.
 */
import { basename, dirname } from 'node:path';
import type { Captured, PathChange, PathState } from '../protocol/checkpoints.ts';
import { grouped } from '../protocol/text/numbers.ts';
import type { GitTree } from './git/gitTree.ts';
import { type Coverage, createCoverage, type YieldTimer } from './scan/Coverage.ts';
import { type Contents, scannedState } from './scan/contents.ts';
import {
  canonicalPath,
  type DiskEntry,
  linkedPath,
  realFolder,
  type ScannedState,
  statEntrySafely,
} from './scan/diskEntry.ts';
import { type ChangedPath, identifyPath, isUnchanged } from './scan/identifyPath.ts';
import { createYieldTimer, historyAround, isHistory, walk } from './scan/walk.ts';
import { type CheckpointLimits, changeNotes, describePath, describeSize } from './types.ts';

interface RecorderDeps {
  /** Real paths. */
  readonly roots: readonly string[];
  readonly exclude: ReadonlySet<string>;
  readonly limits: CheckpointLimits;
  readonly contents: Contents;
  readonly openGit: () => Promise<readonly GitTree[]>;
}

/** Files that are read, compared and stored in parallel. */
const AT_ONCE = 8;

export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #pace: YieldTimer = createYieldTimer();
  readonly #tree = new Map<string, ScannedState>();
  /** Paths that a tool call named and that did not exist. */
  readonly #absent = new Set<string>();
  readonly #coverage: Coverage;
  #gits: readonly GitTree[] | undefined;
  #scan = 0;
  #hasBaseline = false;
  #notes: string[] = [];
  readonly #said = new Set<string>();

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#coverage = createCoverage({
      root: deps.roots[0] ?? '/',
      limits: deps.limits,
      pace: this.#pace,
      trackedFolders: (folder) => this.#gitAround(folder)?.folders,
    });
  }

  /** Records the current state of everything as the one before the next tool call. */
  async baseline(signal?: AbortSignal): Promise<void> {
    this.#gits ??= await this.#deps.openGit();
    if (!(await this.#scanAll(undefined, signal))) return;
    this.#hasBaseline = true;
    for (const git of this.#gits) git.forgetIndex();
  }

  /**
   * Records the state of one more root, without the others in it, as the one before the next tool call. The caller adds
   * it to the roots afterwards.
   */
  async baselineOf(root: string): Promise<void> {
    if (!this.#hasBaseline) return;
    await this.#walkRoot(root, undefined);
  }

  /**
   * Records single paths, which are kept up to a larger size. Returns their states before, and what cannot be restored,
   * ready to show.
   */
  async keep(paths: readonly string[]): Promise<Captured> {
    const targets = targetsOf(paths);
    const { maxNamedFileBytes } = this.#deps.limits;
    const notes: string[] = [];
    const lose = (path: string, why: string): void =>
      void notes.push(`${describePath(this.#root, path)} cannot be restored: ${why}`);
    const bytes = targets.reduce((sum, path) => sum + sizeOf(statEntrySafely(path)), 0);
    if (targets.length > 1 && bytes > maxNamedFileBytes) {
      lose(targets[0] ?? '', `copies of more than ${describeSize(maxNamedFileBytes)} would be needed`);
      return { changes: [], notes };
    }
    const states = new Map<string, PathChange>();
    const repositories = new Map<string, boolean>();
    await this.#forEach(targets, async (path) => {
      for (const folder of this.#expectNothingAbove(path)) states.set(folder, { path: folder });
      const before = await this.#keepPath(path);
      states.set(path, { path, ...(before !== undefined && { before }) });
      const owner = before && historyAround(path, repositories);
      if (before?.type === 'file' && before.omitted !== undefined) lose(path, before.omitted);
      else if (owner !== undefined) lose(path, `it belongs to a repository of ${owner}`);
    });
    return { changes: [...states.values()].sort(byPlace), notes };
  }

  /** Returns the state of one path, with its content in the blobs; undefined if nothing is there. */
  async #keepPath(path: string): Promise<PathState | undefined> {
    const entry = statEntrySafely(path);
    const before = this.#tree.get(path);
    const isKept = before?.isNamed === true && before.content?.in !== 'nowhere';
    if (entry === undefined) {
      this.#tree.delete(path);
      this.#absent.add(path);
    } else if (!isKept || !isUnchanged(before, entry))
      await this.#recordPath(
        { path, before: before?.isNamed === true ? before : undefined, entry },
        true,
        'copy',
      );
    const known = this.#tree.get(path);
    if (known === undefined) return undefined;
    const state = await this.#deps.contents.lastingState(known);
    if (state.type === 'file' && state.hash !== undefined && state.omitted === undefined)
      this.#tree.set(path, { ...known, content: { in: 'blobs', hash: state.hash } });
    return state;
  }

  /** Returns the changes since these states, which an earlier process has kept. */
  async since(kept: readonly PathChange[]): Promise<Captured> {
    for (const { path, before } of kept) {
      if (before === undefined) this.#absent.add(path);
      else this.#tree.set(path, scannedState(before, this.#scan));
    }
    return this.capture(kept.map(({ path }) => path));
  }

  /** Returns the changes since the last scan. */
  async capture(paths?: readonly string[]): Promise<Captured> {
    const changes: PathChange[] = [];
    if (paths !== undefined) await this.#scanPaths(targetsOf(paths), changes);
    else if (this.#hasBaseline) await this.#scanAll(changes);
    else await this.baseline();
    changes.sort(byPlace);
    const notes = [...this.#notes, ...this.#coverage.takeNotes(), ...changeNotes(this.#root, changes)];
    this.#notes = [];
    return { changes, notes };
  }

  /** Records changes made by a restore, so that the next scan does not attribute them to another program. */
  async refresh(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const [before, entry] = [this.#tree.get(path), statEntrySafely(path)];
      if (entry === undefined) this.#tree.delete(path);
      else if (before !== undefined || this.#isCovered(path))
        await this.#recordPath({ path, before, entry }, before?.isNamed ?? false, 'nothing');
    }
  }

  get #root(): string {
    return this.#deps.roots[0] ?? '/';
  }

  /** Scans everything; adds differences to `changes`, if given. False if it was aborted. */
  async #scanAll(changes: PathChange[] | undefined, signal?: AbortSignal): Promise<boolean> {
    this.#scan += 1;
    const found: ChangedPath[] = [];
    const unreadable: string[] = [];
    for (const root of this.#deps.roots) {
      const walked = await this.#walkRoot(root, changes && found, signal);
      if (walked === undefined) return false;
      unreadable.push(...walked.map((folder) => `${folder}/`));
    }
    this.#findRest(found, unreadable);
    await this.#recordPaths(found, changes);
    return true;
  }

  /** Without the other roots in it. Returns the folders that cannot be read; undefined if it was aborted. */
  async #walkRoot(
    root: string,
    found: ChangedPath[] | undefined,
    signal?: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    // A folder that was replaced by a link now leads elsewhere.
    if (realFolder(root) !== root) return [];
    const { roots, exclude } = this.#deps;
    const walked = await walk(root, {
      coverage: this.#coverage,
      pace: this.#pace,
      exclude: new Set([...exclude, ...roots.filter((other) => other !== root)]),
      signal,
      visit: (path, entry) => this.#visit(path, entry, found),
    });
    if (!walked.isComplete) return undefined;
    if (walked.unnameable > 0) this.#noteOnce('files whose names are not UTF-8 are not covered');
    for (const folder of walked.unreadable)
      this.#noteOnce(`${describePath(this.#root, folder)} cannot be read and is not covered`);
    return walked.unreadable;
  }

  /**
   * Cheap for unchanged paths. A baseline settles each path at once; a capture collects them and settles them in
   * parallel.
   */
  #visit(path: string, entry: DiskEntry, found: ChangedPath[] | undefined): boolean | Promise<boolean> {
    const before = this.#tree.get(path);
    if (before !== undefined) before.seen = this.#scan;
    if (before !== undefined && isUnchanged(before, entry)) return true;
    const { maxEntries } = this.#deps.limits;
    if (before === undefined && this.#tree.size + (found?.length ?? 0) >= maxEntries) {
      if (entry.kind === 'folder' && !this.#coverage.isLeftOut(path))
        this.#coverage.leaveOut(path, `more than ${grouped(maxEntries)} files in all`);
      return false;
    }
    const one = { path, before, entry };
    if (found === undefined)
      return this.#recordPath(one, before?.isNamed ?? false, 'nothing').then(() => true);
    found.push(one);
    return true;
  }

  /** Paths that the walk did not visit: deleted ones, and ones outside its coverage that a call named. */
  #findRest(found: ChangedPath[], unreadable: readonly string[]): void {
    for (const [path, before] of this.#tree) {
      if (before.seen === this.#scan || unreadable.some((folder) => path.startsWith(folder))) continue;
      const entry = before.isNamed ? statEntrySafely(path) : undefined;
      if (entry === undefined || !isUnchanged(before, entry)) found.push({ path, before, entry });
    }
    const seen = new Set(found.map((one) => one.path));
    for (const path of this.#absent) {
      if (this.#tree.has(path) || seen.has(path)) continue;
      const entry = statEntrySafely(path);
      if (entry !== undefined) found.push({ path, before: undefined, entry });
    }
  }

  async #scanPaths(paths: readonly string[], changes: PathChange[]): Promise<void> {
    for (const path of paths) {
      for (const folder of foldersAbove(path)) {
        const isNew = this.#absent.has(folder) || (this.#isCovered(folder) && !this.#tree.has(folder));
        const entry = isNew ? statEntrySafely(folder) : undefined;
        if (entry !== undefined)
          await this.#recordPath({ path: folder, before: undefined, entry }, true, 'change', changes);
      }
      const [before, entry] = [this.#tree.get(path), statEntrySafely(path)];
      if (before === undefined && entry === undefined) continue;
      const isNews = before === undefined && !this.#absent.has(path) && !this.#isCovered(path);
      if (isNews) this.#noteOnce(`the earlier state of ${describePath(this.#root, path)} is unknown`);
      await this.#recordPath({ path, before, entry }, true, isNews ? 'nothing' : 'change', changes);
    }
  }

  async #recordPaths(found: readonly ChangedPath[], changes: PathChange[] | undefined): Promise<void> {
    const wants = changes === undefined ? 'nothing' : 'change';
    await this.#forEach(found, (one) =>
      this.#recordPath(one, one.before?.isNamed ?? this.#absent.has(one.path), wants, changes),
    );
  }

  /** Several at once. */
  async #forEach<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const work = async (): Promise<void> => {
      for (const item of rest) {
        await act(item);
        if (this.#pace.isDue()) await this.#pace.pause();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #recordPath(
    found: ChangedPath,
    isNamed: boolean,
    wants: 'nothing' | 'copy' | 'change',
    changes?: PathChange[],
  ): Promise<void> {
    const { path, before, entry } = found;
    const settled = await identifyPath(found, {
      contents: this.#deps.contents,
      knownToGit: (file, its) => this.#gitAround(file)?.contentOf(file, its),
      scan: this.#scan,
      isNamed,
      wants,
    });
    if (settled.now === undefined) {
      this.#tree.delete(path);
      if (isNamed) this.#absent.add(path);
    } else {
      this.#tree.set(path, settled.now);
      this.#absent.delete(path);
    }
    if (this.#coverage.isLeftOut(path)) {
      if (entry?.kind !== 'folder') this.#coverage.forget(path);
      if (entry?.kind === 'folder' || before?.entry.kind === 'folder') return;
    }
    if (settled.change !== undefined) changes?.push(settled.change);
  }

  /** Records missing parent folders of a path, which a tool call may create, and returns them. */
  #expectNothingAbove(path: string): readonly string[] {
    const folders = foldersAbove(path).reverse();
    const there = folders.findIndex((folder) => statEntrySafely(folder) !== undefined);
    const missing = there === -1 ? folders : folders.slice(0, there);
    for (const folder of missing) {
      this.#tree.delete(folder);
      this.#absent.add(folder);
    }
    return missing;
  }

  /** True if the walk would have seen the path if it existed. */
  #isCovered(path: string): boolean {
    if (!this.#hasBaseline || isHistory(basename(path)) || this.#deps.exclude.has(path)) return false;
    const parent = dirname(path);
    return this.#deps.roots.includes(parent) || (this.#tree.has(parent) && !this.#coverage.isLeftOut(parent));
  }

  #gitAround(path: string): GitTree | undefined {
    return this.#gits?.find((git) => path.startsWith(`${git.root}/`));
  }

  #noteOnce(note: string): void {
    if (this.#said.has(note)) return;
    this.#said.add(note);
    this.#notes.push(note);
  }
}

const byPlace = (a: PathChange, b: PathChange): number => (a.path < b.path ? -1 : 1);

const sizeOf = (entry: DiskEntry | undefined): number => (entry?.kind === 'file' ? entry.size : 0);

/** The paths without links in their parents, plus the targets of those that are links. */
function targetsOf(paths: readonly string[]): readonly string[] {
  const targets = new Set<string>();
  for (const path of paths) {
    const target = canonicalPath(path);
    targets.add(target);
    const linked = linkedPath(target);
    if (linked !== undefined) targets.add(linked);
  }
  return [...targets];
}

/** From the top down. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) folders.unshift(at);
  return folders;
}
