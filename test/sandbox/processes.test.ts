import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { confined, hasSandbox } from './confined.ts';

const patience = { timeout: 30_000, interval: 50 };

describe.skipIf(!hasSandbox)('processes in the sandbox', () => {
  test('cannot see or reach other processes', { tags: 'long' }, async () => {
    const { run } = await confined();
    const { text } = await run(`ls /proc | grep -c '^[0-9]'; kill -9 ${process.pid}`);
    expect(Number(text.split('\n')[0])).toBeLessThan(12);
    expect(text).toMatch(/No such process/);
  });

  // Outside the sandbox, only root can write there.
  test.runIf(process.getuid?.() === 0)('cannot change kernel settings', { tags: 'long' }, async () => {
    const { run } = await confined();
    // Writes the same value back, so that a failure of this test changes nothing.
    const file = '/proc/sys/kernel/core_pattern';
    const { text } = await run(`old=$(cat ${file}); echo "$old" > ${file} && echo WRITTEN`);
    expect(text).toMatch(/read-only file system/i);
    expect(text).not.toContain('WRITTEN');
    expect(
      (await run(`[ -w ${file} ] && echo WRITABLE; cat ${file}`, { basis: 'read-only' })).text,
    ).not.toContain('WRITABLE');
  });

  test('get no tokens in their environment, except granted ones', async () => {
    const env = {
      GITHUB_TOKEN: 'SECRET-1',
      AWS_SECRET_ACCESS_KEY: 'SECRET-2',
      DATABASE_URL: 'postgres://u:SECRET-3@h/db',
      NPM_TOKEN: 'GRANTED',
      KEYBOARD_LAYOUT: 'us',
      SOME_VALUE: 'token-by-form',
    };
    const { run } = await confined({
      env,
      options: { environment: { granted: ['NPM_*'], isToken: (value) => value === 'token-by-form' } },
    });
    const { text } = await run('env');
    expect(text).not.toMatch(/SECRET|token-by-form/);
    expect(text).toContain('NPM_TOKEN=GRANTED');
    expect(text).toContain('KEYBOARD_LAYOUT=us');
  });

  test('get a network only once a command may do more than read, since opening one is slow', async () => {
    const { run, sandbox } = await confined();
    const before = heldNetworks();
    sandbox.prepare();
    expect((await run('echo read', { basis: 'read-only' })).text).toContain('read');
    // Long enough for a network to be opened meanwhile.
    await run('sleep 1', { basis: 'read-only' });
    expect(heldNetworks()).toBe(before);
    expect((await run('echo written > file; cat file')).text).toContain('written');
    expect(heldNetworks()).toBe(before + 1);
  });

  test('get time to exit on their own after an interrupt', { tags: 'long' }, async () => {
    const stop = new AbortController();
    const { run, root } = await confined({ context: { signal: stop.signal } });
    const ran = run(`trap 'echo bye > ended; exit' TERM; echo up > up; while :; do sleep 0.05; done`);
    await vi.waitFor(() => expect(existsSync(join(root, 'up'))).toBe(true), patience);
    stop.abort();
    expect((await ran).text).toContain('Interrupted');
    await vi.waitFor(() => expect(existsSync(join(root, 'ended'))).toBe(true), patience);
  });

  test('end with the command that started them, and the model is told', {
    tags: 'long',
  }, async () => {
    const { run, root } = await confined();
    const { text } = await run(
      `(sleep 1; echo late > late) & setsid sh -c 'sleep 1; echo late > later' & echo done`,
    );
    expect(text).toContain('done');
    expect(text).toMatch(/left behind/);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(existsSync(join(root, 'late')) || existsSync(join(root, 'later'))).toBe(false);
  });

  test('report the working directory and the exit code', async () => {
    const { run } = await confined();
    const { text } = await run('mkdir -p d && cd d && exit 7');
    expect(text).toMatch(/Working directory is now .*\/d/);
    expect(text).toContain('exit code 7');
  });

  test.each(['mkfifo $d/cwd $d/jobs', 'ln -s /dev/zero $d/cwd; ln -s /dev/zero $d/jobs'])(
    'leave nothing in their scratch folder that is trusted: %s',
    { tags: 'long' },
    async (leave) => {
      const { run } = await confined();
      const { text } = await run(
        `d=$(echo "$TMPDIR"/clawdcode-*/clawdcode-*/); rm -f $d/cwd $d/jobs; ${leave}; trap - EXIT; ls $d; echo hi`,
      );
      expect(text).toBe('cwd\njobs\nhi');
    },
  );

  test('do not survive if the program is killed', { tags: 'long' }, async () => {
    const { root, home, tmp } = await confined();
    const script = join(root, 'host.mjs');
    const from = (path: string) => JSON.stringify(resolve(import.meta.dirname, '../../src', path));
    writeFileSync(
      script,
      `import { bubblewrapArguments } from ${from('sandbox/linux/bubblewrap.ts')};
       import { spawn } from 'node:child_process';
       const plan = { mode: 'workspace-write', cwd: ${JSON.stringify(root)}, writable: [${JSON.stringify(root)}], hidden: [], readable: [], protected: [], pinned: [], scratch: ${JSON.stringify(tmp)}, scratchParent: undefined, temporary: [], network: 'none' };
       spawn('bwrap', [...bubblewrapArguments(plan, undefined), 'sh', '-c', 'while :; do date +%N > tick; sleep 0.05; done'], { detached: true, stdio: 'ignore' });
       setInterval(() => {}, 1000);`,
    );
    const host = spawn(process.execPath, ['--experimental-strip-types', '--no-warnings', script], {
      stdio: 'inherit',
      env: { PATH: process.env.PATH, HOME: home },
    });
    const tick = (): string =>
      existsSync(join(root, 'tick')) ? readFileSync(join(root, 'tick'), 'utf8') : '';
    await vi.waitFor(() => expect(tick()).not.toBe(''), patience);
    host.kill('SIGKILL');
    await vi.waitFor(async () => {
      const before = tick();
      await new Promise((done) => setTimeout(done, 500));
      expect(tick()).toBe(before);
    }, patience);
  });

  test('are confined by programs that are looked up only once, so later ones on the PATH cannot replace them', {
    tags: 'long',
  }, async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [early, late, ran] = [join(folder, 'early'), join(folder, 'late'), join(folder, 'ran')];
    for (const at of [early, late]) mkdirSync(at);
    for (const name of ['bwrap', 'nsenter']) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
      if (stdout !== '') symlinkSync(stdout.trim(), join(late, name));
    }
    const { run } = await confined({
      options: { path: `${early}:${late}` },
      env: { PATH: `${early}:${process.env.PATH}` },
    });
    expect((await run('echo hi')).text).toBe('hi');
    writeFileSync(join(early, 'bwrap'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    expect((await run('echo hi')).sandbox?.mode).toBe('workspace-write');
    rmSync(join(late, 'bwrap'));
    expect((await run('echo hi')).text).not.toMatch(/^hi$/m);
    expect(existsSync(ran)).toBe(false);
  });

  test('cannot exceed memory limits', { tags: 'long' }, async () => {
    const { run } = await confined({ options: { limits: { memoryBytes: 256 * 2 ** 20, processes: null } } });
    const { text } = await run(`node -e 'console.log(Buffer.alloc(600*2**20).length)' || echo stopped`);
    expect(text).toContain('stopped');
  });
});

/** How many network namespaces this process holds for its commands. */
function heldNetworks(): number {
  const links = readdirSync('/proc/self/fd').map((name) => linkOf(`/proc/self/fd/${name}`));
  return links.filter((link) => link.startsWith('net:')).length;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It has been closed.
    return '';
  }
}
