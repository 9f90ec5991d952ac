/** Keys that lead out of the composer: the editor, the shell, the settings, the user's file of keys. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { startHeldModel } from './support/heldModel.ts';
import { long } from './support/long.ts';
import { program } from './support/program.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const { ctrl } = keys;
const lastPrompt = ({ server }: TestProgram): string => textOf(server.requests().at(-1)?.messages.at(-1));

/** A script in place of an editor; `$file` is its argument. */
async function editorOf({ work }: TestProgram, script: string): Promise<string> {
  const path = join(work.home, 'editor.sh');
  await writeFile(path, `#!/bin/sh\nfor file; do :; done\n${script}\n`, { mode: 0o755 });
  return `${path} --wait`;
}

/** A shell with job control that starts the program. */
async function inShell(setup: TestProgram, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const shell = setup.open([], {
    command: ['bash', '--norc', '--noprofile', '-i'],
    env: setup.work.env({ ...setup.access, PS1: 'shell> ', HISTFILE: '', ...env }),
  });
  await shell.waitFor('shell>');
  await shell.submit(program().join(' '));
  await shell.waitFor(/context ~?\d+%/);
  return shell;
}

test('Ctrl+G and Ctrl+X Ctrl+E open the draft in the editor, in a private file', long, async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(() => ({ text: 'Understood.' }));
  const told = join(setup.work.home, 'told');
  const EDITOR = await editorOf(
    setup,
    `stat -c '%a' "$file" >> '${told}'; printf 'in the editor' ; read answer; printf '%s\\nline from the editor 漢字\\n' "$answer" >> "$file"`,
  );
  const terminal = await setup.ready([], {
    env: setup.work.env({ ...setup.access, EDITOR, TMPDIR: setup.work.temporary }),
  });
  await terminal.type('my draft');
  await terminal.press(keys.paste(Array.from({ length: 50 }, (_, line) => `pasted ${line}`).join('\n')));
  await terminal.press(ctrl('g'));
  await terminal.waitFor('in the editor');
  // Typed text belongs to the editor: Ctrl+C there would end the editor, not the program.
  await terminal.submit('typed into it');
  await terminal.waitFor('line from the editor 漢字');
  await terminal.press(ctrl('x'), ctrl('e'));
  // The first one's output may still be on screen.
  await terminal.until(
    () => readFileSync(told, 'utf8') === '600\n600\n' && /in the editor$/.test(terminal.screen()),
    'the editor is open again',
  );
  await terminal.submit('again');
  await terminal.waitFor('line from the editor 漢字again');
  await terminal.press(keys.enter);
  await terminal.waitFor('Understood.');
  const sent = lastPrompt(setup);
  expect(sent).toMatch(/^my draftpasted 0\npasted 1\n/);
  expect(sent).toMatch(/pasted 49typed into it\nline from the editor 漢字again\nline from the editor 漢字$/);
  expect(await readFile(told, 'utf8')).toBe('600\n600\n');
  const left = await readdir(setup.work.temporary, { recursive: true });
  expect(left.filter((name) => name.endsWith('.md'))).toEqual([]);
  expectTried(terminal, 'chat:externalEditor');
});

test('an editor that fails, is missing or is stopped by Ctrl+C leaves the draft, and the program continues', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const EDITOR = await editorOf(setup, 'printf "waiting here"; sleep 30');
  const terminal = await setup.ready([], { env: setup.work.env({ ...setup.access, EDITOR }) });
  await terminal.type('precious');
  // Pressed twice in one chunk, it opens once.
  await terminal.press(ctrl('g') + ctrl('g'));
  await terminal.waitFor('waiting here');
  await terminal.press(ctrl('c'));
  await terminal.waitFor('ended with SIGINT');
  await terminal.waitFor('❯ precious');
  await terminal.type(' and more');
  await terminal.waitFor('❯ precious and more');

  const without = await setup.ready([], {
    env: setup.work.env({ ...setup.access, EDITOR: 'no-such-editor' }),
  });
  await without.type('kept');
  await without.press(ctrl('g'));
  await without.waitFor('The editor (no-such-editor) was not found.');
  await without.waitFor('❯ kept');
});

test('a turn continues while the editor is open, and is printed after it', long, async () => {
  const setup = await setUpProgram();
  const model = await startHeldModel();
  const EDITOR = await editorOf(setup, 'printf "in the editor"; read answer');
  const env = setup.work.env({ ...setup.access, OPENAI_BASE_URL: model.baseUrl, EDITOR });
  const terminal = await setup.ready([], { env });
  await terminal.submit('a question');
  const reply = await model.asked();
  await terminal.type('next');
  await terminal.press(ctrl('g'));
  await terminal.waitFor('in the editor');
  reply.say('The answer came meanwhile.');
  reply.end();
  const recorded = async () => (await setup.work.sessions())[0]?.entries.map(({ type }) => type);
  await expect.poll(recorded, { timeout: 30_000 }).toContain('assistant');
  expect(terminal.screen()).not.toContain('The answer came');
  await terminal.press(keys.enter);
  await terminal.waitFor('The answer came meanwhile.');
  await terminal.waitFor('❯ next');
});

