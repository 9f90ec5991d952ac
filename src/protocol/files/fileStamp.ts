/** Tells one state of a file from another without reading it. Pure. */

/** What `stat` with `bigint: true` says of a file. */
export interface FileFacts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly blocks: bigint;
}

/**
 * Differs after every change: an edit that keeps the size and sets the old time of modification still moves the
 * change time, and a file that was replaced has another inode.
 */
export function fileStamp({ dev, ino, size, mtimeNs, ctimeNs }: FileFacts): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

/**
 * Whether the next change is sure to move the stamp. One within the same tick of the file system's clock does not:
 * 10 ms on Linux, two seconds where only whole seconds are stored (FAT, older network file systems). Nor does one of
 * a file that the kernel makes up, as below `/sys`: such files take no blocks.
 */
export function isStampReliable({ mtimeNs, ctimeNs, blocks }: FileFacts, nowMs: number): boolean {
  if (blocks === 0n) return false;
  const changedAt = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const hasFractions = mtimeNs % SECOND_NS !== 0n || ctimeNs % SECOND_NS !== 0n;
  return BigInt(Math.floor(nowMs)) * 1_000_000n - changedAt >= (hasFractions ? FINE_TICK_NS : COARSE_TICK_NS);
}

const SECOND_NS = 1_000_000_000n;
/** With a margin: a busy kernel updates its clock late. */
const FINE_TICK_NS = 50_000_000n;
const COARSE_TICK_NS = 2n * SECOND_NS;
