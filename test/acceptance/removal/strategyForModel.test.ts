/** Which model gets which strategy. */

import { expect, test } from 'vitest';
import { reductionOf } from '../../../src/context/history/reductions.ts';
import { removalPolicyFor, strategyForModel } from '../../../src/context/index.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { openProject } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

/** Everything is new enough not to be masked, so that only removal shows. */
const unmasked = { protect: 0.99 };

test('strategy and amounts follow from the model id and the base URL', () => {
  const gpt4 = strategyForModel('gpt-4.1');
  const o1 = strategyForModel('o1');
  const claude = strategyForModel('claude-sonnet-4');
  const gemini = strategyForModel('gemini-1.5-pro');
  const local = strategyForModel('qwen3', { baseUrl: 'http://localhost:11434/v1' });
  expect([gpt4, o1, claude, gemini, local].map(({ strategy }) => strategy)).toEqual([
    ...['hybrid', 'middle-removal', 'oldest-removal', 'middle-removal', 'hybrid'],
  ]);
  expect(o1.preserveStart + o1.preserveEnd).toBeGreaterThan(gpt4.preserveStart + gpt4.preserveEnd);
  expect(claude.preserveEnd).toBeGreaterThan(gpt4.preserveEnd);
  expect(gemini.targetShare).toBeGreaterThan(gpt4.targetShare);
  expect(local.targetShare).toBeLessThan(gpt4.targetShare);
  for (const id of ['gpt-4', 'gpt-4o-mini', 'openai/gpt-4.1']) expect(strategyForModel(id)).toEqual(gpt4);
  for (const id of ['o1-mini', 'o3', 'openai/o1']) expect(strategyForModel(id)).toEqual(o1);
  expect(strategyForModel('anthropic/claude-3.5-haiku')).toEqual(claude);
  for (const baseUrl of ['http://127.0.0.1:1234/v1', 'http://192.168.1.7:8080/v1'])
    expect(strategyForModel('any', { baseUrl })).toEqual(local);
  expect(strategyForModel('any', { baseUrl: 'https://api.openai.com/v1' })).toEqual(gpt4);
});

test('settings override the table', () => {
  const policy = (settings: object) =>
    removalPolicyFor(contextSettingsSchema.parse(settings), 'claude-sonnet-4');
  expect(policy({})).toMatchObject({ strategy: 'oldest-removal', source: 'model' });
  const own = policy({
    strategy: 'middle-removal',
    removal: { preserveStart: 1, preserveEnd: 2, minMessages: 3 },
  });
  expect(own).toMatchObject({
    strategy: 'middle-removal',
    source: 'setting',
    preserveStart: 1,
    preserveEnd: 2,
    minMessages: 3,
  });
});

test('the strategy changes with /model', async () => {
  // No summary is available, so removal makes room, each time by the table's row for the current model.
  const error = { kind: 'server', message: 'down', retryable: false } as const;
  const app = await createTestApp({
    model: 'gpt-4.1',
    window: 16_000,
    settings: { context: { mask: unmasked, compact: { maxFailures: 1 } } },
    summarize: () => Promise.resolve({ type: 'failed', error }),
  });
  const open = await app.open();
  const used: unknown[] = [];
  for (const model of ['claude-sonnet-4', 'gemini-1.5-pro']) {
    await open.submit({ type: 'set_model', model });
    const before = open.entries().length;
    const removals = () =>
      open
        .entries()
        .slice(before)
        .flatMap((entry) => reductionOf(entry) ?? [])
        .filter(({ kind }) => kind === 'remove');
    for (let n = 0; n < 60 && removals().length === 0; n++)
      await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(80)}` });
    used.push(removals()[0]?.strategy);
  }
  expect(used).toEqual(['oldest-removal', 'middle-removal']);
});

test('/context settings shows the strategy and the reason for it', { tags: 'long' }, async () => {
  const project = await openProject();
  const first = await project.run('hello', {
    replies: [{ text: 'Hi.' }],
    flags: ['--model', 'claude-sonnet-4'],
  });
  const shown = async (model: string): Promise<string> =>
    (
      await project.run('/context settings', {
        resume: first.sessionId,
        format: 'text',
        flags: ['--model', model],
      })
    ).stdout;
  expect(await shown('claude-sonnet-4')).toMatch(/oldest-removal/);
  expect(await shown('gemini-1.5-pro')).toMatch(/middle-removal/);
});
