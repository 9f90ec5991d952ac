/** Interrupting a reply, a command, a question, and the program itself. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { kindsOf } from './support/entryKinds.ts';
import { long } from './support/long.ts';
import { isAlive, processesWith } from './support/processes.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { expectPairedCalls, textOf } from './support/wire.ts';

const slow = { latency: 60, chunkSize: 6 } as const;
const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');

test('Esc during a reply keeps what had arrived, and the next prompt works', async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: story, ...slow }, { text: 'Back at work.' });
  const terminal = await ready();
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  await terminal.press(keys.escape);
  await terminal.waitFor('Interrupted.');
  await terminal.waitForIdle();
  expect(terminal.everything()).toContain('word5');
  expect(terminal.everything()).not.toContain('word199');

  await terminal.submit('go on');
  await terminal.waitFor('Back at work.');
  const messages = server.requests()[1]?.messages ?? [];
  expect(messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user']);
  const partial = String(messages[2]?.content);
  expect(partial.startsWith('word0 word1')).toBe(true);
  expect(partial).not.toContain('word199');
  await terminal.waitForIdle();
  const entries = (await work.sessions())[0]?.entries ?? [];
  expect(entries.find((entry) => entry.type === 'assistant')?.message).toMatchObject({ interrupted: true });
  expect(entries.filter((entry) => entry.subtype === 'turn_end').map((entry) => entry.data?.outcome)).toEqual(
    ['interrupted', 'done'],
  );
  expectTried(terminal, 'chat:cancel');
});

test('Esc during a command ends its children, and every call keeps its result', long, async () => {
  const { server, work, ready } = await setUpProgram();
  // A grandchild, with signals ignored in between: the whole group must end.
  const [one, other] = [`300.${process.pid}`, `301.${process.pid}`] as const;
  const command = `sleep ${one} & (trap "" TERM INT; sleep ${other}) & wait`;
  const running = (): number => processesWith(one).length + processesWith(other).length;
  server.script(
    {
      calls: [
        { name: 'Bash', input: { command } },
        { name: 'Bash', input: { command: 'touch second' } },
      ],
    },
    { text: 'You stopped me.' },
  );
  const terminal = await ready(['--permission-mode', 'bypassPermissions']);
  await terminal.submit('wait a little');
  await terminal.until(() => running() === 2, 'the children run');
  await terminal.press(keys.escape);
  await terminal.until(() => running() === 0, 'the children are gone');
  await terminal.waitFor('Interrupted.');
  await terminal.waitForIdle();
  expect(existsSync(join(work.repository, 'second'))).toBe(false);

  await terminal.submit('what happened?');
  await terminal.waitFor('You stopped me.');
  const [, second] = server.requests();
  if (second === undefined) throw new Error('no second request');
  expectPairedCalls(second);
  expect(second.messages.map((message) => message.role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'tool', 'user'],
  ]);
});

test('Esc in a permission dialog denies the call and stops the turn', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ calls: [{ name: 'Bash', input: { command: 'touch made-it' } }] }, { text: 'As you like.' });
  const terminal = await ready();
  await terminal.submit('make a file');
  await terminal.waitFor('Run this command?');
  await terminal.press(keys.escape);
  await terminal.waitForGone('Run this command?');
  await terminal.waitFor('Interrupted.');
  await terminal.waitForIdle();
  expect(server.requests()).toHaveLength(1);
  await terminal.submit('better not');
  await terminal.waitFor('As you like.');
  expect(existsSync(join(work.repository, 'made-it'))).toBe(false);
  const last = server.requests()[1];
  if (last === undefined) throw new Error('no second request');
  expectPairedCalls(last);
  expect(last.messages.map((message) => message.role)).toEqual([
    ...['system', 'user', 'assistant', 'tool', 'user'],
  ]);
  expect(textOf(last.messages[3])).toContain('declined');
});

test('Ctrl+C during a reply interrupts it first; Esc stops the user’s own command', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: story, ...slow }, { text: 'Quiet now.' });
  const terminal = await ready();
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  await terminal.press(keys.ctrl('c'));
  await terminal.waitFor('Interrupted.');
  await terminal.waitForIdle();

  await terminal.submit('!sleep 300 & echo $! > own.pid; wait');
  const pidFile = join(work.repository, 'own.pid');
  await terminal.until(() => existsSync(pidFile) && pidsIn(pidFile).length === 1, 'the command runs');
  const [pid = 0] = pidsIn(pidFile);
  await terminal.press(keys.escape);
  await terminal.until(() => !isAlive(pid), 'the child is gone');
  await terminal.waitForIdle();
  await terminal.submit('and now?');
  await terminal.waitFor('Quiet now.');
  const last = server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
  expect(JSON.stringify(last.messages)).toContain('own.pid');
});

test('/exit during a reply exits with the partial reply on disk', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: story, ...slow });
  const terminal = await ready();
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  await terminal.submit('/exit');
  expect(await terminal.exited).toBe(0);
  expect(terminal.everything()).toContain('clawdcode --resume ');
  const entries = (await work.sessions())[0]?.entries ?? [];
  expect(entries.at(-1)).toMatchObject({ subtype: 'turn_end', data: { outcome: 'interrupted' } });
  expect(entries.find((entry) => entry.type === 'assistant')?.message).toMatchObject({ interrupted: true });
});

test('if the terminal is gone, the program ends with the log on disk', long, async () => {
  const { server, work, ready } = await setUpProgram();
  server.script({ text: story, ...slow });
  const terminal = await ready();
  await terminal.submit('tell me a story');
  await terminal.waitFor('word5');
  terminal.close();
  await terminal.until(() => !isAlive(terminal.pid), 'the program is gone');
  const entries = (await work.sessions())[0]?.entries ?? [];
  expect(kindsOf(entries)).toEqual([...['session_start', 'prompt', 'assistant', 'turn_end']]);
});

test('Ctrl+C twice exits, says how to resume, and restores the terminal', async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  server.script({ text: 'Something to remember.' });
  const { terminal, shell } = openInShell(setup);
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('say something');
  await terminal.waitFor('Something to remember.');
  await terminal.waitForIdle();
  await terminal.press(keys.ctrl('c'));
  await terminal.waitFor('Press Ctrl+C again to exit');
  await terminal.pressUntil(keys.ctrl('c'), () => terminal.screen().includes('exit code 0'));
  const [session] = await work.sessions();
  const id = session?.entries[0]?.sessionId;
  await terminal.waitForPrinted(`clawdcode --resume ${id}`);
  expectRestored(await shell(), terminal);
  expect(terminal.everything()).toContain('Something to remember.');
  expectTried(terminal, 'app:interrupt');
});

const signals = [
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGHUP', code: 129 },
] as const;
for (const row of signals)
  test(
    `${row.signal} during a reply exits ${row.code} with the log on disk and the terminal restored`,
    long,
    async () => {
      const { signal, code } = row;
      const setup = await setUpProgram();
      const { server, work } = setup;
      server.script({ text: story, ...slow });
      const { terminal, shell, pidFile } = openInShell(setup);
      await terminal.waitFor(/context ~?\d+%/);
      await terminal.submit('tell me a story');
      await terminal.waitFor('word5');
      const [node] = pidsIn(pidFile);
      if (node === undefined || !(node > 1)) throw new Error(`no process in ${pidFile}`);
      process.kill(node, signal);
      await terminal.waitFor(`exit code ${code}`);
      expectRestored(await shell(), terminal);
      const entries = (await work.sessions())[0]?.entries ?? [];
      expect(kindsOf(entries)).toEqual([...['session_start', 'prompt', 'assistant', 'turn_end']]);
      expect(String(entries.find(({ type }) => type === 'assistant')?.message.content)).toMatch(
        /^word0 word1/,
      );
      const text = await readFile((await work.sessions())[0]?.file ?? '', 'utf8');
      expect(text.endsWith('\n')).toBe(true);
    },
  );

/** Inside a shell, which continues afterwards and can report the state of the terminal. */
function openInShell({ open, work, access }: TestProgram) {
  const pidFile = join(work.temporary, 'program.pid');
  const start = '(echo "$BASHPID" > "$PID_FILE"; exec "$@")';
  const script = `${start}; echo "exit code $?"; read -r line; stty -a; echo "that was all"; read -r line`;
  const env = work.env({ ...access, PID_FILE: pidFile });
  const terminal = open([], { env, below: ['bash', '-c', script, 'shell'] });
  const shell = async (): Promise<string> => {
    await terminal.press(keys.enter);
    await terminal.waitFor('that was all');
    const screen = terminal.screen();
    await terminal.press(keys.enter);
    await terminal.exited;
    return screen;
  };
  return { terminal, shell, pidFile };
}

function expectRestored(stty: string, terminal: Terminal): void {
  for (const setting of ['icanon', 'echo', 'isig', 'icrnl', 'opost'])
    expect(stty).toMatch(new RegExp(`(^|[\\s;])${setting}([\\s;]|$)`, 'm'));
  expect(terminal.isCursorVisible()).toBe(true);
  const bytes = terminal.bytes();
  for (const mode of ['2004', '2026', '1004', '1049']) {
    const on = bytes.lastIndexOf(`\u001B[?${mode}h`);
    const off = bytes.lastIndexOf(`\u001B[?${mode}l`);
    expect({ mode, left: on === -1 || off > on }).toEqual({ mode, left: true });
  }
}

function pidsIn(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}
