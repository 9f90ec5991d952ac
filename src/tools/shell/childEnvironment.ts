/**
 * The environment of commands: the user's, without our keys, and set up so that programs neither wait for keyboard
 * input nor check for updates.
 */
import { delimiter, isAbsolute } from 'node:path';
import { OWN_GIT_ARGUMENTS, pathOutside, placesGitSettings } from '../../disk/ownPrograms.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { isSteering, leadsInside, loading } from './steeringVariables.ts';

/** `secrets`: additional variables to leave out. */
export function childEnvironment(
  env: Environment,
  secrets: readonly string[],
  sessionId: string,
): Record<string, string> {
  return {
    ...noUpdateChecks,
    ...withoutKeys(env, secrets),
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    CLAWDCODE: '1',
    CLAWDCODE_SESSION_ID: sessionId,
    AGENT: 'clawdcode',
  };
}

/**
 * Update checks would cause approval prompts for hosts, and the model would read their notices. The user's own values
 * override these.
 */
const noUpdateChecks = {
  NO_UPDATE_NOTIFIER: '1',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
};

/** The user's environment without this program's keys, for every command the program starts. */
export function withoutKeys(env: Environment, secrets: readonly string[] = []): Record<string, string> {
  const hidden = new Set(['OPENAI_API_KEY', ...secrets]);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || hidden.has(name) || /^CLAWDCODE_.*KEY/.test(name)) continue;
    kept[name] = value;
  }
  return kept;
}

/**
 * The environment of a server that the project does not define and that starts in an empty folder: no variable tells it
 * where the project is.
 */
export const environmentApart = (
  env: Readonly<Record<string, string>>,
  root: string,
  folder: string,
): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name === 'PATH' || !leadsTo(root, value)),
  ),
  PWD: folder,
});

/** True if the value of a variable contains the path of a folder, of something in it, or of a link to these. */
export function leadsTo(folder: string, value: string): boolean {
  const places = [folder, realpath(folder)];
  const paths = [value, ...value.split(/[\s:;,='"]+/)]
    .flatMap((part) =>
      part.startsWith('file://') && URL.canParse(part) ? decodeURIComponent(new URL(part).pathname) : part,
    )
    .filter(isAbsolute);
  return (
    places.some((place) => value.includes(place)) ||
    paths.some((path) => places.some((place) => isInside(realpath(path), place)))
  );
}

// The environment of commands that run without the user's approval: those that only read, and edits in accept-edits
// mode. It keeps them from running programs of the project or reading configuration from it: programs are looked up
// outside the project, git runs no hook, monitor or helper and fetches nothing, and variables through which the project
// could influence a program are removed. Approved commands get the user's own environment.

/** Equivalent to `-c name=value` before a git command. `diff.external` is left to the user. */
const gitSettings: readonly (readonly [string, string])[] = [
  ...OWN_GIT_ARGUMENTS.filter((argument) => argument.includes('=')).map(
    (setting) => [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)] as const,
  ),
  ['protocol.allow', 'never'] as const,
];

/** `env` is the environment of an approved command. */
export const readOnlyEnvironment = (
  env: Readonly<Record<string, string>>,
  workspace: readonly string[],
): Record<string, string> => environmentWithout(isSteering, env, workspace);

/**
 * The environment of a program from the user's own settings in a folder that the user has not trusted: git starts
 * nothing that the folder names, and no variable leads there. The user's other variables stay.
 */
export const userProgramEnvironment = (
  env: Readonly<Record<string, string>>,
  workspace: readonly string[],
): Record<string, string> => environmentWithout(leadsInside, env, workspace);

function environmentWithout(
  isDropped: typeof isSteering,
  env: Readonly<Record<string, string>>,
  workspace: readonly string[],
): Record<string, string> {
  const kept: Record<string, string> = {};
  const fixed = new Set(Object.keys(ofNpm));
  const places = {
    home: env.HOME ?? '',
    isOutside: (path: string) => isAbsolute(path) && isOutside(path, env, workspace),
  };
  for (const [name, value] of Object.entries(env)) {
    if (fixed.has(name.toLowerCase())) continue;
    const isKept =
      placesGitSettings(name, value, env, workspace, realpath) || !isDropped(name, value, env, places);
    if (isKept) kept[name] = value;
    if (!loading.test(name)) continue;
    const separator = name === 'LD_PRELOAD' ? /[\s:]+/ : delimiter;
    kept[name] = value
      .split(separator)
      .filter((part) => isOutside(part, env, workspace))
      .join(delimiter);
    if (kept[name] === '') delete kept[name];
  }
  if (env.PATH !== undefined) kept.PATH = pathOutside(env, workspace, realpath);
  const settings = gitSettings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...kept,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(gitSettings.length),
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    // Prevents downloads of another Go version that a project file requests.
    GOTOOLCHAIN: 'local',
    ...ofNpm,
  };
}

/**
 * npm writes a log and its cache for every command, in folders that a project's `.npmrc` may name, and deletes older logs
 * there. These folders cannot exist. Its names of variables ignore case.
 */
const ofNpm: Readonly<Record<string, string>> = {
  npm_config_cache: '/dev/null/npm',
  npm_config_logs_dir: '/dev/null/npm/logs',
  npm_config_logs_max: '0',
  npm_config_timing: 'false',
  npm_config_update_notifier: 'false',
};

const isOutside = (
  path: string,
  env: Readonly<Record<string, string>>,
  workspace: readonly string[],
): boolean =>
  path !== '' &&
  (!path.includes('/') ||
    (isAbsolute(path) && pathOutside({ ...env, PATH: path }, workspace, realpath) === path));

/** Environment variables, passed in by the caller; tools never read the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;
