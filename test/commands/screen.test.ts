import { expect, test } from 'vitest';
import { theme } from '../../src/commands/screen.ts';
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

test('an unknown theme is answered with those that there are', () => {
  expect(run('neon')).toMatchObject({
    type: 'notice',
    level: 'error',
    text: expect.stringMatching(/no theme "neon".*auto, dark/),
  });
});
