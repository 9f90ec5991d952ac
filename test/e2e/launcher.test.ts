/**
 * The launcher on a Node that is too old: a checkout uses its own newer one, a packed program says what it needs.
 *
 * @module-tag long
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kindsOf } from './support/entryKinds.ts';
import { program } from './support/program.ts';
import { setUpProgram } from './support/testProgram.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../..');
const launcher = join(checkout, 'bin/clawdcode.js');
const old = await oldNode();

// A machine with only a new Node cannot show the behavior of an old one.
describe.skipIf(old === undefined)(
  `with an old Node (${old ?? 'none on this machine'})`,
  { tags: 'long' },
  () => {
    const node = old ?? '';

    test('the checkout uses its own newer Node, with exit code and streams', { tags: 'long' }, async () => {
      const { stdout } = await run(node, [launcher, '--version']);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      const { server, work, access } = await setUpProgram();
      server.script({ text: 'Through the launcher.' });
      const options = { cwd: work.repository, env: work.env(access) };
      const child = run(node, [launcher, '-p'], options);
      child.child.stdin?.end('hello');
      expect(await child).toEqual({ stdout: 'Through the launcher.\n', stderr: '' });
      await expect(run(node, [launcher, '-p', '--no-such-option'], options)).rejects.toMatchObject({
        code: 42,
      });
    });

    test('it works in a terminal, and a signal reaches the program', { tags: 'long' }, async () => {
      const { server, work, access, open } = await setUpProgram();
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

    test('the packed program says which Node it needs', async () => {
      const [, path = ''] = program();
      const failure = await run(node, [path, '--version']).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 1, stdout: '' });
      const { stderr } = failure as { stderr: string };
      expect(stderr).toContain('needs Node 22.16 or later');
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    });
  },
);

describe('compiled code', () => {
  const [node = '', path = ''] = program();
  let base: string;
  let home: string;
  let data: string;
  let repository: string;

  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-launcher-')));
    home = join(base, 'home');
    data = join(home, '.clawdcode');
    repository = join(base, 'repository');
    await mkdir(data, { recursive: true, mode: 0o700 });
    await mkdir(repository);
  });

  afterEach(() => rm(base, { recursive: true }));

  /** A run with something to store. */
  const start = (env: Readonly<Record<string, string>> = {}, cwd = repository) =>
    run(node, [path, 'session', 'list'], { cwd, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } });
  const kept = () => readdir(join(data, 'compile-cache'));
  /** All compiled code in a folder, at any depth. */
  const codeBelow = async (folder: string) =>
    (await readdir(folder, { recursive: true })).filter((name) => /compile-cache|(^|\/)code-/.test(name));

  test('is stored in the data folder, for its user alone, or not at all', { tags: 'long' }, async () => {
    await start({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(await codeBelow(data)).toEqual([]);
    await start();
    expect((await kept()).length).toBe(1);
    expect((await stat(join(data, 'compile-cache'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(data, 'compile-cache.key'))).mode & 0o777).toBe(0o600);
    const other = join(base, 'other');
    await mkdir(other, { mode: 0o700 });
    await start({ CLAWDCODE_HOME: other });
    expect(await readdir(other)).toContain('compile-cache');
  });

  test('is never stored in a folder that the environment names, or in the working directory', {
    tags: 'long',
  }, async () => {
    for (const name of ['TMPDIR', 'CLAWDCODE_HOME', 'HOME'])
      for (const folder of ['.', 'a/b', repository]) {
        const started = start({ HOME: join(base, 'none'), [name]: folder });
        if (name === 'CLAWDCODE_HOME' && folder !== repository)
          await expect(started).rejects.toThrow('CLAWDCODE_HOME');
        else await started;
      }
    expect(await codeBelow(repository)).toEqual([]);
    // Node itself stores its own there, as configured; we add nothing.
    const own = join(base, 'node');
    await start({ NODE_COMPILE_CACHE: own });
    expect((await kept()).length).toBe(1);
    expect(await codeBelow(own)).toEqual([]);
  });

  test('is not run if it was planted or changed', { tags: 'long' }, async () => {
    await start();
    const [name = ''] = await kept();
    const file = join(data, 'compile-cache', name);
    const whole = await readFile(file);
    const changed = Buffer.from(whole);
    changed.fill(0xee, Math.floor(changed.length / 2));
    await writeFile(file, changed);
    expect((await start()).stdout).toBe((await start({ NODE_DISABLE_COMPILE_CACHE: '1' })).stdout);
    expect((await readFile(file)).equals(changed)).toBe(false);
    // As in a checkout.
    await chmod(join(data, 'compile-cache'), 0o755);
    await writeFile(file, changed);
    await start();
    expect((await readFile(file)).equals(changed)).toBe(true);
  });

  test('stops nothing if it cannot be stored', { tags: 'long' }, async () => {
    const places = ['/dev/null', '/dev/null/below', '/proc/below', '/proc/below/that', '/', 'none', ''];
    for (const CLAWDCODE_HOME of places)
      for (const args of [['--version'], ['--help']]) {
        const env = { PATH: process.env.PATH ?? '', HOME: '/proc/none', CLAWDCODE_HOME };
        const { stdout } = await run(node, [path, ...args], { cwd: repository, env, timeout: 20_000 });
        expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$|--permission-mode/);
      }
    expect(await codeBelow(base)).toEqual([]);
  });
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
