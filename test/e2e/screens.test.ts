/**
 * Golden screens of the program: the start, a conversation, lists and pages, in a dark and in a light terminal, which
 * differ only in the colors of roles.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Actor, openScenes, type Scenes } from './support/goldenScenes.ts';
import { setUpProgram } from './support/testProgram.ts';

const { ctrl, enter, escape: esc } = keys;

const before = `// ברכה
function greet(name) {
  return 'Hello ' + name;
}
`;
const edit = {
  file_path: 'greet.js',
  old_string: "'Hello ' + name;",
  new_string: `\`Hello \${name} 👋🏽 こんにちは\`;`,
};
const todos = [
  { content: '挨拶を読む', activeForm: '挨拶を読んでいます', status: 'completed' },
  { content: 'Translate it 🇩🇪 🇯🇵', activeForm: 'Translating', status: 'in_progress' },
  { content: 'לבדוק', activeForm: 'בודק', status: 'pending' },
];
const answer = `## 挨拶 👩‍👩‍👧

Now \`greet\` says **こんにちは** 🇯🇵, *שלום* and [مرحبا](https://example.invalid/salam).

- 全角の文字は二つの欄を使う ✅
- עברית ו־عربي נכתבות מימין לשמאל

\`\`\`js
const name = '世界'; // 👍🏽
\`\`\``;

/** One program, in a terminal of this color. */
async function open(background: 'dark' | 'light', columns: number): Promise<Actor> {
  const setup = await setUpProgram();
  await setup.work.write('greet.js', before);
  setup.server.script(
    { text: 'I look at `greet.js` first.', calls: [{ name: 'Read', input: { file_path: 'greet.js' } }] },
    { calls: [{ name: 'Edit', input: edit }] },
    { text: 'Done.' },
    { calls: [{ name: 'TodoWrite', input: { todos } }] },
    { text: answer },
    { error: { status: 401, message: 'Incorrect API key provided: ключ 鍵 🔑.' } },
  );
  const env = setup.work.screenEnv(setup.access);
  return { setup, terminal: setup.open([], { columns, rows: 24, background, env }) };
}

/** The first two screens. */
async function begin(columns: number): Promise<Scenes<Actor>> {
  const scenes = await openScenes(columns, (background) => open(background, columns));
  await scenes.golden('welcome', ({ terminal }) => terminal.waitFor(/~?\d+%/));
  await scenes.golden('question', async ({ terminal }) => {
    await terminal.submit('greet 世界 👩‍👩‍👧 and שלום');
    await terminal.waitFor('1. Yes');
  });
  return scenes;
}

for (const columns of [80, 20, 200])
  test(`everything at ${columns} columns`, async () => {
    const { dark, golden } = await begin(columns);
    await golden('edit', async ({ terminal }) => {
      await terminal.answer(enter);
      await terminal.waitForPrinted('Done.');
      await terminal.waitForIdle();
    });
    expect(await dark.setup.work.read('greet.js')).toContain('こんにちは');
    await golden('answer', async ({ terminal }) => {
      await terminal.submit('and now?');
      await terminal.waitForPrinted('👍🏽');
      await terminal.waitForIdle();
    });
    await golden('todos', async ({ terminal }) => {
      await terminal.press(ctrl('t'));
      await terminal.type('draft 漢字 🇩🇪 שלום');
      await terminal.waitFor(/☐ לבדוק\s+❯ draft 漢字 🇩🇪 שלו\s*ם/);
    });
    await golden('popup', async ({ terminal }) => {
      await terminal.press(ctrl('t'), ctrl('u'));
      await terminal.type('/re');
      await terminal.waitFor('/rename');
    });
    await golden('search', async ({ terminal }) => {
      await terminal.press(esc, esc, esc);
      await terminal.waitFor('❯ Ask for');
      await terminal.press(ctrl('r'));
      await terminal.type('世界');
      await terminal.waitFor('世界  1/1');
    });
    await golden('keys', async ({ terminal }) => {
      await terminal.press(ctrl('c'));
      await terminal.waitFor('❯ Ask for');
      await terminal.press('?');
      await terminal.waitFor(/1–14 of \d+/);
    });
    await golden('rewind', async ({ terminal }) => {
      await terminal.press(esc);
      await terminal.waitForGone('1–14');
      await terminal.press(esc, esc);
      await terminal.waitFor(/❯ .*and now\?/);
    });
    await golden('picker', async ({ terminal }) => {
      await terminal.press(esc);
      await terminal.waitForGone('↑↓ Enter');
      await terminal.submit('/resume');
      await terminal.waitFor(/^│ /m);
    });
    await golden('theme', async ({ terminal }) => {
      await terminal.press(esc);
      await terminal.waitForGone('Filter');
      await terminal.submit('/theme');
      await terminal.waitFor('❯ selected');
    });
    await golden('tasks', async ({ terminal }) => {
      await terminal.press(esc);
      await terminal.waitForGone('Filter');
      await terminal.submit('!echo 始まり; sleep 300');
      await terminal.waitFor(/^ .*始まり/m);
      await terminal.press(ctrl('b'));
      await terminal.waitFor(/1 (?:bg|running)/);
      await terminal.waitForIdle();
      await terminal.submit('/tasks');
      await terminal.waitFor('Background tasks');
    });
    await golden('transcript', async ({ terminal }) => {
      await terminal.press(esc);
      await terminal.waitForGone('Background tasks');
      await terminal.press(ctrl('o'));
      await terminal.waitFor(/#\d+ end/);
    });
    await golden('error', async ({ terminal }) => {
      await terminal.press('q');
      await terminal.submit('once more');
      await terminal.waitForPrinted(/this\s+model\./);
      await terminal.waitForIdle();
    });
    await golden(
      'context',
      async ({ terminal }) => {
        await terminal.submit('/context');
        await terminal.waitForPrinted('context --json');
      },
      // They include the tokens of the folder's name.
      [[/(?<!mock-)\d(?! bg)/, '0']],
    );
  });
