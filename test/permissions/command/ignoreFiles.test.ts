/** A search skips files that ignore files list, unless the rest of the command may change the ignore files. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

beforeAll(() => {
  symlinkSync('.ignore', join(root, 'plain.txt'));
  mkdirSync(join(root, 'lib'));
  writeFileSync(join(root, 'lib/.ignore'), '!.env\n');
  writeFileSync(join(root, '.gitignore'), 'secret\n');
  // The remaining secrets are hidden or ignored.
  rmSync(join(root, 'server.key'));
});
afterAll(() => {
  for (const name of ['plain.txt', 'lib', '.gitignore', '.ignore'])
    rmSync(join(root, name), { recursive: true, force: true });
  writeFileSync(join(root, 'server.key'), 'x\n');
});

describe('in acceptEdits', () => {
  test.each([
    "echo '!.env' > .ignore; rg SECRET",
    "echo '!.env' > .ignore | rg SECRET .",
    "printf '!.env' > .rgignore && rg SECRET",
    "echo '!.env' > plain.txt; rg SECRET",
    "echo '!.env' > src/../.IGNORE; rg SECRET",
    "rg SECRET; echo '!.env' >> .ignore",
    'mv .gitignore x; rg SECRET',
    'mv a.txt .gitignore && rg SECRET .',
    'cp a.txt .agignore && ag SECRET',
    'cp -r lib/. .; rg SECRET',
    'for f in 1 2; do rg SECRET; touch .ignore; done',
    'mkdir -p g/info; cp a.txt g/info/exclude; rg SECRET',
  ])('%s needs approval', async (command) => {
    expect((await bash(command, [], 'acceptEdits')).behavior).toBe('ask');
  });

  test.each([
    'make x; rg SECRET .',
    'git checkout other -- .; rg SECRET',
    'git checkout other -- .; npm test | rg SECRET .',
    '{ git checkout other -- .; rg SECRET; } </dev/null',
    "{ git checkout other -- .; rg SECRET; } <'/dev/null'",
    '{ git checkout other -- .; rg SECRET; } < /dev/./null',
    "git checkout other -- .; rg SECRET <'/dev/null'",
    'git checkout other -- .; rg SECRET 0</dev/tty',
    'git checkout other -- .; npm test | { rg SECRET & wait; }',
    'git checkout other -- .; npm test | rg SECRET </dev/null',
    "git checkout other -- .; npm test | rg SECRET <'/dev/null'",
    "git checkout other -- .; npm test | { rg SECRET; } <'/dev/null'",
  ])('%s needs approval despite a rule for the first part', async (command) => {
    const rules = ['allow Bash(make x)', 'allow Bash(git checkout other -- .)', 'allow Bash(npm test)'];
    expect((await bash(command, rules, 'acceptEdits')).behavior).toBe('ask');
  });

  test.each([
    'rg SECRET src',
    'rg -t md SECRET',
    'echo x > c.txt; rg SECRET docs src',
    'echo x > c.txt && rg SECRET',
    'touch src/new.ts && rg SECRET',
    'mkdir -p q && rg SECRET',
    'mv a.txt c.txt; rg SECRET',
    'cp a.txt src/c.txt; rg SECRET',
    'rg SECRET > found.txt',
    "echo '!.env' > .ignore; rg SECRET src",
    'npm test; rg SECRET src',
    'npm test 2>&1 | rg failed',
    'npm test | head -5 | rg failed',
  ])('%s runs', async (command) => {
    expect((await bash(command, ['allow Bash(npm test)'], 'acceptEdits')).behavior).toBe('allow');
  });
});

test('a line that includes a file again applies in each ignore file that some program reads', async () => {
  mkdirSync(join(root, 'again/.git/info'), { recursive: true });
  writeFileSync(join(root, 'again/.gitignore'), '*.pem\n');
  writeFileSync(join(root, 'again/x.pem'), 'SECRET\n');
  const search = async (): Promise<string> => (await bash('ag SECRET again')).behavior;
  expect(await search()).toBe('allow');
  for (const name of ['.ignore', '.rgignore', '.agignore', '.hgignore', '.fdignore', '.git/info/exclude']) {
    writeFileSync(join(root, 'again', name), '!*.pem\n');
    expect(await search(), name).toBe('ask');
    writeFileSync(join(root, 'again', name), '*.log\n');
    expect(await search(), name).toBe('allow');
    rmSync(join(root, 'again', name));
  }
  rmSync(join(root, 'again'), { recursive: true });
});

test('the current content of an ignore file applies', async () => {
  const behaviors: string[] = [];
  for (const text of ['x\n', '!.env\n', 'x\n']) {
    writeFileSync(join(root, '.ignore'), text);
    behaviors.push((await bash('rg SECRET')).behavior);
  }
  expect(behaviors).toEqual(['allow', 'ask', 'allow']);
});
