/**
 * The project files named by approved hooks, MCP servers, the status line and the notification command. A grant covers
 * the settings; this module covers the scripts, so that the user is asked again if a `git pull` changes one. While a
 * session runs, `scriptCheck.ts` checks them.
 */
import { join, relative } from 'node:path';
import { AGENT_GRANT } from '../../config/grants.ts';
import { isFolderServer } from '../../config/mcpServers.ts';
import { namedByFolder } from '../../config/settingsFiles.ts';
import { rememberRecordedFiles } from '../../config/trust.ts';
import type { ChangedFile, FileState, Grant, LoadedSettings } from '../../config/types.ts';
import { type ProgramText, serverProgram } from '../../protocol/settingsPrograms.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import {
  type ApprovedRecords,
  addRecords,
  commandKey,
  isApprovedContent,
  type RecordPlace,
  readRecords,
  recordOf,
} from './approvedRecords.ts';
import { commandText, coveredFiles, type ProgramFiles } from './executedFiles.ts';

/**
 * Disables every program in the settings that runs a file changed since its approval, except for hooks, each run of which
 * is held instead: one that guards calls must not be missing. If a command has no record,
 * because an earlier version kept none or the user has just approved it elsewhere, its files are recorded as they are
 * now. If records were lost, its files count as changed. Only for a trusted folder.
 */
export async function withApprovedFiles(
  place: RecordPlace,
  loaded: LoadedSettings,
  granted: readonly Grant[] = [],
): Promise<LoadedSettings> {
  const users = [...usersOf(place, loaded), ...agentsOf(place, loaded, granted)];
  if (users.length === 0) return loaded;
  const known = readRecords(place);
  const current = statesOf(users, known);
  const changed = changedIn(users, known, current);
  const held = users.filter(({ files }) => files.some((path) => changed.has(path)));
  const kept: ApprovedRecords = {
    files: Object.fromEntries([...current].filter(([path]) => !changed.has(path))),
    commands: users.filter((user) => !held.includes(user)).map(({ key }) => key),
  };
  if (addsTo(known, kept)) await addRecords(place, kept);
  else if (known.isIncomplete !== true) await rememberRecordedFiles(place.dataRoot, place.root);
  if (changed.size === 0) return loaded;
  const changedFiles = [...changed].map((path): ChangedFile => {
    const runs = held.filter(({ files }) => files.includes(path)).map(({ what }) => what);
    const now = current.get(path) ?? recordOf(path, undefined);
    const builtFor = held.find(({ built }) => built.includes(path))?.text;
    return {
      ...(builtFor !== undefined && { builtFor }),
      path,
      name: relative(place.root, path),
      users: [...new Set(runs)],
      before: known.files[path],
      now,
    };
  });
  return withoutHeld(loaded, held, changedFiles);
}

/**
 * The current state of the files run by settings that are not in `before`; the user approves them together with the
 * settings. Call this when the dialog is built, so that a file that changes while it is open is not approved.
 */
export function newlyRun(place: RecordPlace, before: LoadedSettings, after: LoadedSettings): ApprovedRecords {
  const known = readRecords(place);
  const old = usersOf(place, before);
  const keys = new Set(old.map(({ key }) => key));
  const added = usersOf(place, after).filter(({ key }) => !keys.has(key));
  const asked = new Set(old.flatMap(({ files }) => files));
  const files = [...statesOf(added, known)].filter(([path]) => !asked.has(path));
  return { files: Object.fromEntries(files), commands: added.map(({ key }) => key) };
}

/** Records files as the user has seen them; after another change, the user is asked again. */
export async function approveFiles(
  place: RecordPlace,
  changed: readonly ChangedFile[],
  { files, commands }: ApprovedRecords = { files: {}, commands: [] },
): Promise<void> {
  const shown = Object.fromEntries(changed.map(({ path, now }) => [path, now]));
  if (changed.length + commands.length === 0) return;
  await addRecords(place, { files: { ...files, ...shown }, commands });
}

type States = ReadonlyMap<string, FileState>;

function statesOf(users: readonly User[], { files }: ApprovedRecords): States {
  const paths = new Set(users.flatMap((user) => user.files));
  return new Map([...paths].map((path) => [path, recordOf(path, files[path])]));
}

