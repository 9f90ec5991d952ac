/**
 * The grants that the settings of a folder need: each rule, directory, variable and command that takes effect only
 * after the user has approved it is one grant. Trust in a folder is the list of the grants that the user has approved
 * (trust.ts), so later additions need approval again. Settings without a decision here wait for approval. Pure.
 */

import { isRecord } from '../protocol/json.ts';
import { removeUnapproved, sortKeys } from './hooks.ts';
import { parsePermissionMode } from './modes.ts';
import type { Grant, Values } from './types.ts';

/** One settings file of the folder, with its checked values as written. */
export interface GrantingFile {
  readonly source: string;
  readonly values: Values;
}

/** Returns the text of a grant for a value: of a path, where it leads (openedPaths.ts); absent = the value itself. */
export type GrantText = (kind: string, text: string) => string;

const asWritten: GrantText = (_, text) => text;

interface Kind {
  /** One sentence for the approval prompt: what approval would allow. */
  readonly effect: string;
  /**
   * Each item of a list, each entry of an object, or each hook is a separate grant; absent = the entire value is one.
   */
  readonly parts?: 'items' | 'entries' | 'hooks';
  /** False for a value that only tightens, so it applies at once; absent = every value needs approval. */
  readonly loosens?: (value: unknown) => boolean;
  /** The effect of null if that turns off what the user has set, and so needs approval like any value. */
  readonly nullEffect?: string;
}

/**
 * Everything that could send the user's key elsewhere, run something, or weaken a permission; in the order of the
 * prompt.
 */
const kinds: Readonly<Record<string, Kind>> = {
  // Behind a gateway, the model's name determines who reads the conversation.
  model: { effect: 'Chooses the model that your requests go to, and so what they cost.' },
  fallbackModels: {
    effect: 'Chooses the models that your requests go to while yours is unavailable, and so what they cost.',
  },
  smallModel: {
    effect:
      'Chooses the model that names the session and, if your settings say so, reads all of it to summarize it.',
  },
  baseUrl: { effect: 'Sends your requests and your key to this address.' },
  wire: { effect: 'Chooses the API through which your requests are sent.' },
  effort: { effect: 'Makes the model reason more or less than you chose, and so cost more or less.' },
  env: { effect: 'Sets environment variables for every command.', parts: 'entries' },
  appendSystemPrompt: { effect: 'Adds instructions to the system prompt.' },
  statusLine: {
    effect: 'Runs this command for the status line.',
    nullEffect: 'Turns off your own command for the status line.',
  },
  notificationCommand: {
    effect: 'Runs this command when your attention is needed.',
    nullEffect: 'Turns off your own command that runs when your attention is needed.',
  },
  hooks: { effect: 'Runs these hooks outside the sandbox:', parts: 'hooks' },
  // Hooks of the user may be what protects them from a repository; `false` would turn on again what they turned off.
  disableAllHooks: { effect: 'Turns all hooks, including yours, off (true) or on (false).' },
  // The value is `SERVERS_GRANT`: each server is approved separately, by the content of its definition (trust.ts).
  mcpServers: { effect: 'Names MCP servers:' },
  models: {
    effect: 'Overrides facts about these models: prices, context windows, request fields.',
    parts: 'entries',
  },
  maxTurns: { effect: 'Changes the step limit of a turn.' },
  showReasoning: {
    effect: "Prints the model's reasoning on your screen.",
    loosens: (value) => value === true,
  },
  notifications: {
    effect: 'Sends desktop notifications or rings the bell.',
    loosens: (value) => value !== 'off',
  },
  terminalTitle: {
    effect: 'Shows the session name in the terminal title.',
    loosens: (value) => value === true,
  },
  checkpoints: { effect: 'Changes which versions of your files are kept for rewinding.' },
  lsp: { effect: 'Starts language servers after edits.', loosens: (value) => value === true },
  'webFetch.allowPrivate': {
    effect: 'Lets WebFetch read from this machine and its network.',
    loosens: (value) => value === true,
  },
  'sessions.redactOnWrite': {
    effect: 'Stores secrets that you want removed from sessions.',
    loosens: (value) => value === false,
  },
  'sessions.titles': {
    effect: 'Sends one extra request to name each session.',
    loosens: (value) => value === true,
  },
  'context.memory': {
    effect: 'Changes which of your memory files are sent with a prompt.',
    loosens: (value) => !(isRecord(value) && value.enabled === false),
  },
  'context.summary': {
    effect: 'Sends summary requests to the model.',
    loosens: (value) => value !== 'simple',
  },
  'context.summaryModel': {
    effect: 'Sends the conversation to your small model for summaries.',
    loosens: (value) => value !== 'main',
  },
  'context.threadSummary': {
    effect: 'Sends summary requests in the background.',
    loosens: (value) => value !== 'off',
  },
  'context.truncate.outputDir': {
    effect: 'Writes long tool outputs, secrets included, to this folder.',
    loosens: (value) => value !== null,
  },
  'permissions.allow': { effect: 'Runs these calls without asking you.', parts: 'items' },
  'permissions.additionalDirectories': {
    effect: 'Treats these directories as part of the project.',
    parts: 'items',
  },
  'permissions.defaultMode': {
    effect: 'Starts in this permission mode instead of the one that you set.',
    loosens: (value) => typeof value === 'string' && parsePermissionMode(value) !== 'plan',
  },
  'sandbox.enabled': {
    effect: 'Lets commands run without a sandbox.',
    loosens: (value) => value === false,
  },
  'sandbox.mode': {
    effect: 'Lets commands write to more places than your settings do.',
    loosens: (value) => value !== 'read-only',
  },
  'sandbox.autoAllow': {
    effect: 'Runs commands in the sandbox without asking you.',
    loosens: (value) => value === true,
  },
  'sandbox.allowWrite': { effect: 'Lets commands write there.', parts: 'items' },
  'sandbox.allowRead': { effect: 'Lets commands read what the sandbox hides.', parts: 'items' },
  'sandbox.allowEnv': { effect: 'Gives commands these secrets of your environment.', parts: 'items' },
  'sandbox.excludedCommands': { effect: 'Runs these commands outside the sandbox.', parts: 'items' },
  'sandbox.network.allowedDomains': { effect: 'Lets commands reach these hosts.', parts: 'items' },
  'sandbox.network.allowLocalPorts': {
    effect: 'Lets commands connect to these ports of this machine.',
    parts: 'items',
  },
  'sandbox.network.forwardPorts': {
    effect: "Opens the ports of background servers on this machine's loopback.",
    loosens: (value) => value === true,
  },
  'sandbox.network.allowUnixSockets': {
    effect: 'Lets commands use socket files of other programs, Docker among them.',
    loosens: (value) => value === true,
  },
  'sandbox.limits': { effect: 'Changes the limits of commands.' },
};

