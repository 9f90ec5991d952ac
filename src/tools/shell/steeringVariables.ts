/**
 * Environment variables through which programs find code, options or files. No list of names is complete, so the values
 * decide: see docs/decisions/hooks.md. Pure.
 */

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Variables that name code, options or files for a shell, an interpreter or a tool, and that read-only commands do not
 * need.
 */
const steering =
  /^(?:BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4|CDPATH|FPATH|ZDOTDIR|GLOBIGNORE|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|UNZIP|ZIPINFO|LESSOPEN|LESSCLOSE|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|STARTUP|INSPECT|BREAKPOINT|WARNINGS|USERBASE|PYCACHEPREFIX)|PERL5(?:LIB|OPT|DB)|PERLLIB|RUBY(?:LIB|OPT)|GEM_(?:HOME|PATH)|BUNDLE_GEMFILE|LUA_(?:INIT|PATH|CPATH).*|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|MAKEFILES|AWKPATH|AWKLIBPATH|PHPRC|PHP_INI_SCAN_DIR|DOCKER_CONFIG|OPENSSL_(?:CONF|ENGINES|MODULES)|GIT_.*)$/;
/** Lists of folders or files for the dynamic loader. */
export const loading = /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_.*|GCONV_PATH)$/;

// Values that lead somewhere without an absolute path, by the names of their variables.

/** Shell text or a program that another program starts. */
const commands =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND)|\w*(?:EDITOR|PAGER|ASKPASS|WRAPPER)|VISUAL|BROWSER|SHELL|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|PS4|PERL5DB|BASH_FUNC_.*)$/;
/** Command-line options. */
const options =
  /^(?:NODE_OPTIONS|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|(?:MAVEN|GRADLE)_OPTS|MAKEFLAGS|GREP_OPTIONS|TAR_OPTIONS|UNZIP|ZIPINFO)$/;
/** Settings of git: pairs of variables, or one with all of them. */
const gitSettings = /^GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)$/;
const gitPaths =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|EXEC_PATH|TEMPLATE_DIR|CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM|ATTR_SYSTEM|ATTR_GLOBAL)$/;
/** They switch something, or name what is found through other variables. */
const neutral =
  /^(?:BASHOPTS|SHELLOPTS|GLOBIGNORE|CDPATH|PYTHON(?:INSPECT|BREAKPOINT|WARNINGS)|DYLD_PRINT_.*|GIT_.*)$/;
/** By custom, these name files or folders: `CURL_HOME`, `WGETRC`, `PIP_CONFIG_FILE`, `XDG_DATA_DIRS`, `NODE_COMPILE_CACHE`. */
const places = /(?:HOME|PATH|DIRS?|ROOT|PREFIX|RC|FILE|CONF|CONFIG|CACHE)$/i;

/** No program loads code from what they name: temporary folders, the current one, cookies, sockets. Names in lower case are those of the user's own scripts, and of npm. */
const unread =
  /^(?:(?!p?npm_)[a-z]\w*|PWD|OLDPWD|INIT_CWD|_|TMPDIR|TEMPDIR|TMP|TEMP|NIX_BUILD_TOP|(?:CLAUDE|CLAWDCODE)_(?:PROJECT_DIR|ENV_FILE)|XAUTHORITY|ICEAUTHORITY|KRB5CCNAME|DBUS_SESSION_BUS_ADDRESS|SESSION_MANAGER|SSH_AUTH_SOCK|TMUX)$/;
/** Of package managers, build tools, editors and CI: none of the programs whose effects are known reads them. */
const ofTools =
  /^(?:VIRTUAL_ENV|CONDA|NPM|PNPM|YARN|BUN|PIP|PIPX|PIPENV|POETRY|UV|CARGO|RUSTUP|GO[A-Z]+|MAVEN|GRADLE|DIRENV|MISE|ASDF|NVM|COMPOSE|DOCKER|KUBECONFIG|AWS|VSCODE|GITHUB|CI|RUNNER|BUILDKITE|CIRCLE|WORKSPACE)(?:_.*)?$/i;

