/** Rewinding: a session changes files with tools and Bash, the user changes some too, and all of it is undone. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import type { ModelServer, ScriptedReply } from './support/server.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { treeOf } from './support/tree.ts';
import { expectPairedCalls } from './support/wire.ts';

const FREE = ['--permission-mode', 'bypassPermissions'];

const call = (name: string, input: unknown): ScriptedReply => ({ calls: [{ name, input }] });
const bash = (command: string): ScriptedReply => call('Bash', { command });

const numbers = (change: (line: number) => string = String): string =>
  Array.from({ length: 30 }, (_, at) => `${change(at + 1)}\n`).join('');

/** Two turns of work: the first with tools and Bash, the second on top of it. */
function script(server: ModelServer): void {
  server.script(
    call('Write', { file_path: 'made.txt', content: 'made by a tool\n' }),
    call('Read', { file_path: 'edited.txt' }),
    call('Edit', { file_path: 'edited.txt', old_string: 'before', new_string: 'after' }),
    bash(
      'mkdir -p deep/er && echo x > deep/er/new && mv renamed.txt moved.txt && rm removed.txt && chmod 755 mode.sh && printf "\\000\\001" > binary && ln -s made.txt link && echo changed > ignored.log',
    ),
    { text: 'The first turn is done.' },
    bash(
      'sed -i "s/^3$/three/" numbers.txt && echo second > made.txt && echo model > clash.txt && rm -r deep',
    ),
    { text: 'The second turn is done.' },
  );
}

