/** The environment of confined commands: no tokens but those that the user granted by name. Pure. */

type Variables = Readonly<Record<string, string>>;

/** Names that say "secret"; whole words between underscores, so that KEYBOARD and PASSENGER are none. */
const secretWord =
  /(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT|KEY|KEYS|APIKEY|CREDENTIALS?|CREDS|AUTH|AUTHORIZATION|COOKIES?|DSN|PRIVATE|SAS|JWT|BEARER)(?:_|\d|$)|._PWD$/i;
/** In the middle of a word: `githubToken`, `NPMTOKEN`, `MYSECRET`. */
const secretPart = /token|secret|passw|apikey|credential|private_?key|access_?key/i;
/** They lead to programs that hold keys; without their sockets they only mislead. */
const agents = /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|DOCKER_HOST)$/;
/** Named like a secret, but none. */
const harmless =
  /^(?:TOKENIZERS_PARALLELISM|GIT_TERMINAL_PROMPT|SSH_ASKPASS(?:_REQUIRE)?|GIT_ASKPASS|.*_(?:KEY|TOKEN|SECRET|AUTH|CREDENTIALS?)_(?:FILE|PATH|NAME|TYPE|LENGTH|LIMIT|TTL|ROTATION|STORE|HELPER|ALGORITHM))$/i;

/** A password in a URL, as in DATABASE_URL; userinfo as in RFC 3986, 3.2.1. */
const passwordInUrl = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** What decides about a variable. */
export interface EnvironmentRules {
  /** Names that the user granted; `*` stands for anything. */
  readonly granted: readonly string[];
  /** Whether a value has the form of a known token. */
  readonly isToken: (value: string) => boolean;
}

/** The variables that a confined command gets. */
export function withoutTokens(
  env: Variables,
  { granted, isToken }: EnvironmentRules,
): Record<string, string> {
  const isGranted = matcherOf(granted);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        isGranted(name) || !(looksSecret(name) || passwordInUrl.test(value) || isToken(value)),
    ),
  );
}

function looksSecret(name: string): boolean {
  if (agents.test(name)) return true;
  return !harmless.test(name) && (secretWord.test(name) || secretPart.test(name));
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
