/** A port that answers from a script and remembers what hooks were told. */
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
}

/** Of several reactions to an event each is used once, and the last one from then on. */
export function scriptedHooks(script: Partial<Record<HookEvent, Reaction | Reaction[]>>): ScriptedHooks {
  const calls: HookCall[] = [];
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
    list: () => [],
    close: async () => undefined,
  };
}

export const text = (words: string) => ({ text: words, source: 'hooks.json' });

export const permission = (behavior: 'allow' | 'ask' | 'deny', reason = 'because') => ({
  permission: { behavior, reason, source: 'hooks.json', isManaged: false },
});
