/**
 * What the terminal and the program exchange besides text: background, focus, title, progress, bell.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { long } from './support/long.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const slow = { latency: 60, chunkSize: 6 } as const;
const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
const LIGHT_DIM = '38;2;107;107;107';
const BEL_ALONE = /(?<!\u001B\][^\u0007\u001B]*)\u0007/;

async function configure({ work }: TestProgram, settings: object): Promise<void> {
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
}

test(
  'the terminal is queried for its background; even a late reply applies, and is never typed text',
  long,
  async () => {
    const setup = await setUpProgram();
    const terminal = await setup.ready();
    await terminal.until(() => terminal.bytes().includes('\u001B]11;?'), 'the question');
    expect(terminal.bytes().indexOf('\u001B]11;?')).toBeGreaterThan(terminal.bytes().indexOf('ClawdCode'));
    await terminal.type('abc');
    const from = terminal.bytes().length;
    // In two chunks, between keys, with focus reports around it.
    await terminal.press(
      '\u001B[I',
      'd',
      '\u001B]11;rgb:fdfd/f6',
      'f6/e3e3\u001B\\',
      'e',
      '\u001B[O',
      '\u001B[?997;2n',
    );
    await terminal.waitFor('❯ abcde');
    await terminal.until(() => terminal.bytes().slice(from).includes(LIGHT_DIM), 'light colors');
    expect(terminal.screen()).toMatch(/❯ abcde$/m);
    expect(terminal.screen()).not.toMatch(/rgb|997|\[I|\[O/);
    await terminal.press(keys.ctrl('u'));
    await terminal.submit('/theme auto');
    await terminal.waitForPrinted('The terminal reports its background as light');
  },
);

test('title and progress show the activity and the session, and are restored on exit', long, async () => {
  const setup = await setUpProgram();
  const { server, work, access } = setup;
  server.nameSessions('A story \u001B]0;evil\u0007for you');
  server.script({ text: story, ...slow });
  const terminal = await setup.ready([], { env: work.env({ ...access, WT_SESSION: 'test' }) });
  await terminal.until(() => terminal.bytes().includes('\u001B]2;ClawdCode · repository\u001B\\'), 'a title');
  expect(terminal.bytes().split('\u001B[22;2t')).toHaveLength(2);
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  await terminal.until(() => terminal.bytes().includes('\u001B]2;✳ '), 'a title while it runs');
  await terminal.until(() => terminal.bytes().includes('\u001B]9;4;3;0\u0007'), 'progress');
  await terminal.press(keys.escape);
  await terminal.waitFor('Interrupted.');
  await terminal.until(() => terminal.bytes().includes('\u001B]9;4;0;0\u0007'), 'progress gone');
  expect(terminal.bytes()).not.toContain('\u001B]0;evil');
  await terminal.submit('/exit');
  expect(await terminal.exited).toBe(0);
  const end = terminal.bytes().lastIndexOf('\u001B]2;\u001B\\\u001B[23;2t');
  expect(end).toBeGreaterThan(terminal.bytes().lastIndexOf('\u001B]2;✳ '));
  expect(terminal.bytes().lastIndexOf('\u001B[?1004l')).toBeGreaterThan(
    terminal.bytes().lastIndexOf('\u001B[?1004h'),
  );
});

test('a signal during a turn leaves neither title nor progress behind', long, async () => {
  const setup = await setUpProgram();
  const { server, work, access } = setup;
  server.script({ text: story, ...slow });
  const terminal = await setup.ready([], { env: work.env({ ...access, WT_SESSION: 'test' }) });
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  terminal.kill('SIGTERM');
  await terminal.exited;
  const bytes = terminal.bytes();
  expect(bytes.lastIndexOf('\u001B]9;4;0')).toBeGreaterThan(bytes.lastIndexOf('\u001B]9;4;3'));
  expect(bytes.lastIndexOf('\u001B[23;2t')).toBeGreaterThan(bytes.lastIndexOf('\u001B]2;✳'));
  expect(bytes.lastIndexOf('\u001B[?2031l')).toBeGreaterThan(bytes.lastIndexOf('\u001B[?2031h'));
});

test('a question rings the bell when the window is unfocused, and not otherwise', long, async () => {
  const setup = await setUpProgram();
  const { server } = setup;
  const write = (name: string) => ({
    calls: [{ name: 'Write', input: { file_path: name, content: 'x\n' } }],
  });
  server.script(write('one.txt'), write('two.txt'), { text: 'Fine.' });
  const terminal = await setup.ready();
  await terminal.press('\u001B[I');
  await terminal.submit('write');
  await terminal.waitFor('Write one.txt?');
  await terminal.pause(600);
  expect(terminal.bytes()).not.toMatch(BEL_ALONE);
  await terminal.answer('y');
  await terminal.waitFor('Write two.txt?');
  await terminal.press('\u001B[O');
  await terminal.until(() => BEL_ALONE.test(terminal.bytes()), 'a bell');
  await terminal.answer('y');
  await terminal.waitForPrinted('Fine.');
});

test('a custom status line gets the facts, keeps its colors and nothing else, and follows the session', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  const script = join(work.home, 'line.cjs');
  await writeFile(
    script,
    `let all = '';
process.stdin.on('data', (part) => { all += part; }).on('end', () => {
  const { model, permission_mode, workspace } = JSON.parse(all);
  const same = workspace.project_dir === process.cwd();
  console.log('\\u001b[35m' + model.id + '\\u001b[0m in ' + permission_mode + ' ' + same + '\\u001b]0;evil\\u0007\\u001b[2J');
});`,
  );
  await configure(setup, { statusLine: { command: `"${process.execPath}" "${script}"`, padding: 1 } });
  server.script({ text: 'Hello.' });
  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor(/^ mock-1 in default true$/m);
  expect(terminal.bytes()).toContain('\u001B[35mmock-1');
  expect(terminal.bytes()).not.toMatch(/evil/);
  expect(terminal.screen()).not.toContain('context ~');
  await terminal.press(keys.shiftTab);
  await terminal.waitFor('mock-1 in acceptEdits true');
});

test('a failing status line is reported once, and the built-in one stays', long, async () => {
  const setup = await setUpProgram();
  await configure(setup, { statusLine: { command: 'echo "no luck" >&2; exit 1' } });
  const terminal = await setup.ready();
  await terminal.waitForPrinted('The status line command failed (no luck).');
  await terminal.press(keys.shiftTab);
  await terminal.waitFor('accept edits');
  await terminal.pause(800);
  expect(terminal.everything().split('no luck')).toHaveLength(2);
});

test('a status line from an untrusted folder does not run', long, async () => {
  const setup = await setUpProgram();
  const { work } = setup;
  await work.write('.clawdcode.json', JSON.stringify({ statusLine: { command: 'touch ran; echo hacked' } }));
  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  expect(terminal.screen()).toContain('Runs this command for the status line: ');
  await terminal.answer('n');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.pause(700);
  expect(terminal.screen()).not.toContain('hacked');
  await expect(work.read('ran')).rejects.toThrow();
});

for (const row of [
  { name: 'NO_COLOR', more: { NO_COLOR: '1' }, args: [] },
  { name: '--no-color', more: {}, args: ['--no-color'] },
])
  test(`with ${row.name} nothing is colored, and the placeholder differs from a draft`, long, async () => {
    const { more, args } = row;
    const setup = await setUpProgram();
    const { server, work, access } = setup;
    server.script({ text: '# Title\n\n`code`' });
    const terminal = await setup.ready(args, { env: work.env({ ...access, ...more }) });
    await terminal.waitFor('❯ (Ask for something');
    await terminal.submit('show');
    await terminal.waitForPrinted('# Title');
    await terminal.waitForIdle();
    expect(terminal.bytes()).not.toMatch(/\u001B\[[\d;]*m/);
    expect(terminal.bytes()).not.toContain('\u001B]11;?');
  });
