import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PathChange } from '../../src/protocol/checkpoints.ts';
import { cpuClock } from '../cpuTime.ts';
import { type Bench, openBench, snapshot } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const at = (path: string): string => join(bench.root, path);
const write = (path: string, content: string | Buffer): void => writeFileSync(at(path), content);
const shell = (command: string): void => void execFileSync('/bin/sh', ['-c', command], { cwd: bench.root });
const plan = (changes: readonly PathChange[]) => bench.checkpoints.plan(changes);

/** The changes that a command made. */
async function changesOf(command: string): Promise<readonly PathChange[]> {
  await bench.checkpoints.baseline();
  shell(command);
  return (await bench.checkpoints.capture()).changes;
}

test('a rewind with a log from another program creates no links or pipes and loosens no modes', async () => {
  write('kept.sh', 'one\n');
  shell('chmod 700 kept.sh; mkdir shared; chmod 775 shared');
  const changes = await changesOf('rm kept.sh');
  const before = changes[0]?.before;
  if (before?.type !== 'file') throw new Error('The file was not recorded.');
  write('now.sh', 'two\n');
  const [now] = await changesOf('printf three > now.sh');
  if (now?.after?.type !== 'file' || now.before?.type !== 'file') throw new Error('No change was recorded.');
  const forged: readonly PathChange[] = [
    { path: at('away'), before: { type: 'link', target: '/etc/passwd' } },
    { path: at('here'), before: { type: 'link', target: 'now.sh' } },
    { path: at('pipe'), before: { type: 'special', kind: 'pipe' } },
    { path: at('device'), before: { type: 'special', kind: 'device' } },
    { path: at('open.sh'), before: { ...before, mode: 0o777 } },
    { path: at('now.sh'), before: { ...now.before, mode: 0o777 }, after: now.after },
    { path: at('shared'), before: { type: 'folder', mode: 0o777 }, after: { type: 'folder', mode: 0o775 } },
    { path: `${bench.root}/new/../up.sh`, before },
    { path: `${bench.root}//double.sh`, before },
  ];
  const checkpoints = bench.reopen({});
  const planned = await checkpoints.plan(forged, new Set(forged.map(({ path }) => path)));
  expect(planned.steps.filter(({ action }) => action === 'refuse').map(({ path }) => path)).toEqual(
    [forged[0], forged[1], forged[2], forged[3], forged[7], forged[8]].map((one) => one?.path),
  );
  const applied = await checkpoints.apply(planned);
  expect(applied.notes).toEqual([]);
  for (const name of ['away', 'here', 'pipe', 'device', 'new', 'up.sh', 'double.sh'])
    expect(lstatSync(at(name), { throwIfNoEntry: false }), name).toBeUndefined();
  const modes = ['open.sh', 'now.sh', 'shared'].map((name) => statSync(at(name)).mode & 0o7777);
  expect(modes).toEqual([0o755, 0o755, 0o775]);
  expect(readFileSync(at('now.sh'), 'utf8')).toBe('two\n');
  // Changes that ClawdCode recorded itself are undone as they were, but never through a path with dots.
  const own = await bench.checkpoints.plan(forged.filter((_, index) => index < 4 || index > 6));
  const wanted = ['create', 'create', 'create', 'refuse', 'refuse', 'refuse'];
  expect(own.steps.map(({ action }) => action)).toEqual(wanted);
});

test('a rewind with a log from another program restores only ordinary project files, without special mode bits', async () => {
  write('plain.sh', 'one\n');
  const changes = await changesOf('chmod 755 plain.sh; rm plain.sh; mkdir d');
  const [before] = changes.flatMap((change) => (change.before?.type === 'file' ? [change.before] : []));
  if (before === undefined) throw new Error('The file was not recorded.');
  const outside = join(bench.outside, 'rc');
  const forged = [
    ...[at('plain.sh'), at('.husky'), outside].map((path) => ({ path, before: { ...before, mode: 0o6777 } })),
    { path: at('e'), before: { type: 'folder', mode: 0o3777 } as const },
  ];
  const checkpoints = bench.reopen({
    needsApproval: () => (path) => (path === at('.husky') || path === outside ? 'It asks.' : undefined),
  });
  const foreign = new Set(forged.map(({ path }) => path));
  const planned = await checkpoints.plan(forged, foreign);
  const hint =
    'The log does not prove that ClawdCode recorded this change here, so it is not restored. /diff shows it, so that you can do so by hand.';
  expect(planned.steps.map(({ action, reason }) => [action, reason])).toEqual([
    ['create', undefined],
    ['refuse', `It asks. ${hint}`],
    ['refuse', `It asks. ${hint}`],
    ['create', undefined],
  ]);
  await checkpoints.apply(planned);
  expect([at('plain.sh'), at('e')].map((path) => statSync(path).mode & 0o7777)).toEqual([0o755, 0o755]);
  expect([existsSync(at('.husky')), existsSync(outside)]).toEqual([false, false]);
  const own = await checkpoints.plan(forged.slice(1, 3));
  expect(
    own.steps.map(({ action }) => action),
    'recorded by this program',
  ).toEqual(['create', 'create']);
});

