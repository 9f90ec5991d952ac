/** What git knows about files that nobody has touched, so that they need not be copied. Only ever reads. */
import type { ReadObject } from './contents.ts';
import type { DiskEntry } from './diskEntry.ts';
import type { Content } from './known.ts';

export interface GitTree {
  /** Whether this repository is the one around a path. */
  holds(path: string): boolean;
  /** Folders with tracked files somewhere below. */
  readonly folders: ReadonlySet<string>;
  /** The content of a file that is as git left it; undefined where that is not certain. */
  contentOf(path: string, entry: DiskEntry): Content | undefined;
  /** Only the first look needs it. */
  forgetIndex(): void;
}

export interface GitTrees {
  open(): Promise<readonly GitTree[]>;
  readonly readObject: ReadObject;
  close(): void;
}

export interface GitOptions {
  readonly program: string | false;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly roots: readonly string[];
}

export function openGitTrees(_options: GitOptions): GitTrees {
  return { open: async () => [], readObject: async () => undefined, close: () => {} };
}
