import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CompactionPlan, planCompaction } from '../../../src/context/compaction/plan.ts';
import { quoteUserMessages } from '../../../src/context/compaction/summaryMessage.ts';
import { type Atom, isPrompt } from '../../../src/context/history/atoms.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import type { ContextManager } from '../../../src/context/index.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { configuration, createTestHome, say, step, summary, type TestHome } from '../harness.ts';
import { LogMaker } from '../history/logMaker.ts';

type PlanInput = Parameters<typeof planCompaction>[0];

const sizeOfText = (text: string): number => text.length;
const outputOf = (result: JSONLEntry): string => String(result.toolResult?.output ?? '');
const sizeOf = ({ head, calls }: Atom): number =>
  String(head.message.content).length +
  calls.reduce((sum, { result }) => sum + (result === undefined ? 0 : outputOf(result).length), 0);

const anyLog = fc.array(
  fc.record({
    kind: fc.constantFrom('prompt', 'reply', 'step', 'step', 'step', 'note', 'environment', 'mode', 'open'),
    size: fc.integer({ min: 1, max: 400 }),
  }),
  { maxLength: 30 },
);
const anyBudget = fc.record({
  target: fc.integer({ min: 500, max: 6000 }),
  retain: fc.nat(2000),
  summary: fc.constantFrom(0, 200),
  facts: fc.constantFrom(0, 100),
  messages: fc.nat(1000),
  snippets: fc.nat(800),
});
const anyInput = fc
  .record({
    log: anyLog,
    budget: anyBudget,
    fixed: fc.nat(400),
    snippetTokens: fc.nat(1500),
    isAsked: fc.boolean(),
    mayDropNewest: fc.boolean(),
    minRounds: fc.constantFrom(undefined, 1, 3),
    covered: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    pins: fc.array(fc.nat(40), { maxLength: 2 }),
  })
  .map(({ log: drafts, covered, pins, ...rest }): PlanInput => {
    const log = new LogMaker();
    for (const { kind, size } of drafts) {
      const text = 'x'.repeat(size);
      if (kind === 'prompt') log.prompt(text);
      else if (kind === 'step') log.step('', text, text);
      else if (kind === 'open') log.open(text);
      else if (kind === 'reply') log.reply(text);
      else log.note(kind === 'note' ? 'nudge' : kind, text);
    }
    const view = viewOf(log.entries);
    const pinned = new Set(pins.flatMap((pin) => view.atoms[pin]?.head.uuid ?? []));
    return {
      ...rest,
      view: { ...view, pinned },
      sizeOf,
      sizeOfResult: (result) => outputOf(result).length,
      sizeOfText,
      ...(covered === undefined ? {} : { covered: Math.floor(covered * view.atoms.length) }),
    };
  });

/**
 * Tokens of the atoms that stay unchanged, with their clips, plus a line for each atom that the summary does not cover.
 */
function sizeOfPlan({ kept, uncovered, clips, userMessages, snippetTokens }: CompactionPlan): number {
  const clipped = new Map(clips.map(({ result, tokens }) => [result, tokens]));
  const lines = new Set(uncovered.filter(({ head }) => !isPrompt(head)));
  const atoms = kept.map((atom) => {
    const saved = atom.calls.reduce((sum, { result }) => {
      const tokens = result === undefined ? undefined : clipped.get(result);
      return result === undefined || tokens === undefined ? sum : sum + outputOf(result).length - tokens;
    }, 0);
    return lines.has(atom) ? Math.min(sizeOf(atom), 40 * (1 + atom.calls.length)) : sizeOf(atom) - saved;
  });
  return atoms.reduce((sum, size) => sum + size, sizeOfText(quoteUserMessages(userMessages)) + snippetTokens);
}

const planned = (check: (plan: CompactionPlan, input: PlanInput) => void): void =>
  fc.assert(
    fc.property(anyInput, (input) => {
      const plan = planCompaction(input);
      if (plan !== undefined) check(plan, input);
    }),
    { numRuns: 1500 },
  );

