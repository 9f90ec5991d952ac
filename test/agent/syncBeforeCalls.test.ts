import { expect, test } from 'vitest';
import { calls, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { stage } from './stage.ts';

test('the log is on the disk itself before a call that may change something runs, and only then', async () => {
  const order: string[] = [];
  const note = (what: string) => async () => {
    order.push(what);
    return ok(what);
  };
  const { ask, context } = await stage({
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
  expect(order).toEqual(['Read', 'synced', 'Bash']);
});
