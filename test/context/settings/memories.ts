/** What is remembered beside the conversation: memories, the goal, cached values, messages kept ready. */
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ContextManager, LongTermMemory } from '../../../src/context/index.ts';
import { ask, call, type House, outcome } from '../harness.ts';
import { proof } from './proof.ts';
import { always, open, round, text, toolStep, words } from './scenes.ts';

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
    to: 0,
    windowTokens: 200_000,
    see: quotedTwice,
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual(['a: old', 'b: old']);
      expect(changed).toEqual(['a: new', 'b: new']);
    },
  }),
  proof('cache.maxEntries', {
    to: 1,
    windowTokens: 200_000,
    see: quotedTwice,
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual(['a: old', 'b: old']);
      expect(changed).toEqual(['a: new', 'b: new']);
    },
  }),
  proof('maxMemoryMessages', {
    to: 50,
    windowTokens: 200_000,
    see: async (home) => {
      const context = await open(home);
      for (let index = 0; index < 40; index++) await round(context, `p${index}`, 20);
      await context.buildRequest(home.options());
      return { kept: context.session.parts.projection.memory.count, sent: context.getMessages().length };
    },
    changes: (changed, byDefault) => {
      expect(byDefault).toEqual({ kept: 81, sent: 81 });
      expect(changed.sent).toBe(81);
      expect(changed.kept).toBeLessThanOrEqual(50);
    },
  }),
];

const slow = [{ content: 'Foxes live in the forest.', file: 'slow.md', similarity: 1 }];

/** The memory files that a prompt brought along. */
async function remembered(home: House, prompt: string): Promise<readonly string[]> {
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

async function recalled(context: ContextManager, home: House, content: string): Promise<readonly string[]> {
  const prompt = { type: 'user', subtype: 'prompt', message: { role: 'user', content } } as const;
  const entries = await context.appendPrompts([prompt], home.options());
  const found = entries.find(({ subtype }) => subtype === 'memory')?.data?.memories;
  return Array.isArray(found) ? found.map(({ file }) => String(file)) : [];
}

/** How often goal and todo list were restated. */
async function reminders(home: House, steps: number): Promise<number> {
  const context = await open(home);
  await context.addMessage('user', 'Port the parser to Rust and keep all tests green');
  for (let index = 0; index < steps; index++) await toolStep(context, home, `s${index}`, 20);
  return context.entries().filter(({ subtype }) => subtype === 'reminder').length;
}

/** What is quoted of two files that were changed behind the program's back between two compactions. */
async function quotedTwice(home: House): Promise<readonly string[]> {
  always(home);
  const context = await open(home);
  const write = async (age: 'old' | 'new'): Promise<void> => {
    for (const name of ['a', 'b']) {
      const path = join(home.root, `${name}.ts`);
      await writeFile(path, `${name}: ${age}\n${'filler line\n'.repeat(40)}`);
      // Of the same size and time: nobody can see that it is another.
      await utimes(path, 1_700_000_000, 1_700_000_000);
    }
  };
  for (const age of ['old', 'new'] as const) {
    await write(age);
    for (const name of ['a', 'b']) {
      const one = call(`${name}_${age}`, 'Read', { file_path: `${name}.ts` });
      await context.appendReply(ask([one]));
      await context.appendToolResult({ call: one, outcome: outcome(words(1000)) });
    }
    await context.addMessage('user', `go on ${words(50_000)}`);
    await round(context, 'p', 100);
    const report = await context.compact({ ...home.options(), trigger: 'manual' });
    expect(report.outcome).toBe('done');
  }
  const sent = context.getMessages().map(text).join('\n');
  return (sent.match(/\b[ab]: (old|new)\b/g) ?? []).toSorted();
}
