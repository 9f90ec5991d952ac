/** What the picker may ask about sessions that are not open. */
import { basename } from 'node:path';
import { PersistentStore, type SessionSummary } from '../context/index.ts';
import type { SessionRecord } from '../protocol/sessions.ts';
import type { Deed, SessionsPort } from '../ui/sessions/SessionsPort.ts';
import type { Place } from './place.ts';
import { renameSession } from './renameSession.ts';
import { describeOpenError } from './sessionErrors.ts';

export function createSessionsPort(place: Place): SessionsPort {
  const store = new PersistentStore({
    dataRoot: place.dataRoot,
    projectRoot: place.root,
    programVersion: place.version,
  });
  const project = basename(store.folder);
  const known = async (): Promise<SessionRecord[]> =>
    (await store.listSessions()).map((one) => recordOf(one, project, place.root, store.folder));
  return {
    project,
    async list({ offset = 0, limit }) {
      const all = await known();
      return all.slice(offset, limit === undefined ? undefined : offset + limit);
    },
    refresh: async () => {},
    search: async () => ({ type: 'failed', message: 'Search is not available.' }),
    async preview(session, aroundSeq) {
      const { entries = [] } = (await store.loadSession(session.id)) ?? {};
      const at = aroundSeq === undefined ? entries.length : entries.findIndex(({ seq }) => seq >= aroundSeq);
      return entries.slice(Math.max(0, at - 8), at + 16);
    },
    rename: (session, title) =>
      deed(async () => {
        await renameSession(store, session.id, title);
        return `Renamed to “${title}”`;
      }),
    archive: async () => ({ type: 'failed', message: 'There is no archive.' }),
    unarchive: async () => ({ type: 'failed', message: 'There is no archive.' }),
    remove: (session) =>
      deed(async () => {
        await store.deleteSession(session.id);
        return `Deleted “${session.title}”`;
      }),
  };
}

/** What can be expected to go wrong is told; the rest is, too, as the list must not end for it. */
async function deed(run: () => Promise<string>): Promise<Deed> {
  try {
    return { type: 'done', message: await run() };
  } catch (error) {
    const message = describeOpenError(error) ?? (error instanceof Error ? error.message : String(error));
    return { type: 'failed', message };
  }
}

function recordOf(summary: SessionSummary, project: string, root: string, folder: string): SessionRecord {
  return {
    ...summary,
    file: `${folder}/${summary.id}.jsonl`,
    project,
    root,
    isMoved: false,
    titleSource: 'prompt',
    promptCount: 0,
    model: undefined,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: undefined,
    isArchived: false,
    forkedFrom: undefined,
  };
}