/** Files that differ from their record, and files that a recorded command did not run before. */
function changedIn(users: readonly User[], known: ApprovedRecords, current: States): ReadonlySet<string> {
  const commands = new Set(known.commands);
  const isChanged = ({ key }: User, path: string): boolean => {
    const digest = current.get(path)?.digest ?? '';
    const isKnown = commands.has(key) || known.isIncomplete === true;
    const before = known.files[path];
    return (before !== undefined || isKnown) && !isApprovedContent(digest, before);
  };
  return new Set(users.flatMap((user) => user.files.filter((path) => isChanged(user, path))));
}

function addsTo(known: ApprovedRecords, { files, commands }: ApprovedRecords): boolean {
  return (
    commands.some((key) => !known.commands.includes(key)) ||
    Object.entries(files).some(([path, { stamp }]) => (known.files[path]?.stamp ?? '') !== stamp)
  );
}

/** Something approved that runs project files. */
interface User extends Omit<ProgramFiles, 'isCut'> {
  /** For display: "the hook ./check.sh". */
  readonly what: string;
  /** See `commandKey`. */
  readonly key: string;
  /** With its arguments; empty for a subagent. */
  readonly text: string;
  readonly type: 'hook' | 'server' | 'statusLine' | 'notificationCommand' | 'agent';
  /** Its place in the list of hooks or servers. */
  readonly at: number;
}

function usersOf(place: RecordPlace, loaded: LoadedSettings): User[] {
  const { hooks, servers, settings } = loaded;
  const userOf = (what: string, type: User['type'], at: number, program: ProgramText): User => ({
    ...{ what, type, at },
    ...{ key: commandKey(program), text: commandText(program) },
    ...coveredFiles(program, place, loaded.ownExcludedCommands),
  });
  const ofHooks = hooks.flatMap(({ hook, scope, ignored }, at): User[] => {
    if (hook.type !== 'command' || ignored !== undefined) return [];
    return scope === 'project' || scope === 'local' ? [userOf('hooks', 'hook', at, hook)] : [];
  });
  const ofServers = servers.flatMap((server, at): User[] => {
    const program = serverProgram(server.definition);
    if (!isFolderServer(server) || program === undefined) return [];
    return [userOf(`the MCP server ${server.name}`, 'server', at, program)];
  });
  const ofSettings = (['statusLine', 'notificationCommand'] as const).flatMap((key): User[] => {
    const value = settings[key];
    if (value === null || !namedByFolder(loaded, key)) return [];
    const command = typeof value === 'string' ? value : value.command;
    return [userOf(key === 'statusLine' ? 'the status line' : 'notifications', key, 0, { command })];
  });
  return [...ofHooks, ...ofServers, ...ofSettings];
}

/**
 * Subagent definitions that were approved before. If one changes, its grant disables it, and this record shows what has
 * changed.
 */
function agentsOf({ root }: RecordPlace, { grants }: LoadedSettings, granted: readonly Grant[]): User[] {
  const known = new Set(granted.flatMap(({ kind, source }) => (kind === AGENT_GRANT ? [source] : [])));
  const files = grants.filter(({ kind, source }) => kind === AGENT_GRANT && known.has(source));
  return files.map(({ source }, at) => ({
    what: 'a subagent',
    type: 'agent',
    at,
    ...{ key: commandKey({ command: `${AGENT_GRANT} ${source}` }), text: '' },
    ...{ files: [join(root, source)], built: [] },
  }));
}

function withoutHeld(
  loaded: LoadedSettings,
  held: readonly User[],
  changedFiles: readonly ChangedFile[],
): LoadedSettings {
  const names = changedFiles.map(({ name }) => quotedName(name)).join(', ');
  const isHeld = (type: User['type'], at: number): boolean =>
    held.some((one) => one.type === type && one.at === at);
  const { settings } = loaded;
  const what = [...new Set(held.map((one) => one.what))].join(', ');
  const message = `${names} changed since you approved it, so these are disabled: ${what}. Run clawdcode here to decide.`;
  return {
    ...loaded,
    servers: loaded.servers.filter((_, at) => !isHeld('server', at)),
    settings: {
      ...settings,
      ...(isHeld('statusLine', 0) && { statusLine: null }),
      ...(isHeld('notificationCommand', 0) && { notificationCommand: null }),
    },
    problems: [...loaded.problems, { layer: 'project', file: changedFiles[0]?.name ?? '', message }],
    changedFiles,
  };
}