describe('every plan', () => {
  test('keeps whole atoms in order, and the newest ones in one piece', { tags: 'long' }, () => {
    planned(({ kept, cut, uncovered }, { view }) => {
      expect(kept.filter((atom) => !view.atoms.includes(atom))).toEqual([]);
      expect([...kept].sort((a, b) => a.head.seq - b.head.seq)).toEqual(kept);
      expect(view.atoms.slice(cut).filter((atom) => !kept.includes(atom))).toEqual([]);
      expect(uncovered.filter((atom) => !kept.includes(atom))).toEqual([]);
    });
  });

  test('keeps pins, the newest prompt, the current environment and mode, and open calls', () => {
    planned(({ kept }, { view }) => {
      const always = [
        view.atoms.findLast(({ head }) => isPrompt(head)),
        view.atoms.findLast(({ head }) => head.subtype === 'environment'),
        view.atoms.findLast(({ head }) => head.subtype === 'mode'),
        ...view.atoms.filter(({ head }) => view.pinned.has(head.uuid)),
        ...view.atoms.filter(({ calls }) => calls.some(({ result }) => result === undefined)),
      ];
      for (const atom of always) if (atom !== undefined) expect(kept).toContain(atom);
    });
  });

  test('entries that a draft does not cover stay, unchanged or as a line', () => {
    planned(({ kept, cut }, { view, covered }) => {
      if (covered === undefined) return;
      expect(cut).toBeLessThanOrEqual(covered);
      expect(view.atoms.slice(covered).filter((atom) => !kept.includes(atom))).toEqual([]);
    });
  });

  test('never both keeps and quotes a user message, and removes none newer than the summary', () => {
    planned(({ kept, cut, userMessages }, { view, budget }) => {
      const heads = new Set(kept.map(({ head }) => head));
      for (const { entry } of userMessages) {
        expect(heads.has(entry)).toBe(false);
        expect(view.atoms.findIndex(({ head }) => head === entry)).toBeLessThan(cut);
      }
      expect(sizeOfText(quoteUserMessages(userMessages))).toBeLessThanOrEqual(
        userMessages.length === 0 ? 0 : budget.messages,
      );
    });
  });

  test('space for files is reserved, however long the tail is', () => {
    planned(({ snippetTokens }, { budget, snippetTokens: wanted }) => {
      // If little is dropped, quotes do not use up what a summary frees: 120 tokens are enough for one.
      const least = Math.min(wanted, 0.2 * budget.snippets, 120);
      expect(snippetTokens).toBeGreaterThanOrEqual(Math.floor(least));
      expect(snippetTokens).toBeLessThanOrEqual(Math.max(wanted, 0));
    });
  });

  test('it stays within its space unless required entries need more', () => {
    let tight = 0;
    planned((plan, input) => {
      const { view, budget, fixed, snippetTokens } = input;
      const room = budget.target - fixed - budget.summary - budget.facts;
      const least = planCompaction({
        ...input,
        budget: { ...budget, retain: 0, messages: 0 },
        minRounds: undefined,
      });
      const files = Math.min(snippetTokens, Math.max(120, 0.2 * budget.snippets));
      if (least === undefined || least.clips.length > 0 || !least.isWorthwhile) return;
      const required = sizeOfPlan({ ...least, snippetTokens: 0, userMessages: [] });
      if (required + files + budget.messages > room || view.atoms.length === 0) return;
      tight++;
      expect(sizeOfPlan(plan)).toBeLessThanOrEqual(room);
    });
    expect(tight).toBeGreaterThan(100);
  });
});

