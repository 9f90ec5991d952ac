/** Row 24: the count that decides is kept up to date, and right. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HistoryManager } from '../../src/context/index.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { buildHouse } from './support/house.ts';
import { SUMMARY, use } from './support/project.ts';

test('row 24, S3 `_should_compress`, incremental: after 200 operations the counter equals a full recount', async () => {
  const open = await (await buildHouse({ strategy: 'summary', files: { 'a.txt': 'alpha\n' } })).open();
  for (let n = 0; n < 6; n++)
    await open.ask(
      `question ${n}`,
      { calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${n}. ${'Words. '.repeat(n * 20)}` },
    );
  const pool = open.entries();
  const sizeOf = (entry: JSONLEntry): number =>
    JSON.stringify([entry.message, entry.tool, entry.toolResult]).length;
  const operation = fc.oneof(
    { weight: 20, arbitrary: fc.nat(pool.length - 1).map((index) => ({ type: 'append', index }) as const) },
    { weight: 2, arbitrary: fc.constant({ type: 'compress' } as const) },
    { weight: 1, arbitrary: fc.constant({ type: 'load' } as const) },
    { weight: 1, arbitrary: fc.constant({ type: 'clear' } as const) },
  );
  fc.assert(
    fc.property(fc.array(operation, { minLength: 200, maxLength: 200 }), (operations) => {
      const history = new HistoryManager({ sizeOf, contextWindow: 10_000, minRetainRounds: 3 });
      for (const [at, one] of operations.entries()) {
        const entry = one.type === 'append' ? pool[one.index] : undefined;
        if (entry !== undefined) history.append({ ...entry, seq: at, uuid: `u${at}` });
        if (one.type === 'compress') history.compress(`Summary ${at}`);
        if (one.type === 'load') history.load(JSON.parse(JSON.stringify(history.toDict())));
        if (one.type === 'clear') history.clear();
      }
      const recount = history.getHistory().reduce((sum, entry) => sum + sizeOf(entry), 0);
      expect(history.countTokens()).toBe(recount);
      expect(history.shouldCompress()).toBe(recount >= 8000);
    }),
    { numRuns: 50 },
  );
});

test('row 24: the session’s meter says the same after a resume, after compactions and undos too', async () => {
  const house = await buildHouse({ strategy: 'summary', files: { 'a.txt': 'alpha beta\n'.repeat(200) } });
  const open = await house.open();
  const measures: object[] = [];
  for (let n = 0; n < 5; n++) {
    await open.ask(
      `question ${n}`,
      { calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${n}. ${'Words. '.repeat(3000)}` },
    );
    if (n === 1 || n === 3) await open.submit({ type: 'compact' }, { text: SUMMARY });
    if (n === 3) await open.submit({ type: 'uncompact' });
    const { usedTokens, parts } = await open.agent.measure();
    measures.push({ usedTokens, parts });
  }
  await open.close();
  const again = await house.open(open.sessionId);
  const { usedTokens, parts } = await again.agent.measure();
  expect({ usedTokens, parts }).toEqual(measures.at(-1));
});
