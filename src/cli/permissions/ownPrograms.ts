/** Finds the programs of the user's own settings that would run code of the folder, so that they can be asked about it. */

import { namedByFolder } from '../../config/settingsFiles.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { type HookSource, inPlugin } from '../../protocol/extensions/hooks.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { keyVariables, programEnvironment } from '../process/commandVariables.ts';

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
  const [
    { createPermissionEngine },
    { createPermissions },
    { codeOfOwnProgram, textOf },
    { userProgramEnvironment },
  ] = await Promise.all([
    import('../permissionThread/ThreadedEngine.ts'),
    import('./permissions.ts'),
    import('./programCode.ts'),
    import('../../tools/shell/childEnvironment.ts'),
  ]);
  const { settings, ownExcludedCommands } = loaded;
  const place = { ...found, addedDirectories: settings.permissions.additionalDirectories };
  const engine = createPermissionEngine(place, onProblem);
  const { effects, gitRuns, matches } = createPermissions(loaded, {
    ...{ ...place, engine, saved: [] },
    onSaved: async () => undefined,
  });
  const env = userProgramEnvironment(programEnvironment({ ...place, secretEnv: keyVariables(loaded) }), [
    place.root,
    ...place.addedDirectories,
  ]);
  try {
    const judged = await Promise.all(
      programs.map(async (program) => {
        const text = textOf(program);
        const isHarmless =
          (await matches(ownExcludedCommands, text)) ||
          (await codeOfOwnProgram({ ...program, cwd: place.root, env }, { ...place, effects, gitRuns })) ===
            'none';
        const shown = [program.command, ...(program.args ?? [])].join(' ');
        return isHarmless ? [] : [[text, `${program.role}: ${shown}`] as const];
      }),
    );
    return new Map(judged.flat());
  } finally {
    await engine.close();
  }
}
