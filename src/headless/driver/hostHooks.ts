/** The hooks that the driving program registers with `initialize`, and how they are called: as requests to it. */
import * as z from 'zod';
import {
  type CallBack,
  type HookDefinition,
  type HookEvent,
  type HookSource,
  hookEvents,
  whyNeverRun,
} from '../../protocol/extensions/hooks.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { DriverLink } from './driverLink.ts';

/** The displayed source of the driving program's hooks. */
const SOURCE = 'the driving program';

/** Limits for a program that registers without end. */
const MAX_HOOKS = 200;
const MAX_TIMEOUT_SECONDS = 3600;

const group = z.looseObject({
  matcher: z.string().max(2000).nullish(),
  hookCallbackIds: z.array(z.string().min(1).max(200)),
  timeout: z.number().positive().nullish(),
  onFailure: z.string().nullish(),
});

export interface HostHooks {
  readonly hooks: readonly HookSource[];
  /** Hooks that cannot be used and why, ready to show. */
  readonly problems: readonly string[];
  /** All hooks that the program sent can be used; those for unknown events never run anyway. */
  readonly isComplete: boolean;
}

/** Reads `hooks` of `initialize`. */
export function readHostHooks(value: unknown): HostHooks {
  if (value === undefined || value === null) return { hooks: [], problems: [], isComplete: true };
  const byEvent = z.record(z.string(), z.array(z.unknown()).nullish()).safeParse(value);
  if (!byEvent.success)
    return {
      hooks: [],
      problems: ['"hooks" does not map events to lists, so it is ignored.'],
      isComplete: false,
    };
  const unknown: string[] = [];
  const mistakes: string[] = [];
  const hooks = Object.entries(byEvent.data).flatMap(([event, groups]) => {
    if (isEvent(event)) return (groups ?? []).flatMap((one) => hooksOf(event, one, mistakes));
    unknown.push(event);
    return [];
  });
  if (hooks.length > MAX_HOOKS) mistakes.push(`Only the first ${MAX_HOOKS} of ${hooks.length} hooks run.`);
  const never = whyNeverRun(unknown).map((why) => why.replace(/^h/, 'H'));
  return {
    hooks: hooks.slice(0, MAX_HOOKS).map((hook) => ({ hook, scope: 'flag', source: SOURCE })),
    problems: [...mistakes.slice(0, 5), ...never],
    isComplete: mistakes.length === 0,
  };
}

function hooksOf(event: HookEvent, value: unknown, mistakes: string[]): HookDefinition[] {
  const parsed = group.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    mistakes.push(`A hook for ${event} is ignored: ${issue?.path.join('.')}: ${issue?.message}.`);
    return [];
  }
  const { matcher, hookCallbackIds, timeout, onFailure } = parsed.data;
  return hookCallbackIds.map((id) => ({
    ...{ type: 'callback', event, id, matcher: matcher ?? '' },
    ...(timeout == null ? {} : { timeoutSeconds: Math.min(timeout, MAX_TIMEOUT_SECONDS) }),
    ...(onFailure === 'block' ? { blocksOnFailure: true } : {}),
  }));
}

const events: ReadonlySet<string> = new Set(hookEvents);
const isEvent = (event: string): event is HookEvent => events.has(event);

/** Calls the driver's functions with `hook_callback` requests. */
export function createCallBack({ ask }: Pick<DriverLink, 'ask'>): CallBack {
  return async (id, input, signal) => {
    const call = typeof input.tool_use_id === 'string' ? { tool_use_id: input.tool_use_id } : {};
    const answer = await ask({ subtype: 'hook_callback', callback_id: id, input, ...call }, signal);
    if (answer.ok) return answer;
    if ('error' in answer) return { ok: false, problem: visibleLine(answer.error, 300) };
    const problem = 'isGone' in answer ? `${SOURCE} has closed its side` : 'stopped';
    return { ok: false, problem };
  };
}
