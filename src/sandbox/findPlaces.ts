/** Looks at the disk for what a plan names: which secrets, protected files and git folders there are right now. */
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { HiddenPlace, SandboxPlaces } from './plan.ts';
import { secretPlaces, secretSystemPlaces } from './secretPlaces.ts';

export interface PlaceOptions {
  /** The project and the directories added to it, absolute. */
  readonly workspace: readonly string[];
  readonly home: string;
  /** The program's own data: keys, other sessions. Hidden, but for `ownDirectories`. */
  readonly dataRoot: string;
  /** In the program's data: what commands may read, outputs of this session. */
  readonly ownDirectories: readonly string[];
  readonly temporary: readonly string[];
  readonly scratchParent: string | undefined;
  /** Settings: absolute or below the home, written `~/…`, or below the project. */
  readonly allowWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Whether other programs obey what a file says. */
  readonly isObeyed: (path: string) => boolean;
  /** Whether a file holds secrets. */
  readonly isSensitive: (path: string) => boolean;
}

/** Never throws; what cannot be looked at is left as it is. */
export function findPlaces(options: PlaceOptions): SandboxPlaces {
  const workspace = options.workspace.flatMap(resolved);
  const expand = (path: string): readonly string[] =>
    resolved(
      path === '~' || path.startsWith('~/')
        ? join(options.home, path.slice(2))
        : resolve(options.workspace[0] ?? '/', path),
    );
  const shown = options.allowRead.flatMap(expand);
  const hidden = hiddenPlaces(options, expand).filter(
    // Whoever works in such a place means to.
    ({ path }) => !shown.includes(path) && !workspace.some((root) => isInside(root, path)),
  );
  return {
    workspace,
    temporary: options.temporary.flatMap(resolved).filter((path) => path !== '/'),
    gitFolders: workspace.flatMap(linkedGitFolder),
    protected: workspace.flatMap((root) => protectedIn(root, options.isObeyed)),
    hidden,
    projectSecrets: workspace.flatMap((root) =>
      namesIn(root)
        .map((name) => join(root, name))
        .filter((path) => options.isSensitive(path) && isFile(path)),
    ),
    readable: [...options.ownDirectories, ...shown],
    writable: options.allowWrite.flatMap(expand),
    scratchParent: options.scratchParent === undefined ? undefined : resolved(options.scratchParent)[0],
  };
}

function hiddenPlaces(
  { home, dataRoot, denyRead }: PlaceOptions,
  expand: (path: string) => readonly string[],
): readonly HiddenPlace[] {
  const candidates = [
    ...secretPlaces.map((place) => join(home, place)),
    ...secretSystemPlaces,
    dataRoot,
    ...denyRead.flatMap(expand),
  ];
  const found = candidates.flatMap((path) => {
    const [real] = resolved(path);
    if (real === undefined) return [];
    const isDirectory = statOf(real)?.isDirectory();
    return isDirectory === undefined ? [] : [{ path: real, isDirectory }];
  });
  const unique = new Map(found.map((place) => [place.path, place]));
  // What lies in a hidden folder is gone with it.
  return [...unique.values()].filter(
    ({ path }) =>
      ![...unique.values()].some(
        (other) => other.isDirectory && other.path !== path && isInside(path, other.path),
      ),
  );
}

/** Folders whose content is built by commands all day, whatever it is called. */
const builtFolders = new Set(['.git', 'node_modules', '.venv', 'venv']);

/** What other programs obey at the top of a folder, in `.github` and in the repository's own folder. */
function protectedIn(root: string, isObeyed: (path: string) => boolean): readonly string[] {
  const top = namesIn(root).filter((name) => !builtFolders.has(name));
  const inGithub = top.includes('.github')
    ? namesIn(join(root, '.github')).map((name) => join('.github', name))
    : [];
  const obeyed = [...top.filter((name) => name !== '.github'), ...inGithub]
    .map((name) => join(root, name))
    .filter((path) => isObeyed(path) && lstatOf(path)?.isSymbolicLink() === false);
  return [...obeyed, ...gitProtected(join(root, '.git')), ...linkedGitFolder(root).flatMap(gitProtected)];
}

/** In a git folder: what git runs or takes orders from. Of submodules the same. */
function gitProtected(folder: string): readonly string[] {
  const kind = lstatOf(folder);
  if (kind === undefined) return [];
  // A file that names the folder elsewhere.
  if (kind.isFile()) return [folder];
  if (!kind.isDirectory()) return [];
  const own = ['hooks', 'config', 'config.worktree', 'commondir'].map((name) => join(folder, name));
  const modules = namesIn(join(folder, 'modules')).flatMap((name) =>
    gitProtected(join(folder, 'modules', name)),
  );
  return [...own.filter((path) => lstatOf(path) !== undefined), ...modules];
}

/**
 * The folder of a repository whose linked worktree `root` is. Only where that folder names the worktree in turn, as git
 * writes it: the file `.git` may come from an archive and point anywhere.
 */
function linkedGitFolder(root: string): readonly string[] {
  const target = /^gitdir: (.+)$/m.exec(textOf(join(root, '.git')))?.[1];
  if (target === undefined || !isAbsolute(target)) return [];
  const own = dirname(target);
  const common = dirname(own);
  const isLinked =
    basename(own) === 'worktrees' && textOf(join(target, 'gitdir')).trim() === join(root, '.git');
  return isLinked && lstatOf(join(common, 'objects'))?.isDirectory() === true ? resolved(common) : [];
}

function resolved(path: string): readonly string[] {
  // Most are not there, and an exception for each would take longer than all the rest.
  if (lstatOf(path) === undefined) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return lstatSync(path).size > 4096 ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const isFile = (path: string): boolean => lstatOf(path)?.isFile() === true;

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function lstatOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
