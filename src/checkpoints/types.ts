import type { PathChange, PathState } from '../protocol/checkpoints.ts';
import { grouped } from '../protocol/text/numbers.ts';

/** Options of file checkpoints. */

/**
 * Permanent storage for contents: by hash, outside the project, readable only by the user. A session's blob store fits.
 */
export interface CheckpointBlobs {
  /** Resolves once the content is on disk; rejects if writing fails. */
  put(bytes: Uint8Array): Promise<{ readonly hash: string; readonly bytes: number }>;
  /** Undefined if there is no such content. */
  read(ref: { readonly hash: string }): Promise<Buffer | undefined>;
}

/**
 * Returns, for one plan, a function that says why writing an absolute path would need approval, ready to show; undefined
 * if it would not.
 */
export type NeedsApproval = () => (path: string) => string | undefined;

export interface CheckpointLimits {
  /** A larger file is kept only if a tool call names it. */
  readonly maxFileBytes: number;
  /** A file that a tool call names is kept up to this size. */
  readonly maxNamedFileBytes: number;
  /** Limit for copies of files that could still change, all together. */
  readonly maxTotalBytes: number;
  /** Limit for scanned files and folders. */
  readonly maxEntries: number;
  /** A folder of dependencies or build results with more files than this is left out. */
  readonly maxFolderFiles: number;
  /** The same, in bytes. */
  readonly maxFolderBytes: number;
}

export const defaultLimits: CheckpointLimits = {
  maxFileBytes: 10 * 2 ** 20,
  maxNamedFileBytes: 256 * 2 ** 20,
  maxTotalBytes: 256 * 2 ** 20,
  maxEntries: 100_000,
  maxFolderFiles: 5_000,
  maxFolderBytes: 64 * 2 ** 20,
};

export interface CheckpointOptions {
  /** Absolute. */
  readonly root: string;
  readonly extraRoots?: readonly string[];
  /** A folder outside the roots for copies of unchanged files; created when needed, emptied afterwards. */
  readonly folder: string;
  /** Absolute paths that are never scanned: the program's own files, if they are inside a root. */
  readonly exclude?: readonly string[];
  readonly blobs: CheckpointBlobs;
  /** False for a file whose content must not be stored anywhere. */
  readonly mayKeep?: (path: string) => boolean;
  /** True for content that must not be stored anywhere; absent = any content may be stored. */
  readonly holdsSecrets?: ((bytes: Uint8Array) => boolean) | undefined;
  /** Applies to changes that another program may have logged. Default: everything outside the roots needs approval. */
  readonly needsApproval?: NeedsApproval;
  readonly limits?: Partial<CheckpointLimits>;
  /** Receives problems outside a call, ready to show. */
  readonly onWarning?: (message: string) => void;
  /** The `git` program used to read objects; `false` = copy everything instead. Default: `git`. */
  readonly git?: string | false;
  /** The environment for `git`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** If there are more notes, they are summarized. */
const MAX_NOTES = 10;

/** The changes that cannot be restored, ready to show. */
export function changeNotes(root: string, changes: readonly PathChange[]): readonly string[] {
  const lost = changes.flatMap(({ path, before }) =>
    isLost(before) ? [`${describePath(root, path)} cannot be restored: ${before.omitted}`] : [],
  );
  if (lost.length <= MAX_NOTES) return lost;
  return [...lost.slice(0, MAX_NOTES), `${grouped(lost.length - MAX_NOTES)} more cannot be restored`];
}

const isLost = (
  state: PathState | undefined,
): state is Extract<PathState, { type: 'file' }> & { omitted: string } =>
  state?.type === 'file' && state.omitted !== undefined;

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function describeSize(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A path for display: relative to the root if inside, with control characters escaped. */
export function describePath(root: string, path: string): string {
  const shown = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return shown
    .replace(/[\p{Cc}\p{Cf}\p{Surrogate}\u2028\u2029]/gu, (one) => JSON.stringify(one).slice(1, -1))
    .replace(/[\u007f-\u009f\p{Cf}]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
