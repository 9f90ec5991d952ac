/** Carries out a plan, except where the disk has changed since the plan was made. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inRealFolder, inWritableFolder, PathMovedError, type RealFolder } from '../../disk/realFile.ts';
import type {
  Captured,
  PathChange,
  PathState,
  RestorePlan,
  RestoreStep,
} from '../../protocol/checkpoints.ts';
import { canonicalPath, sameEntry, statEntry } from '../scan/diskEntry.ts';
import { hashBytes } from '../scan/stableRead.ts';
import { describePath, describeSize } from '../types.ts';
import { type Current, currentState, sameState } from './states.ts';
import type { RestoreDeps } from './steps.ts';

interface ApplyDeps extends RestoreDeps {
  /** Larger files are not replaced, because they could not be restored afterwards. */
  readonly maxBytes: number;
}

export async function applyRestore(plan: RestorePlan, deps: ApplyDeps): Promise<Captured> {
  const work = new Restoring(deps);
  const steps = plan.steps.filter((step) => step.action !== 'refuse' && step.action !== 'nothing');
  const topDown = [...steps].sort((a, b) => (a.path < b.path ? -1 : 1));
  const bottomUp = [...topDown].reverse();
  for (const step of bottomUp) if (isRemoval(step)) await work.remove(step);
  for (const step of topDown) if (step.to?.type === 'folder') await work.write(step);
  for (const step of topDown) if (step.to !== undefined && step.to.type !== 'folder') await work.write(step);
  for (const step of bottomUp) await work.setFolderMode(step);
  return work.result();
}

/**
 * True if the current entry must be removed before the new one can be created; files are replaced in one step instead.
 */
function isRemoval({ from, to }: RestoreStep): boolean {
  return from !== undefined && (to === undefined || from.type !== to.type || to.type === 'link');
}

class Restoring {
  readonly #deps: ApplyDeps;
  readonly #changes: PathChange[] = [];
  readonly #notes: string[] = [];
  readonly #failed = new Set<RestoreStep>();
  /** The removed state of paths whose new state has not been written yet. */
  readonly #removed = new Map<RestoreStep, PathState>();

  constructor(deps: ApplyDeps) {
    this.#deps = deps;
  }

