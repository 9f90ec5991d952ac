/**
 * Hooks in settings: the schema of Claude Code, read leniently. What this version does not run (an unknown event, a hook
 * of another type) is left out and reported once; a mistake disables only the hook that contains it.
 */
import * as z from 'zod';
import {
  type HookDefinition,
  type HookEvent,
  type HookScope,
  type HookSource,
  hookEvents,
  whyNeverRun,
} from '../protocol/extensions/hooks.ts';
import { isRecord, JITLESS } from '../protocol/json.ts';
import type { Layer, Problem, Values } from './types.ts';

/** Much more than a handwritten file has. */
const MAX_HOOKS = 200;
const MAX_TIMEOUT_SECONDS = 3600;

interface HooksOfFile {
  readonly hooks: readonly HookSource[];
  readonly problems: readonly Problem[];
  /** Mistakes, as opposed to what other programs support; an administrator's file must have none. */
  readonly mistakes: readonly Problem[];
}

/** Removes `hooks` from a layer's checked values, since hooks of all layers add up. Modifies `values`. */
export function extractHooks(values: Values, layer: Layer & HookScope, source: string): HooksOfFile {
  const written = values.hooks;
  delete values.hooks;
  return readHooks(written, layer, source);
}

/** Reads the value of `hooks`. Never throws. */
export function readHooks(value: unknown, layer: Layer & HookScope, source: string): HooksOfFile {
  const found = partsOf(value);
  const problem = (message: string): Problem => ({ layer, file: source, key: 'hooks', message });
  const leftOut = (message: string): Problem => ({ ...problem(message), isLeftOut: true });
  const unsupported: Problem[] = [];
  const events = [...new Set(found.flatMap(({ event }) => (isEvent(event) ? [] : [event])))];
  unsupported.push(...whyNeverRun(events).map((why) => leftOut(`${source}: ${why}`)));
  const types = new Set<string>();
  const mistakes: Problem[] = [];
  const hooks = found.flatMap((part): HookSource[] => {
    if (!isEvent(part.event)) return [];
    const read = definitionOf(part);
    if (read.type === 'hook') return [{ hook: read.hook, scope: layer, source }];
    if (read.type === 'unsupported') types.add(read.what);
    else mistakes.push(problem(`${source}: a hook for ${part.event} is ignored: ${read.why}.`));
    return [];
  });
  if (types.size > 0)
    unsupported.push(
      leftOut(`${source}: hooks of type ${listed([...types])} are not supported and never run.`),
    );
  if (hooks.length > MAX_HOOKS)
    unsupported.push(
      problem(`${source}: only the first ${MAX_HOOKS} of its ${hooks.length} hooks are used.`),
    );
  const shown = mistakes.slice(0, 5);
  return { hooks: hooks.slice(0, MAX_HOOKS), problems: [...shown, ...unsupported], mistakes: shown };
}

/** All hooks of a folder's file: those that the user has not approved are marked. `kept`: the approved ones. */
export function markUnapproved(
  all: readonly HookSource[],
  kept: readonly HookSource[],
  isTrusted: boolean,
): HookSource[] {
  const approved = new Set(kept.map(({ hook }) => JSON.stringify(hook)));
  const ignored = isTrusted
    ? 'you have not approved it; run clawdcode here to decide'
    : 'this folder is not trusted; run clawdcode here to decide';
  return all.map((one) => (approved.has(JSON.stringify(one.hook)) ? one : { ...one, ignored }));
}

/** Marks the hooks that the settings turn off. */
export function hooksThatRun(
  all: readonly HookSource[],
  settings: { readonly disableAllHooks: boolean; readonly allowManagedHooksOnly: boolean },
  isOffForAll: boolean,
): HookSource[] {
  return all.map((one) => {
    const isManaged = one.scope === 'managed';
    if (settings.disableAllHooks && (isOffForAll || !isManaged))
      return { ...one, ignored: 'disableAllHooks is set' };
    if (settings.allowManagedHooksOnly && !isManaged)
      return { ...one, ignored: 'managed settings allow only their own hooks' };
    return one;
  });
}

/**
 * Removes the hooks that `isHeld` holds back: each is one grant, named by event, matcher and content. Hooks that would
 * not run anyway stay, since they need no approval.
 */