/** The files before the session. */
async function lay(folder: string): Promise<void> {
  const files = {
    'edited.txt': 'before\n',
    'renamed.txt': 'a name\n',
    'removed.txt': 'to be removed\n',
    'mode.sh': '#!/bin/sh\n',
    'ignored.log': 'ignored by git\n',
    'numbers.txt': numbers(),
    'clash.txt': 'first\n',
    '.gitignore': '*.log\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await chmod(join(folder, 'mode.sh'), 0o644);
}

async function ask(terminal: Terminal, text: string, answer: string): Promise<void> {
  await terminal.submit(text);
  await terminal.waitForPrinted(answer);
  await terminal.waitForIdle();
}

async function openTurns(terminal: Terminal): Promise<void> {
  await terminal.press(keys.escape);
  await terminal.waitFor('Esc again to rewind');
  await terminal.press(keys.escape);
  await terminal.waitFor('Rewind to before…');
  await terminal.waitFor(/❯ (just now|\d+ \w+ ago)/);
}

/** Goes through the dialog from the list of turns: the turn this many above the newest, and what to restore. */
async function goBack(terminal: Terminal, up: number, letter: string): Promise<void> {
  await openTurns(terminal);
  for (let step = 0; step < up; step++) await terminal.press(keys.up);
  await terminal.press(keys.enter);
  await terminal.waitFor('1. Conversation and files');
  await terminal.press(letter);
  if (letter === 'c') return;
  await terminal.waitFor('Enter confirms');
  await terminal.answer(keys.enter);
  await terminal.waitForGone('Enter confirms');
}

async function begin(inGit: boolean): Promise<TestProgram & { folder: string; git: () => Promise<string> }> {
  const set = await setUpProgram();
  const folder = inGit ? set.work.repository : join(set.work.temporary, 'plain');
  await mkdir(folder, { recursive: true });
  await lay(folder);
  await mkdir(set.work.data, { recursive: true });
  // A title is a separate request, which would use up a reply of the script.
  await writeFile(join(set.work.data, 'config.json'), '{ "sessions": { "titles": false } }', { mode: 0o600 });
  if (inGit) {
    await set.work.git('add', '--all');
    await set.work.git('commit', '--quiet', '--message', 'Laid');
    await set.work.git('stash', 'list');
    await writeFile(join(folder, 'staged.txt'), 'staged\n');
    await set.work.git('add', 'staged.txt');
  }
  const git = async (): Promise<string> =>
    inGit
      ? [
          await set.work.git('status', '--porcelain'),
          await set.work.git('stash', 'list'),
          await set.work.git('for-each-ref'),
        ].join('\n')
      : '';
  script(set.server);
  return { ...set, folder, git };
}

const places = [
  { place: 'in a git repository', inGit: true },
  { place: 'in a folder without git', inGit: false },
];
test('a turn is rewound in the conversation and in a file', async () => {
  const { server, ready, work } = await setUpProgram();
  server.script(call('Write', { file_path: 'made.txt', content: 'made\n' }), { text: 'It is made.' });
  const terminal = await ready(FREE);
  await ask(terminal, 'make it', 'It is made.');
  expect(await work.read('made.txt')).toBe('made\n');
  await goBack(terminal, 0, 'b');
  await terminal.waitForPrinted('Conversation and files are as they were before “make it”');
  expect(existsSync(join(work.repository, 'made.txt'))).toBe(false);
  await terminal.waitFor(/❯ make it/);
  // Reported once.
  expect(terminal.screen().split('as they were before')).toHaveLength(2);
});

for (const row of places)
  test(
    `${row.place} both, the files and the conversation are rewound, and undo restores everything`,
    long,
    async () => {
      const { inGit } = row;
      const { server, ready, folder, git, work } = await begin(inGit);
      const laid = await treeOf(folder);
      const laidGit = await git();
      const terminal = await ready(FREE, { cwd: folder });
      await ask(terminal, 'first task', 'The first turn is done.');
      const first = await treeOf(folder);
      const firstGit = await git();
      expect(first).not.toEqual(laid);
      await ask(terminal, 'second task', 'The second turn is done.');
      const second = await treeOf(folder);

      await openTurns(terminal);
      await terminal.waitFor(/first task .*in 10 files/);
      await terminal.waitFor(/❯ .*second task .*in 4 files/);
      await terminal.press(keys.escape);
      await terminal.waitForGone('Rewind to before…');
      expect(await treeOf(folder)).toEqual(second);

      await goBack(terminal, 0, 'b');
      await terminal.waitForPrinted('Conversation and files are as they were before “second task”');
      expect(await treeOf(folder)).toEqual(first);
      expect(await git()).toBe(firstGit);
      await terminal.waitFor(/❯ second task/);
      await terminal.press(keys.ctrl('c'));
      await terminal.waitFor('❯ Ask for');

      await goBack(terminal, 0, 'b');
      await terminal.waitForPrinted('Conversation and files are as they were before “first task”');
      expect(await treeOf(folder)).toEqual(laid);
      expect(await git()).toBe(laidGit);
      await terminal.waitFor(/❯ first task/);
      await terminal.press(keys.ctrl('c'));
      await terminal.waitFor('❯ Ask for');

      for (const [index, tree] of [first, second].entries()) {
        await terminal.press(keys.escape, keys.escape);
        await terminal.waitFor('Rewind to before…');
        await terminal.press('u');
        await terminal.waitForGone('Rewind to before…');
        await terminal.until(
          () => terminal.everything().split('Rewind undone: conversation and files').length === index + 2,
          'it says that it is taken back',
        );
        await expect.poll(() => treeOf(folder)).toEqual(tree);
      }
      if (inGit) expect(await work.git('stash', 'list')).toBe('');

      server.script({ text: 'I go on.' });
      await ask(terminal, 'go on', 'I go on.');
      const request = server.requests().at(-1);
      expect(request?.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
        'first task',
        'second task',
        'go on',
      ]);
      if (request !== undefined) expectPairedCalls(request);
      expectTried(terminal, 'rewind:undo');
    },
  );