/**
 * Settings that apply in any folder, with the reason. They neither run, connect, send nor loosen anything. Settings
 * that are listed neither here nor in `kinds` wait for trust.
 */
const harmless: ReadonlySet<string> = new Set([
  // Only tighten.
  ...below('permissions', ['ask', 'deny', 'disableAutoMode', 'disableBypassPermissionsMode']),
  ...['sandbox.denyRead', 'sandbox.network.deniedDomains'],
  // Appearance; for editors.
  ...['$schema', 'theme', 'reducedMotion', 'screenReader', 'terminalProgress', 'vim'],
  // Nothing is deleted.
  'sessions.maxSessions',
  // How much of the conversation a request contains: its recipient has already received all of it.
  'contextWindow',
  ...below('context', ['strategy', 'minRetainRounds', 'slidingWindowSize', 'instructionPinning']),
  ...below('context', ['reminderSteps', 'toolResultCompression', 'maxMemoryMessages', 'totalBudget']),
  ...below('context', ['compressionThreshold', 'unknownWindow', 'replyReserve']),
  ...below('context.compact', ['auto', 'threshold', 'retain', 'fallbackRetain', 'maxFiles', 'maxFileLines']),
  ...below('context.compact', ['maxMessageCharacters', 'summaryTokens', 'maxFailures']),
  ...below('context.truncate', ['maxLines', 'maxBytes', 'direction']),
  ...below('context.offload', ['maxResultTokens', 'maxListItems', 'textPreviewLength']),
  ...below('context.mask', ['at', 'protect', 'batch']),
  ...below('context.removal', ['at', 'preserveStart', 'preserveEnd', 'minMessages', 'confidence']),
  'context.removal.checkIntervalMs',
  ...below('context.window', ['rounds', 'maxMessageTokens', 'messagesBudget']),
  ...below('context.budget', ['systemPrompt', 'summary', 'retrieved', 'messages', 'currentInput']),
  ...below('context.filter', ['enabled', 'maxTokens', 'maxMessages', 'maxAgeHours']),
  ...below('context.cache', ['maxEntries', 'ttlMs']),
]);

function below(group: string, keys: readonly string[]): string[] {
  return keys.map((key) => `${group}.${key}`);
}

/** The decision about a setting, by its dotted path; undefined = none, so it waits for trust. */
export function decisionOf(path: string): 'harmless' | 'waits' | undefined {
  if (harmless.has(path)) return 'harmless';
  const isKind = Object.keys(kinds).some((kind) => path === kind || path.startsWith(`${kind}.`));
  return isKind ? 'waits' : undefined;
}

/** The grants that the files would need; empty values need none. */
export function grantsOf(files: readonly GrantingFile[], grantText?: GrantText): Grant[] {
  return files.flatMap(({ source, values }) => partition(values, source, () => false, grantText).held);
}

/** The grants that were not there before; a setting with a changed value is one. */
export function addedGrants(before: readonly Grant[], now: readonly Grant[]): Grant[] {
  const isOld = grantLookup(before);
  return now.filter((grant) => !isOld(grant));
}