export function removeUnapproved(value: unknown, isHeld: (text: string) => boolean): unknown {
  if (!isRecord(value)) return undefined;
  const events = Object.entries(value).map(([event, groups]) => {
    if (!Array.isArray(groups) || !isEvent(event)) return [event, groups] as const;
    const kept = groups.flatMap((group: unknown) => {
      const parts = partsOf({ [event]: [group] });
      const runnable = parts.filter((part) => definitionOf(part).type === 'hook');
      const rest = parts.filter((part) => !runnable.includes(part) || !isHeld(grantText(part)));
      if (rest.length === parts.length) return [group];
      return rest.length === 0 ? [] : [{ ...(group as Values), hooks: rest.map(({ hook }) => hook) }];
    });
    return [event, kept] as const;
  });
  const left = events.filter(([, groups]) => !Array.isArray(groups) || groups.length > 0);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** One hook in a file, as written. */
interface Part {
  readonly event: string;
  readonly matcher: unknown;
  readonly hook: unknown;
}

function partsOf(value: unknown): Part[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : [groups]).flatMap((group: unknown): Part[] => {
      if (!isRecord(group) || !Array.isArray(group.hooks))
        return [{ event, matcher: undefined, hook: undefined }];
      return group.hooks.map((hook: unknown) => ({ event, matcher: group.matcher, hook }));
    }),
  );
}

/** E.g. `PreToolUse "Bash" {"command":"./check.sh","type":"command"}`: no two hooks have the same text. */
function grantText({ event, matcher, hook }: Part): string {
  const where =
    matcher === undefined || matcher === null || matcher === '' ? '' : ` ${JSON.stringify(matcher)}`;
  return `${event}${where} ${JSON.stringify(hook, sortKeys)}`;
}

/** Hook grants as the approval prompt shows them: each command once, followed by its events. */
export function shownHooks(grants: readonly string[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const grant of grants) {
    const [, where = '', json = ''] = /^(\w+(?: "(?:[^"\\]|\\.)*")?) (\{.*\})$/s.exec(grant) ?? [];
    const what = json === '' ? grant : shownHook(json);
    const known = places.get(what) ?? [];
    if (where !== '') known.push(where);
    places.set(what, known);
  }
  return [...places].map(([what, events]) =>
    events.length === 0 ? what : `${what} for ${events.join(', ')}`,
  );
}

/** The command as it runs if it fits on a line, and every other field as JSON. */
function shownHook(json: string): string {
  const { type, command, ...rest } = JSON.parse(json) as Partial<Record<string, unknown>>;
  if (type !== 'command' || typeof command !== 'string' || !/^[\x20-\x7e]+$/.test(command)) return json;
  return Object.keys(rest).length === 0 ? command : `${command} ${JSON.stringify(rest)}`;
}

/** For `JSON.stringify`: sorts the keys of objects, so that equal values have the same text. */
export function sortKeys(_: string, value: unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

const basics = {
  if: z.string().min(1).max(2000).optional(),
  timeout: z.number().positive().optional(),
  async: z.boolean().optional(),
  asyncRewake: z.boolean().optional(),
  once: z.boolean().optional(),
  onFailure: z.string().optional(),
};
const question = {
  prompt: z.string().min(1).max(20_000),
  model: z.string().min(1).max(200).optional(),
  continueOnBlock: z.boolean().optional(),
};
const matcherSchema = z.string().max(2000).nullish();
const hookSchema = z.discriminatedUnion('type', [
  z.looseObject({
    ...basics,
    type: z.literal('command'),
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    shell: z.string().optional(),
  }),
  z.looseObject({
    ...basics,
    type: z.literal('http'),
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).default({}),
    allowedEnvVars: z.array(z.string()).default([]),
  }),
  z.looseObject({ ...basics, ...question, type: z.literal('prompt') }),
  z.looseObject({ ...basics, ...question, type: z.literal('agent') }),
  z.looseObject({
    ...basics,
    type: z.literal('mcp_tool'),
    server: z.string().min(1).max(200),
    tool: z.string().min(1).max(200),
    input: z.record(z.string(), z.unknown()).default({}),
  }),
]);
const types: ReadonlySet<string> = new Set(hookSchema.options.map(({ shape }) => shape.type.value));