test('a rewind writes nothing through a folder that has become a link out of the project', async () => {
  mkdirSync(at('d'));
  write('d/a.txt', 'one\n');
  const changes = await changesOf('echo two > d/a.txt; echo new > d/new.txt');
  const early = await plan(changes);
  renameSync(at('d'), join(bench.outside, 'd'));
  symlinkSync(join(bench.outside, 'd'), at('d'));
  const elsewhere = snapshot(bench.outside);
  const late = await plan(changes);
  expect(late.steps.map((step) => [step.action, step.reason])).toEqual([
    ['refuse', 'its path now leads through a link'],
    ['refuse', 'its path now leads through a link'],
  ]);
  const applied = await bench.checkpoints.apply(early);
  expect(applied.changes).toEqual([]);
  expect([...applied.notes].sort()).toEqual([
    'd/a.txt was left unchanged: its path now leads through a link',
    'd/new.txt was left unchanged: its path now leads through a link',
  ]);
  expect(snapshot(bench.outside)).toEqual(elsewhere);
});

test('a rewind writes nothing through a folder that becomes a link while a file is being restored', async () => {
  mkdirSync(at('d'));
  write('d/a.txt', 'one\n');
  const changes = await changesOf('echo two > d/a.txt');
  let isSwapping = false;
  const checkpoints = bench.reopen({
    blobs: {
      ...bench.blobs,
      // The last operation awaited before the file is written.
      read: async (ref) => {
        if (isSwapping) {
          isSwapping = false;
          renameSync(at('d'), join(bench.outside, 'd'));
          symlinkSync(join(bench.outside, 'd'), at('d'));
        }
        return bench.blobs.read(ref);
      },
    },
  });
  const plan = await checkpoints.plan(changes);
  isSwapping = true;
  const applied = await checkpoints.apply(plan);
  expect(applied.changes).toEqual([]);
  expect(applied.notes).toEqual(['d/a.txt was left unchanged: its path now leads through a link']);
  expect(readFileSync(join(bench.outside, 'd/a.txt'), 'utf8')).toBe('two\n');
});

test('a link is recorded and restored as a link, whatever its target', async () => {
  writeFileSync(join(bench.outside, 'secret'), 'theirs\n');
  symlinkSync(join(bench.outside, 'secret'), at('out'));
  symlinkSync('loop', at('loop'));
  symlinkSync(bench.outside, at('folder'));
  const before = snapshot(bench.root);
  const changes = await changesOf('rm out loop folder; echo mine > out; mkdir folder');
  await bench.checkpoints.apply(await plan(changes));
  expect(snapshot(bench.root)).toEqual(before);
  expect(readFileSync(join(bench.outside, 'secret'), 'utf8')).toBe('theirs\n');
  expect([...bench.blobs.kept.values()].map(String)).not.toContain('theirs\n');
});

test('a folder that a command replaced by a link is restored with all its files', async () => {
  shell('mkdir -p d/e other && echo 1 > d/a && echo 2 > d/e/b && echo 3 > other/a');
  writeFileSync(join(bench.outside, 'a'), 'outside\n');
  const before = snapshot(bench.root);
  for (const target of ['other', '../outside']) {
    const changes = await changesOf(`rm -r d && ln -s ${target} d`);
    const after = snapshot(bench.root);
    const { changes: done } = await bench.checkpoints.apply(await plan(changes));
    expect(snapshot(bench.root)).toEqual(before);
    await bench.checkpoints.apply(await plan(done));
    expect(snapshot(bench.root)).toEqual(after);
    await bench.checkpoints.apply(await plan(changes));
  }
  expect(readFileSync(join(bench.outside, 'a'), 'utf8')).toBe('outside\n');
});

