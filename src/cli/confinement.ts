/** What confines the calls of an agent that works in a folder: rules, sandbox, and what its tools may see. */
import type { LoadedSettings } from '../config/types.ts';
import { realpath } from '../disk/paths.ts';
import { isReadOnlyForCommands, protectionPlace } from '../permissions/files/protectedNames.ts';
import type { CommandSandbox, SandboxMode } from '../protocol/sandbox.ts';
import type { ToolDeps } from '../tools/builtinTools.ts';
import { type AutoAllow, createAutoAllow } from './permissions/autoAllow.ts';
import { delicateWord } from './permissions/delicateWords.ts';
import { createEnvSecrets } from './permissions/envSecrets.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { AppPaths } from './process/appPaths.ts';
import { commandVariables, keyVariables } from './process/commandVariables.ts';
import { createSessionSandbox } from './sandbox.ts';

export interface ConfinementParts {
  readonly place: AppPaths;
  /** The project's root, if `place` is a worktree of it. */
  readonly project?: string;
  readonly loaded: LoadedSettings;
  readonly permissions: Permissions;
  /** From the command line. */
  readonly sandboxMode: SandboxMode | undefined;
  /** True for tools that the model gets. */
  readonly isOffered: (name: string) => boolean;
  /** Whether sandboxed commands run without approval; shared by all agents of a session. */
  readonly autoAllows: { isOn: boolean };
}

export interface Confinement extends AutoAllow {
  readonly permissions: Permissions;
  readonly sandbox: CommandSandbox;
  readonly toolDeps: ToolDeps & { readonly sandbox: CommandSandbox };
}

export function createConfinement(parts: ConfinementParts): Confinement {
  const { place, project, loaded, permissions, sandboxMode, isOffered, autoAllows } = parts;
  const { settings } = loaded;
  const sandbox = createSessionSandbox({ place, project, loaded, permissions, mode: sandboxMode });
  const autoAllow = createAutoAllow({
    permissions,
    sandbox,
    state: autoAllows,
    delicateWord: delicateWordIn(place, settings.permissions.additionalDirectories, permissions),
    excluded: settings.sandbox.excludedCommands,
  });
  const toolDeps = {
    env: { ...place.env, ...commandVariables(loaded).env },
    home: place.home,
    isSensitive: permissions.isWithheld,
    web: settings.webFetch,
    secretEnv: keyVariables(loaded),
    sandbox,
    knownSecrets: createEnvSecrets(),
    isOffered,
  };
  return { permissions, sandbox, toolDeps, ...autoAllow };
}

/** Returns a function that finds the word that keeps a command from running without approval. */
function delicateWordIn(
  { home, root }: AppPaths,
  additionalDirectories: readonly string[],
  { isWithheld }: Permissions,
): (command: string, cwd: string) => string | undefined {
  const protection = protectionPlace(home, [root, ...additionalDirectories], realpath);
  const rules = {
    home,
    isWithheld,
    isReadOnlyForCommands: (path: string) => isReadOnlyForCommands(path, protection),
  };
  return (command, cwd) => delicateWord(command, cwd, rules);
}
