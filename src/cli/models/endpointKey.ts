/**
 * The key of one endpoint: written in the settings, from the environment, or printed by a command. Keys are never
 * logged; messages name only where one should have come from.
 */
import { execFile } from 'node:child_process';
import { type LookUpPlace, ownEnvironment } from '../process/lookUp.ts';
import type { Keychain } from './keychain.ts';

/** `problem`: why there is no key, ready to show. */
type KeyAnswer = { readonly key: string | undefined } | { readonly problem: string };

export interface EndpointKey {
  /** Where it comes from, for display; undefined if there is none. */
  readonly source: string | undefined;
  /** The key, if it is known without running anything. */
  readonly known: string | undefined;
  get(): Promise<KeyAnswer>;
  /** Runs the command again, because the server has rejected the last key; absent if there is no command. */
  renew?(rejected: string | undefined): Promise<KeyAnswer>;
  /** All keys so far, to redact. */
  seen(): readonly string[];
}

/** A key that never changes; undefined for a server without one. */
export function fixedKey(key: string | undefined, source: string | undefined): EndpointKey {
  const answer = { key };
  return {
    source: key === undefined ? undefined : source,
    known: key,
    get: async () => answer,
    seen: () => (key === undefined ? [] : [key]),
  };
}

/** A key that is not available: every request fails with this message. */
export function missingKey(problem: string, source: string): EndpointKey {
  return { source, known: undefined, get: async () => ({ problem }), seen: () => [] };
}

/** The displayed source of a key from `clawdcode auth login`. */
export const STORED = 'clawdcode auth login';

/** A key in the system's keychain, which may ask the user. Read once, with the first request. */
export function keychainKey(account: string, open: () => Promise<Keychain | undefined>): EndpointKey {
  let current: Promise<KeyAnswer> | undefined;
  const seen: string[] = [];
  const read = async (): Promise<KeyAnswer> => {
    const key = await (await open())?.get(account).catch(() => undefined);
    if (key === undefined) {
      current = undefined;
      return {
        problem: `The key for ${account} cannot be read from the system's keychain. Unlock it, or run ${STORED} again.`,
      };
    }
    seen.push(key);
    return { key };
  };
  return {
    source: `${STORED} (keychain)`,
    known: undefined,
    get() {
      current ??= read();
      return current;
    },
    seen: () => seen,
  };
}

interface HelperOptions extends LookUpPlace {
  /** Named in messages. */
  readonly provider: string;
  readonly command: string;
  readonly home: string;
}

const NOT_ONE_KEY = 'it must print only the key: one line of ASCII without spaces';

/** Milliseconds: the command may ask a password manager or a cloud. */
const HELPER_MS = 30_000;
const MAX_BYTES = 20_000;

/** A key that a command prints. The command runs at the first request, once for all requests that wait for it. */
export function helperKey({ provider, ...helper }: HelperOptions): EndpointKey {
  const seen = new Set<string>();
  let current: Promise<KeyAnswer> | undefined;
  const run = async (): Promise<KeyAnswer> => {
    const printed = await runHelper(helper);
    const key = printed.output?.trim();
    if (key === undefined || !/^[\x21-\x7e]+$/.test(key)) {
      const why = printed.problem ?? (key ? NOT_ONE_KEY : 'it printed nothing');
      // The next request tries again.
      current = undefined;
      return { problem: `The apiKeyHelper of the provider "${provider}" failed: ${why}.` };
    }
    seen.add(key);
    return { key };
  };
  const get = (): Promise<KeyAnswer> => {
    current ??= run();
    return current;
  };
  return {
    source: 'apiKeyHelper',
    known: undefined,
    get,
    async renew(rejected) {
      const before = await get();
      // Another request has renewed it already.
      if (!('key' in before) || before.key !== rejected) return before;
      current = run();
      return current;
    },
    seen: () => [...seen],
  };
}

/** Its error output is not quoted: it may contain secrets. */
function runHelper({
  command,
  home,
  ...place
}: Omit<HelperOptions, 'provider'>): Promise<{ readonly output?: string; readonly problem?: string }> {
  const options = {
    ...{ cwd: home, env: ownEnvironment(place) },
    ...{ timeout: HELPER_MS, maxBuffer: MAX_BYTES, shell: true },
  };
  return new Promise((resolve) => {
    const child = execFile(command, options, (error, stdout) => {
      if (error === null) resolve({ output: stdout });
      else if (error.killed === true) resolve({ problem: `no answer within ${HELPER_MS / 1000} s` });
      else resolve({ problem: `it ended with ${error.signal ?? `exit code ${error.code ?? '?'}`}` });
    });
    child.stdin?.end();
  });
}