test("pinned entries are clipped last: the newest results and the user's messages are clipped before", () => {
  const log = new LogMaker().prompt('p'.repeat(300)).reply('old').prompt('go').step('', 'x'.repeat(2000));
  const { entries } = log.step('', 'y'.repeat(2000));
  const view = viewOf(entries);
  const pinned = new Set(view.atoms.slice(3, 4).map(({ head }) => head.uuid));
  const clipped = (target: number) => {
    const plan = planCompaction({
      view: { ...view, pinned },
      budget: { target, retain: 500, summary: 0, facts: 0, messages: 1000, snippets: 0 },
      fixed: 0,
      snippetTokens: 0,
      isAsked: false,
      mayDropNewest: false,
      sizeOf,
      sizeOfResult: (result) => outputOf(result).length,
      sizeOfText,
    });
    return {
      clipped: plan?.clips.map(({ result }) => outputOf(result)[0]),
      messages: plan?.userMessages.length,
    };
  };
  expect(clipped(3000)).toEqual({ clipped: ['y'], messages: 1 });
  expect(clipped(2400)).toEqual({ clipped: ['y'], messages: 1 });
  expect(clipped(1500)).toEqual({ clipped: ['y'], messages: 0 });
  expect(clipped(1200)).toEqual({ clipped: ['x', 'y'], messages: 1 });
});

test('unsent results may use the space for new work; a reply that was sent may not', () => {
  const { entries } = new LogMaker().prompt('go').step('', 'x'.repeat(2000)).step('', 'y'.repeat(2000));
  const clips = (mayDropNewest: boolean) =>
    planCompaction({
      view: viewOf(entries),
      budget: { target: 1750, retain: 500, summary: 0, facts: 0, messages: 0, snippets: 0 },
      fixed: 0,
      snippetTokens: 0,
      isAsked: false,
      mayDropNewest,
      sizeOf,
      sizeOfResult: (result) => outputOf(result).length,
      sizeOfText,
    })?.clips.length;
  expect([clips(false), clips(true)]).toEqual([0, 1]);
});

const manual = (home: TestHome) => ({ ...home.options() });
const environment: NewEntry = {
  type: 'user',
  subtype: 'environment',
  message: { role: 'user', content: 'The session goes on on another day.' },
};
const filler = 'alpha beta gamma delta '.repeat(400);

async function conversation(home: TestHome, answer = filler): Promise<ContextManager> {
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'the old question');
  for (let index = 0; index < 4; index++) await step(context, `s${index}`, filler);
  await context.appendReply(say(`the old answer ${filler}`));
  await context.addMessage('user', 'the newest question');
  await step(context, 'last', filler);
  await context.appendReply(say(`the newest answer ${answer}`));
  return context;
}