test(
  'Ctrl+Z hands the terminal back to the shell, and fg restores the screen, at another size too',
  long,
  async () => {
    const setup = await setUpProgram();
    setup.server.otherwise(() => ({ text: 'Yes.' }));
    const shell = await inShell(setup);
    await shell.type('draft 漢字');
    await shell.press(ctrl('z'));
    await shell.waitFor(/Stopped/);
    expect(shell.isCursorVisible()).toBe(true);
    const lastOf = (...marks: string[]): string | undefined =>
      marks.toSorted((a, b) => shell.bytes().lastIndexOf(a) - shell.bytes().lastIndexOf(b)).at(-1);
    await shell.until(
      () => lastOf('\u001B[?2004h', '\u001B[?2004l') === '\u001B[?2004h',
      'bash takes pastes again, after ours was ended',
    );
    await shell.submit('stty -a | grep -o " -\\?icanon" | sed s/^/mode/');
    await shell.waitFor('mode icanon');
    await shell.resize(60, 30);
    await shell.submit('fg');
    await shell.waitFor('❯ draft 漢字');
    await shell.type('!');
    await shell.waitFor('❯ draft 漢字!');
    const row = shell
      .screen()
      .split('\n')
      .findIndex((line) => line.includes('❯ draft'));
    expect(shell.cursor()).toEqual({ x: 2 + 'draft '.length + 5, y: row });
    await shell.press(ctrl('z'));
    await shell.waitFor(/Stopped[\s\S]*Stopped/);
    await shell.resize(120, 40);
    await shell.submit('fg');
    await shell.until(
      () => shell.screen().trimEnd().split('\n').at(-2)?.startsWith('❯ draft 漢字!') === true,
      'the draft',
    );
    await shell.press(keys.enter);
    await shell.waitFor('Yes.');
    expect(lastPrompt(setup)).toBe('draft 漢字!');
    await shell.waitForIdle();
    await shell.submit('/exit');
    await shell.waitFor(/shell> *$/);
  },
);

test('a turn that runs while the program is stopped continues after fg', long, async () => {
  const setup = await setUpProgram();
  const story = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
  setup.server.script({ text: story, latency: 20, chunkSize: 12 });
  const shell = await inShell(setup, { WT_SESSION: 'shows progress' });
  await shell.submit('tell me');
  await shell.waitFor('word0');
  await shell.until(() => shell.bytes().includes('\u001B]9;4;3;0'), 'progress');
  await shell.press(ctrl('z'));
  await shell.waitFor(/Stopped/);
  // The shell's tab shows neither progress nor a title of ours.
  const away = shell.bytes();
  expect(away.lastIndexOf('\u001B]9;4;0;0')).toBeGreaterThan(away.lastIndexOf('\u001B]9;4;3;0'));
  expect(away.lastIndexOf('\u001B[23;2t')).toBeGreaterThan(away.lastIndexOf('\u001B[22;2t'));
  await shell.submit('echo in the $((40 + 2))nd shell');
  await shell.waitFor('in the 42nd shell');
  await shell.submit('fg');
  await shell.waitForPrinted('word59', 30_000);
  await shell.until(() => shell.bytes().lastIndexOf('\u001B[22;2t') > away.length, 'a title of ours again');
  await shell.waitForIdle();
  await shell.type('still here');
  await shell.waitFor('❯ still here');
  expectTried(shell, 'app:suspend');
});

