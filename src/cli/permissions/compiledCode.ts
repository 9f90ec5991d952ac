/**
 * Keeps programs that run outside the sandbox (of the settings, language servers, commands that leave it) from loading
 * compiled code that a sandboxed command left next to the source. Git ignores such files, and every run writes some, so
 * they do not count as changes.
 */
import { mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isInside, realpath } from '../../disk/paths.ts';
import type { SettingsPrograms } from '../../protocol/settingsPrograms.ts';
import { BYTECODE_CACHE } from '../../sandbox/environment.ts';

interface CodePlaces {
  readonly dataRoot: string;
  /** Nothing about the session may be stored, not even names of source files. */
  readonly isEphemeral: boolean;
  /** Where sandboxed commands may write. */
  readonly workspace: () => readonly string[];
}

/** Loaders that keep code in `node_modules/.cache`. Sources: README of jiti, https://babeljs.io/docs/babel-register */
const noCaches = { JITI_FS_CACHE: 'false', JITI_CACHE: 'false', BABEL_DISABLE_CACHE: '1' };

/** The environment of a program that starts outside the sandbox. */
export type OwnCompiledCode = (env: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/** Python finds compiled code only in the folder that the environment names: ours, or one of the user's outside. */
export function ownCompiledCode({ dataRoot, isEphemeral, workspace }: CodePlaces): OwnCompiledCode {
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !workspace().some((place) => isInside(realpath(folder), realpath(place)));
  return (env) => {
    const { [BYTECODE_CACHE]: chosen = '' } = env;
    const folder = isOutside(chosen) ? chosen : isEphemeral ? '/dev/null/python' : ownFolder(dataRoot);
    return { ...env, ...noCaches, [BYTECODE_CACHE]: folder };
  };
}

export function withOwnCompiledCode<T extends SettingsPrograms>(programs: T, ofOutside: OwnCompiledCode): T {
  return {
    ...programs,
    async admit(program) {
      const run = await programs.admit(program);
      return run.type === 'outside' ? { ...run, env: ofOutside(run.env ?? program.env) } : run;
    },
  };
}

function ownFolder(dataRoot: string): string {
  const folder = join(dataRoot, 'cache', 'python');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Without it, Python compiles each time.
  }
  return folder;
}
