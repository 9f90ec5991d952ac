import { describe, expect, test } from 'vitest';
import { reductionOf } from '../../../src/context/history/reductions.ts';
import type { ContextManager } from '../../../src/context/index.ts';
import {
  ask,
  call,
  configuration,
  createTestHome,
  failure,
  outcome,
  say,
  summary,
  type TestHome,
} from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

/** One step of about `tokens` tokens of tool output. */
async function step(context: ContextManager, home: TestHome, name: string, tokens: number): Promise<void> {
  const text = `${name} ${'alpha beta gamma delta '.repeat(Math.ceil(tokens / 4))}`;
  await context.appendReply(ask([call(`call_${name}`)]));
  await context.appendToolResult({ call: call(`call_${name}`), outcome: outcome(text) });
  await context.maintain(home.options());
}

async function started(home: TestHome): Promise<ContextManager> {
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'first request: never touch the database');
  return context;
}

async function endTurn(context: ContextManager): Promise<void> {
  await context.appendReply(say('Done.'));
  const message = { role: 'system', content: '' } as const;
  await context.append({ type: 'system', subtype: 'turn_end', message, data: { outcome: 'done' } });
}

const kinds = (context: ContextManager): string[] =>
  context.entries().flatMap((entry) => {
    if (entry.subtype === 'compact_boundary') return ['summary'];
    const reduction = reductionOf(entry);
    return reduction === undefined ? [] : [reduction.kind];
  });

const used = (context: ContextManager): number => context.measure([]).usedTokens;

/** The notes that replace steps, as they are sent. */
const notes = (context: ContextManager): string[] =>
  context
    .getMessages()
    .map(({ content }) => String(content).replace('<system-note>\n', ''))
    .filter((content) => /^(?:Earlier|Further) steps,|^Steps taken/.test(content));

const economy = { strategy: 'economy', threadSummary: 'off' } as const;

test('with economy, many old steps become one line each, and the newest quarter of the window is kept', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: economy });
  const context = await started(home);
  let full = 0;
  for (let index = 0; index < 12; index++) {
    if (index > 0) await context.addMessage('user', `request ${index}`);
    await step(context, home, `r${index}`, 2500);
    full = used(context);
    await context.buildRequest(home.options());
    if (kinds(context).length > 0) break;
    expect(used(context)).toBeLessThan(20_000);
    await endTurn(context);
  }
  expect(kinds(context)).toEqual(['mask']);
  expect(full).toBeGreaterThanOrEqual(20_000);
  const sent = context.getMessages();
  const note = String(sent.find(({ content }) => String(content).includes('Earlier steps'))?.content);
  expect(note).toMatch(/\n#\d+ Read \[ok, 14,378 bytes\] a\.ts/);
  const whole = sent.filter(({ role, content }) => role === 'tool' && String(content).length > 5000);
  expect(whole.length).toBeGreaterThanOrEqual(3);
  expect(used(context)).toBeGreaterThan(7500);
  expect(used(context)).toBeLessThan(17_000);
  const pointer = /(?<=\n)#\d+/.exec(note)?.[0] ?? '';
  const recalled = await context.recall({ id: pointer }, new AbortController().signal);
  expect(recalled.text).toContain('r0 alpha beta');
});

test('with economy, the current turn stays in full, however long it is', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: economy });
  const context = await started(home);
  await step(context, home, 'old', 2500);
  await endTurn(context);
  await context.addMessage('user', 'a long task');
  for (let index = 0; index < 10; index++) {
    await step(context, home, `r${index}`, 2500);
    // Messages typed while the model works belong to the turn.
    if (index === 4) await context.addMessage('user', 'and mind the tabs');
    await context.buildRequest(home.options());
    if (index >= 6) expect(used(context)).toBeGreaterThan(20_000);
  }
  expect(kinds(context)).toEqual([]);
  // The next prompt belongs to another turn.
  await endTurn(context);
  await context.addMessage('user', 'and now?');
  await context.buildRequest(home.options());
  expect(kinds(context)).toEqual(['mask']);
});

