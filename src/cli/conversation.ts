import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { UiExit, UiOptions } from '../ui/types.ts';
import { type CliOptions, targetOf } from './options.ts';
import type { AppPaths } from './process/appPaths.ts';
import { createDebugLog, debugFileOf } from './process/debugLog.ts';
import { listFiles } from './process/projectFiles.ts';

/** The start options of a conversation, shared by full screen and plain mode. */
export function conversationOf(place: AppPaths, options: CliOptions) {
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date(), debugFileOf(options, place));
  const project = createHash('sha256').update(place.root).digest('hex').slice(0, 16);
  /** Has the directories that the settings add, as soon as these have been read. */
  let settled = place;
  const onSettings = (found: AppPaths): void => {
    settled = found;
  };
  return {
    settled: () => settled,
    // Loads settings, sessions, tools and rules after the first frame is shown.
    boot: () => import('./boot.ts').then(({ boot }) => boot(place, options, debug, onSettings)),
    target: targetOf(options) ?? { type: 'new' },
    pickFirst: options.resume === true,
    prompt: options.prompt,
    home: place.home,
    historyFile: join(place.dataRoot, 'history', `${project}.jsonl`),
    historyText: debug.textOf,
    listFiles: () => listFiles(settled, place.cwd),
    now: () => Date.now(),
  } satisfies Partial<UiOptions> & { readonly settled: () => AppPaths };
}

/** Returns the last line of a conversation, which says how to resume it; undefined if the conversation is empty. */
export async function resumeAdvice(place: AppPaths, exit: UiExit): Promise<string | undefined> {
  if (exit.sessionId === undefined || exit.empty) return undefined;
  return (await isSaved(place, exit.sessionId))
    ? `Resume this session with: clawdcode --resume ${exit.sessionId}`
    : `This session could not be saved in ${place.dataRoot}, so there is nothing to resume.`;
}

async function isSaved({ dataRoot, root, version }: AppPaths, sessionId: string): Promise<boolean> {
  const { PersistentStore } = await import('../context/index.ts');
  const store = new PersistentStore({ dataRoot, projectRoot: root, programVersion: version });
  return store.resolveSessionId(sessionId).then(
    () => true,
    () => false,
  );
}
