/** Sessions of a project that was moved or renamed: they lie in the folder of where it was. */

import type { SessionTarget } from '../../agent/types.ts';
import { PersistentStore } from '../../context/index.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessionCatalogue } from '../process/threads.ts';
import { locateSession } from './archivedSession.ts';
import { findSession } from './findSession.ts';
import { SessionElsewhereError } from './sessionErrors.ts';

/**
 * The target with the folder that it lies in, where that is one that the project has left; else as it is. The latest session is
 * named by its id, so that nobody has to look for it again; it stays `latest` where there is none. Throws
 * `SessionElsewhereError` for the session of another project: it would be taken up among files that it knows nothing of. A copy of
 * it is one of this project.
 */
export async function whereItLies(target: SessionTarget, place: AppPaths): Promise<SessionTarget> {
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
    const { moved } = await catalogue.projectsOf(place.root);
    if (moved.length === 0) return undefined;
    return (await catalogue.list({ project: moved, archived: false, limit: 1 }))[0];
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
    const { own, moved } = await catalogue.projectsOf(place.root);
    const byId = given === '' ? [] : await catalogue.find(given);
    const byTitle = byId.length > 0 ? [] : await catalogue.list({ filter: given.trim() });
    const found = findSession([...byId, ...byTitle], given, [own, ...moved]);
    if (found.type !== 'found' || found.session.project === own) return undefined;
    if (mode === 'fork' || moved.includes(found.session.project)) return found.session;
    throw new SessionElsewhereError(found.session);
  } finally {
    await catalogue.close();
  }
}
