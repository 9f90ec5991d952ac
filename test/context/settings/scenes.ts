/** What the proofs let happen: sessions of a known size, driven as an agent drives them. */

import type { ContextManager, ContextManagerDeps } from '../../../src/context/index.ts';
import type { ReductionRecord } from '../../../src/protocol/contextReport.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { ask, call, configuration, type House, outcome, type Step, say, summary } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

export const words = (tokens: number): string => 'alpha beta gamma delta '.repeat(Math.ceil(tokens / 4));

/** A new session; `deps` replace some of the house's. */
export async function open(
  home: House,
  deps: Partial<ContextManagerDeps> = {},
  systemPrompt = configuration.systemPrompt,
): Promise<ContextManager> {
  const context = home.manager(deps);
  await context.createSession(undefined, {}, { systemPrompt });
  return context;
}

export async function round(context: ContextManager, text: string, tokens: number): Promise<void> {
  await context.addMessage('user', text);
  await context.appendReply(say(`reply to ${text} ${words(tokens)}`));
}

/** A tool step, and what comes before the next request. */
export async function toolStep(
  context: ContextManager,
  home: House,
  name: string,
  tokens: number,
): Promise<void> {
  await context.appendReply(ask([call(`call_${name}`)]));
  await context.appendToolResult({
    call: call(`call_${name}`),
    outcome: outcome(`${name} ${words(tokens)}`),
  });
  await next(context, home);
}

/** The end of a step and the next request. A summary that is written beside has its turn in between. */
export async function next(context: ContextManager, home: House): Promise<void> {
  await context.maintain(home.options());
  await sessionOf(context).thread.settled();
  await context.buildRequest(home.options());
}

/** A prompt and tool steps until something makes room; its record, or `none` where nothing does. */
export async function untilReduced(
  home: House,
  {
    tokens = 500,
    steps = 60,
    stepsPerTurn = Number.POSITIVE_INFINITY,
    deps = {} as Partial<ContextManagerDeps>,
  } = {},
): Promise<{ readonly context: ContextManager; readonly first: ReductionRecord | undefined }> {
  const context = await open(home, deps);
  await context.addMessage('user', 'do it all');
  for (let index = 0; index < steps; index++) {
    await toolStep(context, home, `s${index}`, tokens);
    const first = reductions(context)[0];
    if (first !== undefined) return { context, first };
    if (index % stepsPerTurn === stepsPerTurn - 1) await nextTurn(context, `p${index}`);
  }
  return { context, first: undefined };
}

/** The end of a turn, and the prompt of the next. */
export async function nextTurn(context: ContextManager, prompt: string): Promise<void> {
  await context.appendReply(say('Done.'));
  await context.append({
    type: 'system',
    subtype: 'turn_end',
    message: { role: 'system', content: '' },
    data: { outcome: 'done' },
  });
  await context.addMessage('user', prompt);
}

/** Prompts that fill the window: what no masking can shorten. Until something else has made room. */
export async function longPrompts(home: House, { tokens = 400, rounds = 80 } = {}): Promise<ContextManager> {
  const context = await open(home);
  for (let index = 0; index < rounds && reductions(context).every(({ kind }) => kind === 'mask'); index++) {
    await context.addMessage('user', `p${index} ${words(tokens)}`);
    await context.appendReply(say('Fine.'));
    await context.maintain(home.options());
    await context.buildRequest(home.options());
  }
  return context;
}

export function reductions(context: ContextManager): readonly ReductionRecord[] {
  return context.report([]).reductions;
}

/** How many tokens there were when room was made for the first time; 0 where it never was. */
export async function tokensAtFirst(home: House, options = {}): Promise<number> {
  return (await untilReduced(home, options)).first?.preTokens ?? 0;
}

/** Answers every request for a summary alike. */
export function always(home: House, one: Step = summary('## 1. Primary request and intent\nfoxes')): void {
  home.summaries.expect(...Array.from({ length: 100 }, () => one));
}

export const text = ({ content }: Message): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** The prompts that a request shows. */
export function shownPrompts(context: ContextManager): readonly string[] {
  return context
    .getMessages()
    .filter(({ role, content }) => role === 'user' && typeof content === 'string' && /^p\d+/.test(content))
    .map((message) => text(message).split(' ')[0] ?? '');
}