test('with economy, a summary replaces earlier turns from half of the window on; the current turn stays', async () => {
  const home = await createTestHome({ windowTokens: 128_000, settings: { strategy: 'economy' } });
  home.summaries.expect(summary('## 1. Primary request\nfoxes'));
  const context = await started(home);
  const { triggerTokens } = context.measure([]);
  const build = async (): Promise<void> => {
    await context.buildRequest(home.options());
    await sessionOf(context).thread.settled();
  };
  for (let index = 0; index < 5; index++) {
    await step(context, home, `old${index}`, 8000);
    await endTurn(context);
    await context.addMessage('user', `request ${index}`);
  }
  // Large enough that a tail chosen by size alone would start inside it.
  for (let index = 0; !kinds(context).includes('summary'); index++) {
    expect(index).toBeLessThan(6);
    await step(context, home, `current${index}`, 8000);
    await build();
  }
  expect(kinds(context)).toEqual(['summary']);
  const full = home.events.findLast((event) => event.type === 'compaction_started');
  expect(full).toMatchObject({ trigger: 'auto' });
  expect(full?.type === 'compaction_started' ? full.preTokens : 0).toBeLessThan(0.8 * triggerTokens);
  const sent = JSON.stringify(context.getMessages());
  expect(sent).toContain('foxes');
  expect(sent).not.toContain('old0 alpha beta');
  expect(sent).toContain('current0 alpha beta');
});

describe('with economy a draft', () => {
  /** Three turns of about `tokens` each, and the prompt of a fourth. */
  async function threeTurns(home: TestHome, tokens: number): Promise<ContextManager> {
    const context = await started(home);
    for (let turn = 0; turn < 3; turn++) {
      for (let index = 0; index < tokens / 3000; index++)
        await step(context, home, `old${turn}-${index}`, 3000);
      await endTurn(context);
      await context.addMessage('user', `request ${turn}`);
    }
    return context;
  }

  /** Steps of the current turn, each with its request, until this many tokens are used. */
  async function workUntil(context: ContextManager, home: TestHome, tokens: number): Promise<string[]> {
    const names: string[] = [];
    while (used(context) < tokens) {
      names.push(`current${names.length}`);
      await step(context, home, names.at(-1) ?? '', 3000);
      await context.buildRequest(home.options());
      await sessionOf(context).thread.settled();
    }
    return names;
  }

  const early = { strategy: 'economy' } as const;
  const foxes = summary('1. Primary request and intent\nfoxes');

  test('is not requested if most of the earlier turns are pinned; the one at the trigger is used', {
    tags: 'long',
  }, async () => {
    const home = await createTestHome({ windowTokens: 200_000, settings: early });
    const context = await threeTurns(home, 15_000);
    for (const { kind, uuid } of context.items())
      if (kind === 'reply') await context.editItem({ action: 'pin', uuid }, []);
    await workUntil(context, home, 130_000);
    expect(home.summaries.requests).toHaveLength(0);
    home.summaries.expect(foxes);
    await workUntil(context, home, 157_000);
    await step(context, home, 'a', 5000);
    await context.buildRequest(home.options());
    expect(kinds(context)).toContain('summary');
    expect(used(context)).toBeLessThan(100_000);
  });

  test('is used in a window of a million, where earlier turns are a small part of it', async () => {
    const home = await createTestHome({ windowTokens: 1_000_000, settings: early });
    const context = await threeTurns(home, 15_000);
    home.summaries.expect(foxes);
    await workUntil(context, home, 102_000);
    await step(context, home, 'a', 3000);
    await context.buildRequest(home.options());
    expect(kinds(context)).toEqual(['summary']);
  });

  test.each([140_000, 175_000])(
    'leaves the current turn unchanged, also with a prompt in the middle of it (%i)',
    async (tokens) => {
      const home = await createTestHome({ windowTokens: 200_000, settings: early });
      const context = await threeTurns(home, 15_000);
      let answer = (): void => {};
      home.summaries.expect(() => new Promise((resolve) => (answer = () => resolve(foxes))));
      const names: string[] = [];
      while (used(context) < tokens) {
        names.push(`current${names.length}`);
        await step(context, home, names.at(-1) ?? '', 3000);
        await context.buildRequest(home.options());
        await expect.poll(() => home.summaries.requests.length > 0 || used(context) < 100_000).toBe(true);
      }
      answer();
      await sessionOf(context).thread.settled();
      await context.addMessage('user', 'and that too');
      await context.buildRequest(home.options());
      expect(kinds(context)).toEqual(['summary']);
      const sent = context.getMessages().map(({ content }) => String(content));
      const isWhole = (name: string) =>
        sent.some((content) => content.startsWith(`${name} alpha`) && content.length > 10_000);
      expect(names.filter((name) => !isWhole(name))).toEqual([]);
    },
  );

  test('is not started if the cache is cold, since lines are then free', async () => {
    const home = await createTestHome({ windowTokens: 200_000, settings: early });
    const context = await threeTurns(home, 36_000);
    Object.assign(home.deps, { clock: () => Date.now() + 2 * 60 * 60 * 1000 });
    await context.buildRequest(home.options());
    expect(kinds(context)).toEqual(['mask']);
    expect(home.summaries.requests).toHaveLength(0);
  });

  test('is not available if the window shrank suddenly: the turn waits for the summary', async () => {
    const home = await createTestHome({ windowTokens: 1_000_000, settings: early });
    const context = await threeTurns(home, 45_000);
    home.model = { ...home.model, windowTokens: 128_000 };
    // Longer than any request waits for a draft.
    home.summaries.expect(() => new Promise((resolve) => setTimeout(() => resolve(foxes), 100)));
    await context.buildRequest(home.options());
    expect(kinds(context)).toEqual(['summary']);
  });
});

