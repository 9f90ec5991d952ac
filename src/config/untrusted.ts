import { parsePermissionMode } from './modes.ts';
import type { UntrustedSetting, Values } from './types.ts';

/**
 * Parts the settings of a folder into what counts at once and what waits until the folder is trusted:
 * whatever could send the user's key elsewhere, run something, or loosen a question. Rules that ask or
 * deny only tighten, so they count, and so do allow rules that the user saved here (`ownRules`).
 */
export function holdBack(
  values: Values,
  file: string,
  ownRules: readonly string[] = [],
): { kept: Values; held: UntrustedSetting[] } {
  const kept = structuredClone(values);
  const held: UntrustedSetting[] = [];
  const hold = (parent: Values, key: string, path: string, effect: string): void => {
    const value = parent[key];
    delete parent[key];
    if (isEmpty(value)) return;
    held.push({ file, key: path, value: shown(value), effect });
  };
  for (const [key, effect] of Object.entries(effects)) {
    if (key in kept) hold(kept, key, key, effect);
  }
  const web = kept.webFetch as Values | undefined;
  if (web?.allowPrivate === true)
    hold(
      web,
      'allowPrivate',
      'webFetch.allowPrivate',
      'Lets WebFetch read from this machine and its network.',
    );
  const sessions = kept.sessions as Values | undefined;
  if (sessions?.redactOnWrite === false)
    hold(sessions, 'redactOnWrite', 'sessions.redactOnWrite', 'Stores secrets that you want taken out.');
  const truncate = (kept.context as Values | undefined)?.truncate as Values | undefined;
  if (truncate !== undefined && 'outputDir' in truncate)
    hold(
      truncate,
      'outputDir',
      'context.truncate.outputDir',
      'Writes long outputs of tools, whatever they hold, into this folder.',
    );
  const permissions = kept.permissions as Values | undefined;
  if (permissions === undefined) return { kept, held };
  const isOwn = (rule: string): boolean => ownRules.includes(rule);
  const allow = (permissions.allow ?? []) as readonly string[];
  permissions.allow = allow.filter((rule) => !isOwn(rule));
  for (const [key, effect] of Object.entries(permissionEffects)) {
    if (key in permissions) hold(permissions, key, `permissions.${key}`, effect);
  }
  const own = allow.filter(isOwn);
  if (own.length > 0) permissions.allow = own;
  const mode = permissions.defaultMode;
  if (typeof mode === 'string' && parsePermissionMode(mode) !== 'plan') {
    hold(
      permissions,
      'defaultMode',
      'permissions.defaultMode',
      'Starts in another permission mode than yours.',
    );
  }
  return { kept, held };
}

const effects = {
  // Behind an endpoint that passes requests on, the model's name says who reads the conversation.
  model: 'Sends your requests to this model, at its price.',
  baseUrl: 'Sends your requests and your key to this address.',
  env: 'Sets environment variables for every command that is run.',
  appendSystemPrompt: 'Adds instructions to the system prompt.',
  statusLine: 'Runs this command for the status line.',
  notificationCommand: 'Runs this command when it waits for you.',
  checkpoints: 'Changes what is kept of your files for going back.',
} as const;

const permissionEffects = {
  allow: 'Runs these calls without asking you.',
  additionalDirectories: 'Counts these directories as part of the project.',
} as const;

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Long enough for what is honest: what the user agrees to must not hide behind an ellipsis. */
const longest = 2000;

function shown(value: unknown): string {
  const text = Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}
