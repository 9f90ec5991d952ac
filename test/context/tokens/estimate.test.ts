import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenCounter } from '../../../src/context/TokenCounter.ts';
import { compactionBudget, TokenBudgetTracker, windowBudget } from '../../../src/context/tokens/budgets.ts';
import {
  estimateLarge,
  estimateMessagesTokens,
  estimateTokens,
  estimateTokensCached,
  fingerprint,
  getChineseRatio,
  HIGH,
  TokenCache,
} from '../../../src/context/tokens/estimate.ts';
import { S5, sumOf } from '../../../src/context/tokens/tokenClasses.ts';
import { truncateToTokens } from '../../../src/context/tokens/truncate.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { anyText } from '../../anyText.ts';
import { cpuMs } from '../../cpuTime.ts';
import { modelOf } from '../harness.ts';

test.each([
  ['', 0],
  ['中'.repeat(100), 56],
  ['a'.repeat(400), 100],
  ['中'.repeat(50) + 'a'.repeat(200), 78],
])('estimates text %# with the default coefficients', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('counts 100 Chinese characters as 67 with the rough coefficients, and as more with the default ones', () => {
  expect(estimateTokens('中'.repeat(100), S5)).toBe(67);
  expect(estimateTokens('中'.repeat(100), HIGH)).toBeGreaterThan(67);
  expect(getChineseRatio('中文ab')).toBe(0.5);
});

test.each([['a'], ['中'], ['😀'], [' '], ['\n'], ['a1'], ['-=']])(
  'a megabyte of %j is estimated without delay',
  (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(cpuMs(() => estimateTokens(text, HIGH))).toBeLessThan(500);
  },
);

const mixed = fc.oneof(
  anyText({ maxLength: 400 }),
  fc.string({ maxLength: 400 }),
  fc
    .array(fc.constantFrom('中文。', 'word ', '😀', '/src/a.ts. ', '0123456789abcdef', '\n'))
    .map((parts) => parts.join('')),
);

test('a truncated text never has more tokens than asked for, and one that fits is left alone', () => {
  fc.assert(
    fc.property(
      mixed,
      fc.integer({ min: 0, max: 120 }),
      fc.constantFrom(undefined, HIGH),
      (text, max, set) => {
        const cut = truncateToTokens(text, max, '...', set);
        expect(estimateTokens(cut, set)).toBeLessThanOrEqual(max);
        if (estimateTokens(text, set) <= max) expect(cut).toBe(text);
        const wasWellFormed = !/\p{Surrogate}/u.test(text);
        if (wasWellFormed) expect(cut).not.toMatch(/\p{Surrogate}/u);
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([[HIGH], [undefined]])(
  'repeated characters are unchanged if they fit and cut if they do not',
  (set) => {
    for (const piece of [' ', '\n', '    \n', 'a', '-', '中', '😀', '7', 'ab1']) {
      const text = piece.repeat(3000);
      const tokens = estimateTokens(text, set);
      expect(truncateToTokens(text, tokens, '...', set)).toBe(text);
      const cut = truncateToTokens(text, Math.floor(tokens / 2), '...', set);
      expect(estimateTokens(cut, set)).toBeLessThanOrEqual(tokens / 2);
      expect(cut.length).toBeGreaterThan(text.length / 4);
    }
  },
);

test('a text is cut at the end of a sentence, but not at a dot in a path', () => {
  expect(truncateToTokens('第一句话在这里。第二句话也在这里,而且比较长比较长。', 9)).toBe(
    '第一句话在这里。...',
  );
  expect(truncateToTokens('see src/context/manager.ts for more of it', 7)).toBe(
    'see src/context/manager.t...',
  );
});

test('a budget rejects invalid amounts and more than is left', () => {
  const tracker = new TokenBudgetTracker(10_000);
  expect(tracker.allocate('system', 2000)).toBe(true);
  expect(tracker.allocate('summary', 1000)).toBe(true);
  expect(tracker.allocate('messages', 8000)).toBe(false);
  expect(tracker.getRemaining()).toBe(7000);
  expect(tracker.getBreakdown()).toEqual({ system: 2000, summary: 1000 });
  expect(tracker.allocate('x', Number.NaN)).toBe(false);
  expect(tracker.allocate('x', -1)).toBe(false);
});

test.each([
  [200_000, 160_000],
  [48_000, 36_808],
  [8000, 5500],
])('the trigger of a window of %d tokens is %d', (window, trigger) => {
  const model = { ...modelOf(window), maxOutputTokens: 100_000 };
  const budget = windowBudget(model, contextSettingsSchema.parse({}));
  expect(budget.trigger).toBe(trigger);
  expect(budget.limit).toBeLessThan(window);
});

test.each([
  // The most of the user's text that is ever quoted, in a large window.
  [400_000, 10_000, { retain: 80_000, messages: 20_000, snippets: 40_000, facts: 6000, summary: 4096 }],
  [200_000, 10_000, { retain: 40_000, messages: 20_000, snippets: 20_000, facts: 6000, summary: 4096 }],
  [16_000, 2300, { retain: 3200, messages: 1600, snippets: 1305, facts: 640, summary: 2610 }],
])('what a compaction in a window of %d tokens with %d fixed ones may leave', (window, fixed, parts) => {
  const settings = contextSettingsSchema.parse({});
  const budget = windowBudget(modelOf(window), settings);
  const made = compactionBudget(budget, settings.compact, {
    fixed,
    retain: settings.compact.retain * window,
  });
  expect(made).toMatchObject(parts);
  // Six tenths of the space below the trigger: the rest is for new work.
  expect(made.target).toBe(Math.floor(fixed + 0.6 * (budget.trigger - fixed)));
});

test('a compaction always ends below the trigger with space for new work', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4000, max: 2_000_000 }),
      fc.double({ min: 0, max: 0.6, noNaN: true }),
      (window, share) => {
        const settings = contextSettingsSchema.parse({});
        const budget = windowBudget(modelOf(window), settings);
        const made = compactionBudget(budget, settings.compact, {
          fixed: Math.floor(window * share),
          retain: settings.compact.retain * budget.trigger,
        });
        expect(made.target).toBeLessThanOrEqual(Math.max(budget.trigger, Math.floor(window * share)));
      },
    ),
  );
});

test('messages are counted with everything in them', () => {
  const counter = new TokenCounter();
  const bare = counter.countMessage({ role: 'assistant', content: '', toolCalls: [] });
  const withCall = counter.countMessage({
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'a', name: 'Read', arguments: JSON.stringify({ path: 'x '.repeat(4000) }) }],
  });
  expect(bare).toBe(4);
  expect(withCall).toBeGreaterThan(4000);
  const image = { type: 'image' as const, mediaType: 'image/png', data: 'A'.repeat(1_000_000) };
  expect(counter.countMessage({ role: 'user', content: [image] })).toBeLessThan(3000);
});