/**
 * The grants that no longer exist. Those of files whose content has merely changed are among the added ones instead.
 */
export function goneGrants(before: readonly Grant[], now: readonly Grant[]): Grant[] {
  const wordsOf = (grant: Grant): Grant => ({ ...grant, text: shownGrant(grant, []) });
  const isShown = grantLookup(now.map(wordsOf));
  return before.filter((grant) => !isShown(wordsOf(grant)));
}

/**
 * Returns a function that tests whether a grant is in the list. Constant time: an untrusted file may contain tens of
 * thousands.
 */
export function grantLookup(grants: readonly Grant[]): (grant: Grant) => boolean {
  const known = new Set(grants.map(idOf));
  return (grant) => known.has(idOf(grant));
}

const idOf = ({ kind, text, source }: Grant): string => JSON.stringify([kind, text, source]);

/** The kind of a grant for a file of the folder that defines a subagent; see `cli/subagents/`. */
export const AGENT_GRANT = 'agents';

/** The kind of a grant for the rules of a repository's skill; see `cli/skills.ts`. */
export const SKILL_GRANT = 'skills';

/** Identifies the content that a grant for a file approves: a changed file needs approval again. `digest`: in hex. */
export function contentMark(digest: string): string {
  return `; content ${digest.slice(0, 32)}`;
}

/** A grant as the approval prompt shows it; `approved`: earlier grants. A hash tells the user nothing. */
export function shownGrant({ kind, text, source }: Grant, approved: readonly Grant[]): string {
  if (kind !== AGENT_GRANT && kind !== SKILL_GRANT) return text;
  const isChanged = approved.some((one) => one.kind === kind && one.source === source && one.text !== text);
  return text.replace(/; content [0-9a-f]{32}(?=\))/, isChanged ? '; changed since you approved it' : '');
}

/** The effect of a grant, for display; empty for a kind that this version does not know. */
export function effectOf({ kind, text }: Pick<Grant, 'kind' | 'text'>): string {
  if (kind === AGENT_GRANT) return 'Defines a subagent that the model may start:';
  if (kind === SKILL_GRANT) return 'Runs these calls without asking you while a skill is in use:';
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return (text === 'null' ? known?.nullEffect : undefined) ?? known?.effect ?? '';
}

/** Splits values into those that apply and grants for the rest. Does not modify `values`. */
export function partition(
  values: Values,
  source: string,
  isGranted: (grant: Grant) => boolean,
  grantText: GrantText = asWritten,
): { kept: Values; held: Grant[] } {
  const kept = structuredClone(values);
  const held = new Map<string, Grant>();
  for (const [kind, { parts, loosens, nullEffect }] of Object.entries(kinds)) {
    const [parent, key] = placeOf(kept, kind);
    if (parent === undefined || !(key in parent)) continue;
    const value = parent[key];
    if (loosens !== undefined && !loosens(value)) continue;
    const isNothing = (one: unknown): boolean => isEmpty(one) && (one !== null || nullEffect === undefined);
    const hold = (text: string): boolean => {
      const grant = { kind, text: grantText(kind, text), source };
      if (isGranted(grant)) return false;
      held.set(idOf(grant), grant);
      return true;
    };
    let rest: unknown;
    if (parts === 'items' && Array.isArray(value)) rest = value.filter((item) => !hold(canonicalText(item)));
    else if (parts === 'entries' && isRecord(value))
      rest = Object.fromEntries(
        Object.entries(value).filter(([name, entry]) => !hold(`${name}=${canonicalText(entry)}`)),
      );
    else if (parts === 'hooks') rest = removeUnapproved(value, hold);
    else rest = isNothing(value) || hold(canonicalText(value)) ? undefined : value;
    // Even an empty value would override the user's own.
    if (isNothing(rest)) delete parent[key];
    else parent[key] = rest;
  }
  const holdUndecided = (parent: Values, prefix: string): void => {
    for (const [key, value] of Object.entries(parent)) {
      const path = `${prefix}${key}`;
      if (decisionOf(path) !== undefined) continue;
      if (isRecord(value)) holdUndecided(value, `${path}.`);
      else {
        const grant = { kind: path, text: canonicalText(value), source };
        if (isGranted(grant)) continue;
        held.set(idOf(grant), grant);
        delete parent[key];
      }
    }
  };
  holdUndecided(kept, '');
  return { kept, held: [...held.values()] };
}

function placeOf(values: Values, path: string): [Values | undefined, string] {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent: unknown = values;
  for (const key of keys) parent = isRecord(parent) ? parent[key] : undefined;
  return [isRecord(parent) ? parent : undefined, last];
}

/** The same text for equal values, regardless of the order of keys. */
function canonicalText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, sortKeys);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === undefined ||
    value === '' ||
    value === null ||
    (isRecord(value) && Object.keys(value).length === 0)
  );
}