/** Events that a model may decide about: those that a hook can block. */
const decidable: ReadonlySet<HookEvent> = new Set([
  ...(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'] as const),
  ...(['UserPromptSubmit', 'Stop', 'SubagentStop', 'PreCompact'] as const),
]);

type Read =
  | { readonly type: 'hook'; readonly hook: HookDefinition }
  | { readonly type: 'unsupported'; readonly what: string }
  | { readonly type: 'mistake'; readonly why: string };

function definitionOf({ event, matcher: written, hook: value }: Part): Read {
  if (!isEvent(event)) return { type: 'unsupported', what: event };
  if (isRecord(value) && typeof value.type === 'string' && !types.has(value.type))
    return { type: 'unsupported', what: JSON.stringify(value.type.slice(0, 40)) };
  const matcher = matcherSchema.safeParse(written, JITLESS);
  if (!matcher.success)
    return { type: 'mistake', why: 'its matcher must be a text of at most 2000 characters' };
  const parsed = hookSchema.safeParse(value, JITLESS);
  if (!parsed.success) return { type: 'mistake', why: mistakeIn(value, parsed.error.issues[0]?.path ?? []) };
  const { data } = parsed;
  if (data.type === 'command' && data.shell !== undefined && data.shell !== 'bash')
    return {
      type: 'unsupported',
      what: `"command" with the shell ${JSON.stringify(data.shell.slice(0, 40))}`,
    };
  const shared = {
    event,
    matcher: matcher.data ?? '',
    ...(data.if === undefined ? {} : { rule: data.if }),
    ...(data.timeout === undefined ? {} : { timeoutSeconds: Math.min(data.timeout, MAX_TIMEOUT_SECONDS) }),
    ...(data.async === true || data.asyncRewake === true ? { isAsync: true as const } : {}),
    ...(data.once === true ? { isOnce: true as const } : {}),
    ...(data.onFailure === 'block' ? { blocksOnFailure: true as const } : {}),
  };
  if (data.type === 'http') {
    const { url, headers, allowedEnvVars } = data;
    return { type: 'hook', hook: { ...shared, type: 'http', url, headers, allowedEnvVars } };
  }
  if (data.type === 'mcp_tool') {
    const { server, tool, input } = data;
    return { type: 'hook', hook: { ...shared, type: 'mcp_tool', server, tool, arguments: input } };
  }
  if (data.type !== 'command') {
    const { type, prompt, model, continueOnBlock } = data;
    if (!decidable.has(event)) return { type: 'mistake', why: `a model cannot decide about ${event}` };
    const more = continueOnBlock === true ? { continuesOnBlock: true as const } : {};
    return { type: 'hook', hook: { ...shared, type, prompt, ...(model && { model }), ...more } };
  }
  const { command, args } = data;
  return { type: 'hook', hook: { ...shared, type: 'command', command, ...(args && { args }) } };
}

/** The mistake in a hook at `path`. */
function mistakeIn(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'it must be {"matcher": "…", "hooks": [ … ]}';
  if (!isRecord(value)) return 'it must be an object such as {"type": "command", "command": "…"}';
  const field = String(path[0] ?? 'type');
  if (value[field] === undefined) return `it has no "${field}"`;
  return `its "${field}" must be ${Object.hasOwn(fieldWords, field) ? fieldWords[field] : 'another value'}`;
}

const fieldWords: Readonly<Record<string, string>> = {
  type: `one of ${[...types].join(', ')}`,
  command: 'a command',
  args: 'a list of texts',
  shell: 'a text',
  url: 'an address that begins with http:// or https://',
  headers: 'an object of texts',
  allowedEnvVars: 'a list of names',
  prompt: 'a text of at most 20,000 characters',
  model: 'the name of a model',
  continueOnBlock: 'true or false',
  server: 'the name of a server',
  tool: 'the name of a tool',
  input: 'an object',
  if: 'a permission rule of at most 2,000 characters',
  timeout: 'a number of seconds above 0',
  async: 'true or false',
  asyncRewake: 'true or false',
  once: 'true or false',
  onFailure: 'a text',
};

const known: ReadonlySet<string> = new Set(hookEvents);

function isEvent(event: string): event is HookEvent {
  return known.has(event);
}

/** Names from a file, which may be anything. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => name.slice(0, 40).toWellFormed());
  return names.length > shown.length ? `${shown.join(', ')} and more` : shown.join(', ');
}
