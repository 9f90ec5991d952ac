/** The sessions of all projects on this machine, for the subcommands. */
import {
  PersistentStore,
  SessionLockedError,
  SessionNotFoundError,
  type Stored,
} from '../../context/index.ts';
import type { SearchHit, SessionQuery, SessionRecord } from '../../protocol/sessions.ts';
import { createModelChoice } from '../models/modelChoice.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openCommandCatalogue } from '../process/threads.ts';
import { isRefusedByDisk, StorageFailure } from '../sessions/sessionErrors.ts';
import { renameSession } from '../sessions/sessionsPort.ts';
import { ownSettings } from './ownSettings.ts';
import { readEntries } from './readEntries.ts';

export interface Sessions {
  /** Folder names in `projects/` of the current project; its own first. */
  readonly projects: readonly string[];
  /** Returns sessions of all projects whose id or title could match a word; newest first. */
  named(word: string): Promise<readonly SessionRecord[]>;
  /** Returns the sessions currently on disk, newest first. */
  list(query: SessionQuery): Promise<SessionList>;
  /** Searches all sessions; `onWait` is called if much has to be indexed first. */
  search(text: string, options: SearchOptions): Promise<readonly SearchHit[]>;
  /** Returns the losses if the session had to be taken from a damaged archive. */
  rename(session: SessionRecord, title: string): Promise<string | undefined>;
  /**
   * Returns the new id; undefined if there is no such entry. Works while another program writes the session. `onLoss`
   * receives the losses of a damaged archive.
   */
  fork(
    session: SessionRecord,
    uptoSeq: number | undefined,
    onLoss: (problem: string) => void,
  ): Promise<string | undefined>;
  /** Returns the size of the archive in bytes. */
  archive(session: SessionRecord): Promise<number>;
  unarchive(session: SessionRecord): Promise<Unarchived>;
  /** Returns the number of bytes freed. */
  remove(session: SessionRecord): Promise<number>;
  close(): Promise<void>;
}

interface Unarchived {
  /** The log. */
  readonly file: string;
  /** The losses, if the archive was damaged. */
  readonly lost?: string;
}

interface SessionList {
  readonly sessions: readonly SessionRecord[];
  /** False if large logs are not completely indexed yet: their tokens and cost are then too low. */
  readonly isComplete: boolean;
}

interface SearchOptions {
  readonly project?: readonly string[];
  readonly limit: number;
  readonly onWait: () => void;
}

/**
 * Opens the sessions. All methods except lists and searches reject with `SessionLockedError` while another program
 * writes the session, and with `StorageFailure` on file system errors.
 */
export async function openSessions(place: AppPaths): Promise<Sessions> {
  const { costUsd } = createModelChoice('', await ownSettings(place));
  const catalogue = openCommandCatalogue(place, costUsd);
  const { own, moved, likely } = await catalogue.projectsOf(place.root);
  const storeOf = ({ root, project }: SessionRecord): PersistentStore =>
    new PersistentStore({
      dataRoot: place.dataRoot,
      projectRoot: root ?? place.root,
      project,
      programVersion: place.version,
    });
  const unpack = async (session: SessionRecord): Promise<Unarchived> =>
    doneOf(session, await catalogue.unarchive(session));
  return {
    projects: [own, ...moved, ...likely],
    async named(word) {
      const byId = word === '' ? [] : await catalogue.find(word);
      if (byId.length > 0) return byId;
      await catalogue.refresh(undefined, { maxBytes: LIST_BYTES });
      return catalogue.list({ filter: word.trim() });
    },
    async list(query) {
      const { isComplete } = await catalogue.refresh(undefined, { maxBytes: LIST_BYTES });
      return { sessions: await catalogue.list(query), isComplete };
    },
    async search(text, { onWait, ...options }) {
      const waiting = setTimeout(onWait, WAIT_MS);
      await catalogue.refresh();
      clearTimeout(waiting);
      return catalogue.search(text, options);
    },
    async rename(session, title) {
      const lost = session.isArchived ? (await unpack(session)).lost : undefined;
      await renameSession(storeOf(session), session.id, await safeTitle(title, place));
      if (session.isArchived) doneOf(session, await catalogue.archive(session));
      return lost;
    },
    async fork(session, uptoSeq, onLoss) {
      if (uptoSeq !== undefined && !(await hasEntry(session, uptoSeq))) return undefined;
      const to = uptoSeq === undefined ? {} : { to: uptoSeq };
      const entries = readEntries(session, { type: 'from', seq: 0, ...to }, onLoss);
      return storeOf(session)
        .forkSession(entries, session.id)
        .catch((error: unknown) => {
          throw isRefusedByDisk(error)
            ? new StorageFailure(`There is no copy, and nothing was changed: ${error.message}.`)
            : error;
        });
    },
    archive: async (session) => doneOf(session, await catalogue.archive(session)).bytes,
    unarchive: unpack,
    remove: async (session) => doneOf(session, await catalogue.remove(session)).bytes,
    close: () => catalogue.close(),
  };
}

/**
 * Maximum bytes of new logs that are indexed before a list is shown; for the rest, beginning and end suffice for a
 * title.
 */
const LIST_BYTES = 4 * 2 ** 20;
/** Milliseconds after which the wait is shown to the user. */
const WAIT_MS = 1000;

function doneOf({ id }: SessionRecord, stored: Stored): Extract<Stored, { type: 'done' }> {
  switch (stored.type) {
    case 'done':
      return stored;
    case 'open':
      throw new SessionLockedError(id, stored.holder);
    case 'missing':
      throw new SessionNotFoundError(id);
    case 'failed':
      throw new StorageFailure(stored.message);
  }
}

/** Redacts a title like everything else that is stored, if the settings require it. */
async function safeTitle(title: string, place: AppPaths): Promise<string> {
  const [{ ownSettings, secretsIn }, { writeRedaction }] = await Promise.all([
    import('./ownSettings.ts'),
    import('../sessions/redaction.ts'),
  ]);
  const settings = await ownSettings(place);
  return writeRedaction(settings, () => secretsIn(settings, place))?.text(title) ?? title;
}

async function hasEntry(session: SessionRecord, seq: number): Promise<boolean> {
  for await (const _ of readEntries(session, { type: 'from', seq, to: seq }, () => {})) return true;
  return false;
}