test('by default nothing is reduced below the trigger: every request extends the one before', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  // Even if no provider has the prefix in its cache any more, as on the next day.
  Object.assign(home.deps, { clock: () => Date.now() + 24 * 60 * 60 * 1000 });
  const context = await started(home);
  let before: readonly string[] = [];
  for (let index = 0; index < 11; index++) {
    const built = await context.buildRequest(home.options());
    if (built.type !== 'ready') throw new Error(built.message);
    const sent = built.request.messages.map((message) => JSON.stringify(message));
    expect(sent.slice(0, before.length)).toEqual(before);
    before = sent;
    await step(context, home, `r${index}`, 2500);
    await endTurn(context);
    await context.addMessage('user', `request ${index}`);
  }
  expect(used(context)).toBeGreaterThan(0.85 * context.measure([]).triggerTokens);
  expect(used(context)).toBeLessThan(context.measure([]).triggerTokens);
  expect(kinds(context)).toEqual([]);
});

test('results that no request has shown yet are never masked: those before a queued prompt, or of a user’s command', async () => {
  const home = await createTestHome({
    windowTokens: 40_000,
    settings: { ...economy, mask: { protect: 0.01, batch: 0.02 } },
  });
  const context = await started(home);
  for (let index = 0; index < 8; index++) await step(context, home, `r${index}`, 2500);
  await endTurn(context);
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
  // Once they are followed by a reply they are like all others.
  await context.appendReply(say('seen'));
  for (let index = 0; index < 6; index++) await step(context, home, `s${index}`, 2500);
  await endTurn(context);
  await context.addMessage('user', 'and then?');
  await context.buildRequest(home.options());
  expect(text()).not.toMatch(/(newest|own) (alpha beta gamma delta ){9}/);
});

