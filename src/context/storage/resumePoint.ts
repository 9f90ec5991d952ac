/**
 * Where a large log can be taken up without reading its beginning: which earlier entries are still needed, and what
 * is known of the rest. Derived: without it, or with one that does not fit, the log is read from its start.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Past, pastOf } from '../history/past.ts';
import { newId } from './ids.ts';
import { seal, unseal } from './seal.ts';

/** Of this program's own making: a newer one makes its own. Points of format 1 may lack what an undo makes count again. */
const FORMAT = 2;

export interface ResumePoint {
  readonly format: typeof FORMAT;
  readonly past: Past;
  /** Positions of the entries that are needed, as ranges with both ends; the last ends with the summary. */
  readonly keep: readonly (readonly [number, number])[];
}

/** The point of entries that have a past; undefined where all are in memory. */
export function resumePointOf(entries: readonly JSONLEntry[]): ResumePoint | undefined {
  const past = pastOf(entries);
  if (past === undefined) return undefined;
  const keep: [number, number][] = [];
  for (const { seq, subtype } of entries) {
    if (subtype === 'past') continue;
    if (seq > past.throughSeq) break;
    const last = keep.at(-1);
    if (last !== undefined && last[1] === seq - 1) last[1] = seq;
    else keep.push([seq, seq]);
  }
  return { format: FORMAT, past, keep };
}

/** Where the point of a session's log lies. */
export function resumePointFile(logFile: string): string {
  return join(dirname(logFile), 'resume', `${basename(logFile, '.jsonl')}.json`);
}

const shape = z.looseObject({
  format: z.literal(FORMAT),
  past: z.looseObject({
    throughSeq: z.number(),
    throughUuid: z.string(),
    facts: z.looseObject({}),
    learned: z.looseObject({}),
    spent: z.array(z.unknown()),
    reductions: z.array(z.unknown()),
  }),
  keep: z.array(z.tuple([z.number(), z.number()])),
});

/** Undefined where there is none that can be used. */
export async function readResumePoint(logFile: string): Promise<ResumePoint | undefined> {
  const bytes = await readFile(resumePointFile(logFile)).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const { json, seal: state } = unseal(bytes);
  // Nobody but this program writes it: what it holds inside is taken as it is, when that is what was written.
  if (state !== 'intact') return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return shape.safeParse(value).success ? (value as ResumePoint) : undefined;
  } catch {
    return undefined;
  }
}

/** Never rejects: without it, the next start takes longer, and that is all. */
export async function writeResumePoint(logFile: string, point: ResumePoint): Promise<void> {
  const file = resumePointFile(logFile);
  const temporary = `${file}.${newId()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, seal(JSON.stringify(point)), { mode: 0o600 });
    await rename(temporary, file);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}
