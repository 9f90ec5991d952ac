/**
 * How we start git and other programs ourselves: read-only, and so that nothing a folder brings along is executed. An
 * unpacked archive has its own git configuration, and any folder may hide a repository. Pure.
 */
import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/** Where a path leads, links resolved. Never throws. */
type Realpath = (path: string) => string;

/**
 * Arguments before the git command. They override what a repository configures: the file system monitor, hooks, pagers,
 * signature checks, credential helpers and ssh; neither submodules nor merges are looked into, which shows the files of others
 * and runs drivers. A bare repository is used only when it is named. A command that shows a
 * difference needs `--no-ext-diff` and `--no-textconv` besides: emptied, `diff.external` fails every diff in git 2.39.
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
    'log.diffMerges=separate',
    'log.showSignature=false',
    'safe.bareRepository=explicit',
    'submodule.recurse=false',
  ].flatMap((setting) => ['-c', setting]),
];

/**
 * The environment for such a git, based on the user's. Nothing points it at another repository; it fetches nothing, over
 * any protocol (`ext::` runs a program); it prompts for no password; and it finds no programs in the project.
 */
export function ownGitEnvironment(
  env: Variables,
  directory: string,
  realpath: Realpath,
): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('GIT_') ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    ...(env.PATH === undefined ? {} : { PATH: pathOutside(env, directory, realpath) }),
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/**
 * The environment for any other program that we start by its name and without asking, such as one for the clipboard: the
 * user's, but none that the project brings along passes for it.
 */
export function ownProgramEnvironment(env: Variables, directory: string, realpath: Realpath): Variables {
  return env.PATH === undefined ? env : { ...env, PATH: pathOutside(env, directory, realpath) };
}

/**
 * The folders of the PATH in which programs are looked up while nobody has been asked about `directory`: none that is
 * relative, lies inside `directory` or is in the `node_modules` of a folder around it, as `npx` puts it first. A folder
 * that holds the user's home is no project: what is in there is the user's. A folder counts as written and as where it
 * leads: a shell's PWD, from which a PATH is often made, may go through a link that `directory` does not.
 */
export function pathOutside({ PATH = '', HOME }: Variables, directory: string, realpath: Realpath): string {
  const around = [directory];
  for (let at = directory; at !== dirname(at); at = dirname(at)) around.push(dirname(at));
  const isProject = around.length > 1 && (HOME === undefined || !isInside(HOME, directory));
  const isBrought = (folder: string): boolean =>
    (isProject && isInside(folder, directory)) ||
    around.some((place) => isInside(folder, join(place, 'node_modules')));
  const isForeign = (folder: string): boolean =>
    !isAbsolute(folder) || [resolve(folder), realpath(folder)].some(isBrought);
  return PATH.split(delimiter)
    .filter((folder) => !isForeign(folder))
    .join(delimiter);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
