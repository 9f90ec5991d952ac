/**
 * Golden screens of the pages that commands print, and of the list of sessions, below the user's own status line; in a
 * dark and in a light terminal.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Actor, asLong, openScenes } from './support/goldenScenes.ts';
import { long } from './support/long.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

const { escape: esc, ctrl } = keys;

const before = `// ברכה
export const greeting = 'Hello';
`;
const edit = { file_path: 'greet.js', old_string: "'Hello'", new_string: "'こんにちは 👋🏽'" };
const answer = `Done: **こんにちは** 👋🏽.

\`\`\`js
const 世界 = greeting;
\`\`\`

\`\`\`sh
npm test # בדיקה
\`\`\``;

/** Presses a key that changes what is on screen. */
async function changed(terminal: Terminal, key: string): Promise<void> {
  const before = terminal.screen();
  await terminal.press(key);
  await terminal.until(() => terminal.screen() !== before, 'the screen changes');
}

interface Reader extends Actor {
  /** The sizes of the session's file and of its folder, once it has one. */
  names: readonly string[];
}

async function open(background: 'dark' | 'light', columns: number): Promise<Reader> {
  const setup = await setUpProgram();
  const { work, server, access } = setup;
  await work.write('greet.js', before);
  await mkdir(work.data, { recursive: true });
  const line = "printf '\\033[35m時刻\\033[0m · \\033[32mמצב\\033[0m 🕰️ of my own\\nsecond'";
  // The home is in a temporary folder here, which counts as the project's; a fake sandbox confines nothing.
  const sandbox = { excludedCommands: [line] };
  const settings = { statusLine: { command: line }, sandbox };
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
  // Those counts depend on the machine's paths.
  const usage = { prompt_tokens: 2500, completion_tokens: 30 };
  const written = { file_path: '新しい.md', content: 'עוד\n' };
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'greet.js' } }], usage },
    {
      calls: [
        { name: 'Edit', input: edit },
        { name: 'Write', input: written },
      ],
      usage,
    },
    { text: answer, usage },
  );
  // As over SSH, so that the clipboard is the terminal's.
  const env = work.screenEnv({ ...access, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' });
  const reader: Reader = {
    setup,
    names: [],
    terminal: setup.open(['--permission-mode', 'acceptEdits'], { env, columns, rows: 40, background }),
    // And the rest of each whose beginning has scrolled away.
    own: () =>
      reader.names.flatMap((name) => [
        [name, asLong('name', name)],
        [name.slice(-HASH), asLong('', name.slice(-HASH))],
      ]),
  };
  return reader;
}

/** Digits at the end of a project folder's name. */
const HASH = 8;

/** Parts of a session that only its large preview shows. */
const LARGE = /^│ .*Title/m;

async function read(columns: number): Promise<void> {
  const { both, golden } = await openScenes(columns, (background) => open(background, columns));
  await golden('status-own', async ({ terminal }) => {
    await terminal.waitFor('second');
  });
  await both(async (one) => {
    await one.terminal.submit('greet');
    await one.terminal.waitForPrinted('בדיקה');
    await one.terminal.waitForIdle();
    await one.terminal.submit('/rename Grüße in 日本語 🗾');
    await one.terminal.waitForPrinted(/Title:\s+Grüße/);
    const [session] = await one.setup.work.sessions();
    const { name, dir } = parse(session?.file ?? '');
    one.names = [name, basename(dir)];
  });
  const page = (name: string, line: string, wanted: string | RegExp): Promise<void> =>
    golden(`page-${name}`, async ({ terminal }) => {
      await terminal.submit(line);
      await terminal.waitForPrinted(wanted);
    });
  await page('cost', '/cost', /Cost/);
  await page('diff', '/diff', /\+עוד/);
  await page('copy', '/copy', /OSC/);
  await page('copy-code', '/copy code', /code 2/);
  await page('export', '/export 会話.md', /No\s+keys/);
  await page('memory', '/memory', /the\s+folders\.\s/);
  await page('permissions', '/permissions', /No\s+rules/);
  await page('help', '/help', /prints\s+them/);
  await page('unknown', '/stauts', /start\s+the\s+line/);
  await golden('sessions-keys', async ({ terminal }) => {
    await terminal.submit('/resume');
    await terminal.waitFor('Filter:');
    await changed(terminal, '?');
  });
  await golden('sessions-preview', async ({ terminal }) => {
    await changed(terminal, esc);
    await terminal.waitFor(/^│ Done/m);
    await terminal.press(ctrl('o'));
    await terminal.waitFor(LARGE);
  });
  await golden('sessions-open', async ({ terminal }) => {
    await terminal.press(esc);
    await terminal.waitForGone(LARGE);
    await terminal.press(ctrl('x'));
    await terminal.waitFor(/cannot\s+be/);
  });
  await both(async ({ terminal }) => {
    await terminal.press(esc);
    await terminal.waitForGone('Filter:');
  });
  // The last one: above a later screen, part of its names would remain.
  await page('status', '/status', /Settings/);
}

test('at 20, 80 and 200 columns', { ...long, timeout: 180_000 }, async () => {
  await Promise.all([20, 80, 200].map(read));
});
