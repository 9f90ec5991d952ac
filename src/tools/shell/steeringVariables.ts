/** Environment variables through which programs find code, options or files. Pure. */

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Variables that name code, options or files for a shell, an interpreter or a tool, and that read-only commands do not
 * need.
 */
export const steering =
  /^(?:BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4|CDPATH|FPATH|ZDOTDIR|GLOBIGNORE|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|UNZIP|ZIPINFO|LESSOPEN|LESSCLOSE|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|HOME|STARTUP|INSPECT|BREAKPOINT|WARNINGS|USERBASE|PYCACHEPREFIX)|PERL5(?:LIB|OPT|DB)|PERLLIB|RUBY(?:LIB|OPT)|GEM_(?:HOME|PATH)|BUNDLE_GEMFILE|LUA_(?:INIT|PATH|CPATH).*|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|MAKEFILES|AWKPATH|AWKLIBPATH|PHPRC|PHP_INI_SCAN_DIR|DOCKER_CONFIG|OPENSSL_(?:CONF|ENGINES|MODULES)|GIT_.*)$/;
/** Lists of folders or files for the dynamic loader. */
export const loading = /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_.*|GCONV_PATH)$/;

// Those of them that decide which code runs, by the form of their values.

/** Shell text or a program that another program starts. */
const commands =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|PAGER|EDITOR|VISUAL|MANPAGER|BROWSER|SSH_ASKPASS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|PS4|PERL5DB|BASH_FUNC_.*)$/;
/** Command-line options. */
const options =
  /^(?:NODE_OPTIONS|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|GREP_OPTIONS|TAR_OPTIONS|UNZIP|ZIPINFO)$/;
/** Settings of git: pairs of variables, or one with all of them. */
const gitSettings = /^GIT_CONFIG_(?:VALUE_\d+|PARAMETERS)$/;
const gitPaths =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|EXEC_PATH|TEMPLATE_DIR|CONFIG|CONFIG_GLOBAL|CONFIG_SYSTEM|ATTR_SYSTEM|ATTR_GLOBAL)$/;
/** They switch something, or name what is found through other variables. */
const neutral =
  /^(?:BASHOPTS|SHELLOPTS|GLOBIGNORE|CDPATH|PYTHON(?:INSPECT|BREAKPOINT|WARNINGS)|DYLD_PRINT_.*|GIT_.*)$/;

/**
 * The first variable through which a program may load something from the workspace or from the folder it starts in;
 * undefined if there is none. A value that is not understood counts as such. `isOutside`: true for an absolute path that
 * the workspace does not control.
 */
export function workspaceVariable(
  env: Variables,
  home: string,
  isOutside: (path: string) => boolean,
): string | undefined {
  const inShell = (path: string): boolean => isOutside(path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home));
  const isFree = (name: string, value: string): boolean => {
    if (commands.test(name)) return isPlainCommand(value, inShell);
    if (options.test(name)) return areOptionsOutside(value, isOutside);
    if (gitSettings.test(name)) return isPlainSetting(env[name.replace('VALUE', 'KEY')], value, inShell);
    const isPaths =
      name === 'PATH' ||
      loading.test(name) ||
      gitPaths.test(name) ||
      (steering.test(name) && !neutral.test(name));
    // An empty class path is the current folder; any other empty list is no list.
    if (!isPaths || (value === '' && name !== 'CLASSPATH')) return true;
    return pathsOf(name, value).every((path) => isOutside(path) || isLibraryName(name, path));
  };
  return Object.entries(env).find(([name, value]) => value !== undefined && !isFree(name, value))?.[0];
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
