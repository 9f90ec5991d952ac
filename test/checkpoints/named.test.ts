/** Checkpoints of files that a call names, inside or outside the project. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, openBench, snapshot } from './bench.ts';
import { initRepository } from './repository.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const at = (path: string): string => join(bench.root, path);
const shell = (command: string): void => void execFileSync('/bin/sh', ['-c', command], { cwd: bench.root });

/** Writes a file as `Edit` and `Write` do. */
async function writeNamed(path: string, text: string) {
  await bench.checkpoints.keep([path]);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return bench.checkpoints.capture([path]);
}

test('once a call has named a file outside the root, changes by commands are tracked as well', async () => {
  const path = join(bench.outside, 'notes/todo.txt');
  await bench.checkpoints.baseline();
  const first = await writeNamed(path, 'one\n');
  expect(first.changes.map((change) => change.path)).toEqual([join(bench.outside, 'notes'), path]);
  writeFileSync(join(bench.outside, 'other.txt'), 'not named\n');
  shell('echo two > ../outside/notes/todo.txt');
  const second = await bench.checkpoints.capture();
  expect(second.changes.map((change) => change.path)).toEqual([path]);
  await bench.checkpoints.apply(await bench.checkpoints.plan([...first.changes, ...second.changes]));
  expect([...snapshot(bench.outside).keys()]).toEqual(['other.txt']);
});

test('after a write through a link, a rewind restores the target and keeps the link', async () => {
  const behind = join(bench.outside, 'real.txt');
  writeFileSync(behind, 'one\n');
  symlinkSync(behind, at('link.txt'));
  await bench.checkpoints.baseline();
  const { changes } = await writeNamed(at('link.txt'), 'two\n');
  expect(changes.map((change) => change.path)).toEqual([behind]);
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(readFileSync(behind, 'utf8')).toBe('one\n');
  expect(snapshot(bench.root).get('link.txt')).toBe(`link ${behind}`);
});

test('a path through a linked folder is recorded as its target path', async () => {
  symlinkSync(bench.outside, at('folder'));
  await bench.checkpoints.baseline();
  const { changes } = await writeNamed(at('folder/a.txt'), 'one\n');
  expect(changes.map((change) => change.path)).toEqual([join(bench.outside, 'a.txt')]);
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(snapshot(bench.outside).size).toBe(0);
});

test('a file in a skipped folder is covered if a call names it', async () => {
  mkdirSync(at('node_modules/x'), { recursive: true });
  for (let index = 0; index < 5; index += 1) writeFileSync(at(`node_modules/x/${index}.js`), 'x\n');
  const checkpoints = bench.reopen({ limits: { maxFolderFiles: 4 } });
  await checkpoints.baseline();
  await checkpoints.keep([at('node_modules/x/1.js')]);
  writeFileSync(at('node_modules/x/1.js'), 'patched\n');
  const named = await checkpoints.capture([at('node_modules/x/1.js')]);
  expect(named.changes).toMatchObject([{ path: at('node_modules/x/1.js'), before: { type: 'file' } }]);
  shell('echo 2 > node_modules/x/2.js; echo 1 > node_modules/x/1.js');
  const scanned = await checkpoints.capture();
  expect(scanned.changes.map((change) => change.path)).toEqual([at('node_modules/x/1.js')]);
  rmSync(at('node_modules'), { recursive: true });
  expect((await checkpoints.capture()).changes.map((change) => change.path)).toEqual([
    at('node_modules/x/1.js'),
  ]);
});

test('a path that was not scanned before has no recorded earlier state, and is reported', async () => {
  const path = join(bench.outside, 'a.txt');
  writeFileSync(path, 'one\n');
  const { changes, notes } = await bench.checkpoints.capture([path]);
  expect(changes).toEqual([]);
  expect(notes).toEqual([`the earlier state of ${path} is unknown`]);
});

test('a second root is scanned like the first', async () => {
  const checkpoints = bench.reopen({ extraRoots: [bench.outside] });
  await checkpoints.baseline();
  shell('echo a > a.txt; echo b > ../outside/b.txt');
  const { changes } = await checkpoints.capture();
  expect(changes.map((change) => change.path)).toEqual([join(bench.outside, 'b.txt'), at('a.txt')]);
});