test('a background draft is swapped in at the trigger without a wait', async () => {
  const home = await createTestHome({ windowTokens: 20_000, settings: { strategy: 'summary' } });
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

test('if the summarizer never replies, messages are removed at nine tenths without a wait, with a pointer', async () => {
  const home = await createTestHome({ windowTokens: 20_000, settings: { strategy: 'summary' } });
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
  expect(JSON.stringify(context.getMessages())).toContain('Recall returns any of it');
});

test('removal leaves space for new work: a fifth below the trigger, even in a small window', async () => {
  const home = await createTestHome({ windowTokens: 8000, settings: { strategy: 'oldest-removal' } });
  const context = await started(home);
  const { triggerTokens } = context.measure([]);
  for (let index = 0; kinds(context).length === 0; index++) {
    await context.addMessage('user', `think ${index} ${'about foxes '.repeat(20)}`);
    await context.appendReply(say('yes'));
    await context.buildRequest(home.options());
  }
  expect(kinds(context)).toEqual(['remove']);
  expect(used(context)).toBeLessThanOrEqual(0.8 * triggerTokens);
  expect(used(context)).toBeGreaterThan(0.7 * triggerTokens);
});

test('three failures open the circuit breaker; a restart does not close it, another model does', async () => {
  const home = await createTestHome({ windowTokens: 20_000, settings: { strategy: 'summary' } });
  home.summaries.expect(failure(), failure(), failure());
  let context = await started(home);
  for (let index = 0; index < 24; index++) {
    await step(context, home, `f${index}`, 1200);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await context.buildRequest(home.options());
  }
  expect(context.entries().filter(({ subtype }) => subtype === 'summary_failed')).toHaveLength(3);
  expect(context.report([]).breakerIsOpen).toBe(true);
  const id = context.getCurrentSessionId() ?? '';
  await context.close();
  context = home.manager();
  await context.loadSession(id);
  expect(context.report([]).breakerIsOpen).toBe(true);
  await context.append({
    type: 'system',
    subtype: 'model',
    message: { role: 'system', content: 'Model: other' },
    data: { model: 'other' },
  });
  expect(context.report([]).breakerIsOpen).toBe(false);
});

/** A session whose breaker is open, with `old` steps of an earlier turn and `own` of the current one. */
async function broken(
  old: number,
  own: number,
  oldTokens = 2500,
): Promise<{ context: ContextManager; home: TestHome }> {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = await started(home);
  for (let failed = 0; failed < 3; failed++)
    await context.append({
      type: 'system',
      subtype: 'summary_failed',
      message: { role: 'system', content: 'no' },
      data: { reason: 'no' },
    });
  for (let index = 0; index < old; index++) await step(context, home, `old${index}`, oldTokens);
  await endTurn(context);
  await context.addMessage('user', 'the current task');
  for (let index = 0; index < own; index++) await step(context, home, `own${index}`, 2500);
  await context.buildRequest(home.options());
  return { context, home };
}

test('with the breaker open, earlier turns become lines at the trigger, and the current turn stays', async () => {
  const { context, home } = await broken(7, 6);
  expect(home.summaries.requests).toEqual([]);
  expect(kinds(context)).toEqual(['mask']);
  expect(used(context)).toBeLessThan(context.measure([]).triggerTokens);
  const sent = JSON.stringify(context.getMessages());
  expect(sent).not.toContain('old0 alpha');
  for (let index = 0; index < 6; index++) expect(sent).toContain(`own${index} alpha`);
});

test('a /compact that succeeds closes the breaker, one that falls back does not', async () => {
  const { context, home } = await broken(3, 3);
  const isOpen = (): boolean => context.report([]).breakerIsOpen;
  expect(isOpen()).toBe(true);
  home.summaries.expect(failure());
  expect((await context.compressCurrentContext({ ...home.options() })).outcome).toBe('fallback');
  expect(isOpen()).toBe(true);
  for (let index = 0; index < 5; index++) await step(context, home, `more${index}`, 2500);
  home.summaries.expect(summary('## 1. Primary request\nfoxes'));
  expect((await context.compressCurrentContext({ ...home.options() })).outcome).toBe('done');
  expect(isOpen()).toBe(false);
});

test('if shortening earlier turns is not enough, old steps of the current turn follow, and the newest quarter stays', async () => {
  const { context } = await broken(1, 13);
  expect(kinds(context).every((kind) => kind === 'mask')).toBe(true);
  expect(used(context)).toBeLessThan(context.measure([]).triggerTokens);
  const sent = JSON.stringify(context.getMessages());
  expect(sent).toContain('the current task');
  expect(sent).not.toContain('own0 alpha');
  for (let index = 10; index < 13; index++) expect(sent).toContain(`own${index} alpha`);
  const [earlier, own, ...others] = notes(context);
  expect(earlier).toMatch(/^Earlier steps, .*\n#\d+ Read/);
  expect(own).toMatch(/^Steps taken since the message above, already done, .*\n#\d+ Read/);
  expect(own).not.toContain('summary');
  expect(others).toEqual([]);
});

test('earlier turns that free almost nothing are shortened together with the current one, in one entry', async () => {
  const { context } = await broken(1, 14, 300);
  expect(kinds(context)).toEqual(['mask']);
  expect(notes(context)).toHaveLength(2);
  const [reduction] = context.entries().flatMap((entry) => reductionOf(entry) ?? []);
  expect(reduction?.preTokens).toBeGreaterThan((reduction?.postTokens ?? 0) + 5000);
});

test('lines that free almost nothing are written only if the request could not be sent otherwise', async () => {
  const { context, home } = await broken(1, 0, 300);
  const think = async (words: number): Promise<void> => {
    await context.addMessage('user', 'about foxes and dogs '.repeat(words));
    await context.buildRequest(home.options());
  };
  // Prompts stay: one small step is all that could be removed.
  while (used(context) < context.measure([]).triggerTokens) await think(400);
  expect(kinds(context)).toEqual([]);
  expect(JSON.stringify(context.getMessages())).toContain('old0 alpha');
  await think(2500);
  expect(kinds(context)[0]).toBe('mask');
  expect(JSON.stringify(context.getMessages())).not.toContain('old0 alpha');
});

test('a second note has its own heading', async () => {
  const { context, home } = await broken(0, 14);
  for (let index = 0; index < 14; index++) {
    await step(context, home, `later${index}`, 2500);
    await context.buildRequest(home.options());
  }
  const [first, second] = notes(context);
  expect(first).toMatch(/^Steps taken since the message above, /);
  expect(second).toMatch(/^Further steps, already done, /);
});

test('results that no request has shown yet stay in full, whatever their size and whatever was typed after them', async () => {
  const { context, home } = await broken(0, 9);
  expect(kinds(context)).toEqual([]);
  const calls = ['one', 'two', 'three', 'four'].map((name) => call(`new_${name}`));
  await context.appendReply(ask(calls));
  for (const one of calls) {
    const text = `${one.id} ${'alpha beta gamma delta '.repeat(900)}`;
    await context.appendToolResult({ call: one, outcome: outcome(text) });
  }
  await context.addMessage('user', 'typed meanwhile');
  const results = (): string[] =>
    context
      .getMessages()
      .flatMap((one) => (one.role === 'tool' && one.toolCallId.startsWith('new_') ? [one.content] : []));
  const before = results();
  expect(before).toHaveLength(4);
  await context.buildRequest(home.options());
  expect(kinds(context)).toContain('mask');
  expect(results()).toEqual(before);
});

test('while a draft is being written, nothing is removed before nine tenths of the window; then old steps become lines', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  home.summaries.expect((_, signal) => {
    return new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ type: 'aborted' }), { once: true }),
    );
  });
  const context = await started(home);
  for (let index = 0; index < 10; index++) await step(context, home, `old${index}`, 2500);
  await endTurn(context);
  await context.addMessage('user', 'the current task');
  const { triggerTokens } = context.measure([]);
  let most = 0;
  for (let index = 0; kinds(context).length === 0; index++) {
    most = used(context);
    expect(most).toBeLessThan(36_000);
    await step(context, home, `own${index}`, 2500);
    await context.buildRequest(home.options());
  }
  expect(most).toBeGreaterThan(triggerTokens);
  expect(kinds(context)).toEqual(['mask']);
  expect(JSON.stringify(context.getMessages())).toContain('own0 alpha');
});