test('after a stop from outside, the terminal is restored: raw mode, bracketed paste', long, async () => {
  const setup = await setUpProgram();
  const shell = await inShell(setup);
  await shell.type('draft');
  await shell.waitFor('❯ draft');
  const [child = 0] = (await readFile(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8'))
    .trim()
    .split(' ')
    .map(Number);
  process.kill(child, 'SIGSTOP');
  await shell.waitFor(/Stopped/);
  await shell.submit('fg');
  await shell.waitFor(/fg[\s\S]*❯ draft/);
  await shell.press(keys.paste('one\ntwo\nthree\nfour'));
  await shell.waitFor('❯ draft[Pasted text #1 +4 lines]');
});

test('if no shell could resume the program, Ctrl+Z says so and everything continues', long, async () => {
  const setup = await setUpProgram();
  const terminal = await setup.ready();
  await terminal.type('draft');
  await terminal.press(ctrl('z'));
  await terminal.waitFor('Cannot suspend: there is no shell');
  await terminal.type('!');
  await terminal.waitFor('❯ draft!');
});

test('? shows the keys, /keys prints them, and the user’s file applies as soon as it is saved', async () => {
  const setup = await setUpProgram();
  await mkdir(setup.work.data, { recursive: true });
  const terminal = await setup.ready();
  await terminal.press('?');
  await terminal.waitFor('any other key closes');
  await terminal.press('q');
  await terminal.waitForGone('any other key closes');
  const file = join(setup.work.data, 'keybindings.json');
  await writeFile(file, '{\n  // mine\n  "Chat": { "alt+s": "chat:stash", "ctrl+i": "chat:undo" }\n}\n');
  await terminal.waitFor('keybindings.json: "Chat", "ctrl+i": terminals send Ctrl+I as Tab.');
  await terminal.type('aside');
  await terminal.press(keys.alt('s'));
  await terminal.waitFor('1 draft stashed');
  await terminal.submit('/keys');
  await terminal.waitForPrinted('Ctrl+S, Alt+S');
  await terminal.waitForPrinted('chat:externalEditor');
  await terminal.waitFor('❯ aside');
  expectTried(terminal, 'app:help');
});

test(
  'lists, questions and the transcript use and show the user’s keys; Esc always closes them',
  long,
  async () => {
    const setup = await setUpProgram();
    await mkdir(setup.work.data, { recursive: true });
    await writeFile(
      join(setup.work.data, 'keybindings.json'),
      JSON.stringify({
        Select: { 'ctrl+j': 'select:next', enter: 'select:next', down: null, 'ctrl+n': null },
        Confirmation: { f2: 'confirm:yes', y: null, n: 'confirm:yes' },
        Transcript: { q: null, f10: 'transcript:exit', 'alt+k': 'scroll:lineUp' },
      }),
    );
    const call = { name: 'Bash', input: { command: 'git tag seen' } };
    setup.server.script({ calls: [call] }, { text: 'Tagged.' });
    const terminal = await setup.ready([], { columns: 100 });
    await terminal.waitFor('confirm:yes confirms something');
    await terminal.waitForPrinted('No key in Select is bound to select:accept any more; Enter still works.');
    await terminal.submit('tag it');
    await terminal.waitFor(/↑↓ Enter · F2\/n · Esc no/);
    await terminal.answer('y');
    await terminal.press('\u001BOQ');
    await terminal.waitForPrinted('Tagged.');
    await terminal.waitForIdle();
    expect(await setup.work.git('tag')).toBe('seen\n');

    await terminal.submit('/theme');
    await terminal.waitFor('↑ Ctrl+J Enter · type to filter');
    const row = (): string => /^❯ (?!Ask)(\S+)/m.exec(terminal.screen())?.[1] ?? '';
    const before = row();
    await terminal.press(ctrl('j'));
    await terminal.until(() => row() !== before, 'the row below');
    await terminal.press(keys.escape);
    await terminal.waitForGone('type to filter');

    await terminal.press(ctrl('o'));
    await terminal.waitFor('F10 back');
    await terminal.press('q', '\u001B[21~');
    await terminal.waitFor('❯ Ask for');
  },
);

test('/vim turns vim keys on permanently; Esc in insert mode does not stop the turn', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'A long answer indeed.', latency: 200, chunkSize: 4 }, { text: 'Second.' });
  const terminal = await setup.ready();
  await terminal.submit('/vim');
  await terminal.waitFor('Vim mode on');
  await terminal.submit('go');
  await terminal.type('one two');
  await terminal.press(keys.escape);
  await terminal.waitFor('N one two');
  await terminal.press('b', 'c', 'w');
  await terminal.type('three');
  await terminal.waitFor('❯ one three');
  await terminal.waitForPrinted('A long answer indeed.');
  await terminal.waitForIdle();
  await terminal.press(keys.enter);
  await terminal.waitFor('Second.');
  expect(lastPrompt(setup)).toBe('one three');
  expect(JSON.parse(await readFile(join(setup.work.data, 'config.json'), 'utf8'))).toMatchObject({
    vim: true,
  });
  const next = await setup.ready();
  await next.type('x');
  await next.press(keys.escape);
  await next.waitFor('N x');
});

test(
  'Ctrl+R finds prompts of an earlier session; Ctrl+S stashes a draft until the next prompt',
  long,
  async () => {
    const setup = await setUpProgram();
    setup.server.otherwise(() => ({ text: 'Yes.' }));
    const first = await setup.ready();
    await first.submit('explain 漢字 parsing');
    await first.waitFor('Yes.');
    await first.waitForIdle();
    await first.submit('/exit');
    await first.exited;
    const terminal = setup.open([], { columns: 20 });
    await terminal.waitFor(/~?\d+%/);
    await terminal.type('draft');
    await terminal.press(ctrl('s'), ctrl('r'));
    await terminal.type('漢字');
    await terminal.waitFor('1/1');
    for (const row of terminal.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(20);
    await terminal.press(keys.enter);
    await terminal.until(() => setup.server.requests().length === 2, 'the prompt');
    expect(lastPrompt(setup)).toBe('explain 漢字 parsing');
    await terminal.waitFor('❯ draft');
    expectTried(terminal, 'history:search', 'chat:stash');
  },
);
