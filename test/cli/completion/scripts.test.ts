import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { completionScript } from '../../../src/cli/completion/command.ts';
import { commandPaths, specOf } from '../../../src/cli/completion/spec.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { shells } from '../../../src/cli/route.ts';

const folder = mkdtempSync(join(tmpdir(), 'clawdcode-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flagsOf = (program: ReturnType<typeof createProgram>): string[] =>
  specOf(program).flags.flatMap(({ names }) => names);

test.each(shells)('the script for %s has every flag and subcommand, and nothing hidden', (shell) => {
  const script = completionScript(shell);
  const spelled = (flag: string): string => (shell === 'fish' ? `-l ${flag.slice(2)}` : flag);
  for (const flag of flagsOf(createProgram('')).filter((name) => name.startsWith('--')))
    expect(script).toContain(spelled(flag));
  for (const word of [
    'session',
    'doctor',
    'completion',
    'repair',
    'unarchive',
    'bypassPermissions',
    'stream-json',
  ])
    expect(script).toContain(word);
  expect(script).toContain('clawdcode completion sessions');
  for (const hidden of ['yolo', 'dangerously', 'allowedTools']) expect(script).not.toContain(hidden);
});

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

test.each(shells)('%s can parse its script, if installed', (shell) => {
  const file = join(folder, `syntax.${shell}`);
  writeFileSync(file, completionScript(shell));
  const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  if (isThere(shell)) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  else expect(completionScript(shell).length).toBeGreaterThan(2000);
});

describe.runIf(isThere('bash'))('in bash', () => {
  const script = join(folder, 'clawdcode.bash');
  writeFileSync(script, completionScript('bash'));
  // Titles may come from anyone: nothing in them may run.
  const sessions =
    "4f8kAAAA\tFix the login\n4f9zBBBB\tWhat $(touch owned) 'does'\nzz11CCCC\tfix tests; rm -rf x\n";

  /** The suggestions of bash after these words, split as bash splits them. */
  const offered = (...words: string[]): string[] => offeredAfter('', ...words);

  function offeredAfter(preparation: string, ...words: string[]): string[] {
    const code = `
      ${preparation}
      source ${script}
      clawdcode() { printf '%s' "$SESSIONS"; }
      COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _clawdcode
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const stdout = execFileSync('bash', ['--norc', '-c', code, 'bash', 'clawdcode', ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, SESSIONS: sessions },
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  test.each([
    [['--out'], ['--output-format']],
    [
      ['--output-format', ''],
      ['text', 'json', 'stream-json'],
    ],
    [['--output-format', '=', 'st'], ['stream-json']],
    [
      ['--output-format', '='],
      ['text', 'json', 'stream-json'],
    ],
    [['--permission-mode', 'p'], ['plan']],
    [
      [''],
      [
        'session',
        'permissions',
        'mcp',
        'plugin',
        'config',
        'models',
        'fleet',
        'acp',
        'stats',
        'auth',
        'doctor',
        'completion',
      ],
    ],
    [['do'], ['doctor']],
    [
      ['permissions', ''],
      ['test', 'learn', 'help'],
    ],
    [['permissions', 'test', '--mo'], ['--mode']],
    [['fix', 'do'], []],
    [['session', 'un'], ['unarchive']],
    [
      ['session', 'list', '--a'],
      ['--all', '--active'],
    ],
    [
      ['session', 'show', ''],
      ['4f8kAAAA', '4f9zBBBB', 'zz11CCCC'],
    ],
    [['session', 'export', 'zz', '--format', 'h'], ['html']],
    [
      ['--resume', '4f'],
      ['4f8kAAAA', '4f9zBBBB'],
    ],
    [
      ['-r', 'FIX'],
      ['Fix\\ the\\ login', 'fix\\ tests\\;\\ rm\\ -rf\\ x'],
    ],
    [['-r', 'wh'], ["What\\ \\$\\(touch\\ owned\\)\\ \\'does\\'"]],
    [['-r', '--deb'], ['--debug']],
    [
      ['doctor', '--'],
      ['--json', '--offline', '--probe', '--model', '--quick', '--yes', '--help'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['--model', ''], []],
    [['the', 'session', 'li'], []],
  ])('%j offers %j', { tags: 'long' }, (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  test('--add-dir offers folders', () => {
    writeFileSync(join(folder, 'a file'), '');
    execFileSync('mkdir', ['-p', join(folder, 'a folder')]);
    expect(offered('--add-dir', 'a')).toEqual(['a folder']);
  });

  test('folder names are offered verbatim, and quoted if bash does not quote them', () => {
    const names = ['x$(touch owned)', 'x*', 'x; rm y'];
    for (const name of names) execFileSync('mkdir', ['-p', join(folder, name)]);
    expect(offered('--add-dir', 'x').toSorted()).toEqual(names);
    expect(offeredAfter('enable -n compopt', '--add-dir', 'x').toSorted()).toEqual([
      'x\\$\\(touch\\ owned\\)',
      'x\\*',
      'x\\;\\ rm\\ y',
    ]);
  });
});

test('every subcommand is offered, however deep', () => {
  const paths = commandPaths({
    name: 'a',
    description: '',
    flags: [],
    argument: undefined,
    subcommands: [
      {
        name: 'b',
        description: '',
        flags: [],
        argument: undefined,
        subcommands: [{ name: 'c', description: '', flags: [], argument: undefined, subcommands: [] }],
      },
    ],
  });
  expect(paths.map(({ path }) => path)).toEqual([[], ['b'], ['b', 'c']]);
});