test('on an endpoint with one slot, the user sees the summary run, and Esc switches to masking', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  home.model = { ...home.model, hasOneSlot: true };
  const context = await started(home);
  for (let index = 0; used(context) < context.measure([]).triggerTokens; index++) {
    await step(context, home, `old${index}`, 2500);
    if (index === 6) await endTurn(context);
    if (index === 6) await context.addMessage('user', 'the current task');
  }
  // No draft was started in the background: it would have delayed the turn.
  expect(home.summaries.requests).toEqual([]);
  expect(context.stopWaiting()).toBe(false);
  home.summaries.expect((_, signal) => {
    expect(home.events.map(({ type }) => type)).toContain('compaction_started');
    expect(context.stopWaiting()).toBe(true);
    expect(signal.aborted).toBe(true);
    return Promise.resolve({ type: 'aborted' });
  });
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(kinds(context)).toEqual(['mask']);
  expect(used(context)).toBeLessThan(context.measure([]).triggerTokens);
  expect(context.entries().filter(({ subtype }) => subtype === 'summary_failed')).toEqual([]);
});

test('after a summary that freed too little, the next steps do not request another', async () => {
  const home = await createTestHome({ windowTokens: 100_000 });
  const context = await started(home);
  await step(context, home, 'early', 1500);
  for (let index = 0; index < 10; index++) {
    const [answer] = await context.appendReply(
      say(`answer ${index} ${'alpha beta gamma delta '.repeat(400)}`),
    );
    const uuid = answer?.uuid ?? '';
    expect(await context.editItem({ action: 'pin', uuid }, [])).toBeUndefined();
  }
  await context.addMessage('user', 'go on');
  // The usage is at the trigger then: the window without 4,000 for the reply and a sixteenth for a summary.
  const windowTokens = Math.floor(((used(context) + 4000) * 16) / 15);
  home.model = { ...home.model, hasOneSlot: true, windowTokens };
  const long = 'There is much to say about the early step. '.repeat(100);
  home.summaries.expect(summary(long));
  for (let index = 0; index < 4; index++) {
    expect(used(context)).toBeGreaterThanOrEqual(context.measure([]).triggerTokens);
    expect((await context.buildRequest(home.options())).type).toBe('ready');
    expect(home.summaries.requests).toHaveLength(1);
    await step(context, home, `s${index}`, 30);
  }
  expect(kinds(context)).toEqual([]);
  expect(home.events.filter(({ type }) => type === 'compaction_started')).toHaveLength(1);
  // A twentieth of the window later, more may be gained.
  for (let index = 0; index < 5; index++) await step(context, home, `m${index}`, 400);
  home.summaries.expect(summary('## 1. Primary request\nfoxes'));
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(home.summaries.requests).toHaveLength(2);
});

