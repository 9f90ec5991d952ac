/** The contents beside a log that its entries point to, and whether they are there and what they were. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { blobsOf } from '../recall/entryText.ts';
import type { BlobStore } from './BlobStore.ts';
import type { BlobProblem } from './verifyReport.ts';

export interface Pointer {
  readonly hash: string;
  readonly bytes: number;
  /** Position of the entry. */
  readonly seq: number;
}

/** Everything that an entry points to. */
export function pointersOf(entry: JSONLEntry): readonly Pointer[] {
  const { seq } = entry;
  const shown = blobsOf(entry).map(({ hash, bytes }) => ({ hash, bytes, seq }));
  const changes = (entry.subtype === 'checkpoint' ? entry.data?.changes : undefined) ?? [];
  const states = changes.flatMap(({ before, after }) => [before, after]);
  const files = states.flatMap((state) =>
    state?.type === 'file' && state.hash !== undefined ? [{ hash: state.hash, bytes: state.bytes, seq }] : [],
  );
  return [...shown, ...files];
}

/** `deep` reads each content and compares it with its name. */
export async function checkBlobs(
  pointers: ReadonlyMap<string, Pointer>,
  blobs: BlobStore,
  deep: boolean,
): Promise<BlobProblem[]> {
  const problems: BlobProblem[] = [];
  for (const { seq, hash, bytes } of pointers.values()) {
    const problem = await problemOf(blobs, hash, bytes, deep);
    if (problem !== undefined) problems.push({ seq, hash, problem });
  }
  return problems;
}

async function problemOf(
  blobs: BlobStore,
  hash: string,
  bytes: number,
  deep: boolean,
): Promise<BlobProblem['problem'] | undefined> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return 'missing';
  const path = blobs.pathOf(hash);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 'missing';
  if (found.size !== bytes) return 'wrong size';
  return !deep || (await hashOf(path)) === hash ? undefined : 'wrong content';
}

/** Undefined when it cannot be read. */
async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