test('no scan, plan or rewind opens a pipe in place of a file', async () => {
  write('a.txt', 'one\n');
  write('b.txt', 'one\n');
  const changes = await changesOf('rm a.txt; mkfifo a.txt; echo two > b.txt');
  const early = await plan(changes);
  shell('rm b.txt; mkfifo b.txt');
  const applied = await bench.checkpoints.apply(early);
  expect(applied.notes).toEqual(['b.txt was left unchanged: it changed after the plan was made']);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
  expect(lstatSync(at('b.txt')).isFIFO()).toBe(true);
  expect((await plan(changes)).steps).toMatchObject([{ action: 'nothing' }, { action: 'refuse' }]);
});

test('a socket is recorded and left alone', async () => {
  await bench.checkpoints.baseline();
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(at('s'), resolve);
  });
  const { changes } = await bench.checkpoints.capture();
  expect(changes).toEqual([{ path: at('s'), after: { type: 'special', kind: 'socket' } }]);
  expect((await plan(changes)).steps).toMatchObject([{ action: 'refuse', reason: 'it is a socket now' }]);
  server.close();
});

test('the .git folder is never written to, whatever a log contains', async () => {
  mkdirSync(at('.git/hooks'), { recursive: true });
  const { hash } = await bench.blobs.put(Buffer.from('#!/bin/sh\n'));
  const before = { type: 'file', mode: 0o755, bytes: 10, hash } as const;
  const made = await plan([
    { path: at('.git/hooks/pre-commit'), before },
    { path: at('sub/.GIT/config'), before },
    { path: 'relative/path', before },
  ]);
  expect(made.steps.map((step) => step.reason)).toEqual([
    'it belongs to git',
    'it belongs to git',
    'it is not a path',
  ]);
});

test('a rewind creates nothing under a redacted name', async () => {
  const { hash } = await bench.blobs.put(Buffer.from('text\n'));
  const before = { type: 'file', mode: 0o644, bytes: 5, hash } as const;
  const { steps } = await plan([{ path: at('keys/[redacted: github-token 3f9a].txt'), before }]);
  expect(steps).toMatchObject([{ action: 'refuse', reason: 'its name holds a secret, which is not stored' }]);
});

test('files edited between the plan and the rewind are left alone and reported', async () => {
  write('a.txt', 'one\n');
  write('gone.txt', 'one\n');
  const changes = await changesOf('echo two > a.txt; rm gone.txt; echo n > new.txt');
  const made = await plan(changes);
  write('a.txt', 'mine\n');
  write('gone.txt', 'mine\n');
  write('new.txt', 'mine\n');
  const applied = await bench.checkpoints.apply(made);
  expect(applied.changes).toEqual([]);
  expect(applied.notes).toHaveLength(3);
  for (const name of ['a.txt', 'gone.txt', 'new.txt']) expect(readFileSync(at(name), 'utf8')).toBe('mine\n');
});

test('a scan detects a change of the same size with restored times', async () => {
  write('a.txt', 'one\n');
  write('b.txt', 'one\n');
  await bench.checkpoints.baseline();
  const { atime, mtime } = statSync(at('a.txt'));
  write('a.txt', 'two\n');
  utimesSync(at('a.txt'), atime, mtime);
  expect((await bench.checkpoints.capture()).changes.map((change) => change.path)).toEqual([at('a.txt')]);
});

test('a scan detects a change within the same clock tick', { tags: 'long' }, async () => {
  for (let round = 0; round < 30; round += 1) {
    write('a.txt', `${round}a\n`);
    await bench.checkpoints.baseline();
    write('a.txt', `${round}b\n`);
    expect((await bench.checkpoints.capture()).changes).toHaveLength(1);
  }
});

test('a file that may contain secrets is not stored, so it cannot be restored', async () => {
  const checkpoints = bench.reopen({ mayKeep: (path) => !path.endsWith('.env') });
  write('.env', 'KEY=secret\n');
  await checkpoints.baseline();
  shell('echo KEY=other > .env; echo KEY=third > new.env');
  const { changes, notes } = await checkpoints.capture();
  expect(notes).toEqual(['.env cannot be restored: it may hold secrets']);
  expect(JSON.stringify(changes)).not.toContain('hash');
  expect(bench.blobs.kept.size).toBe(0);
  expect((await checkpoints.plan(changes)).steps.map((step) => step.action)).toEqual(['refuse', 'refuse']);
});

