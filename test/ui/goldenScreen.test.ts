/** Golden screens themselves: how a screen is stored, and that a difference fails. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawGolden, goldenScreen } from '../e2e/support/goldenScreen.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { createScreen } from './screen.ts';

async function screenWith(text: string, columns = 20, rows = 4) {
  const screen = createScreen({ columns, rows, quietMs: 1 });
  screen.stdout.write(text);
  await screen.settle();
  return screen;
}

test('rows, styles and the cursor are recorded', async () => {
  const screen = await screenWith(
    '\u001B[1mbold\u001B[22m 漢字 \u001B[38;2;1;2;3mrgb\u001B[39m\nplain\n\u001B[44m \u001B[31mred\u001B[0m',
  );
  expect(drawGolden(screen, { styles: true })).toBe(
    [
      '20 × 4, cursor in column 5 of row 3',
      '',
      '│bold 漢字 rgb',
      '·aaaa      bbb',
      '│plain',
      '│ red',
      '·cddd',
      '',
      'a bold',
      'b #010203',
      'c on 4',
      'd 1 on 4',
      '',
    ].join('\n'),
  );
  expect(drawGolden(screen)).toBe('20 × 4, cursor in column 5 of row 3\n\n│bold 漢字 rgb\n│plain\n│ red\n');
});

test.each([
  ['/tmp/clawdcode-e2e-work-a1B2c3/repository', '/there/repository'],
  ['ready in 12.5s, 3m 20s', 'ready in 0s, 0s'],
  ['v12.3.4-rc.1 at 09:41:00', 'v0.0.0 at 00:00'],
  ['❯ a title    1m', '❯ a title   now'],
  ['❯ a title   12m  0 kB  main', '❯ a title   now  0 kB  main'],
  ['❯ 1m     a prompt', '❯ now    a prompt'],
  ['  12m    a prompt', '  now    a prompt'],
])('%s is %s on every run', async (text, shown) => {
  expect(drawGolden(await screenWith(text, 80))).toContain(`│${shown}\n`);
});

test('a replacement may extend past the end of a row', async () => {
  const screen = await screenWith('in /tmp/clawdcode-e2e-work-a1B2c3/repository/lib', 20);
  expect(drawGolden(screen)).toContain('│in /there/repository\n│/lib\n');
});

test('line breaks by the program itself are kept', async () => {
  const screen = await screenWith('in /tmp/abc\n  def/lib\n  and /tmp/abcdef');
  expect(drawGolden(screen, { broken: [['/tmp/abcdef', '/some/where']] })).toContain(
    '│in /some/wh\n│  ere/lib\n│  and /some/where\n',
  );
});

test('a test’s rules precede the general ones', async () => {
  const screen = await screenWith('漢 call_77 took 5s', 40);
  expect(drawGolden(screen, { rules: [[/call_\d+ took \d+s/, 'called']] })).toContain('│漢 called\n');
});

test('a screen that differs from its file fails and names the file', async () => {
  const folder = temporaryFolder();
  const screen = await screenWith('one\ntwo');
  const before = process.env.UPDATE_GOLDEN;
  try {
    delete process.env.UPDATE_GOLDEN;
    await expect(goldenScreen(screen, 'sub/x', { folder })).rejects.toThrow('UPDATE_GOLDEN=1 writes it');
    process.env.UPDATE_GOLDEN = '1';
    await goldenScreen(screen, 'sub/x', { folder });
    delete process.env.UPDATE_GOLDEN;
    await goldenScreen(screen, 'sub/x', { folder });
    const file = join(folder, 'sub/x.txt');
    await writeFile(file, (await readFile(file, 'utf8')).replace('two', 'tow'));
    await expect(goldenScreen(screen, 'sub/x', { folder })).rejects.toThrow('sub/x is not as in its file');
  } finally {
    if (before !== undefined) process.env.UPDATE_GOLDEN = before;
    else delete process.env.UPDATE_GOLDEN;
  }
});
