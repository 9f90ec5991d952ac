/**
 * The records of worktrees: one file next to each. A record survives a kill, so that the next start can list what was
 * left behind.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { lstatOf, namesIn } from '../disk/fileLookups.ts';
import { isRunning } from '../disk/isRunning.ts';
import type { WorktreeInfo, WorktreeRecord } from '../protocol/extensions/worktrees.ts';

const recordSchema = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,60}$/),
  path: z.string(),
  branch: z.string().regex(/^clawdcode\/[a-z0-9-]{1,60}$/),
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  root: z.string(),
  owner: z.object({
    sessionId: z.string(),
    id: z.string(),
    agent: z.string(),
    description: z.string(),
  }),
  pid: z.number().int().positive(),
  startedAtMs: z.number(),
  isKept: z.boolean().exactOptional(),
});

/** Records that are read; more than a user has. */
const MAX_RECORDS = 200;
const SUFFIX = '.json';

/** Writes the record of a worktree. */
export function recordWorktree(folder: string, record: WorktreeRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${record.name}${SUFFIX}`);
  writeFileSync(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function forgetWorktree(folder: string, name: string): void {
  rmSync(join(folder, `${name}${SUFFIX}`), { force: true });
}

/** The worktrees that still exist, oldest first; records of others are removed. */
export function readRecords(folder: string): readonly WorktreeRecord[] {
  const records = namesIn(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .slice(0, MAX_RECORDS)
    .flatMap((name) => readRecord(folder, name));
  return records.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

function readRecord(folder: string, file: string): readonly WorktreeRecord[] {
  const record = parsed(join(folder, file));
  // A record cannot name a folder other than its own.
  if (record === undefined || `${record.name}${SUFFIX}` !== file || !record.path.endsWith(`/${record.name}`))
    return [];
  if (lstatOf(record.path) !== undefined || stateNow(record) === 'working') return [record];
  forgetWorktree(folder, record.name);
  return [];
}

function parsed(file: string): WorktreeRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

export function stateNow({ isKept, pid }: WorktreeRecord): WorktreeInfo['state'] {
  if (isKept === true) return 'kept';
  return isRunning(pid) ? 'working' : 'left';
}