/** Which programs may load something from the workspace, or from the folder they start in. */
type LedPrograms =
  /** Any. */
  | 'all'
  /** Those about whose effects nothing is known. */
  | 'unknown'
  | 'none';

/** Decides what a variable leads to. */
interface Places {
  readonly home: string;
  /** True for an absolute path that the workspace does not control. */
  readonly isOutside: (path: string) => boolean;
  /** True for the path of a socket, which is no code; many are in temporary folders. */
  readonly isSocket?: (path: string) => boolean;
}

/** Which programs the environment leads to the workspace. A value that is not understood counts. */
export function ledPrograms(env: Variables, given: Places): LedPrograms {
  const leading = Object.entries(env).filter(
    ([name, value]) => value !== undefined && leadsInside(name, value, env, given),
  );
  if (leading.length === 0) return 'none';
  return leading.every(([name]) => ofTools.test(name)) ? 'unknown' : 'all';
}

/** True for a name through which some program finds code, whatever the value. */
export const isSteeringName = (name: string): boolean =>
  [steering, loading, commands, options].some((names) => names.test(name));

/** True for a variable that a command must not have if it runs without approval. */
export const isSteering = (name: string, value: string, env: Variables, given: Places): boolean =>
  steering.test(name) ||
  (places.test(name) && name !== 'PATH' && !ofTools.test(name) && leadsInside(name, value, env, given));

/** True if a program may load something from the workspace through this variable. */
export function leadsInside(name: string, value: string, env: Variables, given: Places): boolean {
  const { home, isOutside } = given;
  if (unread.test(name)) return false;
  const inShell = (path: string): boolean => isOutside(inHome(path, home));
  if (gitSettings.test(name)) return !isPlainSetting(env[name.replace('VALUE', 'KEY')], value, inShell);
  if (namesInside(inHome(value, home), given)) return true;
  if (commands.test(name)) return !isPlainCommand(value, inShell);
  if (options.test(name)) return !areOptionsOutside(value, isOutside);
  const isListed =
    name === 'PATH' ||
    loading.test(name) ||
    gitPaths.test(name) ||
    (steering.test(name) && !neutral.test(name));
  // An empty class path is the current folder; any other empty list is no list.
  if (isListed && (value !== '' || name === 'CLASSPATH'))
    return pathsOf(name, value).some((path) => !isOutside(path) && !isLibraryName(name, path));
  return !isListed && !neutral.test(name) && places.test(name) && value.split(':').some(isRelative);
}

