import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bubblewrapArguments } from '../../src/sandbox/linux/bubblewrap.ts';
import {
  expectedMounts,
  mountsNow,
  readMounts,
  unexpectedMount,
  writableMounts,
} from '../../src/sandbox/linux/mountCheck.ts';
import type { SandboxPlan } from '../../src/sandbox/plan.ts';
import { confined, hasSandbox } from './confined.ts';

const machine = readMounts(
  '1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 8:2 /@home /home rw - btrfs /dev/sdb rw\n',
);
const plan: SandboxPlan = {
  ...{ mode: 'workspace-write', cwd: '/home/u/p', network: 'none', scratch: '/tmp/s', scratchParent: '/tmp' },
  closedGitFolders: [],
  ...{ writable: ['/home/u/p'], pinned: ['/home/u/p/.git'], protected: ['/home/u/p/.git/hooks'] },
  ...{ hidden: [{ path: '/home/u/.ssh', isDirectory: true }], denied: [], readable: [], temporary: [] },
};
const own = [
  '10 1 8:1 / / ro - ext4 /dev/sda rw',
  '11 10 8:2 /@home /home ro - btrfs /dev/sdb rw',
  '12 11 8:2 /@home/u/p /home/u/p rw - btrfs /dev/sdb rw',
  '13 10 0:50 / /tmp rw - tmpfs tmpfs rw',
  '14 13 8:1 /tmp/s /tmp/s rw - ext4 /dev/sda rw',
  '15 12 8:2 /@home/u/p/.git /home/u/p/.git rw - btrfs /dev/sdb rw',
  '16 15 8:2 /@home/u/p/.git/hooks /home/u/p/.git/hooks ro - btrfs /dev/sdb rw',
  '17 11 0:51 / /home/u/.ssh ro - tmpfs tmpfs rw',
];

describe('the mounts of a sandbox', () => {
  const expected = expectedMounts(plan, machine, (path) => path);
  const problem = (lines: readonly string[]) => unexpectedMount(expected, readMounts(lines.join('\n')));
  const changed = (from: string, to: string) => own.map((line) => line.replace(from, to));

  test('are accepted if they are as planned', () => expect(problem(own)).toBeUndefined());

  test.each([
    [
      'a mount shows something else',
      changed('/@home/u/p/.git/hooks ', '/@home/u/x '),
      '/home/u/p/.git/hooks',
    ],
    [
      'a mount is in another place',
      changed('/home/u/p/.git/hooks ro', '/home/u/p/decoy ro'),
      '/home/u/p/.git/hooks',
    ],
    ['a mount is missing', own.filter((line) => !line.startsWith('17')), '/home/u/.ssh'],
    [
      'a protected path is writable',
      changed('/home/u/p/.git/hooks ro', '/home/u/p/.git/hooks rw'),
      '/home/u/p/.git/hooks',
    ],
    ['a hidden folder is not empty', changed('0:51 / ', '0:51 /keys '), '/home/u/.ssh'],
    ['a mount is from another file system', changed('8:2 /@home/u/p ', '8:3 /@home/u/p '), '/home/u/p'],
    [
      'another mount covers a mount',
      [
        ...own,
        '18 16 0:52 / /home/u/p/.git rw - tmpfs tmpfs rw',
        '19 12 8:2 /x /home/u/p/.git rw - btrfs b rw',
      ],
      '/home/u/p/.git',
    ],
  ])('are rejected if %s', (_, lines, path) => expect(problem(lines)).toBe(path));
});

describe.skipIf(!hasSandbox)('a workspace folder that is replaced while a sandbox is built', () => {
  /** A setup in which the first sandboxed command runs a script right before bubblewrap starts. */
  async function exchanging(script: (root: string, home: string) => string) {
    const bin = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-bin-')));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    const real = execFileSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
    const at = await confined({ options: { path: `${bin}:${process.env.PATH}` } });
    execFileSync('git', ['init', '-q', join(at.root, 'sub/in')]);
    // Not for the session's network, which needs no workspace.
    const once = `[ -e ${bin}/done ] || case "$*" in *--info-fd*${at.root}*) : > ${bin}/done; ${script(at.root, at.home)};; esac`;
    writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\n${once}\nexec ${real} "$@"\n`, { mode: 0o755 });
    return at;
  }
  test('does not make the target of a link in its place writable', { tags: 'long' }, async () => {
    const { run, home, root } = await exchanging((at) => `mv ${at}/sub ${at}/kept; ln -s ../other ${at}/sub`);
    execFileSync('git', ['init', '-q', join(home, 'other/in')]);
    const { text } = await run('echo x > ~/other/in/planted; echo ran > ran');
    expect(existsSync(join(home, 'other/in/planted'))).toBe(false);
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(text).toMatch(/nothing was run: another program replaced .*sub|bwrap: Can't/);
    // The next one finds the folder as it is now.
    expect((await run('echo ran')).text).toContain('ran');
  });

  test('leaves no protected file writable', { tags: 'long' }, async () => {
    const { run, root } = await exchanging(
      (at) => `cp -r ${at}/sub ${at}/decoy; mv ${at}/sub ${at}/kept; ln -s decoy ${at}/sub`,
    );
    expect((await run('echo x > kept/in/.git/hooks/pre-commit')).status).toBe('error');
    expect(existsSync(join(root, 'kept/in/.git/hooks/pre-commit'))).toBe(false);
  });

  test('makes nothing else writable even if another program replaces it repeatedly', {
    tags: 'long',
  }, async () => {
    const { run, home, root } = await confined();
    for (const folder of [join(root, 'sub/in'), join(home, 'other/in')])
      execFileSync('git', ['init', '-q', folder]);
    const script = `const { renameSync, symlinkSync, writeFileSync } = require('node:fs');
      const wait = () => { for (const end = performance.now() + Math.random() * 40; performance.now() < end; ); };
      symlinkSync('../other', 'link');
      writeFileSync('ready', '');
      for (;;) {
        renameSync('sub', 'aside'); renameSync('link', 'sub'); wait();
        renameSync('sub', 'link'); renameSync('aside', 'sub'); wait();
      }`;
    const other = spawn(process.execPath, ['-e', script], { cwd: root, stdio: 'ignore' });
    onTestFinished(() => void other.kill('SIGKILL'));
    await vi.waitFor(() => expect(existsSync(join(root, 'ready'))).toBe(true), 20_000);
    for (let at = 0; at < 20; at += 1) await run('echo x > ~/other/planted; echo x > ~/other/in/planted');
    expect(readdirSync(join(home, 'other'))).toEqual(['in']);
    expect(readdirSync(join(home, 'other/in'))).toEqual(['.git']);
  });

  test('gets no mount point outside it, although bubblewrap sees the whole machine', async () => {
    const { root, home, tmp } = await confined();
    symlinkSync(`/oldroot${home}`, join(root, 'sub'));
    const hidden = [{ path: join(root, 'sub/made'), isDirectory: false }];
    const own = { ...plan, cwd: root, scratch: tmp, scratchParent: undefined, writable: [root], hidden };
    const words = bubblewrapArguments(
      { ...own, pinned: [], protected: [] },
      { sealed: writableMounts(mountsNow()) },
    );
    const { stderr } = spawnSync('bwrap', [...words, 'true'], { encoding: 'utf8' });
    expect(existsSync(join(home, 'made'))).toBe(false);
    expect(stderr).toMatch(/Can't (?:create|mkdir)/);
  });
});
