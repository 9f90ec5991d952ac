/** The launcher on a Node that is too old: the checkout brings a newer one, a packed program says what it needs. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { kindsOf } from './support/entryKinds.ts';
import { program } from './support/program.ts';
import { setStage } from './support/stage.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../..');
const launcher = join(checkout, 'bin/clawdcode.js');
const old = await oldNode();

// A machine that has nothing but a new Node cannot show what an old one sees.
describe.skipIf(old === undefined)(`with an old Node (${old ?? 'none on this machine'})`, () => {
  const node = old ?? '';

  test('the checkout goes on with its own newer Node, exit code and streams included', async () => {
    const { stdout } = await run(node, [launcher, '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { server, work, access } = await setStage();
    server.script({ text: 'Through the launcher.' });
    const options = { cwd: work.repository, env: work.env(access) };
    const child = run(node, [launcher, '-p'], options);
    child.child.stdin?.end('hello');
    expect(await child).toEqual({ stdout: 'Through the launcher.\n', stderr: '' });
    await expect(run(node, [launcher, '-p', '--no-such-option'], options)).rejects.toMatchObject({
      code: 42,
    });
  });

  test('it works in a terminal, and a signal reaches the program', async () => {
    const { server, work, access, open } = await setStage();
    server.script({ text: 'Here as well.' });
    const terminal = open([], { env: work.env(access), command: [node, launcher] });
    await terminal.waitFor(/context ~?\d+%/);
    await terminal.submit('hello');
    await terminal.waitFor('Here as well.');
    await terminal.waitForIdle();
    terminal.kill('SIGTERM');
    expect(await terminal.exited).toBe(143);
    expect(terminal.isCursorVisible()).toBe(true);
    const [session] = await work.sessions();
    expect(kindsOf(session?.entries ?? []).at(-1)).toBe('turn_end');
  });

  test('a packed program says which Node it needs', async () => {
    const [, path = ''] = program();
    const failure = await run(node, [path, '--version']).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stdout: '' });
    const { stderr } = failure as { stderr: string };
    expect(stderr).toContain('needs Node 22.16 or later');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

test('compiled code is kept where nobody else can write, or not at all', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'clawdcode-launcher-'));
  const folder = join(temporary, `clawdcode-cache-${process.getuid?.()}`);
  const [node = '', path = ''] = program();
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
  const start = (env = {}) =>
    run(node, [path, 'session', 'list'], { env: { ...rest, TMPDIR: temporary, ...env } });
  try {
    await start({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(await readdir(temporary)).toEqual([]);
    await mkdir(folder);
    await chmod(folder, 0o777);
    await start();
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
    await start();
    expect(await readdir(folder)).not.toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  } finally {
    await rm(temporary, { recursive: true });
  }
});

test('where no folder can be made, nothing is kept', async () => {
  const [node = '', path = ''] = program();
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
  for (const TMPDIR of ['/dev/null', '/dev/null/below', '/proc/below', '/proc/below/that']) {
    const { stdout } = await run(node, [path, '--version'], { env: { ...rest, TMPDIR }, timeout: 20_000 });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  }
});

test('a folder that a repository could bring along is not taken for ours', async () => {
  const repository = await mkdtemp(join(tmpdir(), 'clawdcode-launcher-'));
  const [node = '', path = ''] = program();
  const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
  try {
    for (const TMPDIR of ['.', 'a/b'])
      await run(node, [path, 'session', 'list'], { cwd: repository, env: { ...rest, TMPDIR } });
    expect(await readdir(repository)).toEqual([]);
  } finally {
    await rm(repository, { recursive: true });
  }
});

/** A Node below 22.16 on this machine, outside `node_modules`. */
async function oldNode(): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin'];
  for (const folder of new Set(folders)) {
    const path = join(folder, 'node');
    if (folder === '' || folder.includes('node_modules') || !existsSync(path)) continue;
    const { stdout } = await run(path, ['--version']);
    const [major = 0, minor = 0] = stdout.slice(1).split('.').map(Number);
    if (major < 22 || (major === 22 && minor < 16)) return path;
  }
  return undefined;
}
