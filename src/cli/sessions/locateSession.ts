/** From what the user calls a session to the one that it is. */
import { basename } from 'node:path';
import { type PersistentStore, SessionNotFoundError } from '../../context/index.ts';
import { findSession } from '../sessionCommand/findSession.ts';
import { AmbiguousTitleError } from './sessionErrors.ts';

/**
 * The id of the session of this project that an id, the beginning of one, or a title means. Throws
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
