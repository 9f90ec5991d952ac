/**
 * The default over long sessions: nothing is removed before the trigger, then a summary drafted in the background
 * replaces it.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../bench/context/waits/VirtualTime.ts';
import { DraftPace } from '../../../src/context/compaction/SummaryDrafter.ts';
import type { ContextManager, SummaryModel } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { firstIsQuick } from '../../e2e/support/long.ts';
import { dataOf } from '../../madeUpEntry.ts';
import { ask, call, createTestHome, outcome, say, summary } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

const STEP_MS = 8000;
const SUMMARY_MS = 20_000;
const FILES = 14;

interface Swap {
  /** Tokens before and after. */
  readonly pre: number;
  readonly post: number;
  readonly files: number;
}

interface Run {
  readonly asked: number;
  readonly failed: number;
  readonly swaps: readonly Swap[];
  /** Every boundary, and every other reduction with its reason, in order. */
  readonly reductions: readonly string[];
  /** Requests that did not start with the previous one, although nothing was reduced in between. */
  readonly breaks: number;
  /** Results read since the last boundary that are not in the request before the next, byte for byte. */
  readonly missing: readonly string[];
  readonly triggerTokens: number;
  /** Tokens of the request at which each summary was requested. */
  readonly askedAt: readonly number[];
  /** Of any request. */
  readonly mostTokens: number;
}

interface Given {
  readonly windowTokens: number;
  readonly steps?: number;
  readonly settings?: object;
}

/** A long session of reads, edits and prompts over real files; time passes only between its steps. */
async function longSession({ windowTokens, steps = 300, settings = {} }: Given): Promise<Run> {
  const home = await createTestHome({ windowTokens, settings });
  const clock = new VirtualTime();
  let asked = 0;
  const askedAt: number[] = [];
  let [isWaiting, isWritten] = [false, false];
  const summarize: SummaryModel = async (_, { signal }) => {
    asked++;
    askedAt.push(context.measure([]).usedTokens);
    isWritten = true;
    const slept = clock.sleep(SUMMARY_MS, signal);
    // Waiting for a summary lets the time pass.
    if (isWaiting) void clock.pass(SUMMARY_MS);
    await slept;
    isWritten = false;
    const content = `1. Primary request and intent\nMend all.\n${'That part is done. '.repeat(20)}`;
    return { type: 'done', reply: say(content, { inputTokens: 10, outputTokens: 10 }) };
  };
  Object.assign(home.deps, { clock: clock.now, summarize });
  const context = home.manager();
  /** Reading files takes real time, not the clock's: a draft is requested, or ready, at once. */
  const settle = async (): Promise<void> => {
    while (context.draft() === 'running' && !isWritten) await new Promise((resolve) => setImmediate(resolve));
  };
  const paths = await writeFiles(home.root, windowTokens);
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent. '.repeat(40) });
  await context.addMessage('user', 'Mend all files. Never touch the database.');
  let [breaks, mostTokens] = [0, 0];
  let before: readonly string[] = [];
  let entriesBefore = 0;
  let read = new Map<string, string>();
  let newest = '';
  const missing: string[] = [];
  for (let index = 0; index < steps; index++) {
    isWaiting = true;
    const built = await context.buildRequest(home.options());
    isWaiting = false;
    if (built.type !== 'ready') throw new Error(built.message);
    mostTokens = Math.max(mostTokens, context.measure([]).usedTokens);
    const sent = built.request.messages.map((message) => JSON.stringify(message));
    const isNew = context.entries().slice(entriesBefore).some(isReduction);
    entriesBefore = context.entries().length;
    if (!isNew && before.some((message, at) => sent[at] !== message)) breaks++;
    if (isNew) {
      // The newest step is in no request yet; it stays in the one after the boundary.
      for (const [name, message] of read)
        if (!before.includes(message) && (name !== newest || !sent.includes(message))) missing.push(name);
      read = new Map();
    }
    before = sent;
    const path = paths[index % paths.length] ?? '';
    const name = `c${index}`;
    newest = name;
    const text = `${path} at ${index}\n${'export const value = "a line of code";\n'.repeat(windowTokens / 900)}`;
    const one = call(name, index % 4 === 3 ? 'Edit' : 'Read', { file_path: path });
    await context.appendReply(ask([one], `Looking at ${path}.`));
    const hash = createHash('sha256').update(`${index}`).digest('hex');
    const touched =
      index % 4 === 3
        ? { filesChanged: [{ path, kind: 'modified' as const, hash, added: 1, removed: 1 }] }
        : { filesRead: [{ path, hash }] };
    await context.appendToolResult({
      call: one,
      outcome: outcome(text, { ...touched, display: { title: name } }),
    });
    const last = context.getMessages().at(-1);
    if (last !== undefined) read.set(name, JSON.stringify(last));
    if (index % 30 === 29) {
      await context.appendReply(say(`Part ${index} is done.`));
      const message = { role: 'system', content: '' } as const;
      await context.append({ type: 'system', subtype: 'turn_end', message, data: { outcome: 'done' } });
      await context.addMessage('user', `Go on with part ${index}, and keep the names as they are.`);
    }
    await context.maintain(home.options());
    await settle();
    await clock.pass(STEP_MS);
    await settle();
  }
  const entries = context.entries();
  const result: Run = {
    asked,
    failed: entries.filter(({ subtype }) => subtype === 'summary_failed').length,
    swaps: entries.flatMap(({ subtype, compactMetadata }) =>
      subtype === 'compact_boundary' && compactMetadata !== undefined
        ? [
            {
              pre: compactMetadata.preTokens,
              post: compactMetadata.postTokens ?? 0,
              files: compactMetadata.filesIncluded?.length ?? 0,
            },
          ]
        : [],
    ),
    reductions: entries.filter(isReduction).map((entry) => String(dataOf(entry).reason ?? entry.subtype)),
    breaks,
    missing,
    triggerTokens: context.measure([]).triggerTokens,
    askedAt,
    mostTokens,
  };
  await context.close();
  return result;
}

