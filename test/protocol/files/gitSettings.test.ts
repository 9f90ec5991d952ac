import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readGitSettings } from '../../../src/protocol/files/gitSettings.ts';

const folder = mkdtempSync(join(tmpdir(), 'clawdcode-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'config');

const read = (text: string): readonly (readonly [string, string | undefined])[] =>
  readGitSettings(text).settings.map(({ section, subsection, key, value }) => [
    [section, ...(subsection === undefined ? [] : [subsection]), key].join('.'),
    value,
  ]);

/** The same as git reads it. */
function readByGit(text: string): readonly (readonly [string, string | undefined])[] {
  writeFileSync(file, text);
  const listed = execFileSync('git', ['config', '-f', file, '--list', '-z'], { encoding: 'utf8' });
  return listed
    .split('\0')
    .slice(0, -1)
    .map((entry) => {
      const [name = '', ...value] = entry.split('\n');
      return [name, entry.includes('\n') ? value.join('\n') : undefined];
    });
}

test.each([
  '[core]\n\tbare = false\n\tFsMonitor = ./x # why\n',
  '[core] fsmonitor=./x',
  '[core][diff] external = ./x ; why',
  '[diff "A b"]\n\ttextconv = "a # b" c\n[diff.Old]\ncommand=x',
  '[a "q\\"]x"]\nk = v\n',
  // A comment does not continue on the next line, a value does.
  '# comment \\\n[diff]\n\texternal = ./x\n',
  '[a]\n\tb = c # comment \\\n[diff]\n\texternal = ./x\n',
  '[alias]\n\tx = a \\\n  b\\\n"c\\\nd"\n',
  '[a]\n\tflag\n\tempty =\n\tblanks =   a   b   \n\tescapes = \\t\\n\\"\\\\\n',
  '\uFEFF[a]\r\n\tb = c\r\n; end',
  '[a]b=c\n\n  \n[a] # x\n  d-1 = "e"f" g"\n',
])('settings are read as git reads them: %j', (text) => {
  expect(read(text)).toEqual(readByGit(text));
  expect(readGitSettings(text).isValid).toBe(true);
});

test.each(['[a]\nb = "c\n', '[a\nb = c\n', '[a]\n1b = c\n', '[a]\nb c = d\n', '[ a ]\nb = c\n'])(
  'settings that git rejects are invalid: %j',
  (text) => {
    writeFileSync(file, text);
    expect(spawnSync('git', ['config', '-f', file, '--list']).status).not.toBe(0);
    expect(readGitSettings(text).isValid).toBe(false);
  },
);
