import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, openBench, snapshot } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const at = (path: string): string => join(bench.root, path);
const write = (path: string, text: string | Buffer): void => writeFileSync(at(path), text);
const shell = (command: string): void => void execFileSync('/bin/sh', ['-c', command], { cwd: bench.root });

test('a shell command’s changes are found, rewound and restored by the undo', async () => {
  write('keep.txt', 'untouched\n');
  write('a.txt', 'one\n');
  write('gone.bin', Buffer.from([0, 1, 2, 255]));
  write('run.sh', '#!/bin/sh\n');
  mkdirSync(at('empty'));
  mkdirSync(at('src/deep'), { recursive: true });
  write('src/deep/b.txt', 'b\n');
  symlinkSync('a.txt', at('link'));
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell(`echo two >> a.txt; rm gone.bin; chmod 755 run.sh; rmdir empty; mv src/deep lib; rm link
    ln -s keep.txt link; mkdir -p new/dir; echo n > new/dir/n.txt; : > zero`);
  const after = snapshot(bench.root);
  const { changes, notes } = await bench.checkpoints.capture();
  expect(notes).toEqual([]);
  expect(changes.map((change) => change.path.slice(bench.root.length + 1))).toEqual([
    'a.txt',
    'empty',
    'gone.bin',
    'lib',
    'lib/b.txt',
    'link',
    'new',
    'new/dir',
    'new/dir/n.txt',
    'run.sh',
    'src/deep',
    'src/deep/b.txt',
    'zero',
  ]);
  const undone = await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(undone.notes).toEqual([]);
  expect(snapshot(bench.root)).toEqual(before);
  expect((await bench.checkpoints.capture()).changes).toEqual([]);
  const redone = await bench.checkpoints.apply(await bench.checkpoints.plan(undone.changes));
  expect(redone.notes).toEqual([]);
  expect(snapshot(bench.root)).toEqual(after);
});

test('an edit by a tool is found without a scan', async () => {
  write('a.txt', 'one\ntwo\nthree\n');
  await bench.checkpoints.keep([at('a.txt'), at('x/y/new.txt')]);
  write('a.txt', 'one\n2\nthree\n');
  mkdirSync(at('x/y'), { recursive: true });
  write('x/y/new.txt', 'new\n');
  const { changes } = await bench.checkpoints.capture([at('a.txt'), at('x/y/new.txt')]);
  expect(changes.map((change) => [change.path, change.before?.type, change.after?.type])).toEqual([
    [at('a.txt'), 'file', 'file'],
    [at('x'), undefined, 'folder'],
    [at('x/y'), undefined, 'folder'],
    [at('x/y/new.txt'), undefined, 'file'],
  ]);
  const plan = await bench.checkpoints.plan(changes);
  expect(plan.steps[0]).toMatchObject({ action: 'modify', added: 1, removed: 1 });
  expect(plan.steps[0]?.diff).toContain('-2\n+two\n');
  await bench.checkpoints.apply(plan);
  expect([...snapshot(bench.root).keys()]).toEqual(['a.txt']);
});

test("the user's edit of other lines is merged with the rewind, and restored by its undo", async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  write('a.txt', `${lines.join('\n')}\n`);
  await bench.checkpoints.baseline();
  write('a.txt', `${lines.with(3, 'model').join('\n')}\n`);
  const { changes } = await bench.checkpoints.capture();
  write('a.txt', `${lines.with(3, 'model').with(15, 'user').join('\n')}\n`);
  const plan = await bench.checkpoints.plan(changes);
  expect(plan.steps).toMatchObject([{ action: 'merge', added: 1, removed: 1 }]);
  const applied = await bench.checkpoints.apply(plan);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe(`${lines.with(15, 'user').join('\n')}\n`);
  await bench.checkpoints.apply(await bench.checkpoints.plan(applied.changes));
  expect(readFileSync(at('a.txt'), 'utf8')).toBe(`${lines.with(3, 'model').with(15, 'user').join('\n')}\n`);
});

test.each<[string, () => void, string]>([
  ['in the same lines', () => write('a.txt', 'one\nuser\n'), 'same lines'],
  ['by deleting it', () => rmSync(at('a.txt')), 'deleted since'],
  ['to binary content', () => write('a.txt', Buffer.from([0, 1])), 'not text'],
  ['to a link', () => shell('ln -sf b a.txt'), 'become a link'],
])('a rewind leaves alone a file that the user has changed %s', async (_, change, reason) => {
  write('a.txt', 'one\ntwo\n');
  await bench.checkpoints.baseline();
  write('a.txt', 'one\nmodel\n');
  const { changes } = await bench.checkpoints.capture();
  change();
  const now = snapshot(bench.root);
  const plan = await bench.checkpoints.plan(changes);
  expect(plan.steps).toMatchObject([{ action: 'refuse', reason: expect.stringContaining(reason) }]);
  const applied = await bench.checkpoints.apply(plan);
  expect(applied.changes).toEqual([]);
  expect(snapshot(bench.root)).toEqual(now);
});

test("a rewind of a call's content keeps a file mode set by the user", async () => {
  write('a.sh', 'one\n');
  await bench.checkpoints.baseline();
  write('a.sh', 'two\n');
  const { changes } = await bench.checkpoints.capture();
  chmodSync(at('a.sh'), 0o700);
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(snapshot(bench.root).get('a.sh')).toBe(`file 700 ${Buffer.from('one\n').toString('base64')}`);
});

