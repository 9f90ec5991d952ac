import { expect, test } from 'vitest';
import { calls, fails, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

test('the log is synced to disk before a call that may change something, and only then', async () => {
  const order: string[] = [];
  const note = (what: string) => async () => {
    order.push(what);
    return ok(what);
  };
  const { ask, context } = await startAgent({
    tools: [
      smallTool('Read', { readOnly: true, run: note('Read') }),
      smallTool('Bash', { run: note('Bash') }),
    ],
    answers: [calls(['a', 'Read'], ['b', 'Bash']), says('Done.')],
  });
  const sync = context.sync.bind(context);
  context.sync = async () => {
    order.push('synced');
    await sync();
  };
  await ask('Go');
  expect(order).toEqual(['Read', 'synced', 'Bash', 'synced']);
});

test('a failed turn is synced to disk when it ends', async () => {
  const { ask, context } = await startAgent({
    answers: [fails({ kind: 'auth', message: 'Refused.', retryable: false })],
  });
  const sync = context.sync.bind(context);
  let last: string | undefined;
  context.sync = async () => {
    await sync();
    last = context.entries().at(-1)?.subtype;
  };
  await ask('Go');
  expect(last).toBe('turn_end');
});
