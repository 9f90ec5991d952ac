/**
 * How we start git and other programs ourselves: read-only, and without executing anything from the folder. An unpacked
 * archive contains its own git configuration, and any folder may hide a repository. Pure.
 */
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from './paths.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Resolves links in a path. Never throws. */
type Realpath = (path: string) => string;

/**
 * Arguments before the git subcommand. They override what a repository may configure: the file system monitor, hooks,
 * pagers, signature checks, credential helpers and ssh. Submodules and merges are not inspected, since that would show
 * other repositories' files and run drivers. A bare repository is used only if named explicitly. Subcommands that show
 * diffs also need `--no-ext-diff` and `--no-textconv`: an empty `diff.external` breaks every diff in git 2.39.
 */
export const OWN_GIT_ARGUMENTS: readonly string[] = [
  '--no-pager',
  '--no-optional-locks',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.sshCommand=false',
    'core.askPass=false',
    'credential.helper=',
    'diff.submodule=short',
    'gpg.openpgp.program=false',
    'gpg.program=false',
    'gpg.ssh.program=false',
    'gpg.x509.program=false',
    'grep.fallbackToNoIndex=false',
    'log.diffMerges=separate',
    'log.follow=false',
    'log.showSignature=false',
    'safe.bareRepository=explicit',
    'submodule.recurse=false',
  ].flatMap((setting) => ['-c', setting]),
];

/** True for a variable that places the user's own git settings outside the workspace: git(1). */
export function placesGitSettings(
  name: string,
  value: string,
  env: Variables,
  workspace: readonly string[],
  realpath: Realpath,
): boolean {
  if (name === 'GIT_CONFIG_NOSYSTEM') return true;
  if (!/^GIT_CONFIG_(?:GLOBAL|SYSTEM)$/.test(name) || !isAbsolute(value)) return false;
  return pathOutside({ ...env, PATH: value }, workspace, realpath) === value;
}

/**
 * Returns the environment for such a git, based on the user's. No variable points it at another repository, or at
 * settings in the workspace; it fetches nothing over any protocol (`ext::` runs a program), asks for no password, and
 * finds no programs in the project.
 */
export function ownGitEnvironment(
  env: Variables,
  workspace: readonly string[],
  realpath: Realpath,
): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const isKept = !name.startsWith('GIT_') || placesGitSettings(name, value, env, workspace, realpath);
    return isKept ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(kept),
    ...(env.PATH === undefined ? {} : { PATH: pathOutside(env, workspace, realpath) }),
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/**
 * Returns the environment for other programs that we start by name without asking, such as clipboard tools: the user's,
 * except that no program from the project is found in the PATH.
 */
export function ownProgramEnvironment(
  env: Variables,
  workspace: readonly string[],
  realpath: Realpath,
): Variables {
  return env.PATH === undefined ? env : { ...env, PATH: pathOutside(env, workspace, realpath) };
}

/**
 * Returns the PATH without folders that the `workspace` controls, for as long as the user has not been asked about it.
 * Removes folders that are relative, inside a folder of the workspace, or in the `node_modules` of a folder above it,
 * which `npx` puts first. A folder that contains the user's home is not a project, and its folders are kept. Each folder
 * is checked both as written and with links resolved: a shell's PWD, from which a PATH is often built, may go through a
 * link that the workspace does not.
 */
export function pathOutside(
  { PATH = '', HOME }: Variables,
  workspace: readonly string[],
  realpath: Realpath,
): string {
  const isBrought = workspace.map((directory) => broughtBy(directory, HOME));
  const isForeign = (folder: string): boolean =>
    !isAbsolute(folder) ||
    [resolve(folder), realpath(folder)].some((path) => isBrought.some((isOne) => isOne(path)));
  return PATH.split(delimiter)
    .filter((folder) => !isForeign(folder))
    .join(delimiter);
}

function broughtBy(directory: string, home: string | undefined): (folder: string) => boolean {
  const around = [directory];
  for (let at = directory; at !== dirname(at); at = dirname(at)) around.push(dirname(at));
  const isProject = around.length > 1 && (home === undefined || !isInside(home, directory));
  return (folder) =>
    (isProject && isInside(folder, directory)) ||
    around.some((place) => isInside(folder, join(place, 'node_modules')));
}
