/** Sessions of a known size for the proofs, driven the way an agent does it. */

import type { ContextManager, ContextManagerDeps } from '../../../src/context/index.ts';
import type { ReductionRecord } from '../../../src/protocol/contextReport.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { ask, call, configuration, outcome, type Step, say, summary, type TestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

export const words = (tokens: number): string => 'alpha beta gamma delta '.repeat(Math.ceil(tokens / 4));

/** Opens a new session; `deps` override dependencies. */
export async function open(
  home: TestHome,
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

/** A tool step, and what happens before the next request. */
export async function toolStep(
  context: ContextManager,
  home: TestHome,
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

/** Ends a step and builds the next request. A summary in the background gets to run in between. */
export async function next(context: ContextManager, home: TestHome): Promise<void> {
  await context.maintain(home.options());
  await sessionOf(context).thread.settled();
  await context.buildRequest(home.options());
}

/** Runs a prompt and tool steps until room is made; returns the record, or `none`. */
export async function untilReduced(
  home: TestHome,
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

/** Ends the turn and starts the next one with a prompt. */
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

/** Fills the window with prompts, which masking cannot shorten, until room is made in another way. */
export async function longPrompts(
  home: TestHome,
  { tokens = 400, rounds = 80 } = {},
): Promise<ContextManager> {
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

/** The number of tokens when room was first made; 0 if it never was. */
export async function tokensAtFirst(home: TestHome, options = {}): Promise<number> {
  return (await untilReduced(home, options)).first?.preTokens ?? 0;
}

/** Answers every summary request in the same way. */
export function always(home: TestHome, one: Step = summary('## 1. Primary request and intent\nfoxes')): void {
  home.summaries.expect(...Array.from({ length: 100 }, () => one));
}

export const text = ({ content }: Message): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** The prompts in a request. */
export function shownPrompts(context: ContextManager): readonly string[] {
  return context
    .getMessages()
    .filter(({ role, content }) => role === 'user' && typeof content === 'string' && /^p\d+/.test(content))
    .map((message) => text(message).split(' ')[0] ?? '');
}