test("the user's later changes are merged or kept, and reported before the rewind", long, async () => {
  const { ready, folder, server } = await begin(true);
  const terminal = await ready(FREE, { cwd: folder });
  await ask(terminal, 'first task', 'The first turn is done.');
  await writeFile(join(folder, 'own.txt'), 'mine from the start\n');
  await ask(terminal, 'second task', 'The second turn is done.');
  await writeFile(join(folder, 'own.txt'), 'mine, and later\n');
  await writeFile(
    join(folder, 'numbers.txt'),
    numbers((n) => (n === 3 ? 'three' : n === 28 ? 'mine' : `${n}`)),
  );
  await writeFile(join(folder, 'clash.txt'), 'mine instead\n');
  const before = await treeOf(folder);

  await openTurns(terminal);
  await terminal.press(keys.enter);
  await terminal.waitFor(/to merge with your changes, 1 left unchanged/);
  await terminal.press('f');
  await terminal.waitFor('Enter confirms');
  await terminal.waitFor(/^merge +numbers\.txt/m);
  await terminal.waitFor(/^leave +clash\.txt/m);
  await terminal.waitFor(/^recreate +deep\/er\/new/m);
  await terminal.waitFor(/3 - three/);
  await terminal.waitFor(/3 \+ 3/);
  expect(await treeOf(folder), 'only shown').toEqual(before);
  await terminal.answer(keys.enter);
  await terminal.waitForPrinted('Left unchanged:');
  expect(await readFile(join(folder, 'numbers.txt'), 'utf8')).toBe(
    numbers((n) => (n === 28 ? 'mine' : `${n}`)),
  );
  expect(await readFile(join(folder, 'clash.txt'), 'utf8')).toBe('mine instead\n');
  expect(await readFile(join(folder, 'own.txt'), 'utf8')).toBe('mine, and later\n');
  expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe('made by a tool\n');
  expect(await readFile(join(folder, 'deep/er/new'), 'utf8')).toBe('x\n');

  server.script({ text: 'I look again.' });
  await ask(terminal, 'what now?', 'I look again.');
  const sent =
    server
      .requests()
      .at(-1)
      ?.messages.map(({ content }) => String(content)) ?? [];
  expect(sent.at(-1)).toBe('what now?');
  expect(sent.at(-2)).toContain('The user restored files');
  expect(sent.at(-2)).toContain(join(folder, 'numbers.txt'));

  await terminal.submit('/rewind undo');
  await terminal.waitForPrinted('Rewind undone: the files are as they were before the rewind');
  await expect.poll(() => treeOf(folder)).toEqual(before);
});

test(
  'after a rewind and an exit, --continue sends what the screen shows, and undo still works',
  long,
  async () => {
    const { ready, folder, server } = await begin(true);
    const terminal = await ready(FREE, { cwd: folder });
    await ask(terminal, 'first task', 'The first turn is done.');
    const first = await treeOf(folder);
    await ask(terminal, 'second task', 'The second turn is done.');
    const second = await treeOf(folder);
    await goBack(terminal, 0, 'b');
    await terminal.waitForPrinted('were before “second task”');
    // The first press clears the line, the second exits, so the restored prompt must be there.
    await terminal.waitFor(/❯ second task/);
    await terminal.pressUntil(keys.ctrl('c'));
    expect(await terminal.exited).toBe(0);
    await rm(join(folder, 'link'));

    const again = await ready([...FREE, '--continue'], { cwd: folder });
    await again.waitForPrinted('The first turn is done.');
    expect(again.everything()).not.toContain('The second turn is done.');
    await again.waitForPrinted('Conversation and files are as they were before “second task”');
    server.script({ text: 'A third way.' });
    await ask(again, 'another second task', 'A third way.');
    const said = server.requests().at(-1)?.messages ?? [];
    const asked = said.filter(({ role }) => role === 'user').map(({ content }) => String(content));
    // The environment note is sent again, because git's state has changed.
    expect(asked.filter((text) => !text.startsWith('<system-note '))).toEqual([
      'first task',
      'another second task',
    ]);
    const { link: _link, ...withoutLink } = first;
    expect(await treeOf(folder)).toEqual(withoutLink);

    await again.submit('/rewind undo');
    await again.waitForPrinted('Run /rewind undo again to do that.');
    await again.submit('/rewind undo');
    await again.waitForPrinted('Rewind undone: conversation and files');
    const { link: _too, ...rest } = second;
    await expect.poll(() => treeOf(folder)).toEqual(rest);
  },
);

