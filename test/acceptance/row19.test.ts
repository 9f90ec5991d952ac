/** Row 19: neither a summary nor a memory that fails costs the answer. */
import { expect, test } from 'vitest';
import { LongTermMemory } from '../../src/context/index.ts';
import { textOf } from '../e2e/support/wire.ts';
import { buildHouse } from './support/house.ts';

test('row 19, S2 errors in summary or memory: both fail, the answer still comes', async () => {
  const error = { kind: 'server', message: 'the summariser is down', retryable: false } as const;
  let searches = 0;
  let summaries = 0;
  const memory = new LongTermMemory({
    folders: { user: '/nowhere', project: '/nowhere' },
    isSensitive: () => false,
    findFiles: () => {
      searches++;
      return Promise.reject(new Error('the disk is on fire'));
    },
  });
  const house = await buildHouse({
    window: 16_000,
    deps: { memory },
    summarize: () => {
      summaries++;
      return Promise.resolve({ type: 'failed', error });
    },
  });
  const open = await house.open();
  for (let n = 0; n < 30; n++) {
    const [request] = await open.ask(`question ${n}`, {
      text: `Answer ${n}. ${'And more of it. '.repeat(80)}`,
    });
    expect(textOf(request?.messages.at(-1))).toBe(`question ${n}`);
  }
  expect(searches).toBeGreaterThan(20);
  expect(summaries).toBeGreaterThan(0);
  expect(
    open.events.filter((event) => event.type === 'turn_ended').every(({ outcome }) => outcome === 'done'),
  ).toBe(true);
});