describe('/compact', () => {
  test('right after a resume keeps the newest question together with its answer', async () => {
    const home = await createTestHome({
      windowTokens: 24_000,
      waits: true,
      settings: { compact: { auto: false } },
    });
    // More than the tail may contain: it stays because it is the newest of the conversation.
    const context = await conversation(home, filler.repeat(4));
    await context.append(environment);
    home.summaries.expect(summary('## Status\nIt was asked and answered.'));
    expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
    const sent = context.getMessages().map(({ content }) => String(content));
    const question = sent.indexOf('the newest question');
    expect(question).toBeGreaterThan(0);
    expect(sent.findIndex((text) => text.startsWith('the newest answer'))).toBeGreaterThan(question);
    expect(sent.some((text) => text.startsWith('the old answer'))).toBe(false);
  });

  test('keeps an unanswered question', async () => {
    const home = await createTestHome({ windowTokens: 40_000, waits: true });
    const context = await conversation(home);
    await context.addMessage('user', 'and one more?');
    home.summaries.expect(summary('## Status\nIt was asked and answered.'));
    const report = await context.compressCurrentContext(manual(home));
    expect(report.outcome).toBe('done');
    expect(report.postTokens).toBeLessThan(report.preTokens);
    expect(context.getMessages().at(-1)?.content).toBe('and one more?');
  });

  test('keeps the short reply that the newest message answers, however much work followed', async () => {
    const home = await createTestHome({ windowTokens: 40_000, waits: true });
    const context = await conversation(home);
    await context.appendReply(say('A limit of 20 would bound it. Do you want one?'));
    await context.addMessage('user', 'Yes, please.');
    for (let index = 0; index < 6; index++) await step(context, `later${index}`, filler);
    home.summaries.expect(summary('## Status\nIt is under way.'));
    expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
    const sent = context.getMessages().map(({ content }) => String(content));
    const question = sent.indexOf('A limit of 20 would bound it. Do you want one?');
    expect(question).toBeGreaterThan(0);
    expect(sent[question + 1]).toBe('Yes, please.');
    expect(sent.some((text) => text.includes('later0'))).toBe(false);
  });

  test('covers a large part of a medium session: a fifth of the session stays, not of the window', async () => {
    const home = await createTestHome({ windowTokens: 200_000, waits: true });
    const context = await conversation(home);
    for (let index = 0; index < 12; index++) await step(context, `more${index}`, filler);
    home.summaries.expect(summary('## Status\nIt is under way.'));
    const report = await context.compressCurrentContext(manual(home));
    expect(report.preTokens).toBeLessThan(0.2 * 200_000);
    expect(report.postTokens).toBeLessThan(0.4 * report.preTokens);
  });

  test('gives the summarizer everything, including what stays', async () => {
    const home = await createTestHome({ windowTokens: 40_000, waits: true });
    const context = await conversation(home);
    const before = context.getMessages();
    home.summaries.expect(summary('## Status\nIt was asked and answered.'));
    expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
    expect(home.summaries.requests[0]?.messages.slice(0, -1)).toEqual(before);
  });

  /** A little work on a file, and a reply so long that hardly anything is left to summarize. */
  const littleToGain = async (
    home: TestHome,
    early: string,
    { answer, written }: { answer: string; written: string },
  ) => {
    const path = join(home.root, 'a.ts');
    await writeFile(path, 'export const value = 1;\n'.repeat(400));
    const context = home.manager();
    await context.createSession(undefined, {}, configuration);
    await context.addMessage('user', 'read a.ts');
    await step(context, 'early', early, { filesRead: [{ path, hash: 'other' }] });
    await context.appendReply(say('read'));
    await context.addMessage('user', 'and now?');
    await context.appendReply(say(`a long answer ${answer}`));
    home.summaries.expect(summary(written));
    return context;
  };

  test('is rejected if the summary takes as much as it frees, and only its cost is recorded', async () => {
    const home = await createTestHome({ windowTokens: 64_000 });
    const context = await littleToGain(home, filler.slice(0, 3500), {
      answer: filler.repeat(10),
      written: filler,
    });
    const before = JSON.stringify(context.getMessages());
    const report = await context.compressCurrentContext(manual(home));
    expect(report).toMatchObject({ outcome: 'refused', message: expect.stringContaining('free too little') });
    expect(home.summaries.requests).toHaveLength(1);
    expect(JSON.stringify(context.getMessages())).toBe(before);
  });

  test('quotes less of the files before it gives up', async () => {
    const home = await createTestHome({ windowTokens: 64_000 });
    const context = await littleToGain(home, filler.slice(0, 8000), {
      answer: filler.repeat(17),
      written: '1. Primary request and intent\nIt was read.',
    });
    const report = await context.compressCurrentContext(manual(home));
    expect(report).toMatchObject({ outcome: 'done', files: ['a.ts'] });
  });

  test.each([8000, 16_000, 40_000, 200_000])(
    'frees something or gives the reason in one line, for any session length (%i)',
    async (windowTokens) => {
      const home = await createTestHome({
        windowTokens,
        waits: true,
        settings: { compact: { auto: false } },
      });
      const context = home.manager();
      await context.createSession(undefined, {}, configuration);
      const outcomes: string[] = [];
      for (let index = 0; index < 8; index++) {
        home.summaries.expect(summary('## Status\nWork was done.'));
        const report = await context.compressCurrentContext(manual(home));
        outcomes.push(report.outcome);
        if (report.outcome === 'done') {
          expect(report.postTokens).toBeLessThan(report.preTokens);
          // Once more, without anything in between.
          const again = await context.compressCurrentContext(manual(home));
          expect(again.outcome).toBe('refused');
          expect(again.message).toMatch(/^[A-Z].*\.$/);
        } else expect(report.message).toMatch(/^[A-Z][^\n]*\.$/);
        await context.addMessage('user', `question ${index}`);
        await step(context, `s${index}`, filler.slice(0, windowTokens / 6));
        await context.appendReply(say(`answer ${index}`));
      }
      expect(outcomes[0]).toBe('refused');
      expect(outcomes).toContain('done');
    },
  );
});
