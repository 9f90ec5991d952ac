import { expect, test } from 'vitest';
import { statusline } from '../../src/commands/statusline.ts';
import type { CommandHost } from '../../src/commands/types.ts';

const host = {} as CommandHost;

test('/statusline with a wish asks the model, who is told the input, the setting and to leave the rest alone', () => {
  const result = statusline.run('branch and cost', host);
  expect(result).toMatchObject({
    type: 'op',
    op: { type: 'prompt', display: '/statusline branch and cost' },
  });
  const { text } = (result as { op: { text: string } }).op;
  for (const part of [
    'branch and cost',
    'used_percentage',
    'total_cost_usd',
    '"statusLine"',
    'config.json',
    'change nothing',
  ])
    expect(text).toContain(part);
});

test('/statusline alone says how it is set', () => {
  expect(statusline.run('', host)).toMatchObject({
    type: 'notice',
    text: expect.stringContaining('"statusLine"'),
  });
});
