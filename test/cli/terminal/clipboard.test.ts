import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTextFile } from '../../../src/cli/sessions/exportPort.ts';
import { copyToClipboard } from '../../../src/cli/terminal/clipboard.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

/** A folder with programs of these names, and an environment that finds only them. */
async function withPrograms(programs: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script.replaceAll('$OUT', join(folder, 'out'))}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { env: { PATH: folder, DISPLAY: ':0' }, out: () => readFile(join(folder, 'out'), 'utf8') };
}

test.each([
  { platform: 'darwin', env: {}, tools: ['pbcopy'] },
  { platform: 'win32', env: {}, tools: ['clip.exe'] },
  { platform: 'linux', env: { WSL_DISTRO_NAME: 'x' }, tools: ['clip.exe'] },
  { platform: 'linux', env: { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' }, tools: ['wl-copy', 'xclip', 'xsel'] },
  { platform: 'linux', env: {}, tools: [] },
  { platform: 'darwin', env: { SSH_TTY: '/dev/pts/1' }, tools: [] },
  {
    platform: 'linux',
    env: { SSH_CONNECTION: 'a', WAYLAND_DISPLAY: 'w', DISPLAY: ':10' },
    tools: ['xclip', 'xsel'],
  },
] as const)('on $platform with $env: $tools', async ({ platform, env, tools }) => {
  const names = ['pbcopy', 'clip.exe', 'wl-copy', 'xclip', 'xsel'];
  const made = await withPrograms(
    Object.fromEntries(names.map((name) => [name, `echo ${name} >> $OUT; exit 1`])),
  );
  await copyToClipboard('x', { platform, env: { ...env, PATH: made.env.PATH } });
  const tried = await made.out().catch(() => '');
  expect(tried.split('\n').filter((name) => name !== '')).toEqual(tools);
});

test('a program gets the text, and if it fails, the next one does', async () => {
  const { env, out } = await withPrograms({ xclip: 'exit 1', xsel: '/bin/cat > $OUT' });
  const sent: string[] = [];
  const copied = await copyToClipboard('text with 漢字\n', {
    platform: 'linux',
    env,
    write: (text) => sent.push(text),
  });
  expect(copied).toEqual({ type: 'copied', tool: 'xsel' });
  expect(await out()).toBe('text with 漢字\n');
  expect(sent).toEqual([]);
});

test('without a program the terminal gets the text; without a terminal no success is reported', {
  tags: 'long',
}, async () => {
  const { env } = await withPrograms({ xclip: '/bin/cat > /dev/null; exit 3' });
  const sent: string[] = [];
  expect(await copyToClipboard('hi', { platform: 'linux', env, write: (text) => sent.push(text) })).toEqual({
    type: 'sent',
  });
  expect(sent).toEqual(['\u001B]52;c;aGk=\u0007']);
  expect(await copyToClipboard('hi', { platform: 'linux', env })).toEqual({
    type: 'failed',
    message: 'xclip failed (exit 3).',
  });
  expect(await copyToClipboard('hi', { platform: 'linux', env: { PATH: env.PATH } })).toEqual({
    type: 'failed',
    message: 'No clipboard program was found, and there is no terminal to ask.',
  });
});

test('a program that never ends does not block', { tags: 'long' }, async () => {
  const { env } = await withPrograms({ xclip: 'exec /bin/sleep 60' });
  expect(await copyToClipboard('hi', { platform: 'linux', env })).toEqual({
    type: 'failed',
    message: 'xclip did not answer.',
  });
});

test('a sequence has a maximum length and passes through tmux', async () => {
  const sequenceFor = async (text: string, env: Readonly<Record<string, string>>) => {
    const sent: string[] = [];
    await copyToClipboard(text, { platform: 'linux', env, write: (one) => sent.push(one) });
    return sent[0];
  };
  expect(await sequenceFor('x'.repeat(56_244), {})).toBeDefined();
  expect(await sequenceFor('x'.repeat(56_245), {})).toBeUndefined();
  expect(await sequenceFor('hi', { TMUX: '/tmp/tmux' })).toBe(
    '\u001B]52;c;aGk=\u0007\u001BPtmux;\u001B\u001B]52;c;aGk=\u0007\u001B\\',
  );
});

test('a file is written once and never overwritten', async () => {
  const cwd = temporaryFolder();
  const place = { cwd, home: join(cwd, 'home') };
  expect(await writeTextFile('text', 'a/b.md', place)).toEqual({ type: 'done', file: join(cwd, 'a/b.md') });
  expect(await readFile(join(cwd, 'a/b.md'), 'utf8')).toBe('text\n');
  expect(await writeTextFile('other', 'a/b.md', place)).toMatchObject({ type: 'failed' });
  expect(await readFile(join(cwd, 'a/b.md'), 'utf8')).toBe('text\n');
  expect(await writeTextFile('text', '~/c.md', place)).toEqual({
    type: 'done',
    file: join(cwd, 'home/c.md'),
  });
});

test('control characters that would act as keys when pasted are not copied', async () => {
  const { env, out } = await withPrograms({ xclip: '/bin/cat > $OUT' });
  await copyToClipboard('ls\u001B[201~\r\u009Dx\u0007\n\tend\r\n', { platform: 'linux', env });
  expect(await out()).toBe('ls[201~x\n\tend\n');
});
