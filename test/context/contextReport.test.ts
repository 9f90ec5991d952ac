import { expect, test } from 'vitest';
import { thresholdsOf, triggerNote } from '../../src/context/contextReport.ts';
import { windowBudget } from '../../src/context/tokens/budgets.ts';
import { type ContextSettings, contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';

const model = {
  id: 'm',
  windowTokens: 100_000,
  maxOutputTokens: 0,
  source: 'setting',
  tokenizer: 'unknown',
} as const;
const marks = (settings: object) => {
  const parsed: ContextSettings = contextSettingsSchema.parse(settings);
  return Object.keys(thresholdsOf(parsed, { ...windowBudget(model, parsed), maskAt: 20_000 }));
};

test.each([
  [{}, ['removeAt', 'limit']],
  [{ strategy: 'summary' }, ['removeAt', 'limit']],
  [{ strategy: 'economy' }, ['maskAt', 'removeAt', 'limit']],
  [{ strategy: 'mask-only' }, ['maskAt', 'removeAt', 'limit']],
  [{ strategy: 'off' }, ['limit']],
  [{ compact: { auto: false } }, ['limit']],
])('with %j only automatic reductions are marked', (settings, expected) => {
  expect(marks(settings)).toEqual(expected);
});

test.each([
  [
    16_000,
    {},
    'Compaction starts at 68.8 % instead of 80 %: 4,000 tokens are reserved for the reply and 1,000 for a summary.',
  ],
  [128_000, {}, undefined],
  [
    128_000,
    { compressionThreshold: 64_000 },
    'Compaction starts at 50 % instead of 80 %: context.compressionThreshold is set.',
  ],
])('the reason for the trigger of a window of %i tokens with %j', (windowTokens, settings, note) => {
  const parsed = contextSettingsSchema.parse(settings);
  expect(triggerNote(windowBudget({ ...model, windowTokens }, parsed), parsed)).toBe(note);
});
