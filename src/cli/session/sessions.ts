/** The sessions of all projects on this machine, as the subcommands need them. */
import { basename } from 'node:path';
import { getProjectStoragePath, PersistentStore } from '../../context/index.ts';
import type { SearchHit, SessionQuery, SessionRecord } from '../../protocol/sessions.ts';
import type { Place } from '../place.ts';
import { renameSession } from '../renameSession.ts';
import { readEntries } from './readEntries.ts';

export interface Sessions {
  /** The folder below `projects/` of the project that the program runs in. */
  readonly project: string;
  /** As they are on disk now, newest first. */
  list(query: SessionQuery): Promise<readonly SessionRecord[]>;
  search(
    text: string,
    options: { readonly project?: string; readonly limit: number },
  ): Promise<readonly SearchHit[]>;
  /** Rejects with `SessionLockedError` while another program writes it. */
  rename(session: SessionRecord, title: string): Promise<void>;
  /** The new id; undefined where there is no such entry. Works while another program writes the session. */
  fork(session: SessionRecord, uptoSeq: number | undefined): Promise<string | undefined>;
  /** Bytes of the archive. */
  archive(session: SessionRecord): Promise<number>;
  unarchive(session: SessionRecord): Promise<void>;
  /** Bytes that were freed. */
  remove(session: SessionRecord): Promise<number>;
  close(): Promise<void>;
}

export async function openSessions(place: Place): Promise<Sessions> {
  const project = basename(getProjectStoragePath(place.dataRoot, place.root));
  const own = new PersistentStore({
    dataRoot: place.dataRoot,
    projectRoot: place.root,
    programVersion: place.version,
  });
  const storeOf = (session: SessionRecord): PersistentStore =>
    new PersistentStore({
      dataRoot: place.dataRoot,
      projectRoot: session.root ?? place.root,
      project: session.project,
      programVersion: place.version,
    });
  return {
    project,
    async list({ limit }) {
      const all = await own.listSessions();
      return all.slice(0, limit).map((one) => ({
        ...one,
        file: `${own.folder}/${one.id}.jsonl`,
        project,
        root: place.root,
        isMoved: false,
        titleSource: 'prompt',
        promptCount: 0,
        model: undefined,
        inputTokens: 0,
        outputTokens: 0,
        costUsd: undefined,
        isArchived: false,
        forkedFrom: undefined,
      }));
    },
    search: () => Promise.resolve([]),
    rename: (session, title) => renameSession(storeOf(session), session.id, title),
    async fork(session, uptoSeq) {
      if (uptoSeq !== undefined && !(await hasEntry(session, uptoSeq))) return undefined;
      const to = uptoSeq === undefined ? {} : { to: uptoSeq };
      return storeOf(session).forkSession(readEntries(session, { type: 'from', seq: 0, ...to }));
    },
    archive: () => Promise.resolve(0),
    unarchive: () => Promise.resolve(),
    async remove(session) {
      await storeOf(session).deleteSession(session.id);
      return session.bytes;
    },
    close: () => Promise.resolve(),
  };
}

async function hasEntry(session: SessionRecord, seq: number): Promise<boolean> {
  for await (const _ of readEntries(session, { type: 'from', seq, to: seq })) return true;
  return false;
}
