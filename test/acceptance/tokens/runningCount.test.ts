/** The count that decides is up to date and correct. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HistoryManager } from '../../../src/context/index.ts';
import { RequestSizer } from '../../../src/context/request/RequestSizer.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { sessionOf } from '../../context/sessionOf.ts';
import { SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('after 200 operations the counter of `HistoryManager` equals a full recount', async () => {
  const open = await (await createTestApp({ strategy: 'summary', files: { 'a.txt': 'alpha\n' } })).open();
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

test('the running count equals a full recount as a session grows, shrinks and undoes', {
  tags: 'long',
}, async () => {
  const app = await createTestApp({ strategy: 'summary', window: 200_000 });
  const open = await app.open();
  const { projection } = sessionOf(open.context);
  const sizer = new RequestSizer(projection.counter);
  const check = (): void => {
    const [view, policy] = [projection.view(), projection.policy()];
    const full = new RequestSizer(projection.counter).of(view, [], policy);
    expect(sizer.of(view, [], policy)).toEqual(full);
    expect(projection.measure([]).usedTokens).toBe(full.parts.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(full.parts.every(({ tokens }) => Number.isInteger(tokens))).toBe(true);
  };
  const words = (n: number): string => 'and so on. '.repeat((n * 7) % 23);
  for (let n = 0; n < 200; n++) {
    const call = { id: `call_${n}`, name: 'Read', arguments: JSON.stringify({ file_path: `f${n}` }) };
    if (n === 80 || n === 120) await open.submit({ type: 'compact' }, { text: `${SUMMARY} ${words(n)}` });
    // Old results are shortened in place; nothing else in the view changes.
    else if (n === 70 || n === 190)
      await open.context.append({
        type: 'system',
        subtype: 'reduction',
        message: { role: 'system', content: 'note' },
        data: {
          kind: 'clip',
          reason: 'test',
          preTokens: 1,
          replacements: projection
            .view()
            .atoms.flatMap(({ calls }) =>
              calls.flatMap(({ result }) =>
                result === undefined ? [] : [{ uuid: result.uuid, output: 'short' }],
              ),
            ),
        },
      });
    else if (n === 125) await open.submit({ type: 'uncompact' });
    else if (n % 3 === 0) await open.context.addMessage('user', `question ${n} ${words(n)}`);
    else if (n % 3 === 1) await open.context.addMessage('assistant', `answer ${n} ${words(n)}`);
    else {
      await open.context.appendReply({
        message: { role: 'assistant', content: `look ${n}`, toolCalls: [call] },
        finishReason: 'tool_calls',
      });
      check();
      await open.context.appendToolResult({
        call,
        outcome: { status: 'ok', text: `result ${n} ${words(n)}`, kind: 'file', display: { title: 'f' } },
      });
    }
    check();
  }
  expect(open.entries().filter(({ subtype }) => subtype === 'compact_boundary')).toHaveLength(2);
  expect(projection.view().atoms.length).toBeGreaterThan(64);
});

test('the session’s counter returns the same after a resume, even after compactions and undos', async () => {
  const app = await createTestApp({ strategy: 'summary', files: { 'a.txt': 'alpha beta\n'.repeat(200) } });
  const open = await app.open();
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
  const again = await app.open(open.sessionId);
  const { usedTokens, parts } = await again.agent.measure();
  expect({ usedTokens, parts }).toEqual(measures.at(-1));
});