test(
  '/diff shows the session and one turn; a fork from before a turn changes neither session nor files',
  long,
  async () => {
    const { ready, folder, work, print } = await begin(true);
    const terminal = await ready(FREE, { cwd: folder });
    await ask(terminal, 'first task', 'The first turn is done.');
    await ask(terminal, 'second task', 'The second turn is done.');
    const second = await treeOf(folder);
    await terminal.submit('/diff');
    await terminal.waitForPrinted(/This session changed \d+ files, \+\d+ −\d+/);
    await terminal.waitForPrinted('moved.txt');
    await terminal.submit('/diff last');
    await terminal.waitForPrinted(/“second task” changed 4 files/);
    await terminal.submit('/rewind 1');
    await terminal.waitFor('4. Fork from there');
    await terminal.press('k');
    await terminal.waitForGone('Rewind to before');
    await terminal.waitForIdle();
    await terminal.until(() => terminal.everything().includes('/resume'), 'it says how to get back');
    await terminal.waitFor('❯ second task');
    expect(await treeOf(folder)).toEqual(second);
    const prompts = (
      entries: readonly { subtype?: string | undefined; message: { content: unknown } }[] = [],
    ) => entries.filter(({ subtype }) => subtype === 'prompt').map(({ message }) => message.content);
    const sessions = await work.sessions();
    const [fork, original] = sessions.sort((a, b) => prompts(a.entries).length - prompts(b.entries).length);
    expect(prompts(original?.entries)).toEqual(['first task', 'second task']);
    expect(prompts(fork?.entries)).toEqual(['first task']);
    await terminal.pressUntil(keys.ctrl('c'));
    await terminal.exited;
    const said = await print(['-p', '/rewind', '--resume', String(original?.entries[0]?.sessionId)], {
      cwd: folder,
    });
    expect(said.stdout).toMatch(/1 {2}\S+ \S+ {2}.*in 4 files +second task/);
  },
);

/** In one session, approves edits of a protected file and of one outside the workspace; the program exits. */
async function approveEdits({ server, ready, work }: TestProgram): Promise<Record<'hook' | 'notes', string>> {
  const [hook, notes] = [join(work.repository, '.husky/pre-commit'), join(work.home, 'notes.txt')];
  await mkdir(join(work.repository, '.husky'));
  await writeFile(hook, 'echo checked\n');
  await writeFile(notes, 'my notes\n');
  const edit = (file: string, old_string: string): readonly ScriptedReply[] => [
    call('Read', { file_path: file }),
    call('Edit', { file_path: file, old_string, new_string: 'changed' }),
  ];
  server.script(...edit(hook, 'checked'), ...edit(notes, 'notes'), { text: 'Both are changed.' });
  const terminal = await ready();
  await terminal.submit('change both');
  for (const question of [/─ Edit \S*pre-commit\?/, /─ Read \S*notes\.txt\?/, /─ Edit \S*notes\.txt\?/]) {
    await terminal.waitFor(question);
    await terminal.answer('1');
  }
  await terminal.waitForPrinted('Both are changed.');
  await terminal.waitForIdle();
  expect([await readFile(hook, 'utf8'), await readFile(notes, 'utf8')]).toEqual([
    'echo changed\n',
    'my changed\n',
  ]);
  await terminal.submit('/exit');
  await terminal.exited;
  return { hook, notes };
}

test('--continue rewinds what was approved yesterday: a protected file and one outside the workspace', async () => {
  const set = await setUpProgram();
  const { hook, notes } = await approveEdits(set);
  const again = await set.ready(['--continue']);
  await goBack(again, 0, 'f');
  await again.waitForPrinted('The files are as they were before “change both” (2 files changed on disk)');
  expect([await readFile(hook, 'utf8'), await readFile(notes, 'utf8')]).toEqual([
    'echo checked\n',
    'my notes\n',
  ]);
});

test('a record of these changes that differs by one byte is not acted on', long, async () => {
  const set = await setUpProgram();
  const { hook, notes } = await approveEdits(set);
  const [session] = await set.work.sessions();
  const log = session?.file ?? '';
  const lines = (await readFile(log, 'utf8')).split('\n');
  const altered = lines.map((line) =>
    line.includes('"subtype":"checkpoint"') ? line.replace('"mode":420', '"mode":421') : line,
  );
  await writeFile(log, altered.join('\n'));
  const again = await set.ready(['--continue']);
  await openTurns(again);
  await again.press(keys.enter);
  await again.waitFor('2 files left unchanged');
  await again.press('f');
  await again.waitFor('Enter confirms');
  await again.waitForWrapped('The log does not prove that ClawdCode recorded this change here');
  await again.answer(keys.enter);
  await again.waitForPrinted('No files were restored.');
  expect([await readFile(hook, 'utf8'), await readFile(notes, 'utf8')]).toEqual([
    'echo changed\n',
    'my changed\n',
  ]);
});
