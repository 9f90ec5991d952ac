/** A port that answers from a script and records the inputs of hooks. */
import type { HookAnswer, HookCall, HookEvent, HookPort } from '../../../src/protocol/extensions/hooks.ts';

const silent: HookAnswer = {
  runs: [],
  blocks: [],
  interrupts: false,
  contexts: [],
  messages: [],
};

type Reaction = Partial<HookAnswer> | ((call: HookCall, signal: AbortSignal) => Promise<Partial<HookAnswer>>);

export interface ScriptedHooks extends HookPort {
  readonly calls: HookCall[];
  readonly told: () => readonly string[];
  /** The paths to watch, newest last. */
  readonly watched: readonly Parameters<HookPort['watch']>[0][];
  /** A watched file changes. */
  readonly change: Parameters<HookPort['watch']>[1];
}

/** Uses each of several reactions to an event once, then repeats the last one. */
export function scriptedHooks(script: Partial<Record<HookEvent, Reaction | Reaction[]>>): ScriptedHooks {
  const calls: HookCall[] = [];
  const watched: ScriptedHooks['watched'][number][] = [];
  let change: Parameters<HookPort['watch']>[1] | undefined;
  return {
    calls,
    told: () => calls.map(({ event, subject }) => (subject === undefined ? event : `${event}:${subject}`)),
    has: (event) => script[event] !== undefined,
    async run(call, signal) {
      calls.push(call);
      const given = script[call.event];
      const list = Array.isArray(given) ? given : given === undefined ? [] : [given];
      const reaction = list.length > 1 && Array.isArray(given) ? given.shift() : list[0];
      const answer = typeof reaction === 'function' ? await reaction(call, signal) : reaction;
      return { ...silent, ...answer };
    },
    watch(place, onChange) {
      watched.push(place);
      change = onChange;
    },
    variables: () => ({}),
    watched,
    change: (event) => change?.(event),
    list: () => [],
    close: async () => undefined,
  };
}

export const text = (words: string) => ({ text: words, source: 'hooks.json' });

export const permission = (behavior: 'allow' | 'ask' | 'deny', reason = 'because') => ({
  permission: { behavior, reason, source: 'hooks.json', isManaged: false },
});
