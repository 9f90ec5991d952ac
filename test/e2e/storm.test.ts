/**
 * Everything at the same time, in random but repeatable order: typing, pastes, keys that take over the terminal, stops
 * and resizes while replies stream. Afterwards nothing was printed twice or lost, and the terminal is restored.
 * `STORM_SEEDS=5,6,7 STORM_STEPS=60` tries more.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { long } from './support/long.ts';
import { resizeHeard } from './support/resizing.ts';
import type { ScriptedReply } from './support/server.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

const seeds = (process.env.STORM_SEEDS ?? '11').split(',').map(Number);
const steps = Number(process.env.STORM_STEPS ?? 16);

/** Stops together with the program, as an interactive shell does, and resumes it at once. */
const shell = `stty -g > ../before; set -m; "$@"; code=$?
while [ $code = 147 -o $code = 148 ]; do sleep 0.1; fg %1 > /dev/null; code=$?; done
echo "code $code"; stty -g > ../after`;

test.each(seeds)('storm %i', { ...long, timeout: 120_000 }, async (seed) => {
  const next = random(seed);
  const { server, open, work, access } = await setUpProgram();
  let replies = 0;
  server.otherwise(({ messages }) => replyOf(++replies, messages.at(-1)?.role === 'tool', next));
  const editor = join(work.home, 'editor.sh');
  await writeFile(editor, '#!/bin/sh\nsleep 0.2\nprintf " edited" >> "$1"\n', { mode: 0o755 });
  const terminal = open(['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash'], {
    columns: 100,
    rows: 30,
    env: work.env({ ...access, TERM_PROGRAM: 'vscode', EDITOR: editor }),
    below: ['sh', '-c', shell, 'sh'],
  });
  await terminal.waitFor(/context ~?\d+%/);
  const actions = actionsOn(terminal, next);
  const names = Object.keys(actions);
  const done: string[] = [];
  while (done.length < steps) {
    // Every third one is a prompt, so that there is something to disturb.
    const name = done.length % 3 === 0 ? 'prompt' : (names[next(names.length)] ?? '');
    done.push(name);
    await actions[name]?.();
  }
  await terminal.resize(100, 30);
  await terminal.pause(400);
  await terminal.waitForIdle(60_000);
  await terminal.press('zz');
  await terminal.press(keys.escape, keys.escape);
  await terminal.waitFor(/^❯ Ask for/m);
  await terminal.type('the end 日本');
  await terminal.waitFor(/^❯ the end 日本$/m);
  const rows = terminal.screen().split('\n');
  expect(terminal.cursor()).toEqual({ x: 14, y: rows.indexOf('❯ the end 日本') });

  const printed = terminal.everything();
  const sessions = await work.sessions();
  const said = sessions.flatMap(({ entries }) =>
    entries.flatMap(({ type, message }) =>
      type === 'assistant' ? [...String(message.content).matchAll(MARK)].map(([mark]) => mark) : [],
    ),
  );
  const shown = [...printed.matchAll(MARK)].map(([mark]) => mark);
  expect({ shown, done }).toEqual({ shown: said, done });
  expect(said.length).toBeGreaterThan(0);
  expect({ composers: printed.match(/^❯/gm)?.length, done }).toEqual({ composers: 1, done });
  expect({ statuses: printed.match(/^mock-1 · /gm)?.length, done }).toEqual({ statuses: 1, done });
  expect(terminal.bytes()).not.toMatch(/\u001B\[[23]J|\u001Bc/);

  await terminal.press(keys.ctrl('c'));
  await terminal.press(keys.ctrl('c'));
  await terminal.waitForPrinted('code 0');
  await terminal.exited;
  expectAsBefore(terminal);
  expect(await work.read('../after')).toBe(await work.read('../before'));
});

const MARK = /reply\d+row\d+/g;

const words = ['says something', '日本語のテキスト', 'family 👩‍👩‍👧 here', 'mixed שלום text'] as const;

/** Rows that can be recognized, or a call. */
function replyOf(reply: number, isAfterCall: boolean, next: (below: number) => number): ScriptedReply {
  const kind = isAfterCall ? 0 : next(4);
  if (kind === 1) return { calls: [{ name: 'Bash', input: { command: `sleep 0.${next(5)}` } }] };
  if (kind === 2) return { calls: [{ name: 'TodoWrite', input: { todos } }] };
  const rows = Array.from({ length: 3 + next(30) }, (_, row) => `reply${reply}row${row} ${words[next(4)]}.`);
  return { text: rows.join('\n\n'), chunkSize: 5 + next(60), latency: next(4) };
}

const todos = Array.from({ length: 9 }, (_, at) => ({
  content: `thing ${at}`,
  activeForm: `doing thing ${at}`,
  status: at < 2 ? 'completed' : at === 2 ? 'in_progress' : 'pending',
}));

function actionsOn(
  terminal: Terminal,
  next: (below: number) => number,
): Readonly<Record<string, () => Promise<void>>> {
  const takeAway = async (key: string, ms: number): Promise<void> => {
    await terminal.press(key);
    await terminal.pause(ms);
  };
  return {
    type: () => terminal.press(...(['ab', ' 日本', 'x👩‍👩‍👧y', 'é'][next(4)] ?? '')),
    prompt: () => terminal.submit(' and on'),
    paste: () => terminal.press(keys.paste('x'.repeat(next(2) === 0 ? 1_000_000 : 3000))),
    async transcript() {
      await takeAway(keys.ctrl('o'), 200);
      await terminal.press('k', 'g', 'G', 'q');
    },
    todos: () => terminal.press(keys.ctrl('t')),
    background: () => terminal.press(keys.ctrl('b')),
    search: () => terminal.press(keys.ctrl('r'), 'a', keys.ctrl('c')),
    stash: () => terminal.press(keys.ctrl('s'), keys.ctrl('s')),
    editor: () => takeAway(keys.ctrl('g'), 600),
    suspend: () => takeAway(keys.ctrl('z'), 700),
    async stop() {
      signal(terminal, 'SIGSTOP');
      await terminal.resize(75 + next(80), 28 + next(20));
      await terminal.pause(50);
      signal(terminal, 'SIGCONT');
      await terminal.pause(300);
    },
    async resize() {
      for (let step = 0; step < 6; step++) {
        await resizeHeard(terminal, 75 + next(100), 28 + next(20));
        await terminal.pause(next(20));
      }
      await terminal.pause(next(2) * 200);
    },
    async signals() {
      for (let many = 0; many < 20; many++) signal(terminal, 'SIGWINCH');
    },
  };
}

/** Sends it to the shell's child. */
function signal(terminal: Terminal, name: NodeJS.Signals): void {
  const pid = execFileSync('ps', ['-o', 'pid=', '--ppid', String(terminal.pid)], { encoding: 'utf8' });
  process.kill(Number(pid.trim().split(/\s+/)[0]), name);
}

/** Pastes and reports off, the ordinary screen, a visible cursor, the old title, no progress. */
function expectAsBefore(terminal: Terminal): void {
  const bytes = terminal.bytes();
  const isOn = (mode: number) =>
    bytes.lastIndexOf(`\u001B[?${mode}h`) > bytes.lastIndexOf(`\u001B[?${mode}l`);
  expect([2004, 1004, 2031, 1049, 2026].filter(isOn)).toEqual([]);
  expect(terminal.isCursorVisible()).toBe(true);
  expect(bytes.split('\u001B[22;2t').length).toBe(bytes.split('\u001B[23;2t').length);
  expect(bytes.lastIndexOf('\u001B]9;4;3')).toBeLessThanOrEqual(bytes.lastIndexOf('\u001B]9;4;0'));
}

/** A small random number generator; the same seed gives the same numbers. */
function random(seed: number): (below: number) => number {
  let state = Math.imul(seed, 2654435761) & 0x7fffffff;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}