const isReduction = ({ subtype }: JSONLEntry): boolean =>
  subtype === 'compact_boundary' || subtype === 'reduction';

async function writeFiles(root: string, windowTokens: number): Promise<readonly string[]> {
  await mkdir(join(root, 'src'));
  return Promise.all(
    Array.from({ length: FILES }, async (_, index) => {
      const path = join(root, 'src', `part${index}.ts`);
      await writeFile(path, `export const part${index} = ${index};\n`.repeat(windowTokens / 400));
      return path;
    }),
  );
}

for (const { row: windowTokens, options } of firstIsQuick([48_000, 16_000, 128_000, 200_000]))
  describe(`300 steps in a window of ${windowTokens} tokens`, options, () => {
    test('are summarized at the trigger only by background drafts', {
      tags: 'long',
    }, async () => {
      const { asked, failed, swaps, reductions, breaks, missing, triggerTokens, askedAt, mostTokens } =
        await longSession({
          windowTokens,
        });
      expect(swaps.length).toBeGreaterThanOrEqual(2);
      // The last one may have been started and not used yet.
      expect(asked).toBeLessThanOrEqual(Math.max(1.3 * swaps.length, swaps.length + 1));
      expect(failed).toBe(0);
      expect(reductions[0]).toBe('compact_boundary');
      // Steps after a draft that are too old for the tail are part of its compaction.
      expect(reductions.filter((one) => one !== 'compact_boundary' && one !== 'compaction')).toEqual([]);
      expect(breaks).toBe(0);
      expect(missing).toEqual([]);
      for (const { pre, files } of swaps) {
        // A draft was ready when the trigger was reached, or a step later.
        expect(pre).toBeGreaterThanOrEqual(triggerTokens);
        expect(pre).toBeLessThan(triggerTokens + 0.035 * windowTokens);
        expect(files).toBeGreaterThan(0);
      }
      // None was started long before: the steps that it does not cover are soon too much for the tail.
      for (const tokens of askedAt) expect(tokens).toBeGreaterThan(triggerTokens - 0.12 * windowTokens);
      expect(mostTokens).toBeLessThan(0.9 * windowTokens);
    });
  });

test.each([48_000, 128_000])(
  'a draft frees as much as a summary at the trigger, within a tenth (%i)',
  { tags: 'long' },
  async (windowTokens) => {
    const steps = 150;
    const drafts = await longSession({ windowTokens, steps });
    const waited = await longSession({ windowTokens, steps, settings: { threadSummary: 'off' } });
    const freed = ({ swaps }: Run): number =>
      swaps.reduce((sum, { pre, post }) => sum + (pre - post) / pre, 0) / swaps.length;
    expect(waited.swaps.length).toBeGreaterThan(0);
    expect(freed(drafts)).toBeGreaterThan(0.9 * freed(waited));
    expect(freed(drafts)).toBeLessThan(1.1 * freed(waited));
  },
);

