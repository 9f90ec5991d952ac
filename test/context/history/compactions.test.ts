import { expect, test } from 'vitest';
import {
  completeCompactions,
  completeCompactionsBackwards,
  withoutPartialCompactions,
} from '../../../src/context/history/compactions.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { LogMaker } from './logMaker.ts';

const half = {
  type: 'system',
  subtype: 'compact_boundary',
  message: { role: 'system', content: '' },
} as const;
const summary = {
  type: 'user',
  isCompactSummary: true,
  message: { role: 'user', content: 'summary' },
} as const;

/** Half a compaction in the middle of the log, before a complete one, and at its end. */
const { entries } = new LogMaker()
  .prompt('a')
  .add(half)
  .prompt('b')
  .add(half)
  .add(half)
  .add(summary)
  .prompt('c')
  .add(half);

async function* each(some: readonly JSONLEntry[]): AsyncGenerator<JSONLEntry> {
  yield* some;
}

async function collect(some: AsyncIterable<JSONLEntry>): Promise<JSONLEntry[]> {
  const all: JSONLEntry[] = [];
  for await (const entry of some) all.push(entry);
  return all;
}

test('any part of a log has the compactions that the whole log has', async () => {
  for (let from = 0; from <= entries.length; from++)
    for (let to = from; to <= entries.length; to++) {
      const stretch = entries.slice(from, to);
      const whole = withoutPartialCompactions(entries).filter(({ seq }) => seq >= from && seq < to);
      const readBehind = async () => entries[to];
      expect(await collect(completeCompactions(each(stretch), readBehind))).toEqual(whole);
      const newestFirst = completeCompactionsBackwards(each([...stretch].reverse()), readBehind);
      expect((await collect(newestFirst)).reverse()).toEqual(whole);
    }
});
