/** A large session that never compacts leaves to its file what removals took, and nobody can tell but by its memory. */

import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { undoReduction } from '../../../src/context/corrections.ts';
import { knownFacts } from '../../../src/context/facts/knownFacts.ts';
import { isPrompt } from '../../../src/context/history/atoms.ts';
import { isRemoval } from '../../../src/context/history/evict.ts';
import { ContextManager, liveEntries, PersistentStore, spentIn } from '../../../src/context/index.ts';
import { configuration, type House, house, say, step } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

const strategies = ['hybrid', 'sliding-window'] as const;

async function place(strategy: string): Promise<House> {
  return house({ windowTokens: 3000, settings: { strategy, threadSummary: 'off', window: { rounds: 8 } } });
}

/** A manager that holds logs above this size in part, or a copy of the folder as it is now. */
function managerOf({ deps, root }: House, folder: string, wholeBytes?: number): ContextManager {
  const store = new PersistentStore({
    ...{ dataRoot: join(root, folder), projectRoot: root, programVersion: '1' },
    ...(wholeBytes === undefined ? {} : { wholeBytes }),
  });
  const context = new ContextManager({ ...deps, store });
  onTestFinished(() => context.close());
  return context;
}

async function copyOf(at: House, context: ContextManager, as: string, wholeBytes?: number) {
  await cp(join(at.root, 'parts'), join(at.root, as), { recursive: true });
  const copy = managerOf(at, as, wholeBytes);
  await copy.loadSession(basename(context.filePath() ?? '', '.jsonl'));
  return copy;
}

async function turns(context: ContextManager, at: House, from: number, to: number): Promise<void> {
  for (let turn = from; turn < to; turn++) {
    const prompt = {
      type: 'user',
      subtype: 'prompt',
      message: { role: 'user', content: `prompt ${turn}` },
    } as const;
    await context.append(prompt);
    await context.buildRequest(at.options());
    const read = { filesRead: [{ path: `/p/${turn % 30}`, hash: String(turn) }] };
    // Ids as some servers give them: every call has the same.
    await step(context, 'call_0', `output ${turn} ${'word '.repeat(100 + (turn % 7) * 30)}`, read);
    await context.buildRequest(at.options());
    await context.appendReply(say(`answer ${turn}`, { inputTokens: 100, outputTokens: 10 }));
    await context.maintain(at.options());
  }
}

/** What is known of a session but for what is in memory. */
function told(context: ContextManager) {
  const { projection } = sessionOf(context);
  const { entries } = liveEntries(context.entries());
  return {
    messages: context.getMessages(),
    measure: context.measure([]),
    cost: spentIn(context.entries()),
    files: projection.touchedFiles().map((path) => [path, context.fileReads(path)]),
    changed: knownFacts(entries).files,
    reductions: context.report([]).reductions.slice(-10),
    goal: entries.findLast(isPrompt)?.message.content,
  };
}

test.each(strategies)('with %s a session stays small, and is what it is as a whole', async (strategy) => {
  const at = await place(strategy);
  const context = managerOf(at, 'parts', 0);
  await context.createSession(undefined, {}, configuration);
  const held: number[] = [];
  for (const upto of [60, 100]) {
    await turns(context, at, upto === 60 ? 0 : 60, upto);
    const whole = await copyOf(at, context, `whole${upto}`);
    expect(told(context)).toEqual(told(whole));
    held.push(context.entries().length);
    expect(whole.entries().length).toBeGreaterThan(upto * 5);
    const resumed = await copyOf(at, context, `resumed${upto}`, 0);
    expect(told(resumed)).toEqual(told(whole));
    expect(resumed.entries()).toEqual(context.entries());
  }
  // A removal's own entry stays: a later one names it.
  expect((held[1] ?? 0) - (held[0] ?? 0)).toBeLessThan(60);
  expect(JSON.stringify(context.getMessages())).toContain('prompt 99');
  expect(JSON.stringify(context.getMessages())).toMatch(/earlier messages are not shown/);
});

test.each([
  ['the last removal is taken back', -1],
  ['the one behind which memory begins is taken back', -2],
  ['one is taken back that is in the file only', -4],
] as const)('%s as in a session that is there as a whole', async (_, which) => {
  const at = await place('hybrid');
  const context = managerOf(at, 'parts', 0);
  await context.createSession(undefined, {}, configuration);
  await turns(context, at, 0, 100);
  const whole = await copyOf(at, context, 'whole');
  const removal = whole.entries().filter(isRemoval).at(which)?.uuid ?? '';
  for (const one of [context, whole]) expect(await undoReduction(sessionOf(one), removal)).toBe(true);
  expect(context.getMessages()).toEqual(whole.getMessages());
  await turns(context, at, 100, 130);
  const after = await copyOf(at, context, 'after');
  expect(told(context)).toEqual(told(after));
});

test('it goes back to a prompt that is in the file only, and forward again', async () => {
  const at = await place('hybrid');
  const context = managerOf(at, 'parts', 0);
  await context.createSession(undefined, {}, configuration);
  await turns(context, at, 0, 100);
  const whole = await copyOf(at, context, 'whole');
  const prompt = whole.entries().filter(isPrompt).at(20)?.uuid ?? '';
  const correction = { content: 'back', data: {} };
  const before = context.getMessages();
  const undo: string[] = [];
  for (const one of [context, whole]) {
    const back = await one.rewindBefore(prompt, correction);
    undo.push(back?.entry.uuid ?? '');
  }
  expect(context.getMessages()).toEqual(whole.getMessages());
  await context.undo(undo.slice(0, 1), correction);
  expect(context.getMessages()).toEqual(before);
  await turns(context, at, 100, 140);
  expect(told(context)).toEqual(told(await copyOf(at, context, 'after')));
});
