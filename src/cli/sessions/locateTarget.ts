/** Finds the session that a target means: of this project, in the archive, or where a moved project used to be. */

import { basename } from 'node:path';
import type { SessionTarget } from '../../agent/types.ts';
import {
  getProjectStoragePath,
  PersistentStore,
  type Redaction,
  SessionLockedError,
  SessionNotFoundError,
} from '../../context/index.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';
import {
  AmbiguousTitleError,
  LikelySessionError,
  SessionElsewhereError,
  StorageFailure,
} from './sessionErrors.ts';

type IdTarget = Extract<SessionTarget, { type: 'id' }>;

/**
 * Returns the target with its storage folder if that belongs to the project's old location, otherwise unchanged. The
 * latest session is replaced by its id so that it need not be looked up again; without one, the target stays `latest`.
 * Throws `LikelySessionError` if the latest one belongs to a folder that only had the same git remote; it can be
 * resumed by id. Throws `SessionElsewhereError` for a session of another project, because resuming it here would mix it
 * with unrelated files; a fork of such a session belongs to this project and is allowed.
 */
export async function resolveTarget(target: SessionTarget, place: AppPaths): Promise<SessionTarget> {
  if (target.type === 'new' || (target.type === 'id' && target.project !== undefined)) return target;
  const { dataRoot, root, version } = place;
  const store = new PersistentStore({ dataRoot, projectRoot: root, programVersion: version });
  if (target.type === 'id' && (await isHere(target.id, store))) return target;
  const { title, mode } = target;
  const here = target.type === 'latest' ? await store.latestSession() : undefined;
  const moved =
    target.type === 'id'
      ? await namedElsewhere(target.id, target.mode, place)
      : here === undefined
        ? await newestOfMoved(place)
        : undefined;
  const id = here?.id ?? moved?.id;
  if (id === undefined) return target;
  return {
    type: 'id',
    id,
    ...(moved === undefined ? {} : { project: moved.project }),
    ...(title === undefined ? {} : { title }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function isHere(given: string, store: PersistentStore): Promise<boolean> {
  return locateLive(given, store).then(
    () => true,
    (error: Error) => error.name !== 'SessionNotFoundError',
  );
}

async function newestOfMoved(place: AppPaths): Promise<SessionRecord | undefined> {
  const catalogue = openSessionCatalogue(place);
  try {
    const { moved, likely } = await catalogue.projectsOf(place.root);
    const newestOf = async (project: readonly string[]): Promise<SessionRecord | undefined> =>
      project.length === 0 ? undefined : (await catalogue.list({ project, archived: false, limit: 1 }))[0];
    const recognized = await newestOf(moved);
    if (recognized !== undefined) return recognized;
    const suggested = await newestOf(likely);
    if (suggested !== undefined) throw new LikelySessionError(suggested);
    return undefined;
  } finally {
    await catalogue.close();
  }
}

async function namedElsewhere(
  given: string,
  mode: 'read' | 'fork' | undefined,
  place: AppPaths,
): Promise<SessionRecord | undefined> {
  const catalogue = openSessionCatalogue(place);
  try {
    const { own, moved, likely } = await catalogue.projectsOf(place.root);
    const byId = given === '' ? [] : await catalogue.find(given);
    const byTitle = byId.length > 0 ? [] : await catalogue.list({ filter: given.trim() });
    const found = findSession([...byId, ...byTitle], given, [own, ...moved, ...likely]);
    if (found.type !== 'found' || found.session.project === own) return undefined;
    if (mode === 'fork' || [...moved, ...likely].includes(found.session.project)) return found.session;
    throw new SessionElsewhereError(found.session);
  } finally {
    await catalogue.close();
  }
}

/** A session found by its name. */
export interface Located {
  readonly id: string;
  /** Where it is stored. */
  readonly store: PersistentStore;
  /** Set while it is still archived. */
  readonly archived?: SessionRecord;
}

/**
 * Finds the session of a resolved target, also in the archive; `own`: the store of this project. Throws
 * `SessionNotFoundError`, `AmbiguousSessionIdError` or `AmbiguousTitleError`.
 */
export async function locateTarget(
  target: IdTarget,
  place: AppPaths,
  own: PersistentStore,
): Promise<Located> {
  const store = storeOfTarget(target, place) ?? own;
  try {
    return { id: await locateLive(target.id, store), store };
  } catch (error) {
    if (!(error instanceof SessionNotFoundError)) throw error;
    const archived = await findArchived(target.id, basename(store.folder), place);
    if (archived === undefined) throw error;
    return { id: archived.id, store, archived };
  }
}

/**
 * Returns the store of the requested session if it is not this project's own: another project's, or a read-only one.
 * Otherwise undefined.
 */
export function storeOfTarget(
  target: SessionTarget,
  place: AppPaths,
  redaction?: Redaction,
): PersistentStore | undefined {
  if (target.type !== 'id') return undefined;
  const { dataRoot, root, version } = place;
  const own = basename(getProjectStoragePath(dataRoot, root));
  const isElsewhere = target.project !== undefined && target.project !== own;
  const options = {
    dataRoot,
    projectRoot: root,
    programVersion: version,
    redaction,
    ...(target.project !== undefined && isElsewhere ? { project: target.project } : {}),
  };
  if (target.mode === 'read') return new ReadingStore(options);
  return isElsewhere ? new PersistentStore(options) : undefined;
}

/** Opens sessions read-only: without a lock, even while another program writes them. */
class ReadingStore extends PersistentStore {
  override openSession(sessionId: string): ReturnType<PersistentStore['openSession']> {
    return this.openReader(sessionId);
  }
}

/** Returns the id of the session in this store that an id, the beginning of one, or a title means. */
async function locateLive(given: string, store: PersistentStore): Promise<string> {
  try {
    return await store.resolveSessionId(given);
  } catch (error) {
    if (!(error instanceof SessionNotFoundError)) throw error;
    const project = basename(store.folder);
    const sessions = (await store.listSessions()).map(({ id, title }) => ({ id, title, project }));
    const found = findSession(sessions, given, [project]);
    if (found.type === 'none') throw error;
    return theOnly(found, given).id;
  }
}

async function findArchived(
  given: string,
  project: string,
  place: AppPaths,
): Promise<SessionRecord | undefined> {
  const catalogue = openSessionCatalogue(place);
  try {
    const named = await catalogue.find(given, project);
    const found = findSession(named.length > 0 ? named : await catalogue.list({ project }), given, [project]);
    if (found.type === 'none') return undefined;
    const session = theOnly(found, given);
    return session.isArchived ? session : undefined;
  } finally {
    await catalogue.close();
  }
}

function theOnly<T extends Named>(found: Exclude<Found<T>, { type: 'none' }>, title: string): T {
  if (found.type === 'found') return found.session;
  throw new AmbiguousTitleError(
    title,
    found.sessions.map(({ id }) => id),
  );
}

/**
 * Moves a session out of the archive, where it can be opened. Returns the losses if it was damaged. Rejects with
 * `SessionLockedError` or `StorageFailure`.
 */
export async function restoreFromArchive(
  session: SessionRecord,
  place: AppPaths,
): Promise<readonly string[]> {
  const catalogue = openSessionCatalogue(place);
  try {
    const stored = await catalogue.unarchive(session);
    if (stored.type === 'open') throw new SessionLockedError(session.id, stored.holder);
    if (stored.type === 'failed') throw new StorageFailure(stored.message);
    return stored.type === 'done' && stored.lost !== undefined ? [stored.lost] : [];
  } finally {
    await catalogue.close();
  }
}

// Finds the session that a word means: an id, the beginning of one, or a title. Pure.

type Named = Pick<SessionRecord, 'id' | 'title' | 'project'>;

type Found<T extends Named = SessionRecord> =
  | { readonly type: 'found'; readonly session: T }
  | { readonly type: 'none' }
  /** Newest first, in the given order. */
  | { readonly type: 'several'; readonly sessions: readonly T[] };

/**
 * Finds sessions by the first criterion that matches any: full id, beginning of an id, title ignoring case. Sessions of
 * the given projects take precedence over others.
 */
export function findSession<T extends Named>(
  sessions: readonly T[],
  given: string,
  projects: readonly string[],
): Found<T> {
  const title = given.trim().toLowerCase();
  const ways: readonly ((one: T) => boolean)[] = [
    ({ id }) => id === given,
    ({ id }) => given !== '' && id.startsWith(given),
    (one) => title !== '' && one.title.trim().toLowerCase() === title,
  ];
  const here = sessions.filter((one) => projects.includes(one.project));
  for (const among of [here, sessions]) {
    for (const fits of ways) {
      const matches = among.filter(fits);
      if (matches.length > 1) return { type: 'several', sessions: matches };
      if (matches[0] !== undefined) return { type: 'found', session: matches[0] };
    }
  }
  return { type: 'none' };
}
