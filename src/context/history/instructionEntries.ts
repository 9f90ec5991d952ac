import { createHash } from 'node:crypto';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { foldLog } from './foldLog.ts';

/** The newest entry of each instruction file, in the order in which the files were first seen; none for one that is gone. */
export function pinnedInstructions(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const newest = new Map<string, JSONLEntry>();
  for (const entry of entries) newest.set(instructionPath(entry), entry);
  return [...newest.values()].filter(({ message }) => message.content !== '');
}

/** Logs of before had one entry for all files together: the empty path. */
export function instructionPath(entry: JSONLEntry): string {
  return (entry.subtype === 'instructions' ? entry.data?.path : undefined) ?? '';
}

/** The hash of each file as the model was last told of it, by path, in a log that grows. */
export function followInstructions(): (entries: readonly JSONLEntry[]) => ReadonlyMap<string, string> {
  const told = foldLog<Told>({ entries: [], hashes: new Map() }, (known, entry) => {
    if (entry.subtype !== 'instructions') return known;
    const entries = [...known.entries, entry];
    return { entries, hashes: new Map(pinnedInstructions(entries).map(pathAndHash)) };
  });
  return (entries) => told(entries).hashes;
}

interface Told {
  readonly entries: readonly JSONLEntry[];
  readonly hashes: ReadonlyMap<string, string>;
}

function pathAndHash(entry: JSONLEntry): readonly [string, string] {
  return [instructionPath(entry), hashOfEntry(entry)];
}

function hashOfEntry(entry: JSONLEntry): string {
  if (entry.subtype === 'instructions' && entry.data?.hash !== undefined) return entry.data.hash;
  const { content } = entry.message;
  return createHash('sha256')
    .update(typeof content === 'string' ? content : '')
    .digest('hex');
}