test('however fast a request grows, no draft starts below 65 % of a trigger set by the user', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { compressionThreshold: 16_000 } });
  const context = home.manager();
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
  await context.addMessage('user', 'do it all');
  const sizes: number[] = [];
  home.summaries.expect(summary('1. Primary request and intent\nfoxes'));
  while (context.draft() === 'none') {
    const name = `c${sizes.length}`;
    await context.appendReply(ask([call(name)]));
    const text = 'alpha beta gamma delta '.repeat(230);
    await context.appendToolResult({ call: call(name), outcome: outcome(text) });
    sizes.push(context.measure([]).usedTokens);
    await context.maintain(home.options());
  }
  expect(sizes.at(-1)).toBeGreaterThanOrEqual(0.65 * 16_000);
  // The previous step would have been close enough to the trigger for a summary.
  expect(sizes.at(-2)).toBeGreaterThan(0.6 * 16_000);
});

test('steps after a draft that are too old for the tail become lines; none of them is lost', async () => {
  const home = await createTestHome({ windowTokens: 40_000, settings: { compact: { retain: 0.05 } } });
  let answer = (): void => {};
  home.summaries.expect(
    () =>
      new Promise((resolve) => {
        answer = () => resolve(summary('1. Primary request and intent\nfoxes'));
      }),
  );
  const context = home.manager();
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
  await context.addMessage('user', 'do it all');
  const one = async (name: string): Promise<void> => {
    const asked = call(name, 'Read', { path: name });
    await context.appendReply(ask([asked]));
    const text = `${name} ${'alpha beta gamma delta '.repeat(220)}`;
    await context.appendToolResult({ call: asked, outcome: outcome(text, { display: { title: name } }) });
    await context.maintain(home.options());
  };
  let covered = 0;
  for (; context.draft() !== 'running'; covered++) await one(`early-${covered}`);
  await expect.poll(() => home.summaries.requests.length).toBe(1);
  const later: string[] = [];
  while (later.length < 4) {
    later.push(`later-${later.length}`);
    await one(later.at(-1) ?? '');
  }
  answer();
  await sessionOf(context).thread.settled();
  await context.buildRequest(home.options());
  const sent = context.getMessages().map(({ content }) => String(content));
  expect(sent.join('\n')).toContain('foxes');
  const note = sent.find((content) => content.includes('Steps taken since the message above')) ?? '';
  expect(note).toContain('Any before them are in the summary.');
  const whole = later.filter((name) => sent.some((content) => content.startsWith(`${name} alpha`)));
  const lines = later.filter((name) => note.includes(`] ${name}`));
  expect(lines.length).toBeGreaterThan(0);
  expect([...lines, ...whole]).toEqual(later);
  expect(note).not.toContain('early-');
  expect(sent.some((content) => content.startsWith('early-0 alpha'))).toBe(false);
});

test('after an undone compaction no draft is requested before the next prompt', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
  await context.addMessage('user', 'do it all');
  for (let index = 0; index < 10; index++) {
    const one = call(`c${index}`);
    await context.appendReply(ask([one]));
    await context.appendToolResult({
      call: one,
      outcome: outcome('alpha beta gamma delta '.repeat(300)),
    });
  }
  await context.appendReply(say('done'));
  home.summaries.expect(summary('1. Primary request and intent\nfoxes'));
  expect((await context.compressCurrentContext({ ...home.options() })).outcome).toBe('done');
  expect((await context.uncompact(home.options())).outcome).toBe('done');
  // So close to the trigger that one would be started.
  home.model = { ...home.model, windowTokens: Math.ceil(context.measure([]).usedTokens / 0.79) };
  await context.maintain(home.options());
  await sessionOf(context).thread.settled();
  expect(context.draft()).toBe('none');
  expect(home.summaries.requests).toHaveLength(1);
  await context.addMessage('user', 'go on');
  home.summaries.expect(summary('1. Primary request and intent\nfoxes again'));
  await context.maintain(home.options());
  expect(context.draft()).toBe('running');
  await sessionOf(context).thread.settled();
  expect(context.draft()).toBe('ready');
});

