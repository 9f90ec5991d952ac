/**
 * The environment of commands: the user's, without our keys, and set up so that programs neither wait for keyboard
 * input nor check for updates.
 */
import type { Environment } from '../environment.ts';

/** `secrets`: further variables to leave out. */
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
