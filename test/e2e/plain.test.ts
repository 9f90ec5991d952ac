/** The conversation without redraws: a dumb terminal, a screen reader, pipes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstIsQuick, long } from './support/long.ts';
import { isAlive } from './support/processes.ts';
import { program } from './support/program.ts';
import { setUpProgram } from './support/testProgram.ts';

const slow = { latency: 60, chunkSize: 6 } as const;
const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
const ctrlC = '\u0003';
const ctrlD = '\u0004';

/** The reasons for which a terminal gets plain mode. */
const ways = [
  // Words are not colored if no escape sequence may be written.
  { way: 'a dumb terminal', below: ['env', 'TERM=dumb', 'FORCE_COLOR=3', 'CI=1'], args: [] },
  { way: '--ax-screen-reader', below: [], args: ['--ax-screen-reader'] },
] as const;

for (const { row, options } of firstIsQuick(ways))
  test(`${row.way}: everything is printed once, in words, without escape sequences`, options, async () => {
    const { below, args } = row;
    const { server, work, open } = await setUpProgram();
    server.script(
      {
        text: 'I will look.',
        calls: [{ name: 'Bash', input: { command: 'echo made > out.txt; echo fine' } }],
      },
      { text: '# Result\n\nIt **works**. See `out.txt`.\n\n| a | b |\n|---|---|\n| 1 | 2 |' },
    );
    const terminal = open([...args], { below: [...below] });
    await terminal.waitForPrinted('Ctrl+D quits');
    await terminal.submit('make the file');
    await terminal.waitForPrinted(/Answer y(?:, s)? or n\./);
    const asked = terminal.everything();
    expect(asked).toContain('ClawdCode: I will look.');
    expect(asked).toMatch(/Question: may Bash do this\?/);
    expect(asked).toContain('Command: echo made > out.txt; echo fine');
    await terminal.waitForQuietTime();
    // Anything but an answer approves nothing.
    await terminal.submit('maybe');
    await terminal.waitForPrinted('"maybe" is not one of the choices');
    await terminal.submit('y');
    await terminal.waitForPrinted('Ready.');
    const told = terminal.everything();
    expect(told).toMatch(/Bash: echo made > out\.txt; echo fine\. Done, exit code 0/);
    // Printed as it arrives: whether there is a blank line in between depends on the chunks.
    expect(told).toMatch(/Heading: Result\n+It works\. See `out\.txt`\.\n/);
    expect(told).toContain('Row 1. a: 1; b: 2.');
    expect(told.match(/I will look/g)).toHaveLength(1);
    // As the terminal echoed it; it is not printed again.
    expect(told.match(/make the file/g)).toHaveLength(1);
    expect(await readFile(join(work.repository, 'out.txt'), 'utf8')).toBe('made\n');
    await terminal.press(ctrlD);
    expect(await terminal.exited).toBe(0);
    expect(terminal.everything()).toMatch(/Resume this session with: clawdcode --resume [\w-]+$/);
    expect(terminal.bytes()).not.toContain('\u001B');
  });

test('a terminal without escape sequences gets no clipboard request', long, async () => {
  const { server, open } = await setUpProgram();
  server.script({ text: 'Copy this.' });
  const terminal = open([], { below: ['env', '-u', 'DISPLAY', '-u', 'WAYLAND_DISPLAY', 'TERM=dumb'] });
  await terminal.waitForPrinted('Ctrl+D quits');
  await terminal.submit('hello');
  await terminal.waitForPrinted('Ready.');
  await terminal.submit('/copy');
  await terminal.waitForPrinted(/The last answer was not copied: .*\/copy FILE writes it to a file/s);
  expect(terminal.bytes()).not.toContain('\u001B');
});