describe('a draft', () => {
  /** A session whose summaries are written when the test says so. */
  async function heldSession(windowTokens: number, settings = {}) {
    const home = await createTestHome({ windowTokens, settings });
    const answers: ((text: string) => void)[] = [];
    const summarize: SummaryModel = (_, { signal }) =>
      new Promise((resolve) => {
        answers.push((text) => resolve(summary(text)));
        signal.addEventListener('abort', () => resolve({ type: 'aborted' }), { once: true });
      });
    Object.assign(home.deps, { summarize });
    let context = home.manager();
    await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
    const [path = ''] = await writeFiles(home.root, 10_000);
    await context.addMessage('user', 'Mend it.');
    let steps = 0;
    const step = async (tokens: number): Promise<void> => {
      const name = `step-${steps++}`;
      const one = call(name, steps === 1 ? 'Edit' : 'Read', { file_path: path });
      await context.appendReply(ask([one]));
      const touched =
        steps === 1
          ? { filesChanged: [{ path, kind: 'modified' as const, hash: 'x', added: 1, removed: 1 }] }
          : {};
      await context.appendToolResult({
        call: one,
        outcome: outcome(`${name} ${'alpha beta '.repeat(tokens / 2)}`, {
          ...touched,
          display: { title: name },
        }),
      });
      await context.maintain(home.options());
      const built = await context.buildRequest(home.options());
      if (built.type !== 'ready') throw new Error(built.message);
    };
    const asked = (count: number) => expect.poll(() => answers.length).toBe(count);
    const used = (): number => context.measure([]).usedTokens;
    const made = (): readonly string[] =>
      context
        .entries()
        .filter(isReduction)
        .map(({ subtype }) => `${subtype}`);
    const sent = (): string => JSON.stringify(context.getMessages());
    const reopen = async (): Promise<ContextManager> => {
      const id = context.getCurrentSessionId() ?? '';
      await context.close();
      context = home.manager();
      await context.loadSession(id);
      return context;
    };
    return { home, context, step, answers, asked, used, made, sent, reopen };
  }

  test('that arrives after steps were shortened replaces their lines immediately, with the files', {
    tags: 'long',
  }, async () => {
    const { context, step, answers, asked, made, sent } = await heldSession(40_000);
    while (context.draft() !== 'running') await step(1000);
    await asked(1);
    // The summarizer takes longer than the rest of the window.
    while (!made().includes('reduction')) await step(1000);
    expect(sent()).toMatch(/step-2\b/);
    expect(sent()).not.toContain('step-2 alpha');
    answers[0]?.('1. Primary request and intent\nfoxes');
    await sessionOf(context).thread.settled();
    await step(100);
    expect(made().slice(0, 2)).toEqual(['reduction', 'compact_boundary']);
    expect(sent()).toContain('foxes');
    expect(sent()).not.toMatch(/step-2\b/);
    const boundary = context.entries().find(({ subtype }) => subtype === 'compact_boundary');
    expect(boundary?.compactMetadata?.filesIncluded).toHaveLength(1);
    // The next summary is written as the first would have been.
    while (context.draft() !== 'running') await step(1000);
    await asked(2);
  });

  test('that is stale is not used at the trigger: a new one is written for the current state', {
    tags: 'long',
  }, async () => {
    const { home, context, step, answers, asked, used, made, sent } = await heldSession(64_000);
    for (let index = 0; index < 8; index++) await step(1000);
    const preview = context.preview({ ...home.options() });
    await asked(1);
    answers[0]?.('1. Primary request and intent\nof long ago');
    expect((await preview).outcome).toBe('ready');
    while (answers.length < 2) {
      await step(1000);
      if (context.draft() === 'running') await asked(2);
      expect(used()).toBeLessThan(0.9 * 64_000);
    }
    answers[1]?.('1. Primary request and intent\nfoxes');
    await sessionOf(context).thread.settled();
    while (made().length === 0) await step(1000);
    expect(sent()).toContain('foxes');
    expect(sent()).not.toContain('of long ago');
  });

  test('is used even after a single step of any size', async () => {
    const { context, step, answers, asked, made, sent } = await heldSession(40_000, {
      compact: { retain: 0.05 },
    });
    while (context.draft() !== 'running') await step(500);
    await asked(1);
    answers[0]?.('1. Primary request and intent\nfoxes');
    await sessionOf(context).thread.settled();
    await step(6000);
    expect(made()).toEqual(['compact_boundary']);
    expect(sent()).toContain('foxes');
    expect(answers).toHaveLength(1);
  });

  test('is kept after a resume: it is not paid again, and is used at the trigger', async () => {
    const { context, step, answers, asked, made, sent, reopen } = await heldSession(40_000);
    while (context.draft() !== 'running') await step(1000);
    await asked(1);
    answers[0]?.('1. Primary request and intent\nfoxes');
    await sessionOf(context).thread.settled();
    expect(made()).toEqual([]);
    const again = await reopen();
    expect(again.draft()).toBe('ready');
    while (made().length === 0) await step(1000);
    expect(made()).toEqual(['compact_boundary']);
    expect(sent()).toContain('foxes');
    expect(sent()).not.toContain('step-1 alpha');
    expect(answers).toHaveLength(1);
    // It was used: the next session starts without one.
    expect((await reopen()).draft()).toBe('none');
  });

  test('does not confirm a summary’s claims, and Recall does not find it', async () => {
    const { home, context, step, answers, asked, made, sent } = await heldSession(40_000);
    while (context.draft() !== 'running') await step(1000);
    await asked(1);
    answers[0]?.('1. Primary request and intent\nThe foxes are in src/invented/foxes.ts.');
    await sessionOf(context).thread.settled();
    const found = () => context.recall({ query: 'src/invented/foxes.ts' }, new AbortController().signal);
    expect((await found()).text).not.toContain('summary_draft');
    await context.compressCurrentContext({ ...home.options() });
    expect(made()).toEqual(['compact_boundary']);
    expect(sent()).toContain('src/invented/foxes.ts (unverified)');
    expect((await found()).text).not.toContain('summary_draft');
  });

  test('written by a preview is kept after a resume unless the conversation changed', async () => {
    const { home, context, step, answers, asked, reopen } = await heldSession(40_000);
    for (let index = 0; index < 8; index++) await step(1000);
    const preview = context.preview({ ...home.options() });
    await asked(1);
    answers[0]?.('1. Primary request and intent\nfoxes');
    expect((await preview).outcome).toBe('ready');
    expect((await reopen()).draft()).toBe('ready');
    const changed = await reopen();
    const item = changed.items().find(({ kind }) => kind === 'reply');
    await changed.editItem({ action: 'drop', uuid: item?.uuid ?? '' }, []);
    expect((await reopen()).draft()).toBe('none');
  });

  test('in progress is awaited by /compact, so only one summary is paid', async () => {
    const { home, context, step, answers, asked, made, sent } = await heldSession(40_000);
    while (context.draft() !== 'running') await step(1000);
    await asked(1);
    const report = context.compressCurrentContext({ ...home.options() });
    answers[0]?.('1. Primary request and intent\nfoxes');
    expect((await report).outcome).toBe('done');
    expect(answers).toHaveLength(1);
    expect(made()).toEqual(['compact_boundary']);
    expect(sent()).toContain('foxes');
    expect(home.events.filter(({ type }) => type === 'compaction_started')).toHaveLength(1);
  });

  test('is not requested if a pinned prompt leaves too little to free, and no message is removed for a few tokens', async () => {
    const { context, step, answers, used, made } = await heldSession(32_000);
    await context.addMessage('user', `All of this: ${'gamma delta '.repeat(9000)}`);
    for (let index = 0; index < 12; index++) {
      const before = used();
      await step(150);
      if (used() < before) expect(before - used()).toBeGreaterThan(0.01 * 32_000);
    }
    expect(answers).toHaveLength(0);
    expect(made().length).toBeLessThan(4);
  });
});