test('an implausible report is ignored', () => {
  const counter = new TokenCounter();
  counter.observe('m', 1000, 10);
  counter.observe('m', 1000, 0);
  counter.observe('m', 0, 0);
  expect(counter.ratio('m')).toBe(1);
  counter.observe('m', 1000, 1500);
  expect(counter.ratio('m')).toBe(1.5);
  expect(counter.ratio('other')).toBe(1);
});

const pieces = [
  'word ',
  '中文字符',
  '😀',
  'a',
  '\n    ',
  '{"key": 12345},\n',
  '3f2504e04f8911d3',
  '-=+',
  'привіт ',
];
const block = fc
  .tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 30_000 }))
  .map(([piece, times]) => piece.repeat(times));

test('a sample is never below the estimate of the whole by more than its error', { tags: 'long' }, () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 2, maxLength: 8 }), (blocks) => {
      const text = blocks.join('');
      const { classes, error } = estimateLarge(text, HIGH);
      const whole = estimateTokens(text, HIGH);
      expect(sumOf(classes)).toBeGreaterThanOrEqual(whole - error - 1);
      if (text.length <= 65_536) expect(error).toBe(0);
    }),
    { numRuns: 150 },
  );
});

test.each(pieces.map((piece) => [piece]))(
  'a megabyte of %j is estimated closely from few characters',
  (piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const { classes, error } = estimateLarge(text, HIGH);
    const whole = estimateTokens(text, HIGH);
    expect(error).toBeGreaterThan(0);
    expect(Math.abs(sumOf(classes) - error - whole)).toBeLessThan(0.05 * whole + 3000);
  },
);

test('a dense part between samples is within the error', () => {
  const text = ' '.repeat(500_000) + '中'.repeat(12_000) + ' '.repeat(500_000);
  const { classes, error } = estimateLarge(text, HIGH);
  expect(sumOf(classes)).toBeGreaterThanOrEqual(estimateTokens(text, HIGH) - error);
});

test('100,000 texts do not exceed the cache’s limit', { tags: 'long' }, () => {
  const cache = new TokenCache({ maxEntries: 500, maxBytes: 1_000_000 });
  for (let index = 0; index < 100_000; index++) estimateTokensCached(`text ${index}`, cache);
  expect(cache.size).toBe(500);
  const small = new TokenCache({ maxEntries: 500, maxBytes: 16_000 });
  for (let index = 0; index < 1000; index++) small.set(`key ${index}`, index);
  expect(small.bytes).toBeLessThanOrEqual(16_000);
  expect(small.size).toBeGreaterThan(10);
});

test('the most recently used is dropped last', () => {
  const cache = new TokenCache({ maxEntries: 2, maxBytes: 1_000_000 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  expect(cache.tokens).toBe(4);
});

test('texts that differ in one character have different fingerprints', () => {
  const text = 'The quick brown fox. '.repeat(20);
  const seen = new Set([fingerprint(text)]);
  for (let index = 0; index < text.length; index++) {
    seen.add(fingerprint(`${text.slice(0, index)}~${text.slice(index + 1)}`));
  }
  expect(seen.size).toBe(text.length + 1);
});

test('a cached estimate equals the estimate, and each message adds four tokens', () => {
  const texts = ['', 'abc', '中文字符', 'a'.repeat(400)];
  for (const text of [...texts, ...texts]) expect(estimateTokensCached(text)).toBe(estimateTokens(text));
  const sum = texts.reduce((total, text) => total + estimateTokens(text), 0);
  expect(estimateMessagesTokens(texts.map((content) => ({ content })))).toBe(sum + 16);
});
