import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { UiOptions } from '../ui/types.ts';
import type { CliOptions } from './options.ts';
import type { Place } from './process/appPaths.ts';
import { createDebugLog } from './process/debugLog.ts';
import { listFiles } from './process/projectFiles.ts';
import { targetOf } from './sessions/sessionTarget.ts';

/** What a conversation is started with, whether it is drawn or told in lines. */
export function conversationOf(place: Place, options: CliOptions) {
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date());
  const project = createHash('sha256').update(place.root).digest('hex').slice(0, 16);
  return {
    // Settings, sessions, tools and rules are loaded behind what is shown first.
    boot: () => import('./boot.ts').then(({ boot }) => boot(place, options, debug)),
    target: targetOf(options) ?? { type: 'new' },
    pickFirst: options.resume === true,
    prompt: options.prompt,
    historyFile: join(place.dataRoot, 'history', `${project}.jsonl`),
    historyText: debug.textOf,
    listFiles: () => listFiles(place.root, place.cwd),
    now: () => Date.now(),
  } satisfies Partial<UiOptions>;
}
