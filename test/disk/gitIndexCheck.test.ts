import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkIndex, isRefusedByGit } from '../../src/disk/gitIndexCheck.ts';
import { atOnce } from '../../src/disk/slices.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { extension, FOLDER_MODE, LINK_MODE, numbers, writtenIndex } from './writtenIndex.ts';

const nothing = (): null => null;
const resultOf = (index: Buffer, read: (name: string) => Buffer | null = nothing) =>
  atOnce(checkIndex(index, 20, read)).result;

describe('paths that git never adds', () => {
  test.each([
    ...['', '/etc/passwd', '../x', 'a/../x', 'a/..', '.', './a', 'a/./b', 'a//b', 'a/'],
    ...['.git', '.git/hooks/x', '.GIT/x', 'a/.Git/x', '.git./x', '.git . /x', 'GIT~1/x', 'a/git~1'],
    ...['.git::$INDEX_ALLOCATION/x', '.git:x', 'a\\.git\\x', '.g\u200cit/x', '\ufeff.gi\u202et'],
  ])('%j is rejected', (path) => {
    expect(isRefusedByGit(path, 'file')).toBe(true);
  });

  test.each([
    ...[
      'a',
      '.gitignore',
      '.github/x',
      '.gitmodules',
      'x.git/a',
      'a.git',
      '.git~1',
      'git~2',
      'git~10',
      'git',
    ],
    ...['...', '..a', 'a..', '.a', 'a b', 'ä/\u200d', 'a\\b', 'c:', 'COM1', '.gitx:', '.gitı'],
  ])('%j is accepted', (path) => {
    expect(isRefusedByGit(path, 'file')).toBe(false);
  });

  test('a folder ends with a slash, and a link cannot define submodules', () => {
    expect(isRefusedByGit('a/', 'folder')).toBe(false);
    for (const path of ['', '/', 'a//', '../']) expect(isRefusedByGit(path, 'folder')).toBe(true);
    expect(isRefusedByGit('a/.gitmodules', 'link')).toBe(true);
  });

  test('git rejects the same paths', { tags: 'long' }, () => {
    const root = repository();
    let tried = 0;
    const isRefused = (path: string): boolean =>
      spawnSync(
        'git',
        [
          ...['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true', 'update-index', '--add'],
          ...['--cacheinfo', `100644,${'1'.repeat(40)},${path}`],
        ],
        // An index for each, because a file with the name of a folder is rejected, too.
        { cwd: root, env: { ...process.env, GIT_INDEX_FILE: join(root, `index${tried++}`) } },
      ).status !== 0;
    const piece = fc.constantFrom(
      ...[
        '.',
        '..',
        '.git',
        'git',
        '~1',
        '/',
        '\\',
        ':',
        ' ',
        'a',
        'G',
        'iT',
        '\u200c',
        '\ufeff',
        'ä',
        '::$X',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const path = pieces.join('');
        const refused = isRefusedByGit(path, 'file');
        // Also rejected: names that lead to the git folder on two file systems at once, and `\.git` after a slash.
        if (!refused || !/[\\\u200c\ufeff]/.test(path)) expect(refused).toBe(isRefused(path));
      }),
      { numRuns: 150 },
    );
  });
});

function repository(): string {
  const root = temporaryFolder();
  execFileSync('git', ['init', '-q', root]);
  return root;
}

describe('an index', () => {
  test.each([
    ['leaves the worktree', [{ path: '../x' }, { path: 'a' }]],
    ['writes a hook', [{ path: '.git/hooks/post-checkout' }, { path: 'a' }]],
    ['lists a folder elsewhere', [{ path: '../x/', mode: FOLDER_MODE }]],
    ['passes through a link', [{ path: 'l', mode: LINK_MODE }, { path: 'l-x' }, { path: 'l/a/b' }]],
    ['has an entry without a path', [{ path: '' }]],
    ['has a conflict elsewhere', [{ path: '../x', stage: 2 }]],
  ])('that %s leads out', (_, entries) => {
    expect(resultOf(writtenIndex(entries))).toBe('leads_out');
  });

  test('in a conflict may have a folder on the other side of a link', () => {
    expect(resultOf(writtenIndex([{ path: 'l', mode: LINK_MODE, stage: 2 }, { path: 'l/a' }]))).toBe('sound');
  });

  test('is unreadable if git would find other entries than those in order', () => {
    const inner = writtenIndex([{ path: '.git/x' }]).subarray(12, -20);
    const hidden = `a\0${inner.toString('latin1')}`;
    expect(resultOf(writtenIndex([{ path: hidden }, { path: 'b' }]))).toBe('unreadable');
    const [a] = [{ path: 'a' }];
    const end = writtenIndex([a]).length - 20;
    const tail = (told: number, ...blocks: readonly number[]): Buffer =>
      Buffer.concat([
        ...(blocks.length === 0 ? [] : [extension('IEOT', numbers(1, ...blocks))]),
        extension('EOIE', Buffer.concat([numbers(told), Buffer.alloc(20)])),
      ]);
    expect(resultOf(writtenIndex([a], tail(end, 12, 1)))).toBe('sound');
    expect(resultOf(writtenIndex([a], tail(end)))).toBe('sound');
    expect(resultOf(writtenIndex([a], tail(end + 8)))).toBe('unreadable');
    expect(resultOf(writtenIndex([a], tail(end, 20, 1)))).toBe('unreadable');
    expect(resultOf(writtenIndex([a], tail(end, 12, 2)))).toBe('unreadable');
  });

  test('is unreadable if it names two files with shared entries', () => {
    const link = extension('link', Buffer.alloc(20, 1));
    const base = writtenIndex([{ path: 'a' }]);
    expect(resultOf(writtenIndex([{ path: '' }], link), () => base)).toBe('sound');
    expect(resultOf(writtenIndex([], Buffer.concat([link, link])), () => base)).toBe('unreadable');
    expect(resultOf(writtenIndex([], link), () => writtenIndex([{ path: '../x' }]))).toBe('leads_out');
    expect(resultOf(writtenIndex([], link))).toBe('unreadable');
  });

  test('written by git is valid in every format', { tags: 'long' }, () => {
    const root = repository();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: root,
        stdio: 'pipe',
      }).toString();
    const current = (): string => {
      const index = readFileSync(join(root, '.git/index'));
      return resultOf(index, (name) => readFileSync(join(root, '.git', name)));
    };
    for (const path of [
      'a',
      'b/c/d',
      'b/c/e',
      `long/${'x/'.repeat(90)}y`,
      'ä/ö',
      '.gitignore',
      '.github/x',
    ]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), path);
    }
    symlinkSync('a', join(root, 'link'));
    git('add', '.');
    git('commit', '-qm', 'one');
    writeFileSync(join(root, 'new'), '');
    git('add', '-N', 'new');
    expect(current()).toBe('sound');
    for (const version of ['3', '4', '2']) {
      git('update-index', '--index-version', version);
      expect(current()).toBe('sound');
    }
    git('update-index', '--split-index');
    git('update-index', '--chmod=+x', 'a');
    expect(current()).toBe('sound');
    git('update-index', '--no-split-index');
    git('-c', 'index.threads=4', 'update-index', '--force-write-index');
    git('commit', '-qam', 'two');
    git('sparse-checkout', 'set', '--cone', '--sparse-index', 'b');
    expect(current()).toBe('sound');
  });
});
