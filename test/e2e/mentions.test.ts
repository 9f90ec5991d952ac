/**
 * Files that a prompt names with `@` in the installed program, with its default settings.
 *
 * @module-tag long
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

test('a mentioned file is attached with line numbers; a secret is only named', async () => {
  const { server, work, ready } = await setUpProgram();
  await writeFile(join(work.repository, 'my notes.md'), 'first\nsecond\nthird\n');
  await writeFile(join(work.repository, '.env'), 'KEY=hunter2hunter2\n');
  server.script({ text: 'I see.' }, { text: 'Still there.' });
  const terminal = await ready();
  await terminal.submit('Look at @"my notes.md"#L2-3, @.env and @lib/ please');
  await terminal.waitFor('I see.');
  await terminal.waitForIdle();
  const screen = terminal.screen();
  expect(screen).toContain('Read my notes.md:2-3 · 2 lines');
  expect(screen).toContain('Not attached: .env · it may hold secrets');
  expect(screen).toMatch(/Listed lib\/ · \d+ names/);
  const sent = server.requests()[0]?.messages.map(textOf).join('\n') ?? '';
  expect(sent).toContain('     2\tsecond\n     3\tthird');
  expect(sent).toContain('constants.js');
  expect(sent).not.toContain('hunter2');
  await terminal.press(keys.ctrl('d'), keys.ctrl('d'));
  await terminal.exited;

  const again = await ready(['--continue']);
  await again.waitFor('Read my notes.md:2-3 · 2 lines');
  await again.submit('And again @"my notes.md"#L2-3');
  await again.waitFor('Still there.');
  expect(again.screen()).toContain('unchanged, already in the context');
  const resumed = server.requests()[1]?.messages.map(textOf).join('\n') ?? '';
  expect(resumed.split('     2\tsecond').length).toBe(2);
});

test('-p attaches files too, but only those that need no approval, and none that piped input mentions', async () => {
  const { server, work, print } = await setUpProgram();
  await writeFile(join(work.home, 'private.txt'), 'not for scripts\n');
  server.script({ text: 'One.' }, { text: 'Two.' });
  const lines = (request: number): string =>
    server.requests()[request]?.messages.map(textOf).join('\n') ?? '';
  await print(['-p', `What is in @lib/constants.js, and in @${join(work.home, 'private.txt')}?`]);
  expect(lines(0)).toContain('The content of @lib/constants.js, as Read shows it:');
  expect(lines(0)).not.toContain('not for scripts');
  await print(['-p', '@README is not piped in'], { input: 'See @lib/constants.js\n' });
  expect(lines(1)).not.toContain('The content of @lib/constants.js');
});
