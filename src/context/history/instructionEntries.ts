import type { JSONLEntry } from '../../protocol/entries.ts';

/** The newest entry of each instruction file, in the order in which the files were first seen; none for one that is gone. */
export function pinnedInstructions(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const newest = new Map<string, JSONLEntry>();
  for (const entry of entries) newest.set(instructionPath(entry), entry);
  return [...newest.values()].filter(({ message }) => message.content !== '');
}

/** Logs of before had one entry for all files together: the empty path. */
export function instructionPath({ data }: JSONLEntry): string {
  return typeof data?.path === 'string' ? data.path : '';
}
