/** Decides whether a program in the settings runs code of the workspace, in the environment in which it starts. */
import { isAbsolute } from 'node:path';
import { statOf } from '../../disk/fileLookups.ts';
import { pathOutside } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/paths.ts';
import { type SettingsProgram, scriptOf } from '../../protocol/settingsPrograms.ts';
import type { Permissions } from './permissions.ts';
import type { CodePlace, CodeRun } from './workspaceCode.ts';

type Program = Pick<SettingsProgram, 'command' | 'args' | 'cwd' | 'env'>;

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

/** `own`: see `CodePlace`. */
export async function codeOfProgram(
  program: Program,
  { root, home, workspace, effects: effectsIn }: CodePlaces,
  own?: CodePlace['own'],
): Promise<CodeRun> {
  // This loads the command tables, which opening a session does not need.
  const { codeRunBy } = await import('./workspaceCode.ts');
  const { isSteeringName, ledPrograms } = await import('../../tools/shell/steeringVariables.ts');
  const effects: CodePlace['effects'] = (command, cwd) => effectsIn(command, cwd, workspace);
  // The user's own variables apply in any folder; only those with which programs find code may lead into this one.
  const leading = Object.entries(program.env).filter(
    ([name]) => own === undefined || name === 'PATH' || isSteeringName(name),
  );
  const led = ledPrograms(Object.fromEntries(leading), {
    home,
    isOutside: (path) => isOutside(path, workspace, home),
    isSocket: (path) => statOf(path)?.isSocket() === true,
  });
  if (led === 'all') return 'workspace';
  const place: CodePlace = { workspace, root, home, effects, env: program.env, isLed: led !== 'none', own };
  return codeRunBy(textOf(program), program.cwd, place, program.args === undefined);
}

/** What a program of the user's own settings runs in a folder that the user has not trusted. */
export async function codeOfOwnProgram(
  program: Program,
  { gitRuns, ...place }: Omit<CodePlaces, 'workspace'> & Pick<Permissions, 'gitRuns'>,
): Promise<CodeRun> {
  return codeOfProgram(program, { ...place, workspace: [realpath(place.root)] }, { gitRuns });
}

const isOutside = (path: string, workspace: readonly string[], home: string): boolean =>
  isAbsolute(path) &&
  !/^\/proc(?:\/|$)/.test(path) &&
  pathOutside({ PATH: path, HOME: home }, workspace, realpath) === path;