test('a change in a root inside another root is reported once', async () => {
  const checkpoints = bench.reopen({ extraRoots: [dirname(bench.root)] });
  await checkpoints.baseline();
  shell('echo a > a.txt; echo b > ../outside/b.txt');
  const { changes } = await checkpoints.capture();
  expect(changes.map((change) => change.path)).toEqual([join(bench.outside, 'b.txt'), at('a.txt')]);
});

test('a root that is added later is scanned like the first', async () => {
  const { checkpoints, outside } = bench;
  shell('echo old > ../outside/b.txt; echo tracked > ../outside/c.txt');
  initRepository(outside);
  await checkpoints.baseline();
  await checkpoints.addRoot(outside);
  await checkpoints.addRoot(outside);
  shell('echo a > a.txt; echo new > ../outside/b.txt; rm ../outside/c.txt');
  const { changes, notes } = await checkpoints.capture();
  expect(notes).toEqual([]);
  expect(changes.map(({ path }) => path)).toEqual([
    join(outside, 'b.txt'),
    join(outside, 'c.txt'),
    at('a.txt'),
  ]);
  await checkpoints.apply(await checkpoints.plan(changes));
  expect(readFileSync(join(outside, 'b.txt'), 'utf8')).toBe('old\n');
  expect(readFileSync(join(outside, 'c.txt'), 'utf8')).toBe('tracked\n');
});

test('adding the folder around the root hides no change of a running call', async () => {
  const { checkpoints, root, outside } = bench;
  await checkpoints.baseline();
  shell('echo a > a.txt; echo before > ../outside/b.txt');
  await checkpoints.addRoot(dirname(root));
  shell('echo c > ../outside/c.txt');
  const { changes } = await checkpoints.capture();
  expect(changes.map(({ path }) => path)).toEqual([join(outside, 'c.txt'), at('a.txt')]);
});

test("the program's own folder is never scanned, even inside the root", async () => {
  const checkpoints = bench.reopen({ folder: at('own/copies'), exclude: [at('own')] });
  mkdirSync(at('own'));
  await checkpoints.baseline();
  shell('echo log > own/log.jsonl; echo a > a.txt');
  expect((await checkpoints.capture()).changes.map((change) => change.path)).toEqual([at('a.txt')]);
});

test('a user’s edit before a call that names the file is kept and attributed to no call', async () => {
  writeFileSync(at('a.txt'), 'one\n');
  await bench.checkpoints.baseline();
  writeFileSync(at('a.txt'), 'mine\n');
  const { changes } = await writeNamed(at('a.txt'), 'two\n');
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('mine\n');
});

test('what cannot be restored is said before it is replaced', async () => {
  const limited = await openBench({
    limits: { maxFileBytes: 20, maxNamedFileBytes: 100, maxFolderBytes: 50 },
  });
  const file = (name: string, bytes: number): string => {
    const path = join(limited.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x'.repeat(bytes));
    return path;
  };
  initRepository(limited.root);
  const [labels, large] = [file('data/labels.csv', 15), file('large.bin', 101)];
  for (const name of ['data/1', 'data/2', 'data/3']) file(name, 20);
  const packed = file('backup.git/packed-refs', 3);
  for (const name of ['HEAD', 'objects/a', 'refs/a']) file(`backup.git/${name}`, 1);
  await limited.checkpoints.baseline();
  expect((await limited.checkpoints.keep([labels, join(limited.root, 'missing')])).notes).toEqual([]);
  expect((await limited.checkpoints.keep([large])).notes).toEqual([
    'large.bin cannot be restored: larger than 100 bytes',
  ]);
  expect((await limited.checkpoints.keep([packed])).notes).toEqual([
    'backup.git/packed-refs cannot be restored: it belongs to a repository of git',
  ]);
  expect((await limited.checkpoints.keep([file('a', 60), file('b', 60)])).notes).toEqual([
    'a cannot be restored: copies of more than 100 bytes would be needed',
  ]);
  rmSync(labels);
  const { changes } = await limited.checkpoints.capture();
  expect(changes.map(({ path }) => path)).toContain(labels);
  await limited.checkpoints.apply(
    await limited.checkpoints.plan(changes.filter(({ path }) => path === labels)),
  );
  expect(readFileSync(labels, 'utf8')).toBe('x'.repeat(15));
  await limited.close();
});
