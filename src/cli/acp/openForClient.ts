/** Opens a session for a client of the Agent Client Protocol, with the client's folder and MCP servers. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { OpenedForClient } from '../../acp/AcpSession.ts';
import { OpenError, type WantedSession } from '../../acp/acpAgent.ts';
import { readClientServers } from '../../acp/clientServers.ts';
import type { SessionTarget } from '../../agent/types.ts';
import { candidateServers } from '../../config/mcpServers.ts';
import { parsePermissionMode } from '../../config/modes.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { SessionNotFoundError } from '../../context/index.ts';
import { createConfigPort } from '../configPort.ts';
import { damagedNotices } from '../damagedNotices.ts';
import { createCommandHost } from '../host.ts';
import { leftOutNotice } from '../mcp/approval.ts';
import { listerFor } from '../models/modelChoice.ts';
import type { OpenedSession, SessionThreads } from '../openContext.ts';
import type { CliOptions } from '../options.ts';
import { type AppPaths, readAppPaths, rootNotice } from '../process/appPaths.ts';
import type { DebugLog } from '../process/debugLog.ts';
import { prefetchEnvironment } from '../process/environment.ts';
import { createSessionFactory } from '../sessionFactory.ts';
import { describeOpenError } from '../sessions/sessionErrors.ts';
import {
  findModelAccess,
  readSettings,
  sessionOptions,
  trustIn,
  untrustedSettingsNotice,
} from '../startup.ts';
import { unapprovedAgentsNotice } from '../subagents/definitions.ts';
import { unsupportedNotices } from '../unsupportedNotices.ts';

/** Shared by all sessions of the process. */
interface ProcessParts {
  readonly options: CliOptions;
  readonly debug: DebugLog;
  readonly threads: SessionThreads;
}

/** Rejects with an `OpenError` if there is no session, or it cannot be opened. */
export async function openForClient(wanted: WantedSession, parts: ProcessParts): Promise<OpenedForClient> {
  const { options: flags, debug, threads } = parts;
  const place = placeOf(wanted.cwd);
  const environment = prefetchEnvironment(place);
  const options = { ...flags, addDirs: [...flags.addDirs, ...wanted.additionalDirectories] };
  const trust = await trustIn(place);
  const given = readClientServers(wanted.mcpServers);
  const loaded = withServers(await readSettings(place, options, trust), given.servers);
  const mistake = loaded.problems.find(({ layer }) => layer === 'flag');
  if (mistake !== undefined) throw new OpenError('invalid', mistake.message);
  const access = await findModelAccess(loaded, options.demo, listerFor(place.env));
  if (access.type === 'missing') throw new OpenError('no_access', access.message);
  const settled = await sessionOptions({ place, options, trust, loaded, access });
  const factory = createSessionFactory({ ...settled, interactive: true, debug, environment, threads });
  const opened = await factory.open(targetOf(wanted)).catch((error: unknown) => {
    throw openError(error);
  });
  await checkIdentity(opened, wanted);
  // Use the loaded settings rather than the flag, because managed settings override it.
  if (options.permissionMode !== undefined)
    opened.agent.submit({ type: 'set_mode', mode: loaded.settings.permissions.defaultMode });
  const notices = [
    ...loaded.problems.map(({ message }) => message),
    ...(await damagedNotices(place)),
    ...(await unsupportedNotices(place.dataRoot, loaded)),
    ...[rootNotice(place), untrustedSettingsNotice(loaded, trust), leftOutNotice(loaded, trust)],
    ...[...settled.plugins.current().notices, ...given.problems, ...opened.notices],
    unapprovedAgentsNotice(opened.agents(), trust),
  ];
  return {
    host: createCommandHost({
      ...{ opened, factory, place, loaded, trust, debug },
      isTerminal: false,
      config: createConfigPort(place, options, loaded),
    }),
    notices: notices.filter((notice) => notice !== undefined),
    settle: async (signal) => opened.mcp()?.settle(signal),
    // Only if the user started the program in it.
    mayBypass: false,
    parseMode: parsePermissionMode,
  };
}

function placeOf(cwd: string): AppPaths {
  const isFolder = isAbsolute(cwd) && statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder)
    throw new OpenError(
      'invalid',
      `cwd must be the absolute path of a folder, not ${JSON.stringify(cwd.slice(0, 300))}.`,
    );
  return readAppPaths(cwd);
}

/** The client starts this program, so its servers need no approval; those of managed settings override them. */
function withServers(loaded: LoadedSettings, added: LoadedSettings['servers']): LoadedSettings {
  return { ...loaded, servers: candidateServers([...loaded.servers, ...added], false) };
}

function targetOf({ sessionId }: WantedSession): SessionTarget {
  if (sessionId === undefined) return { type: 'new' };
  if (!/^[\w-]{8,100}$/.test(sessionId)) throw new OpenError('not_found', 'There is no such session.');
  return { type: 'id', id: sessionId };
}

/** Programs must give a full id: a title or the beginning of an id is not enough. */
async function checkIdentity({ agent }: OpenedSession, { sessionId }: WantedSession): Promise<void> {
  if (sessionId === undefined || agent.state().sessionId === sessionId) return;
  await agent.close();
  throw new OpenError('not_found', 'There is no such session.');
}

function openError(error: unknown): unknown {
  const message = describeOpenError(error);
  if (message === undefined) return error;
  return new OpenError(error instanceof SessionNotFoundError ? 'not_found' : 'failed', message);
}