  result(): Captured {
    for (const [step, before] of this.#removed) this.#changes.push({ path: step.path, before });
    return { changes: this.#changes, notes: this.#notes };
  }

  async remove(step: RestoreStep): Promise<void> {
    const current = await this.#check(step);
    if (current?.type !== 'state' || !(await this.#keep(step, current))) return;
    try {
      if (!isStill(step.path, current)) return this.#leave(step, 'it changed just now');
      await removeState(step.path, current.state);
      if (step.to === undefined) this.#changes.push({ path: step.path, before: current.state });
      else this.#removed.set(step, current.state);
    } catch (error) {
      this.#leave(step, reasonOf(error));
    }
  }

  async write(step: RestoreStep): Promise<void> {
    const { path, to } = step;
    if (to === undefined || this.#failed.has(step)) return;
    const removed = this.#removed.get(step);
    const current = await this.#check(removed === undefined ? step : { ...step, from: undefined }, step);
    if (current === undefined) return;
    try {
      if (removed === undefined && current.type === 'state' && !(await this.#change(step, current))) return;
      if (current.type === 'nothing' || current.type === 'unknown') {
        await this.#makeFoldersFor(path);
        const bytes = to.type === 'file' ? await this.#load(to.hash) : undefined;
        if (!(await writeState(path, to, bytes, () => statEntry(path) === undefined)))
          return this.#leave(step, 'something was created there just now');
      }
      this.#removed.delete(step);
      const before = removed ?? (current.type === 'state' ? current.state : undefined);
      this.#changes.push({ path, ...(before !== undefined && { before }), after: to });
    } catch (error) {
      this.#leave(step, reasonOf(error));
    }
  }

  /** Done last, because a folder may become read-only. */
  async setFolderMode(step: RestoreStep): Promise<void> {
    if (step.to?.type !== 'folder' || this.#failed.has(step)) return;
    try {
      await writeMode(step.path, step.to.mode);
    } catch (error) {
      this.#leave(step, reasonOf(error));
    }
  }

  /** Replaces a file, or changes the mode of a file or folder. */
  async #change(step: RestoreStep, current: Extract<Current, { type: 'state' }>): Promise<boolean> {
    const { path, to } = step;
    if (to?.type === 'folder') return true;
    if (to?.type !== 'file') return false;
    if (step.action === 'mode') {
      await writeMode(path, to.mode);
      return true;
    }
    if (!(await this.#keep(step, current))) return false;
    const bytes = await this.#load(to.hash);
    if (await writeState(path, to, bytes, () => isStill(path, current))) return true;
    this.#leave(step, bytes === undefined ? 'its content is lost' : 'it changed just now');
    return false;
  }

  /** The current state, if it is still the one the plan was made for; undefined if there is nothing to do. */
  async #check(step: RestoreStep, owner: RestoreStep = step): Promise<Current | undefined> {
    const { path, from, to } = step;
    if (canonicalPath(path) !== path) {
      this.#leave(owner, throughLink);
      return undefined;
    }
    const current = await currentState(path, this.#deps.maxBytes, this.#deps.isCaseBlind(path));
    if (current.type === 'unknown') {
      this.#leave(owner, current.reason);
      return undefined;
    }
    const state = current.type === 'state' ? current.state : undefined;
    if (sameState(state, from)) return current;
    this.#failed.add(owner);
    if (!sameState(state, to)) this.#leave(owner, 'it changed after the plan was made');
    return undefined;
  }

  /** Stores the content that is about to be replaced. */
  async #keep(step: RestoreStep, current: Extract<Current, { type: 'state' }>): Promise<boolean> {
    if (current.state.type !== 'file') return true;
    if (current.bytes === undefined) {
      const size = describeSize(current.state.bytes);
      this.#leave(step, `it could not be restored afterwards: ${size} is too much to keep`);
      return false;
    }
    try {
      await this.#deps.blobs.put(current.bytes);
      return true;
    } catch (error) {
      this.#leave(step, `its current content could not be kept (${reasonOf(error)})`);
      return false;
    }
  }

  async #load(hash: string | undefined): Promise<Buffer> {
    const bytes = await this.#deps.blobs.read({ hash: hash ?? '' });
    if (bytes === undefined) throw new Error('its content is lost');
    if ((await hashBytes(bytes)) !== hash) throw new Error('its content is damaged');
    return bytes;
  }

  /** Creates parent folders that the user removed and that no other step creates. */
  async #makeFoldersFor(path: string): Promise<void> {
    const missing: string[] = [];
    for (let at = dirname(path); statEntry(at) === undefined; at = dirname(at)) missing.unshift(at);
    for (const folder of missing) {
      await writeState(folder, { type: 'folder', mode: 0o755 }, undefined, () => true);
      await writeMode(folder, 0o755);
      this.#changes.push({ path: folder, after: { type: 'folder', mode: 0o755 } });
    }
  }

  #leave(step: RestoreStep, reason: string): void {
    this.#failed.add(step);
    this.#notes.push(`${describePath(this.#deps.root, step.path)} was left unchanged: ${reason}`);
  }
}

/** True if the path is unchanged since it was read a moment ago. */
function isStill(path: string, current: Extract<Current, { type: 'state' }>): boolean {
  const entry = statEntry(path);
  if (entry === undefined) return false;
  return entry.kind === 'folder' ? current.entry.kind === 'folder' : sameEntry(entry, current.entry);
}

const throughLink = 'its path now leads through a link';

function reasonOf(error: unknown): string {
  if (error instanceof PathMovedError) return throughLink;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'it is not writable';
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'something was created there just now';
  return code ?? (error instanceof Error ? error.message : String(error));
}

// Replaces one state with another. Never writes through a link, and never half a file.

/** Removes the entry; a folder only if it is empty. Rejects if the file system call fails. */
async function removeState(path: string, state: PathState): Promise<void> {
  await inWritableFolder(dirname(path), (folder) => {
    const name = folder.at(basename(path));
    return state.type === 'folder' ? rmdir(name) : unlink(name);
  });
}

/**
 * Creates the entry if there is none or, for a file, replaces the existing one. `isStillSo` is checked right before the
 * last step.
 */
async function writeState(
  path: string,
  state: PathState,
  bytes: Buffer | undefined,
  isStillSo: () => boolean,
): Promise<boolean> {
  return inWritableFolder(dirname(path), async (folder) => {
    const entry = { folder, name: folder.at(basename(path)) };
    if (state.type === 'special') return state.kind === 'pipe' && (await makePipe(entry, path));
    if (state.type === 'link') {
      await symlink(state.target, entry.name);
      return true;
    }
    if (state.type === 'folder') {
      await mkdir(entry.name, { mode: 0o700 });
      return true;
    }
    return bytes !== undefined && (await replaceFile(entry, path, bytes, state.mode, isStillSo));
  });
}

/** Changes the permission bits of a file or folder; ignores anything else. */
async function writeMode(path: string, mode: number): Promise<void> {
  await inRealFolder(dirname(path), async (folder) => {
    const name = folder.at(basename(path));
    const kind = statEntry(name)?.kind;
    if (kind === 'file' || kind === 'folder') await chmod(name, mode);
  });
}

/** Not the user's PATH, which may contain folders of a project. */
const SYSTEM_PATH = '/usr/bin:/bin';

/** Node has no function for it. */
function makePipe({ folder }: Entry, path: string): Promise<boolean> {
  // Other programs do not share our handles.
  folder.check();
  return new Promise((resolve) => {
    execFile('mkfifo', ['--', path], { env: { PATH: SYSTEM_PATH } }, (error) => resolve(error === null));
  });
}

async function replaceFile(
  { folder, name }: Entry,
  path: string,
  bytes: Buffer,
  mode: number,
  isStillSo: () => boolean,
): Promise<boolean> {
  const temporary = folder.at(`.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
      await file.datasync();
    } finally {
      await file.close();
    }
    if (!isStillSo()) return false;
    folder.check();
    await rename(temporary, name);
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A name in a folder that is held open. */
interface Entry {
  readonly folder: RealFolder;
  /** The path to pass to `node:fs`. */
  readonly name: string;
}
