/** Archived sessions are found like all others, and unarchived before they are opened. */
import { basename } from 'node:path';
import { type PersistentStore, SessionLockedError, SessionNotFoundError } from '../../context/index.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';
import { AmbiguousTitleError, StorageFailure } from './sessionErrors.ts';

/** A session found by its name. */
export interface Located {
  readonly id: string;
  /** Set while it is still archived. */
  readonly archived?: SessionRecord;
}

/** Like `locateSession`, but also searches the archive. Throws the same errors. */
export async function locateAnywhere(
  given: string,
  store: PersistentStore,
  place: AppPaths,
): Promise<Located> {
  try {
    return { id: await locateSession(given, store) };
  } catch (error) {
    if (!(error instanceof SessionNotFoundError)) throw error;
    const archived = await findArchived(given, basename(store.folder), place);
    if (archived === undefined) throw error;
    return { id: archived.id, archived };
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
    if (found.type === 'several')
      throw new AmbiguousTitleError(
        given,
        found.sessions.map(({ id }) => id),
      );
    return found.type === 'found' && found.session.isArchived ? found.session : undefined;
  } finally {
    await catalogue.close();
  }
}

/**
 * Moves a session out of the archive. Returns the losses if that was damaged. Rejects with `SessionLockedError` or
 * `StorageFailure`.
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

/**
 * Returns the id of this project's session that an id, the beginning of one, or a title means. Throws
 * `SessionNotFoundError`, `AmbiguousSessionIdError` or `AmbiguousTitleError`.
 */
export async function locateSession(given: string, store: PersistentStore): Promise<string> {
  try {
    return await store.resolveSessionId(given);
  } catch (error) {
    if (!(error instanceof SessionNotFoundError)) throw error;
    const project = basename(store.folder);
    const sessions = (await store.listSessions()).map(({ id, title }) => ({ id, title, project }));
    const found = findSession(sessions, given, [project]);
    if (found.type === 'found') return found.session.id;
    if (found.type === 'none') throw error;
    throw new AmbiguousTitleError(
      given,
      found.sessions.map(({ id }) => id),
    );
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
  project: string | readonly string[],
): Found<T> {
  const own: readonly string[] = typeof project === 'string' ? [project] : project;
  const title = given.trim().toLowerCase();
  const ways: readonly ((one: T) => boolean)[] = [
    ({ id }) => id === given,
    ({ id }) => given !== '' && id.startsWith(given),
    (one) => title !== '' && one.title.trim().toLowerCase() === title,
  ];
  const here = sessions.filter((one) => own.includes(one.project));
  for (const among of [here, sessions]) {
    for (const fits of ways) {
      const matches = among.filter(fits);
      if (matches.length > 1) return { type: 'several', sessions: matches };
      if (matches[0] !== undefined) return { type: 'found', session: matches[0] };
    }
  }
  return { type: 'none' };
}
