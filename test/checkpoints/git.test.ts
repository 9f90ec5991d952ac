import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bench, openBench, snapshot } from './bench.ts';
import { git, gitFacts, initRepository, settleIndex } from './repository.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const at = (path: string): string => join(bench.root, path);
const write = (path: string, text: string | Buffer): void => writeFileSync(at(path), text);
const shell = (command: string): void => void execFileSync('/bin/sh', ['-c', command], { cwd: bench.root });

/** Creates a repository with one commit of everything, whose index is old enough to be trusted. */
function commitAll(options: { readonly format?: string } = {}): void {
  initRepository(bench.root, options.format);
  settleIndex(bench.root);
}

test.each(['sha1', 'sha256'])(
  'committed files are not copied but restored from git (%s)',
  { tags: 'long' },
  async (format) => {
    write('a.txt', 'one\n');
    mkdirSync(at('src'));
    write('src/b.bin', Buffer.from([1, 0, 2]));
    commitAll({ format });
    const [before, facts] = [snapshot(bench.root), gitFacts(bench.root)];
    await bench.checkpoints.baseline();
    shell('echo two > a.txt; rm -r src');
    const { changes, notes } = await bench.checkpoints.capture();
    expect(notes).toEqual([]);
    expect(changes.map((change) => change.path)).toEqual([at('a.txt'), at('src'), at('src/b.bin')]);
    const applied = await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
    expect(applied.notes).toEqual([]);
    expect(snapshot(bench.root)).toEqual(before);
    expect(gitFacts(bench.root)).toEqual(facts);
  },
);

test('files that git stores can still be restored after the repository is cleaned up or deleted', {
  tags: 'long',
}, async () => {
  write('staged.txt', 'only ever staged\n');
  write('a.txt', 'one\n');
  commitAll();
  write('staged.txt', 'staged again\n');
  git(bench.root, 'add', '.');
  settleIndex(bench.root);
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell('rm staged.txt a.txt; git reset -q --hard; git gc -q --prune=now; rm -rf .git *');
  const { changes, notes } = await bench.checkpoints.capture();
  expect(notes).toEqual([]);
  await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
  expect(snapshot(bench.root)).toEqual(before);
});

test.each([
  [
    'a filter',
    '*.txt filter=rot',
    "git config filter.rot.clean 'tr a-z b-za'; git config filter.rot.smudge 'tr b-za a-z'",
  ],
  ['line ending conversion', '*.txt text eol=crlf', ''],
  ['a working tree encoding', '*.txt working-tree-encoding=UTF-16LE', ''],
])(
  'a file that git converts is restored as it was in the working tree: %s',
  { tags: 'long' },
  async (_, attributes, setup) => {
    write('.gitattributes', `${attributes}\n`);
    initRepository(bench.root);
    shell(setup);
    write('a.txt', Buffer.from('abc\r\ndef\r\n', attributes.includes('UTF-16') ? 'utf16le' : 'utf8'));
    git(bench.root, 'add', '.');
    git(bench.root, 'commit', '-q', '-m', 'all');
    settleIndex(bench.root);
    const before = snapshot(bench.root);
    await bench.checkpoints.baseline();
    shell('echo changed > a.txt');
    const { changes } = await bench.checkpoints.capture();
    await bench.checkpoints.apply(await bench.checkpoints.plan(changes));
    expect(snapshot(bench.root)).toEqual(before);
  },
);

