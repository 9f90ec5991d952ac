/** The paths, version and environment of the program: read from the process once, and passed on as plain data. */
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { ManagedSource } from '../../config/managed.ts';
import { realpath } from '../../disk/paths.ts';

export interface AppPaths {
  readonly cwd: string;
  /** The project's root, links resolved. */
  readonly root: string;
  /**
   * Added to the workspace by the settings and by `/add-dir`, links resolved; absent before those have been read.
   */
  readonly addedDirectories?: () => readonly string[];
  readonly home: string;
  /**
   * The home directory in the system's user database, which ssh and gpg use regardless of HOME; absent if there is
   * none.
   */
  readonly systemHome?: string | undefined;
  /** `~/.clawdcode`, or the value of `CLAWDCODE_HOME`. */
  readonly dataRoot: string;
  readonly packageRoot: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in `SettingsPlaces`; only set in tests. */
  readonly managed?: ManagedSource;
}

/** All folders of the workspace; the root comes first. */
export function workspaceOf({
  root,
  addedDirectories,
}: Pick<AppPaths, 'root' | 'addedDirectories'>): readonly string[] {
  return [root, ...(addedDirectories?.() ?? [])];
}

/** The current directory no longer exists, or there is no valid folder for the program's data. */
export class AppPathsError extends Error {
  override readonly name = 'NoAppPathsError';
}

/**
 * Reads the paths; `folder`: absolute; `hostEnv`: of a program that runs this one inside its own process. Throws
 * `AppPathsError` if there is no usable directory.
 */
export function readAppPaths(folder = currentFolder(), hostEnv?: AppPaths['env']): AppPaths {
  const env = hostEnv ?? process.env;
  const cwd = realpath(folder);
  const systemHome = homeOfUser();
  const home = [hostEnv?.HOME, homedir(), systemHome].find((path) => path !== undefined && isAbsolute(path));
  if (home === undefined)
    throw new AppPathsError('HOME is not an absolute path: set it to your home folder, and start again.');
  return {
    cwd,
    root: findRoot(cwd),
    home,
    systemHome,
    dataRoot: withoutProc(dataFolder(env.CLAWDCODE_HOME, home)),
    packageRoot: packageRoot(),
    version: programVersion(),
    // Applies to the whole run, including started programs.
    env:
      hostEnv === undefined && process.argv.includes('--no-color')
        ? { ...env, NO_COLOR: '1', FORCE_COLOR: undefined }
        : env,
  };
}

/**
 * Returns the data folder. A relative path is an error: it would depend on the current directory, whose settings would
 * then count as the user's own.
 */
function dataFolder(chosen: string | undefined, home: string): string {
  if (!chosen) return join(home, '.clawdcode');
  if (isAbsolute(chosen)) return chosen;
  throw new AppPathsError(
    `CLAWDCODE_HOME must be an absolute path, not ${JSON.stringify(chosen)}. Correct it and start again.`,
  );
}

/** In `/proc`, Node's recursive mkdir never ends: the kernel answers as if the parent were missing. */
function withoutProc(folder: string): string {
  if (!/^\/proc(?:\/|$)/.test(realpath(folder))) return folder;
  throw new AppPathsError(
    `No files can be created in ${folder}: set HOME or CLAWDCODE_HOME to another folder, and start again.`,
  );
}

function homeOfUser(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // The user id has no entry, as in some containers.
    return undefined;
  }
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = 'the current folder no longer exists: cd to one that does, and start again.';
    throw new AppPathsError(message, { cause });
  }
}

/** Returns a warning if the root would make too much one project; undefined for ordinary folders. */
export function rootNotice({ root, home }: Pick<AppPaths, 'root' | 'home'>): string | undefined {
  const what =
    root === '/' || /^[A-Za-z]:\\$/.test(root)
      ? 'the root folder'
      : root === home
        ? 'your home folder'
        : undefined;
  return what === undefined
    ? undefined
    : `This is ${what}: all of it is treated as the project, for searches and for file access. Start clawdcode in a project folder instead.`;
}

/**
 * Returns the project's root: the nearest folder upwards that contains `.git`, otherwise the working directory. Ignores
 * a `.git` that another user put into a folder writable by all, such as /tmp (like git's safe.directory). `uid`: the
 * user running the program; undefined on systems without user ids.
 */
export function findRoot(cwd: string, uid: number | undefined = process.getuid?.()): string {
  const start = realpath(cwd);
  for (let directory = start; ; directory = dirname(directory)) {
    const git = join(directory, '.git');
    if (existsSync(git) && !isPlanted(git, directory, uid)) return directory;
    if (directory === dirname(directory)) return start;
  }
}

function isPlanted(path: string, folder: string, uid: number | undefined): boolean {
  if (uid === undefined) return false;
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  return owner !== 0 && owner !== uid && (statSync(folder).mode & 0o002) !== 0;
}

/** Returns the folder of this program's own package.json: the checkout or the installed package. */
export function packageRoot(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}

/** Returns the version in that package.json. */
export function programVersion(): string {
  const text = readFileSync(join(packageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
