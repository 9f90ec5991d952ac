import { expect, test } from 'vitest';
import { compressionHistory } from '../../../src/context/strategies/CompressionHistory.ts';
import type { ReductionRecord } from '../../../src/protocol/contextReport.ts';

const record = (seq: number, given: Partial<ReductionRecord> = {}): ReductionRecord => ({
  uuid: `u${seq}`,
  seq,
  timestamp: seq * 1000,
  kind: 'summary',
  strategy: 'summary',
  reason: 'trigger',
  preTokens: 1000,
  postTokens: 400,
  covers: 10,
  isUndone: false,
  ...given,
});

test('twelve compactions leave ten records with before, after and strategy', () => {
  const { records, statistics } = compressionHistory(Array.from({ length: 12 }, (_, seq) => record(seq)));
  expect(records.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(records[0]).toMatchObject({ preTokens: 1000, postTokens: 400, strategy: 'summary' });
  expect(statistics).toMatchObject({ count: 12, tokensFreed: 7200, failed: 0, undone: 0 });
  expect(statistics.meanRatio).toBeCloseTo(0.4);
});

test('counts failures, undos, time and cost by strategy', () => {
  const { postTokens: _, ...failed } = record(4, { durationMs: 5 });
  const { statistics, records } = compressionHistory([
    record(1, { durationMs: 10, usage: { inputTokens: 900, outputTokens: 50 } }),
    record(2, { kind: 'remove', strategy: 'middle-removal', postTokens: 600 }),
    record(3, { isUndone: true }),
    failed,
    record(5, { kind: 'restore', postTokens: 1500 }),
    record(6, { kind: 'window' }),
    record(7, { kind: 'mask', strategy: 'mask', preTokens: 500, postTokens: 500 }),
  ]);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 7]);
  expect(statistics).toEqual({
    count: 4,
    undone: 1,
    failed: 1,
    tokensFreed: 1000,
    meanRatio: (0.4 + 0.6 + 0.4 + 1) / 4,
    durationMs: 15,
    usage: { inputTokens: 900, outputTokens: 50 },
    byStrategy: [
      { strategy: 'summary', count: 2, tokensFreed: 600 },
      { strategy: 'middle-removal', count: 1, tokensFreed: 400 },
      { strategy: 'mask', count: 1, tokensFreed: 0 },
    ],
  });
});

test('a session without reductions has an empty history', () => {
  const { records, statistics } = compressionHistory([]);
  expect(records).toEqual([]);
  expect(statistics).toMatchObject({ count: 0, meanRatio: 1, byStrategy: [] });
});
