/** Golden screens of a dark and a light terminal: colors by the names of their roles, and what fails. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseTheme, type Theme } from '../../src/ui/theme/theme.ts';
import { goldenLooks, type Look } from '../e2e/support/goldenLooks.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { createScreen } from './screen.ts';

const colors = { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' };

async function look(setting: 'dark' | 'light', draw: (theme: Theme) => string): Promise<Look> {
  const screen = createScreen({ columns: 24, rows: 3, quietMs: 1 });
  screen.stdout.write(draw(chooseTheme(setting, colors)));
  await screen.settle();
  return { screen, broken: [] };
}

async function compare(draw: (theme: Theme, setting: string) => string): Promise<string> {
  const folder = temporaryFolder();
  const dark = await look('dark', (theme) => draw(theme, 'dark'));
  const light = await look('light', (theme) => draw(theme, 'light'));
  await goldenLooks({ dark, light }, 'it', { folder, styles: true });
  return readFile(join(folder, 'it.txt'), 'utf8');
}

const before = process.env.UPDATE_GOLDEN;
beforeEach(() => {
  process.env.UPDATE_GOLDEN = '1';
});
afterEach(() => {
  if (before === undefined) delete process.env.UPDATE_GOLDEN;
  else process.env.UPDATE_GOLDEN = before;
});

test('a color is named by its role and has the same letter everywhere', async () => {
  const drawn = await compare(
    (theme) => `${theme.accent('❯')} ${theme.strong('漢')} ${theme.dim('x')}\n${theme.addedWord('+')}`,
  );
  expect(drawn).toBe(`24 × 3, cursor in column 2 of row 2

│❯ 漢 x
·a bb d
│+
·+

a accent · dark #de9c72 · light #9b4a1d
b bold
d dim · dark #9c9c9c · light #6b6b6b
+ success on addedWord · dark #7dbb7d on #1c3d22 · light #226428 on #c4ecc9
`);
});

test('a difference in either direction fails', async () => {
  await expect(compare((_, setting) => `it is ${setting}`)).rejects.toThrow('a light terminal says');
});

test('a color without a role, or of the wrong role, fails', async () => {
  await expect(compare(() => '\u001B[38;2;1;2;3mx\u001B[0m')).rejects.toThrow(
    'every color is that of a role',
  );
  await expect(
    compare((theme, setting) => (setting === 'dark' ? theme.accent('x') : theme.error('x'))),
  ).rejects.toThrow('every color is that of a role');
});
