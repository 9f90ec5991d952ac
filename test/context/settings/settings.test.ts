import { expect, test } from 'vitest';
import { contextSettingsSchema } from '../../../src/protocol/contextSettings.ts';
import { budgetProofs } from './budgets.ts';
import { compactionProofs } from './compactions.ts';
import { maskProofs } from './masks.ts';
import { memoryProofs } from './memories.ts';
import { allSettings } from './proof.ts';
import { removalProofs } from './removals.ts';
import { resultProofs } from './results.ts';
import { windowProofs } from './windows.ts';

const proofs = [
  ...budgetProofs,
  ...compactionProofs,
  ...maskProofs,
  ...memoryProofs,
  ...removalProofs,
  ...resultProofs,
  ...windowProofs,
];

test('every setting of the context has a proof, and none has two', () => {
  expect(proofs.map(({ setting }) => setting).sort()).toEqual([...allSettings()].sort());
});

test.each(proofs)('context.$setting changes what happens, and its default changes nothing', ({ run }) =>
  run(),
);

test('S5 ContextManagerOptions and S2 DEFAULT_CONTEXT_CONFIG stand in the settings, and act by themselves where they may', () => {
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
  expect(settings.unknownWindow).toBe(48_000);
});
