import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { attentionOf as attentionIn } from '../../../src/cli/terminal/attention.ts';

const attentionOf = (
  settings: Parameters<typeof attentionIn>[0],
  env: Readonly<Record<string, string | undefined>>,
  root: string,
) => attentionIn(settings, { env, root, secretEnv: ['GROQ_KEY'] });

const settings = {
  notifications: 'auto',
  notificationCommand: null,
  terminalTitle: true,
  terminalProgress: true,
} as const;
const xterm = { TERM: 'xterm-256color' };

test.each([
  ['xterm', xterm, false],
  ['Windows Terminal', { ...xterm, WT_SESSION: 'x' }, true],
  ['ConEmu', { ...xterm, ConEmuANSI: 'ON' }, true],
  ['WezTerm', { ...xterm, TERM_PROGRAM: 'WezTerm' }, true],
  ['Ghostty 1.1', { ...xterm, TERM_PROGRAM: 'ghostty', TERM_PROGRAM_VERSION: '1.1.3' }, false],
  ['Ghostty 1.2', { ...xterm, TERM_PROGRAM: 'ghostty', TERM_PROGRAM_VERSION: '1.2.0-main+abc' }, true],
  ['iTerm2 3.5', { ...xterm, TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.5.14' }, false],
  ['iTerm2 3.6.6', { ...xterm, TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.6.6' }, true],
  ['an older VTE', { ...xterm, VTE_VERSION: '7600' }, false],
  ['VTE 0.80', { ...xterm, VTE_VERSION: '8000' }, true],
  ['Konsole 25.12', { ...xterm, KONSOLE_VERSION: '251203' }, false],
  ['Konsole 26.04', { ...xterm, KONSOLE_VERSION: '260400' }, true],
  ['tmux in Windows Terminal', { ...xterm, WT_SESSION: 'x', TMUX: '/tmp/x,1,0' }, false],
] as [string, Record<string, string>, boolean][])('progress in %s: %j → %s', (_, env, shown) => {
  expect(attentionOf(settings, env, '/').progress).toBe(shown);
  expect(attentionOf({ ...settings, terminalProgress: false }, env, '/').progress).toBe(false);
});

test.each([
  [{ TERM: 'xterm-kitty' }, 'osc99'],
  [{ ...xterm, TERM_PROGRAM: 'iTerm.app' }, 'osc9'],
  [{ ...xterm, TERM_PROGRAM: 'WezTerm' }, 'osc777'],
  [{ TERM: 'foot' }, 'osc777'],
  [{ ...xterm, TERM_PROGRAM: 'vscode' }, 'bell'],
  [{ TERM: 'tmux-256color', TMUX: 'x', KITTY_WINDOW_ID: '1' }, 'bell'],
  [xterm, 'bell'],
] as [Record<string, string>, string][])('auto in %j is %s', (env, channel) => {
  expect(attentionOf(settings, env, '/').notifications).toBe(channel);
  expect(attentionOf({ ...settings, notifications: 'off' }, env, '/').notifications).toBe('off');
});

test.each([
  ['linux', false],
  ['dumb', false],
  ['', false],
  ['vt100', false],
  ['xterm', true],
  ['vte-256color', true],
  ['tmux-256color', true],
])('a title in TERM=%s: %s', (TERM, takes) => {
  expect(attentionOf(settings, { TERM }, '/').title).toBe(takes);
  expect(attentionOf({ ...settings, terminalTitle: false }, { TERM }, '/').title).toBe(false);
});

test('the user’s program gets variables that no shell reads as code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-notify-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const command = 'printf "%s|%s" "$CLAWDCODE_SESSION" "$CLAWDCODE_MESSAGE" > told.part && mv told.part told';
  const { notify } = attentionOf(
    { ...settings, notificationCommand: command },
    { PATH: process.env.PATH },
    folder,
  );
  notify?.('is done', 'a "$(touch evil)" `touch evil`');
  const told = () => readFile(join(folder, 'told'), 'utf8').catch(() => undefined);
  await expect.poll(told).toBe('a "$(touch evil)" `touch evil`|is done');
  await expect(readFile(join(folder, 'evil'))).rejects.toThrow();
});

test('the program gets the environment without keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-notify-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { notify } = attentionOf(
    { ...settings, notificationCommand: 'env > told.part && mv told.part told' },
    {
      PATH: process.env.PATH,
      OPENAI_API_KEY: 'sk-mine',
      CLAWDCODE_API_KEY: 'sk-mine',
      GROQ_KEY: 'sk-mine',
      LANG: 'C',
    },
    folder,
  );
  notify?.('is done', 'title');
  const told = () => readFile(join(folder, 'told'), 'utf8').catch(() => '');
  await expect.poll(told).toContain('LANG=C');
  expect(await told()).not.toContain('sk-mine');
});

test('even a title that no variable can hold is notified', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-notify-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { notify } = attentionOf(
    { ...settings, notificationCommand: 'printf %s "$CLAWDCODE_SESSION" > told.part && mv told.part told' },
    { PATH: process.env.PATH },
    folder,
  );
  notify?.('is done', `a\0b\u001B]0;x\u0007${'c'.repeat(200_000)}`);
  const told = () => readFile(join(folder, 'told'), 'utf8').catch(() => '');
  await expect.poll(told).toMatch(/^abc{998}$/);
});

test('the program is never one from the project, even if the project comes first on the PATH', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-notify-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const programs = join(folder, 'node_modules/.bin');
  await mkdir(programs, { recursive: true });
  await writeFile(join(programs, 'true'), '#!/bin/sh\ntouch evil\n', { mode: 0o755 });
  const { notify } = attentionOf(
    { ...settings, notificationCommand: 'env true; env printf done > told.part && mv told.part told' },
    { PATH: `${programs}:${process.env.PATH}` },
    folder,
  );
  notify?.('is done', 'title');
  const told = () => readFile(join(folder, 'told'), 'utf8').catch(() => '');
  await expect.poll(told).toBe('done');
  await expect(readFile(join(folder, 'evil'))).rejects.toThrow();
});
