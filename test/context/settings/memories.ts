/** What is kept in addition to the conversation: memories, the goal, cached values, messages in memory. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ContextManager, LongTermMemory } from '../../../src/context/index.ts';
import { outcome, type TestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';
import { proof } from './proof.ts';
import { open, round, toolStep } from './scenes.ts';

const question = 'How do we deploy the payment gateway service?';

export const memoryProofs = [
  proof('memory.enabled', {
    to: false,
    see: (home) => remembered(home, question),
    changes: (changed, byDefault) => {
      expect(byDefault.length).toBeGreaterThan(0);
      expect(changed).toEqual([]);
    },
  }),
  proof('memory.limit', {
    to: 1,
    see: (home) => remembered(home, question),
    changes: (changed, byDefault) => expect([changed.length, byDefault.length]).toEqual([1, 3]),
  }),
  proof('memory.minSimilarity', {
    to: 0.05,
    see: (home) => remembered(home, 'Which payment of raccoons, otters, badgers and hedgehogs is due?'),
    changes: (changed, byDefault) => expect(changed.length).toBeGreaterThan(byDefault.length),
  }),
  proof('memory.category', {
    to: 'Deploy-3',
    see: (home) => remembered(home, question),
    changes: (changed, byDefault) => {
      expect(byDefault).toHaveLength(3);
      expect(changed).toEqual(['deploy-3.md']);
    },
  }),
  proof('memory.timeoutMs', {
    to: 3000,
    see: async (home) => {
      const search = (): Promise<typeof slow> =>
        new Promise((resolve) => setTimeout(() => resolve(slow), 1000));
      return recalled(await open(home, { memory: { search } }), home, 'foxes?');
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual([]);
      expect(changed).toEqual(['slow.md']);
    },
  }),
  proof('instructionPinning', {
    to: false,
    windowTokens: 200_000,
    see: (home) => reminders(home, 45),
    changes: (changed, byDefault) => {
      expect(byDefault).toBeGreaterThan(0);
      expect(changed).toBe(0);
    },
  }),
  proof('reminderSteps', {
    to: 5,
    windowTokens: 200_000,
    see: (home) => reminders(home, 45),
    changes: (changed, byDefault) => expect(changed).toBeGreaterThan(byDefault),
  }),
  proof('cache.ttlMs', {
    to: 1000,
    see: keptReads,
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual(['a', 'b']);
      expect(changed).toEqual([]);
    },
  }),
  proof('cache.maxEntries', {
    to: 1,
    see: keptReads,
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual(['a', 'b']);
      expect(changed).toEqual(['b']);
    },
  }),
  proof('maxMemoryMessages', {
    to: 50,
    windowTokens: 200_000,
    see: async (home) => {
      const context = await open(home);
      for (let index = 0; index < 40; index++) await round(context, `p${index}`, 20);
      await context.buildRequest(home.options());
      return { kept: sessionOf(context).projection.memory.count, sent: context.getMessages().length };
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual({ kept: 81, sent: 81 });
      expect(changed.sent).toBe(81);
      expect(changed.kept).toBeLessThanOrEqual(50);
    },
  }),
];

const slow = [{ content: 'Foxes live in the forest.', file: 'slow.md', similarity: 1 }];

/** The memory files included with a prompt. */
async function remembered(home: TestHome, prompt: string): Promise<readonly string[]> {
  const folders = { user: join(home.root, 'memory', 'user'), project: join(home.root, 'memory', 'project') };
  await mkdir(folders.user, { recursive: true });
  await mkdir(folders.project, { recursive: true });
  for (let index = 0; index < 5; index++)
    await writeFile(
      join(folders.user, `deploy-${index}.md`),
      `# Deploy ${index}\ncategory: deploy-${index}\n\nWe deploy the payment gateway service with script number ${index}.\n`,
    );
  const memory = new LongTermMemory({ folders, isSensitive: () => false });
  return recalled(await open(home, { memory }), home, prompt);
}

async function recalled(
  context: ContextManager,
  home: TestHome,
  content: string,
): Promise<readonly string[]> {
  const prompt = { type: 'user', subtype: 'prompt', message: { role: 'user', content } } as const;
  const entries = await context.appendPrompts([prompt], home.options());
  const found = entries.find((entry) => entry.subtype === 'memory')?.data?.memories;
  return found?.map(({ file }) => String(file)) ?? [];
}

/** How often the goal and the todo list were restated. */
async function reminders(home: TestHome, steps: number): Promise<number> {
  const context = await open(home);
  await context.addMessage('user', 'Port the parser to Rust and keep all tests green');
  for (let index = 0; index < steps; index++) await toolStep(context, home, `s${index}`, 20);
  return context.entries().filter(({ subtype }) => subtype === 'reminder').length;
}

/** Which of two reads are still cached two seconds later. */
async function keptReads(home: TestHome): Promise<readonly string[]> {
  let now = Date.UTC(2030, 0, 1);
  const { toolCache } = await open(home, { clock: () => now });
  for (const path of ['a', 'b']) toolCache.set(path, 'stamp', outcome(path));
  now += 2000;
  return ['a', 'b'].filter((path) => toolCache.get(path, 'stamp') !== undefined);
}
