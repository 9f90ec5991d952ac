/** Commands that reach beyond the screen: the clipboard, a file, the settings. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { setUpProgram } from './support/testProgram.ts';

test('/copy uses the terminal’s clipboard, /export writes the session, /theme is previewed and saved', async () => {
  const { server, work, access, open } = await setUpProgram();
  server.script({ text: 'Say **こんにちは** 👩‍👩‍👧 and שלום.' });
  const env = work.env({ ...access, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' });
  const terminal = open([], { env, background: 'dark' });
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('greet');
  await terminal.waitFor('こんにちは');
  await terminal.waitForIdle();
  await terminal.submit('/copy');
  const text = Buffer.from('Say **こんにちは** 👩‍👩‍👧 and שלום.').toString('base64');
  await terminal.until(() => terminal.bytes().includes(`\u001B]52;c;${text}`), 'the text in OSC 52');
  await terminal.submit('/export told.md');
  await terminal.waitFor(/Exported to .*told\.md/);
  expect(await work.read('told.md')).toContain('Say **こんにちは** 👩‍👩‍👧 and שלום.');

  await terminal.submit('/theme');
  await terminal.waitFor('❯ selected');
  const sent = terminal.bytes().length;
  await terminal.press('light-h');
  // The sample has the theme under the cursor.
  await terminal.until(
    () => terminal.bytes().includes('38;2;155;0;16', sent),
    'errors as this theme has them',
  );
  await terminal.press(keys.enter);
  await terminal.waitForGone('Filter');
  const config = async (): Promise<unknown> =>
    JSON.parse(await readFile(join(work.data, 'config.json'), 'utf8').catch(() => '{}'));
  await expect.poll(config).toMatchObject({ theme: 'light-high-contrast' });
});

test('with reduced motion nothing moves while the program waits for the model', {
  tags: 'long',
}, async () => {
  const { server, work, ready } = await setUpProgram();
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), '{"reducedMotion":true}');
  // The reply arrives after all of this.
  server.script({ text: 'At last.', latency: 80_000 });
  const terminal = await ready();
  await terminal.submit('wait');
  await terminal.waitFor('since');
  // Something else may be drawn in the meantime; anything that moves would not be still for that long even once.
  let moved = '';
  for (let many = 0; many < 20; many++) {
    const sent = terminal.bytes().length;
    await terminal.pause(600);
    moved = terminal.bytes().slice(sent);
    if (moved === '') break;
  }
  expect(moved).toBe('');
});
