/**
 * The variables that settings add to the environment of commands. What the user wrote into our own files is meant for
 * commands, secrets included. Claude Code's files also hold the keys of that program, so their variables pass the same
 * filter as the user's environment, in the sandbox or not.
 */
import type { LoadedSettings } from '../../config/types.ts';
import { projectVariables } from '../../protocol/settingsPrograms.ts';
import { findTokens } from '../../redact/tokens.ts';
import { withoutTokens } from '../../sandbox/environment.ts';
import { withoutKeys } from '../../tools/shell/childEnvironment.ts';
import { ownEnvironment } from './lookUp.ts';

/** True if a value has the form of a known token. */
export const isToken = (value: string): boolean => findTokens(value).length > 0;

interface CommandVariables {
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables with secrets that commands get: those of our own files, and patterns of `sandbox.allowEnv`. */
  readonly granted: readonly string[];
}

/** Variables that hold the keys of endpoints: no program that ClawdCode starts inherits them. */
export function keyVariables({ settings }: Pick<LoadedSettings, 'settings'>): readonly string[] {
  return Object.values(settings.providers).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
}

/** Where the status line command and the notification command run. */
export interface ProgramContext {
  /** The project's root. */
  readonly root: string;
  readonly addedDirectories?: (() => readonly string[]) | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that hold the keys of endpoints (`keyVariables`). */
  readonly secretEnv: readonly string[];
}

/** The user's environment without keys, and without programs of the workspace on the `PATH`. */
export function programEnvironment({
  root,
  addedDirectories,
  env,
  secretEnv,
}: ProgramContext): Record<string, string> {
  const own = withoutKeys(
    ownEnvironment({ root, env, ...(addedDirectories && { addedDirectories }) }),
    secretEnv,
  );
  return { ...own, ...projectVariables(root) };
}

export function commandVariables({
  settings,
  sources,
  files,
}: Pick<LoadedSettings, 'settings' | 'sources' | 'files'>): CommandVariables {
  const { allowEnv } = settings.sandbox;
  const foreign = new Set(files.filter(({ isForeign }) => isForeign === true).map(({ name }) => name));
  const all = Object.entries(settings.env);
  const isForeign = (name: string): boolean => foreign.has(sources[`env.${name}`] ?? '');
  const own = Object.fromEntries(all.filter(([name]) => !isForeign(name)));
  const others = Object.fromEntries(all.filter(([name]) => isForeign(name)));
  return {
    env: { ...withoutTokens(others, { granted: allowEnv, isToken }), ...own },
    granted: [...allowEnv, ...Object.keys(own)],
  };
}