test('a rewind restores a linked worktree and a submodule without touching their git folders', {
  tags: 'long',
}, async () => {
  write('a.txt', 'one\n');
  commitAll();
  git(bench.root, 'worktree', 'add', '-q', join(bench.outside, 'tree'), '-b', 'side');
  const tree = join(bench.outside, 'tree');
  git(tree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', bench.root, 'sub');
  settleIndex(tree);
  const checkpoints = bench.reopen({ root: tree });
  const [before, facts] = [snapshot(tree), gitFacts(tree)];
  await checkpoints.baseline();
  execFileSync('/bin/sh', ['-c', 'echo 2 > a.txt; rm sub/a.txt; echo n > sub/new.txt'], { cwd: tree });
  const { changes } = await checkpoints.capture();
  expect(changes.map((change) => change.path.slice(tree.length + 1))).toEqual([
    'a.txt',
    'sub/a.txt',
    'sub/new.txt',
  ]);
  await checkpoints.apply(await checkpoints.plan(changes));
  expect(snapshot(tree)).toEqual(before);
  expect(gitFacts(tree)).toEqual(facts);
});

test.each([
  ['a bare repository', 'git init -q --bare store && git clone -q store work', 'git push -q'],
  ['a git folder under another name', 'git init -q --separate-git-dir=store work', 'true'],
])(
  "%s inside the project is left alone: the user's next commit keeps its parent",
  { tags: 'long' },
  async (_, make, push) => {
    const commit = (text: string): string =>
      `cd work && echo ${text} > a && git add a && git -c user.name=T -c user.email=t@example.org commit -qm ${text} && ${push}`;
    shell(`{ ${make}; } 2>/dev/null`);
    shell(commit('one'));
    await bench.checkpoints.baseline();
    shell(commit('two'));
    const { changes, notes } = await bench.checkpoints.capture();
    shell(commit('three'));
    expect(changes.map((change) => change.path)).toEqual([at('work/a')]);
    expect(notes).toEqual(['store (a git repository) is not covered']);
    // A forged log cannot write there either.
    const [, object = ''] = git(at('work'), 'rev-parse', 'HEAD~1').match(/(.*)\n/) ?? [];
    const path = at(`store/objects/${object.slice(0, 2)}/${object.slice(2)}`);
    const named = {
      path,
      after: { type: 'file', mode: 0o444, bytes: statSync(path).size, hash: '' },
    } as const;
    const plan = await bench.checkpoints.plan([...changes, named]);
    expect(plan.steps.at(-1)).toMatchObject({ action: 'refuse', reason: 'it belongs to git' });
    await bench.checkpoints.apply(plan);
    expect(git(at('work'), 'fsck', '--no-dangling')).toBe('');
    expect(git(at('work'), 'log', '--format=%s')).toBe('three\ntwo\none\n');
  },
);

test('the history of other version control systems is left alone', { tags: 'long' }, async () => {
  shell('mkdir .hg .svn .jj && echo 1 | tee .hg/00changelog.i .svn/wc.db .jj/op a.txt');
  await bench.checkpoints.baseline();
  shell('echo 2 | tee -a .hg/00changelog.i .svn/wc.db .jj/op a.txt');
  const { changes } = await bench.checkpoints.capture();
  expect(changes.map((change) => change.path)).toEqual([at('a.txt')]);
  const [step] = (await bench.checkpoints.plan([{ path: at('.hg/00changelog.i') }])).steps;
  expect(step).toMatchObject({ action: 'refuse', reason: 'it belongs to Mercurial' });
});

test('a baseline, a capture and a rewind leave git unchanged byte for byte, including a stale index', async () => {
  write('a.txt', 'one\n');
  commitAll();
  // The index no longer has these times: `git status` would rewrite it.
  shell('touch a.txt');
  const index = readFileSync(at('.git/index'));
  const objects = readdirSync(at('.git/objects')).sort();
  const written = statSync(at('.git/index')).mtimeMs;
  await bench.checkpoints.baseline();
  shell('echo two > a.txt; echo new > b.txt');
  await bench.checkpoints.apply(await bench.checkpoints.plan((await bench.checkpoints.capture()).changes));
  expect(readFileSync(at('.git/index')).equals(index)).toBe(true);
  expect(statSync(at('.git/index')).mtimeMs).toBe(written);
  expect(readdirSync(at('.git/objects')).sort()).toEqual(objects);
});

test("no program in the repository's settings runs", async () => {
  write('a.txt', 'one\n');
  commitAll();
  write('evil.sh', `#!/bin/sh\ntouch ${at('ran')}\n`);
  shell('chmod 755 evil.sh');
  for (const name of ['core.fsmonitor', 'core.pager', 'filter.x.clean', 'filter.x.smudge', 'core.sshCommand'])
    git(bench.root, 'config', name, at('evil.sh'));
  write('.gitattributes', '* filter=x diff=x\n');
  await bench.checkpoints.baseline();
  shell('echo two > a.txt');
  await bench.checkpoints.capture();
  expect(readdirSync(bench.root)).not.toContain('ran');
});

test('an untracked folder with too many files is left out, with a notice', { tags: 'long' }, async () => {
  write('a.txt', 'one\n');
  commitAll();
  const checkpoints = bench.reopen({ limits: { maxFolderFiles: 20 } });
  await checkpoints.baseline();
  mkdirSync(at('node_modules/x'), { recursive: true });
  for (let index = 0; index < 21; index += 1) write(`node_modules/x/${index}.js`, 'x');
  mkdirSync(at('out'));
  write('out/b.txt', 'b\n');
  const { changes, notes } = await checkpoints.capture();
  expect(changes.map((change) => change.path)).toEqual([at('out'), at('out/b.txt')]);
  expect(notes).toEqual(['node_modules (21 files) is not covered']);
  rmSync(at('node_modules'), { recursive: true });
  expect((await checkpoints.capture()).changes).toEqual([]);
});

test.each([
  ['with git', 'git', []],
  [
    'without git',
    false as const,
    ['29.txt cannot be restored: copies of more than 20 bytes would be needed'],
  ],
])(
  '%s, copies of unchanged files stay within the size limit',
  { tags: 'long' },
  async (_, program, expected) => {
    for (let index = 10; index < 30; index += 1) write(`${index}.txt`, `${index}\n`);
    commitAll();
    const checkpoints = bench.reopen({ git: program, limits: { maxTotalBytes: 20 } });
    await checkpoints.baseline();
    shell('echo x > 29.txt');
    expect((await checkpoints.capture()).notes).toEqual(expected);
  },
);

test('a forged index is not trusted: the user’s uncommitted change is restored', async () => {
  write('a.txt', 'one\n');
  initRepository(bench.root);
  const id = git(bench.root, 'rev-parse', ':a.txt').trim();
  write('a.txt', 'two\n');
  git(bench.root, 'add', 'a.txt');
  // The times and size are those of the file on disk, the content is the committed one.
  const index = readFileSync(at('.git/index'));
  const body = index.subarray(0, -20);
  Buffer.from(id, 'hex').copy(body, body.indexOf(git(bench.root, 'rev-parse', ':a.txt').trim(), 0, 'hex'));
  writeFileSync(at('.git/index'), Buffer.concat([body, createHash('sha1').update(body).digest()]));
  settleIndex(bench.root);
  expect(git(bench.root, 'status', '--short')).toBe('');
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell('echo new > a.txt');
  await bench.checkpoints.apply(await bench.checkpoints.plan((await bench.checkpoints.capture()).changes));
  expect(snapshot(bench.root)).toEqual(before);
});

test('files that changed since they were indexed, or that git has just written, are copied', {
  tags: 'long',
}, async () => {
  write('a.txt', 'one\n');
  write('b.txt', 'one\n');
  initRepository(bench.root);
  write('a.txt', 'mine\n');
  const before = snapshot(bench.root);
  await bench.checkpoints.baseline();
  shell('echo two > a.txt; echo two > b.txt');
  await bench.checkpoints.apply(await bench.checkpoints.plan((await bench.checkpoints.capture()).changes));
  expect(snapshot(bench.root)).toEqual(before);
});
