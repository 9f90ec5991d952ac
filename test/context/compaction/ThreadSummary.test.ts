import { describe, expect, test } from 'vitest';
import {
  type DraftOutcome,
  draftEntry,
  recordedDraft,
  ThreadSummary,
} from '../../../src/context/compaction/ThreadSummary.ts';
import { CacheStore } from '../../../src/context/storage/CacheStore.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

const PAUSE = 5000;

/** An attempt that counts itself and ends as specified. */
function attempts(outcome: DraftOutcome) {
  let count = 0;
  const write = async (): Promise<DraftOutcome> => {
    count++;
    return outcome;
  };
  return { write, count: () => count };
}

const untilAborted = (signal: AbortSignal): Promise<DraftOutcome> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ type: 'aborted' })));

test('an attempt that is stopped because its epoch ended does not keep the next epoch waiting', async () => {
  const thread = new ThreadSummary(new CacheStore(10));
  const { write, count } = attempts({ type: 'nothing' });
  thread.updateIfNeeded('old', 100_000, PAUSE, untilAborted);
  thread.drop('old');
  thread.updateIfNeeded('new', 70_000, PAUSE, write);
  await thread.settled();
  thread.updateIfNeeded('new', 70_100, PAUSE, write);
  expect(count()).toBe(1);
});

test('an attempt that failed keeps its own epoch waiting, and no other', async () => {
  const thread = new ThreadSummary(new CacheStore(10));
  const { write, count } = attempts({ type: 'failed' });
  for (const tokens of [100_000, 100_001, 104_999]) {
    thread.updateIfNeeded('old', tokens, PAUSE, write);
    await thread.settled();
  }
  expect(count()).toBe(1);
  thread.updateIfNeeded('old', 105_000, PAUSE, write);
  await thread.settled();
  expect(count()).toBe(2);
  thread.updateIfNeeded('new', 60_000, PAUSE, write);
  await thread.settled();
  expect(count()).toBe(3);
});

test('a pause counts from where the request begins to grow again after masking', async () => {
  const thread = new ThreadSummary(new CacheStore(10));
  const { write, count } = attempts({ type: 'failed' });
  for (const tokens of [100_000, 60_000, 64_999]) {
    thread.updateIfNeeded('same', tokens, PAUSE, write);
    await thread.settled();
  }
  expect(count()).toBe(1);
  thread.updateIfNeeded('same', 65_000, PAUSE, write);
  await thread.settled();
  expect(count()).toBe(2);
});

describe('the draft of a log', () => {
  const draft = { text: '1. Primary request', epoch: 'start', lastMessageSeq: 3, usedTokens: 100 };
  const entry = (seq: number, data: object): JSONLEntry =>
    madeUpEntry({ seq, uuid: `u${seq}`, ...draftEntry(draft), data: { ...draft, ...data } });

  test('is the newest one written for the current state', () => {
    expect(recordedDraft([entry(4, { text: 'older' }), entry(5, {})])).toEqual(draft);
    expect(recordedDraft([entry(4, {}), entry(5, { epoch: 'gone' })])).toEqual(draft);
    expect(recordedDraft([entry(4, { epoch: 'gone' })])).toBeUndefined();
  });

  test.each([
    { lastMessageSeq: 4 },
    { lastMessageSeq: 1e9 },
    { lastMessageSeq: -1 },
    { lastMessageSeq: 1.5 },
    { lastMessageSeq: null },
    { text: '' },
    { text: undefined },
    { usedTokens: 'many' },
  ])('is ignored if a line is damaged: %o', (data) => {
    expect(recordedDraft([entry(4, data)])).toBeUndefined();
  });
});
