/**
 * Keeps programs of the settings that run outside the sandbox from loading compiled code that a sandboxed command left
 * next to the source. Git ignores such files, and every run writes some, so they do not count as changes.
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

/** Python finds compiled code only in the folder that the environment names: ours, or one of the user's outside. */
export function withOwnCompiledCode<T extends SettingsPrograms>(
  programs: T,
  { dataRoot, isEphemeral, workspace }: CodePlaces,
): T {
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !workspace().some((place) => isInside(realpath(folder), realpath(place)));
  return {
    ...programs,
    async admit(program) {
      const run = await programs.admit(program);
      if (run.type !== 'outside') return run;
      const env = run.env ?? program.env;
      const { [BYTECODE_CACHE]: chosen = '' } = env;
      const folder = isOutside(chosen) ? chosen : isEphemeral ? '/dev/null/python' : ownFolder(dataRoot);
      return { ...run, env: { ...env, ...noCaches, [BYTECODE_CACHE]: folder } };
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
