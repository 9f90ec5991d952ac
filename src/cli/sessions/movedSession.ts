/** Sessions of a moved or renamed project, which are stored in the folder of its old location. */

import { basename } from 'node:path';
import type { SessionTarget } from '../../agent/types.ts';
import { getProjectStoragePath, PersistentStore, type Redaction } from '../../context/index.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';
import { findSession, locateSession } from './archivedSession.ts';
import { LikelySessionError, SessionElsewhereError } from './sessionErrors.ts';

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
  return locateSession(given, store).then(
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