test('a compaction can be undone byte for byte, and no automatic one follows before the next prompt', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  home.summaries.expect(summary('## 1. Primary request\nfoxes'));
  const context = await started(home);
  for (let index = 0; index < 6; index++) await step(context, home, `u${index}`, 1500);
  await context.appendReply(say('done'));
  const before = JSON.stringify(context.getMessages());
  await context.compressCurrentContext({ ...home.options() });
  expect(JSON.stringify(context.getMessages())).not.toBe(before);
  const report = await context.uncompact(home.options());
  expect(report.outcome).toBe('done');
  expect(JSON.stringify(context.getMessages())).toBe(before);
  const id = context.getCurrentSessionId() ?? '';
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(before);
  // Over the trigger now: without the undo it would be compacted at once.
  home.model = { ...home.model, windowTokens: Math.floor(used(again) / 0.8) };
  expect(used(again)).toBeGreaterThanOrEqual(again.measure([]).triggerTokens);
  expect((await again.buildRequest(home.options())).type).toBe('ready');
  expect(JSON.stringify(again.getMessages())).toBe(before);
  expect(home.summaries.requests).toHaveLength(1);
  await again.addMessage('user', 'go on');
  home.summaries.expect(summary('## 1. Primary request\nfoxes again'));
  expect((await again.buildRequest(home.options())).type).toBe('ready');
  expect(JSON.stringify(again.getMessages())).toContain('foxes again');
});

test('after an overflow a request shrinks by a tenth, even if the named window has room for more', async () => {
  const home = await createTestHome({ windowTokens: 100_000, settings: { threadSummary: 'off' } });
  const context = await started(home);
  for (let index = 0; index < 60; index++) {
    await context.addMessage('user', `request ${index} ${'about foxes and dogs '.repeat(40)}`);
    await context.appendReply(say('yes'));
  }
  const raw = (): number => sessionOf(context).projection.counter.countMessages(context.getMessages());
  const before = raw();
  // The server counts more tokens than were counted here.
  const windowTokens = Math.ceil(used(context) * 1.1);
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false, windowTokens };
  expect(await context.shrinkAfterOverflow(error, home.options())).toBe(true);
  expect(context.measure([]).windowTokens).toBe(windowTokens);
  expect(raw()).toBeLessThanOrEqual(0.9 * before);
  expect(raw()).toBeGreaterThan(0.8 * before);
  expect(kinds(context)).toEqual(['window', 'remove']);
});

test('an item can be dropped, restored and pinned', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { threadSummary: 'off' } });
  const context = await started(home);
  await step(context, home, 'unique-a', 500);
  await step(context, home, 'unique-b', 500);
  const before = JSON.stringify(context.getMessages());
  const item = context.items().find(({ title }) => title.includes('call') || title.includes('Read'));
  expect(item?.state).toBe('sent');
  const uuid = item?.uuid ?? '';
  expect(await context.editItem({ action: 'drop', uuid }, [])).toBeUndefined();
  expect(context.items().find((one) => one.uuid === uuid)?.state).toBe('removed');
  expect(JSON.stringify(context.getMessages())).not.toContain('unique-a alpha');
  expect(await context.editItem({ action: 'restore', uuid }, [])).toBeUndefined();
  expect(JSON.stringify(context.getMessages())).toBe(before);
  expect(await context.editItem({ action: 'pin', uuid }, [])).toBeUndefined();
  expect(context.items().find((one) => one.uuid === uuid)?.isPinned).toBe(true);
});
