import { expect, test } from 'vitest';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { createTestHome } from '../harness.ts';
import { budgetProofs } from './budgets.ts';
import { compactionProofs } from './compactions.ts';
import { maskProofs } from './masks.ts';
import { memoryProofs } from './memories.ts';
import { allSettings } from './proof.ts';
import { removalProofs } from './removals.ts';
import { resultProofs } from './results.ts';
import { longPrompts, reductions, untilReduced } from './scenes.ts';
import { promptsOf, windowProofs } from './windows.ts';

const proofs = [
  ...budgetProofs,
  ...compactionProofs,
  ...maskProofs,
  ...memoryProofs,
  ...removalProofs,
  ...resultProofs,
  ...windowProofs,
];

/** If the models are known, the setting chooses one: proved in `test/cli/models/modelChoice.test.ts`. */
const provedElsewhere = ['summaryModel'];

test('every context setting has exactly one test', () => {
  const proved = [...proofs.map(({ setting }) => setting), ...provedElsewhere];
  expect(proved.sort()).toEqual([...allSettings()].sort());
});

test.each(proofs)(
  'context.$setting changes the behavior, and its default changes nothing',
  { tags: 'long' },
  ({ run }) => run(),
);

test.each([
  { name: 'strategy off', settings: { strategy: 'off' } },
  { name: 'automatic compaction off', settings: { compact: { auto: false } } },
])('with $name, chosen limits still apply', async ({ settings }) => {
  const limited = await createTestHome({ settings: { ...settings, slidingWindowSize: 3 } });
  expect(await promptsOf(limited, 6, 20)).toEqual(['p3', 'p4', 'p5']);
  const filtered = await createTestHome({
    settings: { ...settings, filter: { enabled: true, maxMessages: 4 } },
  });
  expect(await promptsOf(filtered, 6, 20)).toEqual(['p4', 'p5']);
});

test.each([
  { strategy: 'auto', steps: 'summary', prompts: 'summary' },
  { strategy: 'economy', steps: 'mask', prompts: 'summary' },
  { strategy: 'summary', steps: 'summary', prompts: 'summary' },
  { strategy: 'middle-removal', steps: 'mask', prompts: 'remove' },
  { strategy: 'oldest-removal', steps: 'mask', prompts: 'remove' },
  { strategy: 'hybrid', steps: 'mask', prompts: 'remove' },
  { strategy: 'sliding-window', steps: 'remove', prompts: 'remove' },
  // The user's messages are not steps: they are removed only if nothing else would fit.
  { strategy: 'mask-only', steps: 'mask', prompts: 'remove' },
  { strategy: 'off', steps: undefined, prompts: undefined },
])(
  'context.strategy $strategy frees space in its own way',
  { tags: 'long' },
  async ({ strategy, steps, prompts }) => {
    const home = () => createTestHome({ windowTokens: 20_000, settings: { strategy, summary: 'simple' } });
    expect((await untilReduced(await home(), { steps: 45, stepsPerTurn: 3 })).first?.kind).toBe(steps);
    const records = reductions(await longPrompts(await home()));
    expect(records.at(-1)?.kind).toBe(prompts);
    if (/removal|window/.test(strategy)) expect(records.at(-1)?.strategy).toBe(strategy);
  },
);

test('every field of ContextManagerOptions and DEFAULT_CONTEXT_CONFIG is a setting, and takes effect if it may', () => {
  const settings = contextSettingsSchema.parse({});
  expect([settings.maxMemoryMessages, settings.cache.maxEntries, settings.cache.ttlMs]).toEqual([
    1000, 100, 300_000,
  ]);
  expect(settings.filter).toEqual({
    enabled: false,
    maxTokens: 32_000,
    maxMessages: 50,
    maxAgeHours: 24,
  });
  expect([settings.totalBudget, settings.slidingWindowSize, settings.compressionThreshold]).toEqual([
    null,
    null,
    null,
  ]);
  expect(settings.unknownWindow).toBeNull();
});
