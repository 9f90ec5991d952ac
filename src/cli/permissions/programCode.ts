/**
 * Decides whether a program in the settings runs code of the workspace, in the environment in which it starts, and lists
 * the user's own programs that do so in a folder that they have not trusted.
 */
import { isAbsolute } from 'node:path';
import { namedByFolder } from '../../config/settingsFiles.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { statOf } from '../../disk/fileLookups.ts';
import { pathOutside } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/paths.ts';
import { type HookSource, inPlugin } from '../../protocol/extensions/hooks.ts';
import { type SettingsProgram, scriptOf } from '../../protocol/settingsPrograms.ts';
import { type AppPaths, workspaceOf } from '../process/appPaths.ts';
import { keyVariables, programEnvironment } from '../process/commandVariables.ts';
import type { Permissions } from './permissions.ts';
import type { CodePlace, CodeRun } from './workspaceCode.ts';

type Program = Pick<SettingsProgram, 'command' | 'args' | 'cwd' | 'env' | 'isApart'>;

interface CodePlaces {
  readonly root: string;
  readonly home: string;
  /** The folders that count as the workspace, links resolved. */
  readonly workspace: readonly string[];
  readonly effects: Permissions['effects'];
}

/** The text by which rules match a program. */
export const textOf = (program: Pick<Program, 'command' | 'args'>): string =>
  program.args === undefined ? program.command : scriptOf(program);

/** `isUntrusted`: see `CodePlace`. */
export async function codeOfProgram(
  program: Program,
  { root, home, workspace, effects: effectsIn }: CodePlaces,
  isUntrusted = false,
): Promise<CodeRun> {
  // This loads the command tables, which opening a session does not need.
  const { codeRunBy } = await import('./workspaceCode.ts');
  const { isSteeringName, ledPrograms } = await import('../../tools/shell/steeringVariables.ts');
  const effects: CodePlace['effects'] = (command, cwd) => effectsIn(command, cwd, workspace);
  // The user's own variables apply in any folder; only those with which programs find code may lead into this one.
  const leading = Object.entries(program.env).filter(
    ([name]) => !isUntrusted || name === 'PATH' || isSteeringName(name),
  );
  const led = ledPrograms(Object.fromEntries(leading), {
    home,
    isOutside: (path) => isOutside(path, workspace, home),
    isSocket: (path) => statOf(path)?.isSocket() === true,
  });
  if (led === 'all') return 'workspace';
  const place: CodePlace = {
    workspace,
    root,
    home,
    effects,
    env: program.env,
    isLed: led !== 'none',
    isApart: program.isApart === true,
    isUntrusted,
  };
  return codeRunBy(textOf(program), program.cwd, place, program.args === undefined);
}

/** What a program of the user's own settings runs in a folder that the user has not trusted. */
export async function codeOfOwnProgram(
  program: Program,
  place: Omit<CodePlaces, 'workspace'>,
): Promise<CodeRun> {
  return codeOfProgram(program, { ...place, workspace: [realpath(place.root)] }, true);
}

const isOutside = (path: string, workspace: readonly string[], home: string): boolean =>
  isAbsolute(path) &&
  !/^\/proc(?:\/|$)/.test(path) &&
  pathOutside({ PATH: path, HOME: home }, workspace, realpath) === path;

interface OwnProgram {
  /** As in `SettingsProgram`. */
  readonly role: string;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
}

/** `hooks`: those of plugins, in addition to those of the settings. */
export function ownPrograms(loaded: LoadedSettings, hooks: readonly HookSource[]): readonly OwnProgram[] {
  const { statusLine, notificationCommand } = loaded.settings;
  const isOfFolder = (key: 'statusLine' | 'notificationCommand'): boolean => namedByFolder(loaded, key);
  return [
    ...[...loaded.hooks, ...hooks].flatMap(({ hook, scope, ignored, plugin }): OwnProgram[] => {
      if (hook.type !== 'command' || ignored !== undefined || scope === 'project' || scope === 'local')
        return [];
      return [{ role: 'hook', ...(plugin === undefined ? hook : inPlugin(hook, plugin)) }];
    }),
    ...(statusLine === null || isOfFolder('statusLine')
      ? []
      : [{ role: 'status line command', command: statusLine.command }]),
    ...(notificationCommand === null || isOfFolder('notificationCommand')
      ? []
      : [{ role: 'notification command', command: notificationCommand }]),
  ];
}

/** Those of them that run code of the folder, as shown to the user, by the text that rules match. */
export async function runningFolderCode(
  programs: readonly OwnProgram[],
  found: AppPaths,
  loaded: LoadedSettings,
  onProblem: (text: string) => void,
): Promise<ReadonlyMap<string, string>> {
  // None of this is loaded at other starts.
  const [{ createPermissionEngine }, { createPermissions }, { userProgramEnvironment }] = await Promise.all([
    import('../permissionThread/ThreadedEngine.ts'),
    import('./permissions.ts'),
    import('../../tools/shell/childEnvironment.ts'),
  ]);
  const { ownExcludedCommands } = loaded;
  const place = { ...found, addedDirectories: loaded.added.directories };
  const engine = createPermissionEngine(place, onProblem);
  const { effects, matches } = createPermissions(loaded, {
    ...{ ...place, engine, saved: [] },
    onSaved: async () => undefined,
  });
  const env = userProgramEnvironment(
    programEnvironment({ ...place, secretEnv: keyVariables(loaded) }),
    workspaceOf(place),
  );
  try {
    const judged = await Promise.all(
      programs.map(async (program) => {
        const text = textOf(program);
        const isHarmless =
          (await matches(ownExcludedCommands, text)) ||
          (await codeOfOwnProgram({ ...program, cwd: place.root, env }, { ...place, effects })) === 'none';
        const shown = [program.command, ...(program.args ?? [])].join(' ');
        return isHarmless ? [] : [[text, `${program.role}: ${shown}`] as const];
      }),
    );
    return new Map(judged.flat());
  } finally {
    await engine.close();
  }
}
