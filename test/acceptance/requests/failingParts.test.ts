/** A summary or memory that fails does not prevent the reply. */
import { expect, test } from 'vitest';
import { LongTermMemory } from '../../../src/context/index.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { createTestApp } from '../support/testApp.ts';

test('if summary and memory fail, the reply still arrives', async () => {
  const error = { kind: 'server', message: 'the summarizer is down', retryable: false } as const;
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
  const app = await createTestApp({
    window: 16_000,
    deps: { memory },
    summarize: () => {
      summaries++;
      return Promise.resolve({ type: 'failed', error });
    },
  });
  const open = await app.open();
  for (let n = 0; n < 30; n++) {
    const [request] = await open.ask(`question ${n}`, {
      text: `Answer ${n}. ${'And more of it. '.repeat(80)}`,
    });
    expect(textOf(request?.messages.at(-1))).toBe(`question ${n}`);
  }
  const warnings = open.events.flatMap((event) =>
    event.type === 'notice' && event.level === 'warning' ? [event.text] : [],
  );
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('the disk is on fire');
  expect(searches).toBeGreaterThan(20);
  expect(summaries).toBeGreaterThan(0);
  expect(
    open.events.filter((event) => event.type === 'turn_ended').every(({ outcome }) => outcome === 'done'),
  ).toBe(true);
});
