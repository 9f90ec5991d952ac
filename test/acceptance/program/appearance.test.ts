/**
 * The approval dialog, Markdown and themes, on the screen of the program in a terminal.
 *
 * @module-tag long
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstIsQuick } from '../../e2e/support/long.ts';
import type { Terminal } from '../../e2e/support/terminal.ts';
import { setUpProgram, type TestProgram } from '../../e2e/support/testProgram.ts';
import { keys } from '../../ui/screen.ts';

const DARK_ERROR = '38;2;240;120;120';
const LIGHT_ERROR = '38;2;163;31;37';
const reply =
  '## A heading\n\nSome **strong** words and `code`.\n\n```js\nconst answer = 42;\n```\n\n- one\n- two\n';

async function config({ work }: TestProgram): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(work.data, 'config.json'), 'utf8').catch(() => '{}'));
}

/** The text written to the terminal since. */
function since(terminal: Terminal): () => string {
  const from = terminal.bytes().length;
  return () => terminal.bytes().slice(from);
}

test('a change is approved on a screen that shows it, and Markdown is drawn in the chosen theme', async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  const edit = { file_path: 'new.txt', content: 'first line\n' };
  server.script({ calls: [{ name: 'Write', input: edit }] }, { text: reply }, { text: reply });
  const terminal = await setup.ready();

  // By its name, and saved.
  await terminal.submit('/theme light');
  await terminal.waitForPrinted(/Theme: light\. Saved to .*config\.json/);
  expect(await config(setup)).toEqual({ theme: 'light' });

  // The approval dialog shows the change.
  const asked = since(terminal);
  await terminal.submit('write the file');
  await terminal.waitFor(/new\.txt/);
  await terminal.waitFor('first line');
  await terminal.until(() => asked().includes('38;2;155;74;29'), 'the accent of the theme');
  await terminal.answer('y');

  // Markdown: its meaning instead of its signs, in the colors of the theme.
  await terminal.waitForPrinted('• two');
  await terminal.waitForIdle();
  expect(await work.read('new.txt')).toBe('first line\n');
  const printed = terminal.everything();
  expect(printed).toContain('\nA heading\n');
  expect(printed).toContain('Some strong words and code.');
  expect(printed).toContain('  const answer = 42;');
  expect(printed).not.toMatch(/##|\*\*|```/);
  expect(asked()).toContain('38;2;121;55;155');

  // From the list, with a sample of each: one down from light is auto, two down is dark.
  const listed = since(terminal);
  await terminal.submit('/theme');
  await terminal.waitFor('❯ light');
  await terminal.until(() => listed().includes(LIGHT_ERROR), 'the sample in light colors');
  await terminal.press(keys.down, keys.down);
  await terminal.waitFor('❯ dark');
  await terminal.until(() => listed().includes(DARK_ERROR), 'the sample in dark colors');
  await terminal.press(keys.escape);
  await terminal.waitForGone('❯ dark');
  expect(await config(setup)).toEqual({ theme: 'light' });

  // `default` is the terminal's own, and is saved as no setting.
  await terminal.submit('/theme default');
  await terminal.waitForPrinted(/Theme: default\..*dark/s);
  expect(await config(setup)).toEqual({});
});

for (const { row, options } of firstIsQuick([
  { theme: 'light', keyword: '38;2;121;55;155' },
  { theme: 'dark', keyword: '38;2;199;146;234' },
  { theme: 'default', keyword: '38;2;199;146;234' },
]))
  test(`theme ${row.theme}, from the settings`, options, async () => {
    const { theme, keyword } = row;
    const { server, work, ready } = await setUpProgram();
    server.script({ text: reply });
    await work.write('.clawdcode.json', JSON.stringify({ theme }));
    const terminal = await ready();
    await terminal.submit('show me');
    await terminal.waitForPrinted('• two');
    await terminal.waitForIdle();
    await terminal.until(() => terminal.bytes().includes(keyword), 'a keyword in the color of the theme');
  });
