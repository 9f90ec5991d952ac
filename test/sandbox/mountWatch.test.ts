import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readMounts } from '../../src/sandbox/linux/mountCheck.ts';
import { lostGuards, lostMount } from '../../src/sandbox/linux/mountWatch.ts';
import { type Confined, confined, hasSandbox } from './confined.ts';

type Guard = Parameters<typeof lostGuards>[0][number];

const protects = (path: string): Guard => ({
  type: 'protects',
  expected: { path, from: { device: '8:1', path }, isReadOnly: true },
});
const hides = (path: string): Guard => ({
  type: 'hides',
  expected: { path, from: { device: '0:6', path: '/null' }, isReadOnly: true },
});
const empties = (path: string): Guard => ({
  type: 'hides',
  expected: { path, isReadOnly: true },
  mode: '0000',
});
const pins = (path: string): Guard => ({
  type: 'pins',
  expected: { path, from: { device: '8:1', path }, isReadOnly: false },
});

describe('mounts that a sandbox has lost', () => {
  const base = [
    '1 0 8:1 / / ro,nosuid,relatime - ext4 /dev/sda rw',
    '2 1 8:1 /h/p /h/p rw,nosuid,relatime - ext4 /dev/sda rw',
    '3 1 0:5 / /dev ro,nosuid - tmpfs tmpfs rw',
    '4 3 0:6 /null /dev/null rw,nosuid,noexec - devtmpfs dev rw',
  ];
  const guards = [protects('/h/p/.envrc'), hides('/h/.npmrc'), empties('/h/.ssh'), pins('/h/p/.github')];
  const set = [
    '5 2 8:1 /h/p/.envrc /h/p/.envrc ro - ext4 /dev/sda rw',
    '6 1 0:6 /null /h/.npmrc ro - devtmpfs dev rw',
    '7 1 0:9 / /h/.ssh ro - tmpfs tmpfs rw',
    '8 2 8:1 /h/p/.github /h/p/.github rw - ext4 /dev/sda rw',
  ];
  const lost = (lines: readonly string[], exists = () => true): readonly string[] =>
    lostGuards(guards, readMounts([...base, ...lines].join('\n')), exists).map(
      ({ expected }) => expected.path,
    );

  test.each<[string, readonly string[], readonly string[]]>([
    ['none', set, []],
    ['a protected file that was replaced', set.slice(1), ['/h/p/.envrc']],
    [
      'a hidden file, a hidden folder and a pinned one',
      set.slice(0, 1),
      ['/h/.npmrc', '/h/.ssh', '/h/p/.github'],
    ],
    [
      'a protected file that was moved aside',
      set.map((line) => line.replaceAll('.envrc', '.envrc~')),
      ['/h/p/.envrc'],
    ],
  ])('are detected: %s', (_, lines, paths) => expect(lost(lines)).toEqual(paths));

  test('do not include missing paths, or paths that are read-only because a parent folder was moved', () => {
    expect(lost([], () => false)).toEqual([]);
    const moved = [...base.filter((line) => !line.startsWith('2 ')), ...set.slice(1, 3)];
    expect(lostGuards(guards, readMounts(moved.join('\n')), () => true)).toEqual([]);
  });

  test('are restored with the options that a mount must keep', () => {
    const mounts = readMounts(base.join('\n'));
    const words = guards.map((guard) => lostMount(guard, mounts).calls.map((call) => call.join(' ')));
    expect(words).toEqual([
      ['-o rbind self/fd/3', '-o remount,bind,ro,nosuid,relatime none'],
      ['-o rbind /dev/null', '-o remount,bind,ro,nosuid,noexec none'],
      ['-t tmpfs -o ro,nosuid,nodev,mode=0000 tmpfs'],
      ['-o rbind self/fd/3'],
    ]);
  });
});

