import type { DiskEntry } from './diskEntry.ts';

/** Where a file's content can be had when the file itself is no longer what it was. */
export type Content =
  | { readonly in: 'stash'; readonly hash: string }
  | { readonly in: 'blobs'; readonly hash: string }
  /** In git's own store, under git's own name for it. */
  | { readonly in: 'git'; readonly root: string; readonly oid: string; readonly algorithm: 'sha1' | 'sha256' }
  /** Not kept, and why; the hash is for comparing only, and a `secret` one is told to nobody. */
  | {
      readonly in: 'nowhere';
      readonly reason: string;
      readonly hash?: string | undefined;
      readonly secret?: boolean;
    };

/** What is known about a path since the last look. */
export interface Known {
  readonly entry: DiskEntry;
  /** Looked at so soon after its last change that the next look must read it again. */
  readonly isYoung: boolean;
  /** Of a file. */
  readonly content?: Content | undefined;
  /** Of a link. */
  readonly target?: string | undefined;
  /** A call named it, so it is looked at wherever it lies. */
  readonly isNamed: boolean;
  /** Number of the scan that saw it last. */
  seen: number;
}
