import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createInstructionSource } from '../../../src/context/memory/InstructionSource.ts';
import { pathMatcher, readRule } from '../../../src/context/memory/instructionFolder.ts';
import { instructionFiles } from './instructionFiles.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-rules-'));
  for (const folder of ['data', 'home', 'repo']) await mkdir(join(base, folder));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

const source = (cwd = 'repo') =>
  createInstructionSource({
    dataRoot: join(base, 'data'),
    root: join(base, 'repo'),
    cwd: join(base, cwd),
    home: join(base, 'home'),
    isSensitive: (path) => path.endsWith('.env') || path.endsWith('denied.md'),
  });

const shortly = (files: readonly { path: string; text: string | undefined }[]) =>
  files.map(({ path, text }) => [relative(base, path), text?.trim()]);

describe('files of Claude Code', () => {
  test('are read from the home to the working directory, shared ones before personal ones and rules', async () => {
    await write('home/.claude/CLAUDE.md', 'mine');
    await write('home/.claude/rules/tone.md', 'tone');
    await write('data/AGENTS.md', 'own');
    await write('repo/CLAUDE.md', 'shared');
    await write('repo/.claude/CLAUDE.md', 'also shared');
    await write('repo/CLAUDE.local.md', 'personal');
    await write('repo/.claude/rules/b.md', 'b');
    await write('repo/.claude/rules/a/nested.md', 'nested');
    await write('repo/.claude/rules/note.txt', 'no');
    await write('repo/pkg/.claude/CLAUDE.md', 'pkg');
    expect(shortly(await instructionFiles(source('repo/pkg')))).toEqual([
      ['home/.claude/CLAUDE.md', 'mine'],
      ['home/.claude/rules/tone.md', 'tone'],
      ['data/AGENTS.md', 'own'],
      ['repo/CLAUDE.md', 'shared'],
      ['repo/.claude/CLAUDE.md', 'also shared'],
      ['repo/CLAUDE.local.md', 'personal'],
      ['repo/.claude/rules/a/nested.md', 'nested'],
      ['repo/.claude/rules/b.md', 'b'],
      ['repo/pkg/.claude/CLAUDE.md', 'pkg'],
    ]);
  });

  test('AGENTS.md replaces the shared ones, not the personal one and the rules', async () => {
    await write('repo/AGENTS.md', 'open');
    await write('repo/CLAUDE.md', 'shared');
    await write('repo/.claude/CLAUDE.md', 'also shared');
    await write('repo/CLAUDE.local.md', 'personal');
    await write('repo/.claude/rules/a.md', 'a');
    expect(shortly(await instructionFiles(source()))).toEqual([
      ['repo/AGENTS.md', 'open'],
      ['repo/CLAUDE.local.md', 'personal'],
      ['repo/.claude/rules/a.md', 'a'],
    ]);
  });

  test('a touched file in .claude adds nothing that AGENTS.md replaces', async () => {
    await write('repo/AGENTS.md', 'open');
    await write('repo/.claude/CLAUDE.md', 'shared');
    expect(shortly(await source().changes(new Map(), ['.claude/settings.json']))).toEqual([
      ['repo/AGENTS.md', 'open'],
    ]);
  });

  test('.claude/CLAUDE.md comes before the names of other agents', async () => {
    await write('repo/GEMINI.md', 'gemini');
    await write('repo/.claude/CLAUDE.md', 'claude');
    expect(shortly(await instructionFiles(source()))).toEqual([['repo/.claude/CLAUDE.md', 'claude']]);
  });

  test('in subfolders they apply once a file near them is touched', async () => {
    await write('repo/pkg/.claude/CLAUDE.md', 'pkg');
    await write('repo/pkg/CLAUDE.local.md', 'mine');
    const one = source();
    expect(await instructionFiles(one)).toEqual([]);
    const changes = await one.changes(new Map(), ['pkg/a.js']);
    expect(shortly(changes)).toEqual([
      ['repo/pkg/.claude/CLAUDE.md', 'pkg'],
      ['repo/pkg/CLAUDE.local.md', 'mine'],
    ]);
    const known = new Map(changes.map(({ path, ...change }) => [path, 'hash' in change ? change.hash : '']));
    expect(await one.changes(known, [])).toEqual([]);
  });

  test('nothing outside the repository and no withheld file is read', async () => {
    await write('secret.md', 'secret');
    await write('repo/.claude/rules/denied.md', 'withheld');
    await symlink(join(base, 'secret.md'), join(base, 'repo/.claude/rules/link.md'));
    await symlink(join(base, 'home'), join(base, 'repo/.claude/rules/folder'));
    await write('home/x.md', 'of the home');
    const texts = shortly(await instructionFiles(source())).map(([, text]) => text);
    expect(texts).toHaveLength(2);
    for (const text of texts)
      expect(text).toMatch(/^\(This file was not read: it links to a secret or out of the project/);
  });
});

describe('rules with paths', () => {
  test('apply once a matching file is touched, and stay until they are gone', async () => {
    await write('repo/.claude/rules/ts.md', '---\npaths:\n  - "src/**/*.{ts,tsx}"\n---\nUse types.\n');
    await write('home/.claude/rules/docs.md', '---\npaths: docs/*.md\n---\nShort.\n');
    const one = source();
    expect(await instructionFiles(one)).toEqual([]);
    expect(await one.changes(new Map(), ['src/a.js', join(base, 'elsewhere/src/a.ts')])).toEqual([]);
    const found = await one.changes(new Map(), ['src/deep/a.tsx', join(base, 'repo/docs/x.md')]);
    expect(shortly(found)).toEqual([
      ['home/.claude/rules/docs.md', 'Short.'],
      ['repo/.claude/rules/ts.md', 'Use types.'],
    ]);
    const known = new Map(found.map((file) => [file.path, 'hash' in file ? file.hash : '']));
    expect(await one.changes(known, [])).toEqual([]);
    await unlink(join(base, 'repo/.claude/rules/ts.md'));
    expect(shortly(await one.changes(known, []))).toEqual([['repo/.claude/rules/ts.md', undefined]]);
  });

  test.each([
    ['---\npaths: a.ts, "src/{b,c}.ts"\n---\nx', ['a.ts', 'src/{b,c}.ts']],
    ['---\npaths: ["a", \'b\']\n---\nx', ['a', 'b']],
    ['---\r\npaths:\r\n  - a\r\n\r\n  - b\r\nother: 1\r\n---\r\nx', ['a', 'b']],
    ['---\ndescription: d\n---\nx', undefined],
    ['---\npaths:\n---\nx', undefined],
    ['x', undefined],
  ])('%j', (text, paths) => {
    expect(readRule(text)).toEqual({ body: 'x', paths });
  });

  test.each([
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['*.ts', 'x/a.ts', false],
    ['src/**', 'src/a/b', true],
    ['src/**', 'srcs/a', false],
    ['./src/?.ts', 'src/a.ts', true],
    ['src/{a,b}/{c,d}.ts', 'src/b/c.ts', true],
    ['a/**/b/*.ts', 'a/b/x.ts', true],
    ['a*b*c', 'aXbYcZ', false],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(pathMatcher(pattern)(path)).toBe(expected);
  });

  test('a path matches itself, and any pattern is matched without backtracking', () => {
    const name = fc.stringMatching(/^[a-z][a-z.]{0,7}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        expect(pathMatcher(names.join('/'))(names.join('/'))).toBe(true);
        expect(pathMatcher('**')(names.join('/'))).toBe(true);
      }),
    );
    expect(pathMatcher('*a'.repeat(140))('a'.repeat(4000).concat('b'))).toBe(false);
    expect(pathMatcher('**/'.repeat(90))('a/'.repeat(1000))).toBe(true);
    expect(pathMatcher('{a,b}'.repeat(40))('x')).toBe(false);
  });
});
