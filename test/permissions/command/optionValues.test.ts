/**
 * Which word is the value of which option: a program that disagrees treats a value as an option, or an option as a
 * value. The tables are compared with the programs on this machine.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OptionList } from '../../../src/permissions/options/readOptions.ts';
import { commands } from '../../../src/permissions/readOnly/commands.ts';
import { gitCommands } from '../../../src/permissions/readOnly/gitOptions.ts';
import { searchOptions } from '../../../src/permissions/readOnly/search.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { bash, top } from '../harness.ts';

/** Words that some program read as options that wrote, deleted, ran or read something. */
const misread: readonly string[] = [
  'git branch --format --list new',
  'git branch --sort --list new',
  'git tag --format --list new',
  'git branch --list --format -- --no-list -D main',
  'git diff -L --output=x',
  'git diff --max-parents --output=x',
  'git diff --decorate-refs --output=x',
  'git rev-list -L --output=x HEAD',
  'git stash show -L --output=x',
  'git log --max-parents --output=x',
  'git log -p --diff-merges remerge',
  'git stash -m list',
  'git stash -u -m show',
  'du --exclude -- --files0-from=.env',
  'du --exclude -- --files0-from=/etc/shadow',
  'tree --filelimit -- -o x',
  'ls -I -- -RL .',
  'base64 -i -- -ox',
  'awk --assign \'x=system("id")\' a a.txt',
  'awk --field-separator \'system("id")\' a a.txt',
];

describe.each<PermissionMode>(['default', 'plan', 'acceptEdits'])('in %s', (mode) => {
  test.each(misread)(
    '%s does not run without approval',
    mode === 'acceptEdits' ? { tags: 'long' } : {},
    async (command) => {
      expect((await bash(command, [], mode)).behavior).not.toBe('allow');
    },
  );
});

test.each([
  'git branch --sort=-committerdate --format=%h',
  "git tag --sort=-v:refname --list 'v*'",
  'git for-each-ref --sort refname --format %h',
  'git branch --sort -committerdate',
  'git stash list',
  'git log -L1,2:a.txt',
  'git log --max-parents=1',
  'du --exclude node_modules -d 1 .',
  'head -n -5 a.txt',
  'tail -n +5 a.txt',
  'cut -d - -f 1 a.txt',
  'sort -t - -k 2 a.txt',
  "grep -e '--flag' a.txt",
  "awk -F '->' '{print $1}' a.txt",
  'ls -I node_modules',
  'ls -w 80',
  "stat --format '%s' a.txt",
  'head --lines 3 a.txt',
])('%s runs without approval', async (command) => {
  expect((await bash(command)).behavior).toBe('allow');
});

/** Subcommands that support only some of the options in a shared list do not complain about the others. */
const programs: readonly (readonly [string, OptionList])[] = [
  ...Object.entries<OptionList>(commands).filter(([name]) => !/^(?:exit|sleep|type)$/.test(name)),
  ...Object.entries<OptionList>(searchOptions),
  ...['blame', 'branch', 'describe', 'for-each-ref', 'log', 'ls-files', 'shortlog', 'tag'].map(
    (name): readonly [string, OptionList] => [`git ${name}`, gitCommands[name] ?? {}],
  ),
];
const folder = mkdtempSync(join(top, 'options-'));
spawnSync('git', ['init', '-q'], { cwd: folder });

/** The error message of a program; undefined if it is not installed. */
function complaint(program: string, option: string): string | undefined {
  const [name = '', ...first] = program.split(' ');
  const { error, stderr } = spawnSync(name, [...first, option], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C', GIT_PAGER: 'cat' },
    input: '',
    encoding: 'utf8',
    // Long enough to complain; `tail -f` would wait forever.
    timeout: 500,
  });
  return error === undefined ? stderr : undefined;
}

const wantsValue = /requires (?:an argument|a value)/;

test.each(programs)(
  'the table knows every option of %s that takes a value',
  { tags: 'long', timeout: 30_000 },
  (program, list) => {
    const { flags = '', unsure = '', attached = '', long = [] } = list;
    const letters = [...`${flags}${attached}`].filter((letter) => !unsure.includes(letter));
    const found = [...letters.map((letter) => `-${letter}`), ...long].filter((option) =>
      wantsValue.test(complaint(program, option) ?? ''),
    );
    expect(found).toEqual([]);
  },
);