test('a rewind restores the user’s edit of a file that a later call moved', async () => {
  write('a.txt', 'one\n');
  await bench.checkpoints.baseline();
  write('a.txt', 'model\n');
  const first = await bench.checkpoints.capture();
  write('a.txt', 'user\n');
  await bench.checkpoints.baseline();
  shell('mv a.txt b.txt');
  const second = await bench.checkpoints.capture();
  const plan = await bench.checkpoints.plan([...first.changes, ...second.changes]);
  expect(plan.steps).toMatchObject([
    { action: 'create', reason: expect.stringContaining('the same lines have changed') },
    { action: 'delete' },
  ]);
  await bench.checkpoints.apply(plan);
  expect([...snapshot(bench.root).keys()]).toEqual(['a.txt']);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('user\n');
});

test('the diff shows each net change once and omits changes that cancel out', {
  tags: 'long',
}, async () => {
  write('a.txt', 'one\n');
  write('b.txt', 'one\n');
  await bench.checkpoints.baseline();
  shell('echo two > a.txt; echo two > b.txt; echo n > c.txt');
  const first = await bench.checkpoints.capture();
  shell('echo three > a.txt; echo one > b.txt; rm c.txt; chmod 755 b.txt');
  const second = await bench.checkpoints.capture();
  const steps = await bench.checkpoints.diff([...first.changes, ...second.changes]);
  expect(steps.map((step) => [step.path, step.action, step.added, step.removed])).toEqual([
    [at('a.txt'), 'modify', 1, 1],
    [at('b.txt'), 'mode', 0, 0],
  ]);
  expect(steps[0]?.diff).toContain('-one\n+three\n');
});

test('a rewind keeps a folder created by a call if the user has added files to it', async () => {
  await bench.checkpoints.baseline();
  shell('mkdir made; echo n > made/n.txt');
  const { changes } = await bench.checkpoints.capture();
  write('made/mine.txt', 'mine\n');
  const plan = await bench.checkpoints.plan(changes);
  expect(plan.steps).toMatchObject([
    { action: 'nothing', reason: 'it contains mine.txt, which is kept' },
    { action: 'delete' },
  ]);
  expect((await bench.checkpoints.apply(plan)).notes).toEqual([]);
  expect([...snapshot(bench.root).keys()]).toEqual(['made', 'made/mine.txt']);
});

test('a file is not restored if its folder has become a file', async () => {
  mkdirSync(at('d'));
  write('d/a.txt', 'one\n');
  await bench.checkpoints.baseline();
  shell('rm -r d');
  const { changes } = await bench.checkpoints.capture();
  write('d', 'mine\n');
  const plan = await bench.checkpoints.plan(changes);
  expect(plan.steps.map((step) => step.action)).toEqual(['refuse', 'refuse']);
  await bench.checkpoints.apply(plan);
  expect(readFileSync(at('d'), 'utf8')).toBe('mine\n');
});

test('removing and then recreating a file that a call named is recorded as one change each time', async () => {
  write('a.txt', 'one\n');
  await bench.checkpoints.baseline();
  await bench.checkpoints.keep([at('a.txt')]);
  shell('rm a.txt');
  expect((await bench.checkpoints.capture()).changes).toHaveLength(1);
  shell('mkdir a.txt');
  expect((await bench.checkpoints.capture()).changes).toHaveLength(1);
});

test('a rewind interrupted between removing and creating an entry can be completed or undone', async () => {
  shell('echo 1 > a; ln -s a b; mkdir c; ln -s a e; echo 2 > f; mkdir g; echo 3 > g/x');
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell(
    'rm a; ln -s f a; rm b; ln -s f b; rmdir c; echo c > c; rm e; mkdir e; rm f; mkfifo f; rm -r g; ln -s c g',
  );
  const after = snapshot(bench.root);
  const { changes } = await bench.checkpoints.capture();
  const inverse = changes.map(({ path, before: was, after: is }) => ({
    path,
    ...(is === undefined ? {} : { before: is }),
    ...(was === undefined ? {} : { after: was }),
  }));
  shell('rm -r a b c e f g');
  await bench.checkpoints.apply(await bench.checkpoints.plan(inverse));
  expect(snapshot(bench.root)).toEqual(after);
  shell('rm -r a b c e f g');
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(snapshot(bench.root)).toEqual(before);
});

test('another rewind completes an interrupted one', { tags: 'long' }, async () => {
  shell('echo 1 > a; echo 1 > b; echo 1 > c; ln -s a d');
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell('echo 2 > a; echo 2 > b; rm c; echo n > new; ln -sfn b d');
  const { changes } = await bench.checkpoints.capture();
  const begun = changes.map(({ path, before: was, after: is }) => ({
    path,
    unsure: true,
    ...(is === undefined ? {} : { before: is }),
    ...(was === undefined ? {} : { after: was }),
  }));
  shell('echo 1 > a; rm d');
  await bench.checkpoints.apply(await bench.checkpoints.plan([...changes, ...begun]));
  expect(snapshot(bench.root)).toEqual(before);
});
