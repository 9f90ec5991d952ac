import { allCommands } from '../commands/allCommands.ts';
import type { CommandHost } from '../commands/types.ts';
import type { LoadedSettings } from '../config/types.ts';
import type { DebugLog } from './debugLog.ts';
import type { Place } from './place.ts';
import type { OpenedSession, SessionHouse } from './sessions.ts';

/** What slash commands may look at, for one session. */
export function createCommandHost(
  { agent, permissions, file }: OpenedSession,
  house: SessionHouse,
  place: Place,
  loaded: LoadedSettings,
  trusted: boolean,
  debug: DebugLog,
): CommandHost {
  return {
    agent,
    commands: allCommands,
    rules: permissions.rules,
    listModels: house.listModels,
    findSession: async (id) => ((await house.has(id)) ? 'found' : 'unknown'),
    status: () => ({
      version: place.version,
      cwd: place.cwd,
      baseUrl: agent.state().demo ? 'none (built-in demo model)' : loaded.settings.baseUrl,
      keySource: loaded.settings.apiKey === null ? undefined : loaded.sources.apiKey,
      sessionFile: file,
      settingsFiles: loaded.files,
      trusted,
      debugFile: debug.file,
    }),
  };
}