test('a comment after n goes to the model; n alone ends the turn', { tags: 'long' }, async () => {
  const { server, open } = await setUpProgram();
  const call = { calls: [{ name: 'Bash', input: { command: 'rm -rf build' } }] };
  server.script(call, { text: 'As you like.' }, call);
  const terminal = open([], { below: ['env', 'TERM=dumb'] });
  await terminal.waitForPrinted('Ctrl+D quits');
  await terminal.submit('clean up');
  await terminal.waitForPrinted(/or n\. Text after n/);
  await terminal.waitForQuietTime();
  await terminal.submit('n keep the folder');
  await terminal.waitForPrinted('As you like.');
  await terminal.waitForPrinted('Ready.');
  expect(JSON.stringify(server.requests()[1]?.messages.at(-1))).toContain('keep the folder');
  await terminal.submit('once more');
  await terminal.until(() => terminal.everything().split('Question:').length === 3, 'it asks again');
  await terminal.waitForQuietTime();
  await terminal.submit('n');
  await terminal.waitForPrinted('Interrupted.');
  expect(server.requests()).toHaveLength(3);
});

for (const row of ways)
  test(`${row.way}: Ctrl+C stops the reply, and pressed twice exits`, long, async () => {
    const { below, args } = row;
    const { server, open } = await setUpProgram();
    server.script({ text: story, ...slow });
    const terminal = open([...args], { below: [...below] });
    await terminal.waitForPrinted('Ctrl+D quits');
    await terminal.submit('tell me a story');
    await server.waitForRequests(1);
    await terminal.pause(500);
    await terminal.press(ctrlC);
    await terminal.waitForPrinted('Interrupted.');
    await terminal.waitForPrinted('Ready.');
    await terminal.pressUntil(ctrlC);
    expect(await terminal.exited).toBe(0);
    expect(terminal.everything()).toContain('Resume this session with');
  });

test(
  'the setting is enough; several lines are sent together, and lines typed during a turn are queued',
  long,
  async () => {
    const { server, work, open } = await setUpProgram();
    await mkdir(work.data, { recursive: true });
    await writeFile(join(work.data, 'config.json'), JSON.stringify({ screenReader: true }));
    server.script({ text: story.slice(0, 600), ...slow }, { text: 'Both seen.' });
    const terminal = open();
    await terminal.waitForPrinted('Ctrl+D quits');
    await terminal.submit('first line\\');
    await terminal.submit('second line');
    await server.waitForRequests(1);
    await terminal.submit('and one more thing');
    await terminal.waitForPrinted('Queued, sent with the next step: and one more thing');
    await terminal.waitForPrinted('Both seen.');
    expect(server.requests()[0]?.messages.at(-1)?.content).toContain('first line\nsecond line');
    expect(terminal.everything()).toContain('You: and one more thing');
    expect(terminal.bytes()).not.toContain('\u001B');
  },
);

test('dialogs are lists to answer: models, sessions, rewinding', long, async () => {
  const { server, open } = await setUpProgram();
  server.script({ text: 'One.' }, { text: 'Two.' });
  const terminal = open(['first question'], { below: ['env', 'TERM=dumb'] });
  await terminal.waitForPrinted('One.');
  await terminal.waitForPrinted('Ready.');
  await terminal.submit('second question');
  await terminal.waitForPrinted('Two.');
  await terminal.until(() => terminal.everything().split('Ready.').length >= 3, 'ready again');
  await terminal.submit('/rewind');
  await terminal.waitForPrinted(/1\. second question; .*\n2\. first question/);
  await terminal.submit('1');
  await terminal.waitForPrinted('restore what?');
  await terminal.submit('c');
  await terminal.waitForPrinted(/Returned, not sent:\n> second question/);
  await terminal.submit('/resume');
  await terminal.waitForPrinted(/1 session:\n1\. .*open here/);
  await terminal.submit('');
  // Nothing is printed; lines that arrive in one chunk belong together.
  await terminal.pause(800);
  await terminal.submit('/model');
  await terminal.waitForPrinted(/models?:|There is no model|does not say/);
  await terminal.press(ctrlC);
  await terminal.press(ctrlD);
  expect(await terminal.exited).toBe(0);
});

test('a folder’s settings ask before they apply', long, async () => {
  const { server, work, open } = await setUpProgram();
  await work.write('.clawdcode.json', JSON.stringify({ permissions: { allow: ['Bash(touch *)'] } }));
  server.script({ calls: [{ name: 'Bash', input: { command: 'touch made' } }] }, { text: 'Made.' });
  const terminal = open([], { below: ['env', 'TERM=dumb'] });
  await terminal.waitForPrinted(
    /Question: do you trust this folder\?[\s\S]*Bash\(touch \*\)[\s\S]*1, or y: Yes/,
  );
  await terminal.submit('n');
  // Nothing is printed; lines that arrive in one chunk belong together.
  await terminal.pause(800);
  await terminal.submit('make it');
  await terminal.waitForPrinted(/Question: may Bash do this\?/);
});

