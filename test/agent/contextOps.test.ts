import { expect, test } from 'vitest';
import { createContextOps } from '../../src/agent/contextOps.ts';
import { displayLineOf } from '../../src/protocol/entries.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { configuration, createTestHome, failure, step, summary } from '../context/harness.ts';

test.each([
  ['done', summary('## Status\nAll is read.')],
  ['fallback', failure()],
])('the context is measured again after a /compact that ends with %s', async (outcome, reply) => {
  const home = await createTestHome({ windowTokens: 40_000, waits: true });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read it all');
  for (let index = 0; index < 6; index++) await step(context, `call${index}`, 'alpha beta '.repeat(900));
  const before = context.measure([]).usedTokens;
  const events: AgentEvent[] = [];
  const ops = createContextOps({
    context,
    schemas: () => [],
    select: () => home.model,
    emit: (event) => events.push(event),
  });
  home.summaries.expect(reply);
  await ops.compact({ type: 'compact' }, new AbortController().signal);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'compaction_ended', report: expect.objectContaining({ outcome }) }),
  );
  const last = events.at(-1);
  expect(last).toEqual({ type: 'context_measured', measure: context.measure([]) });
  expect(context.measure([]).usedTokens).toBeLessThan(before);
});

test.each([
  ['max', 'high', 'test-model has no effort "max"; using high.'],
  ['max', undefined, 'test-model has no effort "max"; using its default.'],
  ['high', 'high', 'Effort: high'],
  [undefined, undefined, 'Effort: the default'],
] as const)(
  'changing the effort to %s reports the effort in use, %s, in one line',
  async (asked, given, expected) => {
    const home = await createTestHome({ windowTokens: 40_000 });
    const context = home.manager();
    await context.createSession(undefined, {}, configuration);
    const events: AgentEvent[] = [];
    const ops = createContextOps({
      context,
      schemas: () => [],
      select: () => home.model,
      setEffort: () => ({ ...home.model, id: 'test-model', ...(given && { effort: given }) }),
      emit: (event) => events.push(event),
    });
    await ops.setEffort(asked);
    expect(events.map(({ type }) => type)).toEqual(['model_changed']);
    const written = context.entries().at(-1);
    // The requested level is recorded: after a resume, another model may support it.
    expect(written?.data).toEqual(asked === undefined ? {} : { effort: asked });
    expect(written && displayLineOf(written, { seqOf: () => undefined })?.text).toBe(expected);
  },
);

test('changing the thinking setting is reported like changing the model', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const events: AgentEvent[] = [];
  const changed = { ...home.model, thinkingBudget: 900 };
  const ops = createContextOps({
    context: home.manager(),
    schemas: () => [],
    select: () => home.model,
    setThinking: ({ budget }) => (budget === 900 ? changed : home.model),
    emit: (event) => events.push(event),
  });
  ops.setThinking({ budget: 900 });
  expect(events).toEqual([{ type: 'model_changed', model: changed }]);
});
