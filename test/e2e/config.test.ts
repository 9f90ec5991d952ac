/** `/config` and `clawdcode config` in the installed program. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { setUpProgram } from './support/testProgram.ts';

test('a setting is found by typing, changed, saved without losing comments, and shown with its source', async () => {
  const { work, ready } = await setUpProgram();
  const file = join(work.data, 'config.json');
  await mkdir(work.data, { recursive: true });
  await writeFile(file, '{\n  // mine\n  "theme": "dark"\n}\n');
  const terminal = await ready();
  await terminal.submit('/config');
  await terminal.waitFor('type to filter');
  await terminal.waitFor(/theme +dark · ~\/\.clawdcode\/config\.json/);
  await terminal.press('vim');
  await terminal.waitFor('Vim mode in the composer');
  await terminal.press(keys.enter);
  await terminal.waitFor('1. false · now');
  await terminal.answer('2');
  await terminal.waitFor('Save it in which file?');
  await terminal.answer('1');
  await terminal.waitFor(/❯ vim +true · ~\/\.clawdcode\/config\.json/);
  await terminal.press(keys.escape);
  expect(await readFile(file, 'utf8')).toBe('{\n  // mine\n  "theme": "dark",\n  "vim": true\n}\n');
  // It applied at once: /vim toggles it.
  await terminal.submit('/vim');
  await terminal.waitFor('Vim mode off');
});

test('a number is set for this project only; a mistake is reported in the dialog; the next session uses it', {
  tags: 'long',
}, async () => {
  const { work, ready } = await setUpProgram();
  const terminal = await ready();
  await terminal.submit('/config');
  await terminal.waitFor('type to filter');
  await terminal.press('maxTurns');
  await terminal.waitFor(/❯ maxTurns/);
  await terminal.press(keys.enter);
  await terminal.waitFor(/maxTurns:\s*\nEnter accepts/);
  await terminal.press(`many${keys.enter}`);
  await terminal.waitFor('maxTurns takes a number, or null.');
  await terminal.press(`${'\u007f'.repeat(4)}7${keys.enter}`);
  await terminal.waitFor('Save it in which file?');
  await terminal.answer('2');
  await terminal.waitForPrinted(/applies\s+once\s+you\s+trust/);
  expect(JSON.parse(await work.read('.clawdcode.local.json'))).toEqual({ maxTurns: 7 });
});

test('subcommands list, get, set and unset; a broken file is not changed', { tags: 'long' }, async () => {
  const { work, print } = await setUpProgram();
  const file = join(work.data, 'config.json');
  expect(await print(['config', 'set', 'notifications', 'bell'])).toMatchObject({ code: 0, stderr: '' });
  expect((await print(['config', 'get', 'notifications'])).stdout).toBe('bell\n');
  const listed = await print(['config', 'list', '--json', 'notifications']);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { key: 'notifications', value: 'bell', default: 'auto', source: '~/.clawdcode/config.json' },
  ]);
  expect(await print(['config', 'set', 'notifications', 'loud'])).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('one of auto, bell'),
  });
  expect((await print(['config', 'unset', 'notifications'])).stdout).toContain('It is now auto (default).');
  await writeFile(file, '{ broken');
  expect(await print(['config', 'set', 'vim', 'true'])).toMatchObject({
    code: 52,
    stderr: expect.stringContaining('Nothing was saved.'),
  });
  expect(await readFile(file, 'utf8')).toBe('{ broken');
});

test('plain mode asks the same questions line by line', { tags: 'long' }, async () => {
  const { work, open } = await setUpProgram();
  const terminal = open(['--ax-screen-reader']);
  await terminal.waitForPrinted('Ctrl+D quits');
  await terminal.submit('/config');
  await terminal.waitForPrinted('Answer with a number or a name.');
  await terminal.submit('showReasoning');
  await terminal.waitForPrinted('2: true');
  await terminal.waitForQuietTime();
  await terminal.submit('2');
  await terminal.waitForPrinted('for every project');
  await terminal.waitForQuietTime();
  await terminal.submit('1');
  await terminal.waitForPrinted(/Saved to .*showReasoning = true/s);
  expect(JSON.parse(await readFile(join(work.data, 'config.json'), 'utf8'))).toEqual({ showReasoning: true });
});
