/** The product's own context engine as a policy of the work traces, under virtual time. */

import { setImmediate } from 'node:timers/promises';
import type { ContextManager, SummaryModel } from '../../../src/context/index.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { engineStrategies } from '../engineStrategies.ts';
import { openHouse } from '../real/house.ts';
import { RequestBlocks } from '../real/requestBlocks.ts';
import { SwapCounter } from '../real/swaps.ts';
import { writeSummary } from '../retention/extract.ts';
import { type Conversation, type Surroundings, summarySeconds, type WorkPolicy } from './conversation.ts';
import { type Shown, textOf } from './render.ts';

/** The engine under each of its strategies; `settings` apply to all of them. */
export function ourPolicies(settings: Readonly<Record<string, unknown>> = {}): readonly WorkPolicy[] {
  return engineStrategies.map(({ name, settings: own }) => ({
    name,
    isOurs: true,
    open: (surroundings) => openEngine({ ...settings, ...own }, surroundings),
  }));
}

/** The same budget as the summaries of the other mechanisms that keep a tail. */
const SUMMARY_TOKENS = 4000;

async function openEngine(settings: object, surroundings: Surroundings): Promise<Conversation> {
  const { root, windowTokens, systemPrompt, clock, bill } = surroundings;
  const blocks = new RequestBlocks();
  const countText = (text: string): number => blocks.counter.countText(text);
  let asked = 0;
  let isAsking = false;
  const summarize: SummaryModel = async ({ messages }, { signal }) => {
    asked++;
    isAsking = true;
    const content = writeSummary(messages.slice(1, -1).map(textOf), SUMMARY_TOKENS, countText);
    const tokens = countText(content);
    bill.askBeside(blocks.of(messages), tokens, clock.minute);
    await clock.sleep(summarySeconds(tokens), signal);
    isAsking = false;
    if (signal.aborted) return { type: 'aborted' };
    const message = { role: 'assistant', content, toolCalls: [] } as const;
    return { type: 'done', reply: { message, finishReason: 'stop' } };
  };
  const place = { root, minute: () => clock.minute };
  const { manager, model, close } = await openHouse(windowTokens, settings, summarize, place);
  await manager.createSession(undefined, {}, { systemPrompt });
  const counter = new SwapCounter(manager);
  const render = createRenderer();
  const request = { tools: [], signal: new AbortController().signal, emit: () => {} };
  let inputTokens = 0;
  return {
    recall: (query) => lookUp(manager, query),
    prompt: async (content) => {
      const draft = { type: 'user', subtype: 'prompt', message: { role: 'user', content } } as const;
      await clock.run(manager.appendPrompts([draft], request));
    },
    request: async () => {
      const built = await clock.run(manager.buildRequest(request));
      if (built.type === 'too_large') throw new Error(built.message);
      const sized = blocks.of(built.request.messages);
      inputTokens = sized.reduce((sum, { tokens }) => sum + tokens, 3);
      return { blocks: sized, shown: built.request.messages.map(render) };
    },
    step: async (message, run) => {
      const outputTokens = blocks.counter.countMessage(message);
      const finishReason = message.toolCalls.length > 0 ? 'tool_calls' : 'stop';
      const usage = { inputTokens, outputTokens };
      await clock.run(manager.appendReply({ message, finishReason, usage, model: model.id }));
      for (const { call, outcome } of await run())
        await clock.run(manager.appendToolResult({ call, outcome, durationMs: 100 }));
      const before = asked;
      await clock.run(manager.maintain(request));
      // A draft reads files before it asks, which takes real time and no virtual time.
      while (manager.draft() === 'running' && asked === before && !isAsking) await setImmediate();
    },
    compactions: () => {
      const { summaries, removals } = counter.swaps();
      return summaries + removals;
    },
    close,
  };
}

async function lookUp(manager: ContextManager, query: string): Promise<string> {
  return (await manager.recall({ query }, new AbortController().signal)).text;
}

/** Messages stay the same objects as long as they stand; each is rendered once. */
function createRenderer(): (message: Message) => Shown {
  const known = new WeakMap<Message, Shown>();
  return (message) => {
    const shown = known.get(message) ?? { isPrompt: isPrompt(message), text: textOf(message) };
    known.set(message, shown);
    return shown;
  };
}

/** Summaries and notes by the program are user messages too, but start with a bracket. */
function isPrompt({ role, content }: Message): boolean {
  return role === 'user' && typeof content === 'string' && !/^[<[]/.test(content);
}
