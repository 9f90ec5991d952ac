/** Made-up sessions, and a port that answers at once and records its calls. */

import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { SearchHit, SessionRecord } from '../../../src/protocol/sessions.ts';
import type { SessionsPort } from '../../../src/ui/sessions/SessionsPort.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

type SearchAnswer = Awaited<ReturnType<SessionsPort['search']>>;

export const now = new Date(2026, 10, 21, 9, 0, 0);

export function madeSession(id: string, about: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    file: `/data/projects/p-00000001/${id}.jsonl`,
    project: 'p-00000001',
    root: '/home/me/p',
    isMoved: false,
    title: `Title of ${id}`,
    titleSource: 'prompt',
    createdAt: new Date(2026, 10, 20, 8, 0, 0),
    updatedAt: new Date(2026, 10, 21, 8, 0, 0),
    bytes: 4200,
    gitBranch: 'main',
    messageCount: 10,
    promptCount: 2,
    model: 'gpt-5',
    inputTokens: 12_000,
    outputTokens: 300,
    costUsd: 0.12,
    isArchived: false,
    isPartial: false,
    forkedFrom: undefined,
    lastLines: [`> asked in ${id}`, `last of ${id}`],
    ...about,
  };
}

export function madeHit(session: SessionRecord, seq: number, snippet: string, word: string): SearchHit {
  const at = snippet.indexOf(word);
  return {
    session,
    seq,
    timestamp: session.updatedAt,
    who: 'you',
    snippet,
    marks: at === -1 ? [] : [[at, at + word.length]],
  };
}

export function madeEntry(seq: number, content: string, about: MadeUpFields = {}): JSONLEntry {
  return madeUpEntry({
    seq,
    uuid: `uuid${seq}`,
    timestamp: '2026-11-20T08:00:00.000Z',
    subtype: 'prompt',
    cwd: '/home/me/p',
    message: { role: 'user', content },
    ...about,
  });
}

export interface MadePort extends SessionsPort {
  /** All calls, in order: "rename a New title". */
  readonly asked: string[];
  /** Replaces the listed sessions; visible after the next refresh or change. */
  become(sessions: readonly SessionRecord[]): void;
  /** Reports a change of the index. */
  changed(): void;
}

export function madePort(
  sessions: readonly SessionRecord[],
  more: Partial<SessionsPort> & { readonly find?: (text: string) => Promise<SearchAnswer> } = {},
): MadePort {
  let all = sessions;
  const asked: string[] = [];
  let tell = (): void => {};
  const done = (what: string, id: string) => {
    asked.push(`${what} ${id}`);
    return { type: 'done', message: `${what} done` } as const;
  };
  return {
    asked,
    isLikely: () => false,
    become(next) {
      all = next;
    },
    changed: () => tell(),
    project: 'p-00000001',
    async list({ project, offset = 0, limit = 1e9 }) {
      const these = project === undefined ? all : all.filter((one) => one.project === project);
      return these.slice(offset, offset + limit);
    },
    async refresh(onChange) {
      tell = onChange;
    },
    async search(text) {
      asked.push(`search ${text}`);
      return more.find?.(text) ?? { type: 'found', hits: [] };
    },
    async preview(session, seq) {
      asked.push(`preview ${session.id} ${seq ?? 'end'}`);
      return [madeEntry(seq ?? 0, `preview of ${session.id}`)];
    },
    async rename(session, title) {
      return done('rename', `${session.id} ${title}`);
    },
    async archive(session) {
      return done('archive', session.id);
    },
    async unarchive(session) {
      return done('unarchive', session.id);
    },
    async remove(session) {
      return done('remove', session.id);
    },
    ...more,
  };
}