test('a file above the size limit is stored only if a call names it', async () => {
  const checkpoints = bench.reopen({ limits: { maxFileBytes: 1000 } });
  write('big.bin', Buffer.alloc(1001, 1));
  write('named.bin', Buffer.alloc(1001, 1));
  await checkpoints.baseline();
  await checkpoints.keep([at('named.bin')]);
  shell('echo x >> big.bin; echo x >> named.bin');
  const { changes, notes } = await checkpoints.capture();
  expect(notes).toEqual(['big.bin cannot be restored: larger than 1000 bytes']);
  expect((await checkpoints.plan(changes)).steps.map((step) => step.action)).toEqual(['refuse', 'modify']);
});

test('the first scan does not read files that are too large to store', { tags: 'long' }, async () => {
  // Two sparse files of 1.9 GB, like a virtual machine's disk in a home folder: reading them would take many seconds.
  for (const name of ['large.img', 'larger.img']) shell(`truncate -s 1900M ${name}`);
  const spentMs = cpuClock();
  const changes = await changesOf('echo 1 > a.txt; echo 2 >> larger.img');
  expect(changes.map((change) => change.path)).toEqual([at('a.txt'), at('larger.img')]);
  const { steps } = await plan(changes);
  expect(spentMs()).toBeLessThan(2000);
  expect(steps.map((step) => step.action)).toEqual(['delete', 'refuse']);
  // A file that exceeds the total limit is not read either, and does not count as changed.
  const checkpoints = bench.reopen({ limits: { maxTotalBytes: 10 }, git: false });
  write('b.txt', 'more than ten bytes\n');
  await checkpoints.baseline();
  expect((await checkpoints.capture()).changes).toEqual([]);
});

test("a scan skips the kernel's file systems if the project is the root folder", async () => {
  const checkpoints = bench.reopen({ root: '/', limits: { maxEntries: 1 }, git: false });
  await checkpoints.baseline();
  const { changes, notes } = await checkpoints.capture();
  expect([...notes, ...changes.map((change) => change.path)].join('\n')).not.toMatch(
    /^\/(?:proc|sys|dev)\b/m,
  );
});

test('many megabytes are restored byte for byte', { tags: 'long' }, async () => {
  const content = Buffer.alloc(30 * 2 ** 20, 'ab\n');
  write('large.txt', content);
  await bench.checkpoints.keep([at('large.txt')]);
  write('large.txt', 'small\n');
  const { changes } = await bench.checkpoints.capture([at('large.txt')]);
  const applied = await bench.checkpoints.apply(await plan(changes));
  expect(readFileSync(at('large.txt')).equals(content)).toBe(true);
  await bench.checkpoints.apply(await plan(applied.changes));
  expect(readFileSync(at('large.txt'), 'utf8')).toBe('small\n');
});

test('files whose names are not UTF-8 are skipped and reported; other unusual names are covered', async () => {
  execFileSync('/bin/bash', ['-c', `touch $'bad\\xff' $'esc\\e[31m' $'new\\nline'`], { cwd: bench.root });
  await bench.checkpoints.baseline();
  execFileSync('/bin/bash', ['-c', `echo 1 > $'bad\\xff'; echo 1 > $'esc\\e[31m'; rm $'new\\nline'`], {
    cwd: bench.root,
  });
  const { changes, notes } = await bench.checkpoints.capture();
  expect(changes.map((change) => change.path)).toEqual([at('esc\u001b[31m'), at('new\nline')]);
  expect(notes).toEqual(['files whose names are not UTF-8 are not covered']);
  const { steps } = await plan(changes);
  expect(steps[0]?.diff).not.toContain('\u001b');
});

test('a file that cannot be stored is reported and cannot be restored, but other work continues', async () => {
  const full = {
    put: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    read: bench.blobs.read,
  };
  const checkpoints = bench.reopen({ blobs: full });
  write('a.txt', 'one\n');
  await checkpoints.baseline();
  shell('echo two > a.txt');
  const { changes, notes } = await checkpoints.capture();
  expect(changes).toMatchObject([{ path: at('a.txt') }]);
  expect(notes).toEqual(['a.txt cannot be restored: the disk with the copies is full (ENOSPC)']);
  expect((await checkpoints.plan(changes)).steps).toMatchObject([{ action: 'refuse' }]);
  // The same for a file that a call names, whatever is in it, and before the call runs.
  write('b.bin', 'a\0b');
  expect((await checkpoints.keep([at('b.bin')])).notes).toEqual([
    'b.bin cannot be restored: the disk with the copies is full (ENOSPC)',
  ]);
});