describe.skipIf(!hasSandbox)('a protected or hidden file that is replaced while a command runs', () => {
  /** A background command that does something repeatedly, and counts in `ticks`. */
  const loop = (script: string): string =>
    `while :; do { ${script}; } 2>/dev/null; echo >> ticks; sleep 0.05; done`;
  const output = async ({ call }: Confined): Promise<string> =>
    (await call('BashOutput', { task_id: 'b1' })).text;
  const ticks = ({ root }: Confined): number =>
    existsSync(join(root, 'ticks')) ? statSync(join(root, 'ticks')).size : 0;
  const laterTicks = async (at: Confined): Promise<void> => {
    const now = ticks(at);
    await vi.waitFor(() => expect(ticks(at)).toBeGreaterThan(now + 3), 60_000);
  };
  /** Waits until a command has finished its current round and a whole one; returns all output until then. */
  const laterRounds = async (at: Confined): Promise<string> => {
    let text = '';
    await vi.waitFor(async () => {
      text += await output(at);
      expect(text.split('round').length).toBeGreaterThan(3);
    }, 60_000);
    return text;
  };
  /** Replaces a file as programs do when they save: a new file takes the name, or the old one is renamed first. */
  const replaceBy = {
    'a rename': (path: string) => {
      writeFileSync(`${path}.new`, 'new\n');
      renameSync(`${path}.new`, path);
    },
    'a new file next to the old one': (path: string) => {
      renameSync(path, `${path}~`);
      writeFileSync(path, 'new\n');
    },
  };
  /** Waits for the note about the replaced path; returns all output until then. */
  const noted = async (at: Confined, path: string): Promise<string> => {
    let text = '';
    await vi.waitFor(
      async () => {
        text += await output(at);
        expect(text).toContain(`Another program replaced ${path} while it ran`);
      },
      { timeout: 60_000, interval: 200 },
    );
    return text;
  };

  test.each(Object.entries(replaceBy))('is protected again if replaced by %s', async (_, replace) => {
    const at = await confined();
    const file = join(at.root, '.envrc');
    writeFileSync(file, 'old\n');
    await at.run(loop('echo evil >> .envrc'), { background: true });
    await laterTicks(at);
    expect(readFileSync(file, 'utf8')).toBe('old\n');
    replace(file);
    await noted(at, '.envrc');
    await vi.waitFor(async () => {
      // Writes in place, since the mount is of this file.
      writeFileSync(file, 'clean\n');
      await laterTicks(at);
      expect(readFileSync(file, 'utf8')).toBe('clean\n');
    }, 60_000);
    expect(await output(at)).toContain('running for');
  });

  test('is hidden again', async () => {
    const at = await confined();
    const file = join(at.home, '.npmrc');
    writeFileSync(file, 'TOKEN-1\n');
    await at.run(loop('cat ~/.npmrc'), { background: true });
    await laterTicks(at);
    expect(await output(at)).not.toContain('TOKEN-1');
    replaceBy['a rename'](file);
    // The note includes the old content: the kernel drops the mount before the new file takes the name.
    expect(await noted(at, file)).toContain('did not keep the old and the new content from it');
    // A file that was opened before can still be read.
    await laterTicks(at);
    await output(at);
    writeFileSync(file, 'TOKEN-2\n');
    await laterTicks(at);
    expect(await output(at)).not.toContain('TOKEN-2');
  });

  test('is hidden again from a read-only command', { tags: 'long' }, async () => {
    const at = await confined();
    const [file, folder] = [join(at.home, '.npmrc'), join(at.home, '.ssh')];
    const secret = join(at.root, '.env');
    writeFileSync(file, 'TOKEN-1\n');
    writeFileSync(secret, 'TOKEN-1\n');
    const script = 'while :; do cat ~/.npmrc ~/.ssh/* .env; echo round; sleep 0.05; done 2>/dev/null';
    await at.run(script, { background: true, basis: 'read-only' });
    expect(await laterRounds(at)).not.toContain('TOKEN-1');
    replaceBy['a rename'](file);
    await noted(at, file);
    replaceBy['a rename'](secret);
    await noted(at, '.env');
    renameSync(folder, join(at.home, 'moved'));
    execFileSync('cp', ['-r', join(at.home, 'moved'), folder]);
    await noted(at, folder);
    // A file that was opened before can still be read.
    await laterRounds(at);
    await output(at);
    for (const path of [file, secret]) writeFileSync(path, 'TOKEN-2\n');
    appendFileSync(join(folder, 'id_rsa'), 'LATER\n');
    expect(await laterRounds(at)).not.toMatch(/TOKEN-2|LATER/);
  });

  test('stops a read-only command in the foreground', { tags: 'long' }, async () => {
    const live: string[] = [];
    const at = await confined({ context: { onOutput: (text) => void live.push(text) } });
    const file = join(at.home, '.npmrc');
    writeFileSync(file, 'TOKEN-1\n');
    const script = 'while :; do cat ~/.npmrc; echo round; sleep 0.05; done';
    const running = at.run(script, { basis: 'read-only', timeout: 60_000 });
    await vi.waitFor(() => expect(live.join('')).toContain('round'), 60_000);
    expect(live.join('')).not.toContain('TOKEN-1');
    replaceBy['a rename'](file);
    const { text } = await running;
    expect(text).toContain(
      `another program replaced ${file}, and the new file could not be protected from the command`,
    );
  });

  test('stops the command if it cannot be protected again', async () => {
    const bin = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-bin-')));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    for (const name of ['bwrap', 'nsenter'])
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(bin, name),
      );
    const at = await confined({ options: { path: bin } });
    writeFileSync(join(at.root, '.envrc'), 'old\n');
    await at.run(loop('echo evil >> .envrc'), { background: true });
    await laterTicks(at);
    replaceBy['a rename'](join(at.root, '.envrc'));
    let text = '';
    await vi.waitFor(
      async () => {
        text = await output(at);
        expect(text).toContain('ended by SIGKILL');
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(text).toContain(
      '(The sandbox stopped it: another program replaced .envrc, and the new file could not be protected from the command. Run it again.)',
    );
  });

  test.each(['the project', 'the home'])(
    'stops the command if a folder is replaced by a link to %s, and exposes nothing there',
    async (target) => {
      const at = await confined();
      const [hook, sub] = [join(at.root, '.git/hooks/post-merge'), join(at.root, 'sub')];
      for (const folder of [at.root, sub]) execFileSync('git', ['init', '-q', folder]);
      const attack = `echo evil > '${hook}'; cat '${join(at.home, '.ssh/id_rsa')}'`;
      await at.run(`{ ${loop('true')}; } & while :; do ${attack}; done 2>/dev/null`, { background: true });
      await laterTicks(at);
      renameSync(sub, join(at.root, 'moved'));
      symlinkSync(target === 'the project' ? at.root : at.home, sub);
      let text = '';
      await vi.waitFor(
        async () => {
          text += await output(at);
          expect(text).toContain('ended by SIGKILL');
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(existsSync(hook)).toBe(false);
      expect(text).not.toContain('SECRET-KEY');
      expect(text).toContain('another program replaced sub');
    },
  );

  test('is pinned and protected again with its contents if it is a folder', { tags: 'long' }, async () => {
    const at = await confined();
    execFileSync('git', ['init', '-q', join(at.root, 'sub')]);
    await at.run(loop('echo evil > sub/.git/config'), { background: true });
    await laterTicks(at);
    renameSync(join(at.root, 'sub'), join(at.root, 'old'));
    const config = join(at.root, 'sub/.git/config');
    mkdirSync(join(at.root, 'sub/.git'), { recursive: true });
    writeFileSync(config, 'new');
    await noted(at, 'sub/.git');
    await vi.waitFor(async () => {
      // Writes in place, since the mount is of this folder.
      writeFileSync(config, 'clean');
      await laterTicks(at);
      expect(readFileSync(config, 'utf8')).toBe('clean');
    }, 60_000);
  });

  test('is named in the result of a command that ends before the next check', async () => {
    const at = await confined();
    const file = join(at.root, '.envrc');
    writeFileSync(file, 'old\n');
    const running = at.run('touch ready; while [ ! -e go ]; do sleep 0.02; done');
    await vi.waitFor(() => expect(existsSync(join(at.root, 'ready'))).toBe(true), 60_000);
    replaceBy['a rename'](file);
    writeFileSync(join(at.root, 'go'), '');
    const { text } = await running;
    expect(text).toContain('Another program replaced .envrc while it ran');
    expect(text).not.toContain('It created or changed');
  });
});
