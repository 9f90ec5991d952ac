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
  readonly limits?: Partial<CheckpointLimits>;
  /** Receives problems outside a call, ready to show. */
  readonly onWarning?: (message: string) => void;
  /** The `git` program used to read objects; `false` = copy everything instead. Default: `git`. */
  readonly git?: string | false;
  /** The environment for `git`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
