import { expect, test } from 'vitest';
import { reductionOf } from '../../src/context/history/reductions.ts';
import type { ContextManager } from '../../src/context/index.ts';
import { ask, call, configuration, failure, type House, house, outcome, say, summary } from './harness.ts';

/** One step of about `tokens` tokens of tool output. */
async function step(context: ContextManager, home: House, name: string, tokens: number): Promise<void> {
  const text = `${name} ${'alpha beta gamma delta '.repeat(Math.ceil(tokens / 4))}`;
  await context.appendReply(ask([call(`call_${name}`)]));
  await context.appendToolResult({ call: call(`call_${name}`), outcome: outcome(text) });
  await context.maintain(home.options());
}

async function started(home: House): Promise<ContextManager> {
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'first request: never touch the database');
  return context;
}

const kinds = (context: ContextManager): string[] =>
  context.entries().flatMap((entry) => {
    if (entry.subtype === 'compact_boundary') return ['summary'];
    const reduction = reductionOf(entry);
    return reduction === undefined ? [] : [reduction.kind];
  });

const used = (context: ContextManager): number => context.measure([]).usedTokens;

test('old steps become a line each, many at once, and the newest stay', async () => {
  const home = await house({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  const context = await started(home);
  for (let index = 0; index < 9; index++) {
    await step(context, home, `r${index}`, 2500);
    await context.buildRequest(home.options());
    if (used(context) < 20_000 && kinds(context).length === 0) continue;
    break;
  }
  expect(kinds(context)).toEqual(['mask']);
  const sent = context.getMessages();
  const note = String(sent.find(({ content }) => String(content).includes('Earlier steps'))?.content);
  expect(note).toMatch(/\n#\d+ Read a\.ts → 14,378 bytes\n#\d+ Read a\.ts →/);
  expect(String(sent.at(-1)?.content).length).toBeGreaterThan(5000);
  expect(used(context)).toBeLessThan(15_000);
  const pointer = /(?<=\n)#\d+/.exec(note)?.[0] ?? '';
  const recalled = await context.recall({ id: pointer }, new AbortController().signal);
  expect(recalled.text).toContain('r0 alpha beta');
});

test('what no request has shown yet is never masked: results before a queued prompt, a command of the user', async () => {
  const home = await house({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  const context = await started(home);
  for (let index = 0; index < 8; index++) await step(context, home, `r${index}`, 2500);
  const calls = [call('call_one'), call('call_two')];
  await context.appendReply(ask(calls));
  for (const one of calls)
    await context.appendToolResult({
      call: one,
      outcome: outcome(`newest ${'alpha beta gamma delta '.repeat(900)}`),
    });
  await context.addMessage('user', 'queued meanwhile');
  await context.buildRequest(home.options());
  expect(kinds(context)).toEqual(['mask']);
  const text = () => JSON.stringify(context.getMessages());
  expect(text()).toContain('newest alpha beta');
  expect(text()).not.toContain('r0 alpha beta');

  await context.appendReply(say('done'));
  const output = `own ${'alpha beta gamma delta '.repeat(1700)}`;
  await context.append({ type: 'user', subtype: 'shell', message: { role: 'user', content: output } });
  for (let index = 0; index < 3; index++) {
    await context.addMessage('user', 'and now?');
    await context.buildRequest(home.options());
  }
  expect(text()).toContain('own alpha beta');
  // Once a reply has come after them they are like all others.
  await context.appendReply(say('seen'));
  for (let index = 0; index < 4; index++) await step(context, home, `s${index}`, 2500);
  await context.buildRequest(home.options());
  expect(text()).not.toMatch(/(newest|own) (alpha beta gamma delta ){9}/);
});

test('a draft that was written beside the work is swapped in at the trigger, without a wait', async () => {
  const home = await house({ windowTokens: 20_000, settings: { strategy: 'summary' } });
  home.summaries.expect(summary('## 1. Primary request and intent\nfoxes'), summary('## again'));
  const context = await started(home);
  for (let index = 0; index < 12 && !kinds(context).includes('summary'); index++) {
    await step(context, home, `s${index}`, 1200);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await context.buildRequest(home.options());
  }
  expect(kinds(context)).toContain('summary');
  const text = JSON.stringify(context.getMessages());
  expect(text).toContain('foxes');
  expect(text).toContain('never touch the database');
  expect(context.entries().filter(({ subtype }) => subtype === 'summary_failed')).toEqual([]);
});

test('with a summariser that never answers nobody waits: messages are removed at nine tenths, with a pointer', async () => {
  const home = await house({ windowTokens: 20_000, settings: { strategy: 'summary' } });
  home.summaries.expect(
    ...Array.from(
      { length: 9 },
      () => (_: unknown, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    ),
  );
  const context = await started(home);
  for (let index = 0; index < 20; index++) {
    await context.addMessage('user', `think ${index} ${'about foxes and dogs '.repeat(250)}`);
    await context.appendReply(say('yes'));
    await context.maintain(home.options());
    const built = await context.buildRequest(home.options());
    expect(built.type).toBe('ready');
  }
  expect(kinds(context)).toContain('remove');
  expect(JSON.stringify(context.getMessages())).toContain('Recall brings any of it back');
});

test('three failures open the breaker, a restart does not close it, another model does', async () => {
  const home = await house({ windowTokens: 20_000, settings: { strategy: 'summary' } });
  home.summaries.expect(failure(), failure(), failure());
  let context = await started(home);
  for (let index = 0; index < 24; index++) {
    await step(context, home, `f${index}`, 1200);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await context.buildRequest(home.options());
  }
  expect(context.entries().filter(({ subtype }) => subtype === 'summary_failed')).toHaveLength(3);
  expect(context.session.report([]).breakerIsOpen).toBe(true);
  const id = context.getCurrentSessionId() ?? '';
  await context.close();
  context = home.manager();
  await context.loadSession(id);
  expect(context.session.report([]).breakerIsOpen).toBe(true);
  await context.append({
    type: 'system',
    subtype: 'model',
    message: { role: 'system', content: 'Model: other' },
    data: { model: 'other' },
  });
  expect(context.session.report([]).breakerIsOpen).toBe(false);
});

test('a compaction can be taken back, byte for byte, and nothing is compacted by itself before the next prompt', async () => {
  const home = await house({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  home.summaries.expect(summary('## 1. Primary request\nfoxes'));
  const context = await started(home);
  for (let index = 0; index < 6; index++) await step(context, home, `u${index}`, 1500);
  await context.appendReply(say('done'));
  const before = JSON.stringify(context.getMessages());
  await context.compact({ ...home.options(), trigger: 'manual' });
  expect(JSON.stringify(context.getMessages())).not.toBe(before);
  const report = await context.session.uncompact(home.options());
  expect(report.outcome).toBe('done');
  expect(JSON.stringify(context.getMessages())).toBe(before);
  const id = context.getCurrentSessionId() ?? '';
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(before);
});

test('an item can be dropped, restored and pinned', async () => {
  const home = await house({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  const context = await started(home);
  await step(context, home, 'unique-a', 500);
  await step(context, home, 'unique-b', 500);
  const before = JSON.stringify(context.getMessages());
  const item = context.session.items().find(({ title }) => title.includes('call') || title.includes('Read'));
  expect(item?.state).toBe('sent');
  const uuid = item?.uuid ?? '';
  expect(await context.session.steer({ action: 'drop', uuid }, [])).toBeUndefined();
  expect(context.session.items().find((one) => one.uuid === uuid)?.state).toBe('removed');
  expect(JSON.stringify(context.getMessages())).not.toContain('unique-a alpha');
  expect(await context.session.steer({ action: 'restore', uuid }, [])).toBeUndefined();
  expect(JSON.stringify(context.getMessages())).toBe(before);
  expect(await context.session.steer({ action: 'pin', uuid }, [])).toBeUndefined();
  expect(context.session.items().find((one) => one.uuid === uuid)?.isPinned).toBe(true);
});
