import type { UiExit } from '../../ui/types.ts';
import type { Place } from '../process/appPaths.ts';

/** The last line of a conversation: how to go on with it; undefined where nothing was said. */
export async function resumeAdvice(place: Place, exit: UiExit): Promise<string | undefined> {
  if (exit.sessionId === undefined || exit.empty) return undefined;
  return (await isSaved(place, exit.sessionId))
    ? `Resume this session with: clawdcode --resume ${exit.sessionId}`
    : `This session could not be saved below ${place.dataRoot}, so there is nothing to resume.`;
}

async function isSaved({ dataRoot, root, version }: Place, sessionId: string): Promise<boolean> {
  const { PersistentStore } = await import('../../context/index.ts');
  const store = new PersistentStore({ dataRoot, projectRoot: root, programVersion: version });
  return store.resolveSessionId(sessionId).then(
    () => true,
    () => false,
  );
}