/** The pace after steps of this growth, each taking this many milliseconds. */
function after(growths: readonly number[], stepMs: number, summaryMs?: number): number | undefined {
  const pace = new DraftPace();
  let [tokens, at] = [10_000, 0];
  pace.noteStep(tokens, at);
  for (const growth of growths) {
    tokens += growth;
    at += stepMs;
    pace.noteStep(tokens, at);
  }
  if (summaryMs !== undefined) pace.noteSummary(summaryMs);
  return pace.leadTokens();
}

test('no growth is known before the first step', () => {
  expect(new DraftPace().leadTokens()).toBeUndefined();
  expect(after([], 1000)).toBeUndefined();
});

test('the lead is the growth of the request during a summary, plus one step', () => {
  // Twenty seconds are assumed at first: three steps of eight.
  expect(after([1000, 1000, 1000, 1000], 8000)).toBe(4000);
  expect(after([1000, 1000, 1000, 1000], 8000, 40_000)).toBe(6000);
  expect(after([1000, 1000, 1000, 1000], 8000, 1)).toBe(2000);
  // The largest step may occur once.
  expect(after([500, 500, 500, 2500], 60_000)).toBe(1000 + 2500);
});

test('between fast steps it is six steps at most, and only the newest eight count', () => {
  expect(after([1000, 1000], 1)).toBe(7000);
  expect(after([90_000, ...Array.from({ length: 8 }, () => 100)], 60_000)).toBe(200);
});

test('a reduced request starts over', () => {
  const pace = new DraftPace();
  for (const [tokens, at] of [
    [10_000, 0],
    [11_000, 60_000],
    [4000, 120_000],
    [5000, 180_000],
  ] as const)
    pace.noteStep(tokens, at);
  expect(pace.leadTokens()).toBe(2000);
});
