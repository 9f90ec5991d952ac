/** `/add-dir` in the built program: what the added directory allows from then on, and what outlives it. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const call = (name: string, input: unknown) => ({ calls: [{ name, input }] });
const lastResult = ({ server }: TestProgram): string => textOf(server.requests().at(-1)?.messages.at(-1));

test('a write that asked before runs in accept edits mode, and a rewind undoes it', async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  const library = join(dirname(work.repository), 'library');
  await mkdir(library);
  await writeFile(join(library, 'old.txt'), 'before\n');
  const made = join(library, 'made.txt');
  server.script(
    call('Write', { file_path: made, content: 'made\n' }),
    call('Write', { file_path: made, content: 'made\n' }),
    call('Bash', { command: `echo after > ${join(library, 'old.txt')}; echo ended` }),
    { text: 'Written.' },
    call('Write', { file_path: join(library, 'later.txt'), content: 'later\n' }),
    { text: 'Written, too.' },
  );
  const terminal = await setup.ready(['--permission-mode', 'acceptEdits']);
  await terminal.submit('write to the library');
  await terminal.waitFor(/1\. Yes/);
  await terminal.press(keys.escape);
  await terminal.waitFor('Interrupted.');
  expect(existsSync(made)).toBe(false);

  await terminal.submit('/add-dir ../nowhere');
  await terminal.waitFor('does not exist');
  await terminal.submit('/add-dir ../library');
  await terminal.waitFor('belongs to the workspace until you quit');
  await terminal.submit('write to the library again');
  await terminal.waitFor('Written.');
  expect(await readFile(made, 'utf8')).toBe('made\n');
  expect(await readFile(join(library, 'old.txt'), 'utf8')).toBe('after\n');
  const [, second] = server.requests();
  expect(JSON.stringify(second?.messages)).toContain(
    `The user has added ${realpathSync(library)} to the workspace`,
  );

  await terminal.waitForIdle();
  await terminal.submit('/rewind');
  await terminal.waitFor(/❯ (just now|\d+ \w+ ago)/);
  await terminal.press(keys.enter);
  await terminal.waitFor('1. Conversation and files');
  await terminal.press('b');
  await terminal.waitFor('Enter confirms');
  await terminal.answer(keys.enter);
  await terminal.waitForPrinted('Conversation and files are as they were before');
  expect(existsSync(made)).toBe(false);
  expect(await readFile(join(library, 'old.txt'), 'utf8')).toBe('before\n');
});

test('it stays for the sessions after /clear, and /add-dir lists it', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const library = join(dirname(setup.work.repository), 'library');
  await mkdir(library);
  setup.server.script(call('Write', { file_path: join(library, 'made.txt'), content: 'x\n' }), {
    text: 'Written.',
  });
  const terminal = await setup.ready(['--permission-mode', 'acceptEdits']);
  await terminal.submit('/add-dir ../library');
  await terminal.waitFor('belongs to the workspace until you quit');
  await terminal.submit('/clear');
  await terminal.waitFor('New session.');
  await terminal.submit('write');
  await terminal.waitFor('Written.');
  expect(existsSync(join(library, 'made.txt'))).toBe(true);
  await terminal.submit('/add-dir');
  await terminal.waitFor('/add-dir PATH adds another directory.');
  await terminal.waitFor(/The workspace: .*\n.*library/);
  expect(lastResult(setup)).toContain('made.txt');
});

test('a headless run with a directory that must not be added ends with the reason', async () => {
  const setup = await setUpProgram();
  const { code, stderr } = await setup.print(['-p', 'hi', '--add-dir', setup.work.home]);
  expect(code).toBe(52);
  expect(stderr).toContain(`--add-dir: ${setup.work.home} contains your home folder`);
  expect(setup.server.requests()).toEqual([]);
});