test('a plan rejects a damaged or missing blob before anything is written', async () => {
  write('a.txt', 'one\n');
  const changes = await changesOf('echo two > a.txt');
  const lost = bench.reopen({ blobs: { put: bench.blobs.put, read: async () => undefined } });
  expect((await lost.plan(changes)).steps).toMatchObject([
    { action: 'refuse', reason: 'its content is lost' },
  ]);
  const damaged = bench.reopen({ blobs: { put: bench.blobs.put, read: async () => Buffer.from('zzzz') } });
  expect((await damaged.plan(changes)).steps).toMatchObject([
    { action: 'refuse', reason: 'its content is damaged' },
  ]);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\n');
});

test('a deleted project folder can be restored', async () => {
  write('a.txt', 'one\n');
  const changes = await changesOf('cd ..; rm -rf project');
  expect(changes.map((change) => change.path)).toEqual([at('a.txt')]);
  expect(existsSync(bench.root)).toBe(false);
  await bench.checkpoints.apply(await plan(changes));
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n');
});

test('an interrupted baseline is continued by the next one', async () => {
  for (let index = 0; index < 50; index += 1) write(`${index}.txt`, `${index}\n`);
  const stop = new AbortController();
  stop.abort();
  await bench.checkpoints.baseline(stop.signal);
  await bench.checkpoints.baseline();
  shell('rm 7.txt');
  expect((await bench.checkpoints.capture()).changes.map((change) => change.path)).toEqual([at('7.txt')]);
});

const isRoot = spawnSync('id', ['-u'], { encoding: 'utf8' }).stdout.trim() === '0';

/** Runs `act` as a user without root's rights. */
async function asNobody(act: () => Promise<void>): Promise<void> {
  if (!isRoot) return act();
  execFileSync('chown', ['-R', '65534', join(bench.root, '..')]);
  process.seteuid?.(65534);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
  }
}

test('a rewind restores everything in a read-only folder, which stays read-only', async () => {
  mkdirSync(at('d'));
  write('d/a.txt', 'one\n');
  chmodSync(at('d/a.txt'), 0o444);
  chmodSync(at('d'), 0o555);
  await asNobody(async () => {
    const before = snapshot(bench.root);
    const changes = await changesOf('chmod 755 d; rm d/a.txt; echo n > d/n.txt; chmod 555 d');
    const applied = await bench.checkpoints.apply(await plan(changes));
    expect(applied.notes).toEqual([]);
    expect(snapshot(bench.root)).toEqual(before);
  });
  chmodSync(at('d'), 0o755);
});

test('unreadable files do not count as deleted and are reported as left out', async () => {
  mkdirSync(at('closed'));
  write('closed/a.txt', 'one\n');
  write('b.txt', 'one\n');
  await asNobody(async () => {
    await bench.checkpoints.baseline();
    chmodSync(at('closed'), 0);
    chmodSync(at('b.txt'), 0);
    const { changes, notes } = await bench.checkpoints.capture();
    expect(changes.map((change) => change.path)).toEqual([at('b.txt'), at('closed')]);
    expect(notes).toEqual(['closed cannot be read and is not covered']);
    const applied = await bench.checkpoints.apply(await plan(changes));
    expect(applied.notes).toEqual([]);
  });
  expect(statSync(at('closed')).mode & 0o777).toBe(0o755);
  rmSync(at('closed'), { recursive: true });
});

test('closing does not wait for a git process that is blocked on a pipe', { tags: 'long' }, async () => {
  shell('git init -q && git add -A && git -c user.name=T -c user.email=t@t commit -q --allow-empty -m x');
  write('a.txt', 'a\n');
  shell('git add a.txt && mkfifo .gitattributes');
  void bench.checkpoints.baseline();
  // By then it is querying git for the attributes.
  await new Promise((later) => setTimeout(later, 500));
  // Nothing ever writes to the pipe: waiting for it would exceed the test's timeout.
  await bench.checkpoints.close();
});
