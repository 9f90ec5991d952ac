/** What file checkpoints are given. */

/** Where contents last: by hash, outside the project, for its owner alone. A session's blob store fits. */
export interface CheckpointBlobs {
  /** On the disk when it resolves; rejects when the disk does. */
  put(bytes: Uint8Array): Promise<{ readonly hash: string; readonly bytes: number }>;
  /** Undefined where there is no such content. */
  read(ref: { readonly hash: string }): Promise<Buffer | undefined>;
}

export interface CheckpointLimits {
  /** A larger file is kept only when a call names it. */
  readonly maxFileBytes: number;
  /** A file that a call names is kept up to this size. */
  readonly maxNamedFileBytes: number;
  /** Copies of what could still change, all files together. */
  readonly maxTotalBytes: number;
  /** Files and folders that are looked at. */
  readonly maxEntries: number;
  /** A folder of dependencies or of build results with more files than this is left out. */
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
  /** A folder outside the roots for copies of what has not changed yet; made when needed, empty again afterwards. */
  readonly folder: string;
  /** Absolute paths that are never looked at: the program's own files, where they lie inside a root. */
  readonly exclude?: readonly string[];
  readonly blobs: CheckpointBlobs;
  /** False for a file whose content must not be stored anywhere. */
  readonly mayKeep?: (path: string) => boolean;
  /** True for a content that must not be stored anywhere; absent = any may. */
  readonly holdsSecrets?: ((bytes: Uint8Array) => boolean) | undefined;
  readonly limits?: Partial<CheckpointLimits>;
  /** For what goes wrong outside a call, ready to show. */
  readonly onWarning?: (message: string) => void;
  /** The `git` program to read objects with; `false` copies everything instead. Default: `git`. */
  readonly git?: string | false;
  /** What `git` is started with. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}