test('if the terminal is gone, the program ends with the log on disk', { tags: 'long' }, async () => {
  const { server, work, open } = await setUpProgram();
  server.script({ text: story, ...slow });
  const terminal = open([], { below: ['env', 'TERM=dumb'] });
  await terminal.waitForPrinted('Ctrl+D quits');
  await terminal.submit('tell me a story');
  await server.waitForRequests(1);
  await terminal.pause(500);
  terminal.close();
  await terminal.exited;
  await terminal.until(() => !isAlive(terminal.pid), 'the program is gone');
  const entries = (await work.sessions())[0]?.entries ?? [];
  expect(entries.some((entry) => entry.subtype === 'prompt')).toBe(true);
});

test('the key is requested and not shown', long, async () => {
  const { server, work, access, open } = await setUpProgram();
  server.otherwise(() => ({ text: 'Hello.' }));
  const terminal = open([], { below: ['env', 'TERM=dumb'], env: work.env() });
  await terminal.waitForPrinted('how do you want to start?');
  await terminal.submit('k');
  await terminal.waitForPrinted('Key?');
  await terminal.submit('sk-secret-key');
  await terminal.waitForPrinted('Endpoint?');
  await terminal.submit(access.OPENAI_BASE_URL ?? '');
  await terminal.waitForPrinted('Model?');
  await terminal.submit('mock-1');
  await terminal.waitForPrinted('Asking http');
  await terminal.settle();
  await terminal.submit('hi');
  await terminal.waitForPrinted('ClawdCode: Hello.');
  expect(terminal.bytes()).not.toContain('secret');
  expect(await readFile(join(work.data, 'config.json'), 'utf8')).toContain('sk-secret-key');
});

test(
  'through pipes, lines go in and out, and the end of the input exits once everything is done',
  long,
  async () => {
    const { server, print } = await setUpProgram();
    server.script({ text: 'First.' });
    const { code, stdout } = await print(['--ax-screen-reader', 'one'], { input: '/cost\ntwo\n' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/You: one\n/);
    expect(stdout).toMatch(/ClawdCode: First\.\n/);
    expect(stdout).toContain('You: two\n');
    expect(stdout).toMatch(/Requests +0[\s\S]*Ready\.\nResume this session with/);
  },
);

test('standard input is the prompt, standard output the reply', long, async () => {
  const { server, print, work, access } = await setUpProgram();
  server.script({ text: 'It is a stack trace.' }, { text: 'Fine.' }, { text: 'Only that.' });
  expect(await print([], { input: 'what is this?\n' })).toMatchObject({
    code: 0,
    stdout: 'It is a stack trace.\n',
  });
  expect(await print(['is it good?'], { input: 'a diff' })).toMatchObject({ code: 0, stdout: 'Fine.\n' });
  expect(server.requests()[1]?.messages.at(-1)?.content).toMatch(/^is it good\?\n\n<[\s\S]*a diff/);
  // Standard input is a terminal, standard output a file.
  const file = join(work.temporary, 'answer.txt');
  const { openTerminal } = await import('./support/terminal.ts');
  const terminal = openTerminal(['sh', '-c', `"$@" > ${file}`, 'sh', ...program()], {
    cwd: work.repository,
    env: work.env(access),
    args: ['say it'],
  });
  expect(await terminal.exited).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('Only that.\n');
});

test('without any terminal for a conversation, the program says so, and what to do instead', async () => {
  const { work, access } = await setUpProgram();
  const { openTerminal } = await import('./support/terminal.ts');
  const terminal = openTerminal(['sh', '-c', '"$@" | cat; exit 0', 'sh', ...program()], {
    cwd: work.repository,
    env: work.env(access),
  });
  await terminal.waitForPrinted(/standard output is not a terminal.*give a prompt: clawdcode -p/s);
  await terminal.exited;
});
