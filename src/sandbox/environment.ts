/**
 * The environment of confined commands: without tokens, except those the user granted by name, and with writable
 * caches. Pure.
 */
import { join } from 'node:path';

type Variables = Readonly<Record<string, string>>;

/**
 * Names that indicate a secret; entire words between underscores, so that KEYBOARD and PASSENGER do not match. Sources of
 * the whole names: the command lines of Bitwarden, 1Password, sshpass and age.
 */
const secretWord =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT|KEY|KEYS|APIKEY|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|COOKIES?|DSN|PRIVATE|SAS|JWT|BEARER|WEBHOOKS?|MNEMONIC|SEED_PHRASE|CONN(?:ECTION)?_?STR(?:ING)?)(?:_|\d|$)|._(?:PWD|PW|BINDPW|CRED|SK)$|^(?:BW_SESSION|OP_SESSION_.+|SSHPASS|AGE_IDENTITY)$/i;
/** Headers for a server, which may hold a key. Sources: OpenTelemetry, Claude Code. */
const secretHeaders = /(?:^|_)(?:CUSTOM|OTLP(?:_[A-Z]+)?)_HEADERS$/i;
/** Also inside a word: `githubToken`, `NPMTOKEN`, `MYSECRET`. */
const secretPart = /token|secret|passw|apikey|credential|private_?key|access_?key/i;
/** Variables that point to programs holding keys; their sockets are not available in the sandbox. */
const agents = /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|DOCKER_HOST)$/;
/** Named like a secret, but harmless. */
const harmless =
  /^(?:TOKENIZERS_PARALLELISM|GIT_TERMINAL_PROMPT|SSH_ASKPASS(?:_REQUIRE)?|GIT_ASKPASS|.*_(?:KEY|TOKEN|SECRET|AUTH|CREDENTIALS?)_(?:FILE|PATH|NAME|TYPE|LENGTH|LIMIT|TTL|ROTATION|STORE|HELPER|ALGORITHM))$/i;

/** A password in a URL, as in DATABASE_URL; userinfo as in RFC 3986, 3.2.1. */
const passwordInUrl = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** A password in a connection string: learn.microsoft.com/azure/storage/common/storage-configure-connection-string, ADO.NET, libpq. */
const passwordInFields =
  /(?:^|[;\s])(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s*=\s*[^\s;]/i;

/** The same within options and JSON, as in `-Djavax.net.ssl.keyStorePassword=…`, and private keys. */
const passwordWithin =
  /(?:(?:(?<![A-Za-z])|(?<=-D))[pP]assword|(?<=[a-z])Password)["']?\s*[=:]\s*["']?[^\s;"',}]|-----BEGIN [A-Z ]*PRIVATE KEY|AGE-SECRET-KEY-1/;

/** The rules that decide about each variable. */
export interface EnvironmentRules {
  /** Names that the user granted; `*` matches anything. */
  readonly granted: readonly string[];
  /** True if a value has the form of a known token. */
  readonly isToken: (value: string) => boolean;
}

/** Returns the variables that a confined command gets. */
export function withoutTokens(
  env: Variables,
  { granted, isToken }: EnvironmentRules,
): Record<string, string> {
  const isGranted = matcherOf(granted);
  const holdsSecret = (value: string): boolean =>
    [passwordInUrl, passwordInFields, passwordWithin].some((form) => form.test(value)) || isToken(value);
  const kept = Object.entries(env).filter(
    ([name, value]) =>
      !gitSetting.test(name) && (isGranted(name) || !(looksSecret(name) || holdsSecret(value))),
  );
  const settings = gitSettingsOf(env).filter(
    ({ index, name, value }) =>
      isGranted(`GIT_CONFIG_VALUE_${index}`) ||
      !(secretSetting.test(name) || [name, value].some(holdsSecret)),
  );
  return { ...Object.fromEntries(kept), ...gitVariables(settings) };
}

/** Git settings in variables: numbered pairs and their count. Source: git-config, GIT_CONFIG_COUNT. */
const gitSetting = /^GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_\d+)$/;
/** Settings whose value is a password, a cookie file or a header with a secret. Source: git-config. */
const secretSetting = /\.(?:extraheader|cookiefile|.*pass(?:word)?)$/i;
/** Much more than a user sets; the count is untrusted. */
const MAX_GIT_SETTINGS = 1000;

interface GitSetting {
  readonly index: number;
  readonly name: string;
  readonly value: string;
}

function gitSettingsOf(env: Variables): readonly GitSetting[] {
  const count = Math.min(Number(env.GIT_CONFIG_COUNT) || 0, MAX_GIT_SETTINGS);
  return Array.from({ length: Math.max(0, Math.floor(count)) }, (_, index) => ({
    index,
    name: env[`GIT_CONFIG_KEY_${index}`] ?? '',
    value: env[`GIT_CONFIG_VALUE_${index}`] ?? '',
  })).filter(({ name }) => name !== '');
}

/** Adds a setting with which git runs no hooks, whatever other settings say. Source: git-config, core.hooksPath. */
export const withoutHooks = (env: Variables): Variables => ({
  ...env,
  ...gitVariables([...gitSettingsOf(env), { index: 0, name: 'core.hooksPath', value: '/dev/null' }]),
});

/** Renumbers the pairs: git fails if a number is missing. */
function gitVariables(settings: readonly GitSetting[]): Record<string, string> {
  if (settings.length === 0) return {};
  const pairs = settings.flatMap(({ name, value }, index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

function looksSecret(name: string): boolean {
  if (agents.test(name)) return true;
  return !harmless.test(name) && (secretWord.test(name) || secretPart.test(name) || secretHeaders.test(name));
}

function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((piece) => piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
          .join('.*')}$`,
      ),
  );
  return (name) => tests.some((test) => test.test(name));
}

/** Where Python keeps compiled code instead of next to the source; only needed if that is read-only. */
export const BYTECODE_CACHE = 'PYTHONPYCACHEPREFIX';

/**
 * Caches of package managers and compilers that fail without a writable place. The real ones in the home stay
 * read-only, because other programs would run what a confined command puts there. Names as in each program's
 * documentation.
 */
const folders: Readonly<Record<string, string>> = {
  npm_config_cache: 'npm',
  YARN_CACHE_FOLDER: 'yarn',
  GOCACHE: 'go-build',
  UV_CACHE_DIR: 'uv',
  CCACHE_DIR: 'ccache',
  [BYTECODE_CACHE]: 'python',
};

/** One variable per cache, pointing to a folder in `root`; programs create the folders themselves. */
export function cacheVariables(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, join(root, folder)]));
}

/**
 * Makes programs report errors in English, in which `blocked.ts` recognizes them. Unlike `LC_ALL` it changes nothing
 * else, and it outranks that. Not set if they do so anyway, since programs under test may read it. Source: GNU gettext
 * manual, "The LANGUAGE variable".
 */
export function englishMessages(env: Variables): Variables {
  const locale =
    [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== '') ?? 'C';
  const [language = ''] = (env.LANGUAGE || locale).split(':');
  // With the locale C there are no translations, whatever the variable says.
  return /^(?:C|POSIX)(?:$|\.)/.test(locale) || /^en(?:$|[_.@])/.test(language) ? {} : { LANGUAGE: 'en' };
}
