/** Where and as what the program runs: read from the process once, handed on as plain data. */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ManagedSource } from '../../config/managed.ts';
import { realpath } from '../../disk/realPath.ts';
import { packageRoot, programVersion } from './packageRoot.ts';
import { findRoot } from './workspace.ts';

export interface Place {
  readonly cwd: string;
  /** The project's root, links resolved. */
  readonly root: string;
  readonly home: string;
  /** The home in the system's list of users, which ssh and gpg go by whatever HOME says; absent = there is none. */
  readonly systemHome?: string | undefined;
  /** `~/.clawdcode`, or what `CLAWDCODE_HOME` says. */
  readonly dataRoot: string;
  readonly packageRoot: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in `SettingsPlaces`: absent but in tests. */
  readonly managed?: ManagedSource;
}

/** The folder in which the program was started is gone, or there is none for its data. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError';
}

/** Throws a `NoPlaceError` where there is nothing to work in. */
export function readPlace(): Place {
  const cwd = realpath(currentFolder());
  const systemHome = homeOfUser();
  const home = [homedir(), systemHome].find((path) => path !== undefined && isAbsolute(path));
  if (home === undefined)
    throw new NoPlaceError('HOME is not an absolute path: set it to your home folder, and start again.');
  return {
    cwd,
    root: findRoot(cwd),
    home,
    systemHome,
    dataRoot: dataFolder(process.env.CLAWDCODE_HOME, home),
    packageRoot: packageRoot(),
    version: programVersion(),
    // For the whole run, and for whatever it starts.
    env: process.argv.includes('--no-color')
      ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined }
      : process.env,
  };
}

/** A relative path would lead into whatever folder we are started in, and its settings would pass for the user's own. */
function dataFolder(chosen: string | undefined, home: string): string {
  if (!chosen) return join(home, '.clawdcode');
  if (isAbsolute(chosen)) return chosen;
  throw new NoPlaceError(
    `CLAWDCODE_HOME must be an absolute path, not ${JSON.stringify(chosen)}. Correct it and start again.`,
  );
}

function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // The number of the user is in no list, as in some containers.
    return undefined;
  }
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = 'the current folder no longer exists: cd to one that does, and start again.';
    throw new NoPlaceError(message, { cause });
  }
}