const inHome = (text: string, home: string): string =>
  text.replace(/(?<![^\s:;,='"@|])(?:~|\$HOME|\$\{HOME\})(?=\/)/g, () => home);

/** True for what reads as the name of a file in the folder that a program starts in, and as nothing else. */
const isRelative = (part: string): boolean =>
  /^[\w.@+-]+(?:\/[\w.@+-]+)*\/?$/.test(part) &&
  !/^(?:\d+|true|false|yes|no|on|off|default|none|auto)$/i.test(part);

/** Where a path may start: not within a name, except after the letter of an option. */
const start = /(?<![\w.~+/-])(?:\/|\.\.?\/)|(?<=(?<![^\s'"])-[A-Za-z])(?:\/|\.\.?\/)/g;

/** An address of a server: no path, although it looks like one after its scheme and port. */
const address =
  /(?<![\w+.-])(?!file:)[a-z][a-z\d+.-]*:\/\/[\w.-]+(?::\d+)?(?:\/[^\s'"`:;,=|&(){}<>]*)?(?=[\s'"`;,]|$)/gi;

/** A path may contain characters that usually end one, so all its readings are tried. */
function namesInside(given: string, { isOutside, isSocket = () => false }: Places): boolean {
  const value = given.replace(address, '');
  return [...value.matchAll(start)].some(({ index }) => {
    const rest = value.slice(index);
    const [shortest = '', ...longer] = [/[\s:;,=@'"`|&(){}<>]/, /[:\n]/, /$/].map((end) =>
      rest.slice(0, rest.slice(1).search(end) + 1 || undefined),
    );
    return !isSocket(shortest) && [shortest, ...longer].some((path) => !isOutside(path));
  });
}

/** Without a folder, a library is looked up where libraries are. */
const isLibraryName = (name: string, path: string): boolean =>
  /^LD_(?:PRELOAD|AUDIT)$/.test(name) && path !== '' && !path.includes('/');

function pathsOf(name: string, value: string): readonly string[] {
  const parts = (separator: RegExp): string[] => value.split(separator).filter((part) => part !== '');
  if (name === 'LD_PRELOAD') return parts(/[\s:]+/);
  if (name === 'MAKEFILES') return parts(/\s+/);
  if (name.startsWith('LUA_INIT')) return [value.replace(/^@/, '')];
  // An empty part stands for the default.
  if (name.startsWith('LUA_')) return parts(/;/);
  if (name === 'PHP_INI_SCAN_DIR') return parts(/:/);
  return value.split(':');
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/[\s"'`;|&(){}<>]+/).filter((word) => word !== '');

const interpreters =
  /^(?:(?:ba|da|z|k|fi)?sh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|awk|env|java)$/;

/** Programs are looked up outside the workspace: only paths matter, and files that an interpreter is given. */
function isPlainCommand(text: string, isOutside: (path: string) => boolean): boolean {
  const words = wordsOf(text);
  const runsFile = words.some((word) => interpreters.test(word.slice(word.lastIndexOf('/') + 1)));
  return words.every((word, at) => {
    const path = /=(.*)$/.exec(word)?.[1] ?? word;
    if (path.includes('/')) return isOutside(path);
    return !/^\.\.?$/.test(path) && (!runsFile || at === 0 || path.startsWith('-'));
  });
}

/** Options that load what they name: in the same word, or in the next. */
const loadingOption =
  /^(?:-[rICMmd]|--(?:require|import|loader|experimental-loader|env-file|jar|class-path|module-path|include-dir|file|makefile|eval|directory|to-command|use-compress-program|checkpoint-action)|-(?:javaagent|agentpath|agentlib|cp|classpath|Xbootclasspath|XX:Flags|XX:On|D.*(?:[pP]ath|[dD]irs?|[cC]onfig|[fF]ile|[pP]olicy)=))/;

function areOptionsOutside(text: string, isOutside: (path: string) => boolean): boolean {
  const words = wordsOf(text);
  return words.every((word, at) => {
    const isOption = word.startsWith('-');
    const [name = '', ...values] = word.replace(/^(-[rICMmd])(?=[^=:])/, '$1=').split(/[=:,]/);
    const given = isOption ? values : [name.replace(/^@/, ''), ...values];
    if (given.some((value) => value.includes('/') && !isOutside(value))) return false;
    const loads = isOption ? values.length > 0 && loadingOption.test(word) : isAwaited(words[at - 1]);
    return !loads || given[0]?.includes('/') === true;
  });
}

/** True if an option loads what the next word names. */
const isAwaited = (before: string | undefined): boolean =>
  before !== undefined && loadingOption.test(before) && !/[=:]/.test(before);

/** Settings of git whose value is a path or a program. */
const pathSetting =
  /path|file|dir|monitor|worktree|template|program|command|helper|editor|pager|driver|textconv|external|process|clean|smudge|^alias\./i;

/** `key`: undefined for a value that holds several settings. */
function isPlainSetting(
  key: string | undefined,
  value: string,
  isOutside: (path: string) => boolean,
): boolean {
  if (key === undefined) return !pathSetting.test(value) && !/alias\./i.test(value);
  if (!pathSetting.test(key) || /^safe\./i.test(key) || /^(?:true|false|\d*)$/i.test(value)) return true;
  return value.includes('/') && isPlainCommand(value, isOutside);
}
