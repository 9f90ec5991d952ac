/**
 * The environment of commands: the user's, without our keys, and such that nothing waits for a keyboard or looks for a
 * new version of itself.
 */
import type { Environment } from '../environment.ts';

/** `secrets` are further names to leave out. */
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

/** Their requests would be asked about, and their notices read by the model. The user's own values win. */
const noUpdateChecks = {
  NO_UPDATE_NOTIFIER: '1',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
};

/** What every command gets, whoever starts it: the user's environment without the keys of this program. */
export function withoutKeys(env: Environment, secrets: readonly string[] = []): Record<string, string> {
  const hidden = new Set(['OPENAI_API_KEY', ...secrets]);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || hidden.has(name) || /^CLAWDCODE_.*KEY/.test(name)) continue;
    kept[name] = value;
  }
  return kept;
}
