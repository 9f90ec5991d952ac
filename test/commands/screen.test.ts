import { expect, test } from 'vitest';
import { statusline, theme } from '../../src/commands/screen.ts';
import type { CommandHost } from '../../src/commands/types.ts';

const run = (args: string) => theme.run(args, {} as CommandHost);

test.each([
  ['', { type: 'set_theme' }],
  ['light', { type: 'set_theme', setting: 'light' }],
  ['Default', { type: 'set_theme', setting: 'default' }],
  ['high contrast', { type: 'set_theme', setting: 'high-contrast' }],
])('/theme %s', (args, wish) => {
  expect(run(args)).toEqual(wish);
});

test('an unknown theme leads to the list of themes', () => {
  expect(run('neon')).toMatchObject({
    type: 'notice',
    level: 'error',
    text: expect.stringMatching(/no theme "neon".*auto, dark/),
  });
});

const host = {} as CommandHost;

test('/statusline with text prompts the model with the input format and the setting', () => {
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

test('/statusline alone shows how to set it', () => {
  expect(statusline.run('', host)).toMatchObject({
    type: 'notice',
    text: expect.stringContaining('"statusLine"'),
  });
});
