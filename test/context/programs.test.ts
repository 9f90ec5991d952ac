import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContextManager } from '../../src/context/index.ts';
import { validateRequest } from '../../src/context/index.ts';
import { ask, call, configuration, failure, houseIn, outcome, say, summary } from './harness.ts';

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '😀'.repeat(300),
    '上下文'.repeat(400),
    'x'.repeat(6000),
    '\ud83d lone',
    '',
    'line\n'.repeat(900),
  ),
);
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('prompt' as const), text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reply' as const), text, cut: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('step' as const),
      results: fc.array(text, { minLength: 1, maxLength: 4 }),
      sameIds: fc.boolean(),
      prompt: fc.option(text),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash_in_call' as const), answered: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('shell' as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mode' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const), fails: fc.boolean(), text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('overflow' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

test('whatever happens in a session, the request is valid, fits, only grows within an epoch, and is the same after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-programs-'));
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), (program) =>
        run(folder, program),
      ),
      { numRuns: 60 },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

async function run(folder: string, program: readonly Operation[]): Promise<void> {
  const home = houseIn(folder, { windowTokens: 6000 });
  let context = home.manager();
  const id = await context.createSession(undefined, {}, { ...configuration, instructions: 'Be brief.' });
  home.summaries.expect(
    ...Array.from({ length: 200 }, (_, index) => (index % 4 === 3 ? failure() : summary(`summary ${index}`))),
  );
  await context.addMessage('user', 'start');
  let epoch: readonly string[] = [];
  let reductions = 0;
  for (const one of program) {
    context = await apply(context, one, home, id);
    const built = await context.buildRequest(home.options());
    const messages = context.getMessages();
    expect(validateRequest(messages)).toEqual([]);
    const measure = context.measure([]);
    if (built.type === 'ready') expect(measure.usedTokens).toBeLessThanOrEqual(measure.windowTokens);
    const now = messages.map((message) => JSON.stringify(message));
    const count = context
      .entries()
      .filter((entry) => entry.subtype === 'compact_boundary' || entry.subtype === 'reduction').length;
    if (count === reductions) expect(now.slice(0, epoch.length)).toEqual(epoch);
    [epoch, reductions] = [now, count];
  }
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(again.getMessages().map((message) => JSON.stringify(message))).toEqual(epoch);
  await again.close();
}

async function apply(
  context: ContextManager,
  one: Operation,
  home: ReturnType<typeof houseIn>,
  id: string,
): Promise<ContextManager> {
  switch (one.do) {
    case 'prompt':
      await context.addMessage('user', one.text);
      return context;
    case 'reply':
      await context.appendReply(say(one.text), one.cut ? { interrupted: true } : {});
      return context;
    case 'step': {
      const calls = one.results.map((_, index) => call(one.sameIds ? 'call_0' : `call_${index}`));
      await context.appendReply(ask(calls, 'working'));
      for (const [index, result] of one.results.entries()) {
        if (index === 1 && one.prompt !== null) await context.addMessage('user', one.prompt);
        await context.appendToolResult({ call: calls[index] ?? call('x'), outcome: outcome(result) });
      }
      return context;
    }
    case 'crash_in_call': {
      await context.appendReply(ask([call('call_0'), call('call_1')]));
      for (let index = 0; index < one.answered; index++)
        await context.appendToolResult({ call: call(`call_${index}`), outcome: outcome('ok') });
      return reopen(context, home, id);
    }
    case 'shell':
      await context.appendShell('ls', outcome(one.text));
      return context;
    case 'mode':
      await context.append({ type: 'system', subtype: 'mode', message: { role: 'system', content: 'plan' } });
      return context;
    case 'compact':
      await context.compact({ ...home.options(), trigger: 'manual' });
      return context;
    case 'overflow':
      await context.shrinkAfterOverflow(
        { kind: 'overflow', message: 'too long', retryable: false, windowTokens: 5000 },
        home.options(),
      );
      return context;
    case 'reopen':
      return reopen(context, home, id);
  }
}

async function reopen(
  context: ContextManager,
  home: ReturnType<typeof houseIn>,
  id: string,
): Promise<ContextManager> {
  const before = JSON.stringify(context.getMessages());
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(before);
  return again;
}
