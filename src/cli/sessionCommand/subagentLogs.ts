/** The logs of a session's subagents, which lie next to those of sessions and are none of them. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentsFolderIn } from '../../context/index.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';

export interface SubagentLog {
  /** `a1`, `a2` …. */
  readonly id: string;
  readonly file: string;
}

/** In the order in which they were started. */
export async function subagentLogs({
  file,
  id,
  isArchived,
}: Pick<SessionRecord, 'file' | 'id' | 'isArchived'>): Promise<readonly SubagentLog[]> {
  const folder = agentsFolderIn(isArchived ? dirname(dirname(file)) : dirname(file), id);
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .flatMap((name) => {
      const number = /^a(\d{1,9})\.jsonl$/.exec(name)?.[1];
      return number === undefined
        ? []
        : [{ id: `a${number}`, file: join(folder, name), number: Number(number) }];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ number: _, ...log }) => log);
}
