import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { executedFiles, programsIn } from '../../../src/cli/permissions/executedFiles.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const hook = (command: string) => ({
  hook: { type: 'command', event: 'PostToolUse', matcher: '', command } as const,
  ...({ scope: 'user', source: 'config.json' } as const),
});
const run = (root: string, ...commands: string[]): string[] =>
  executedFiles(
    programsIn({
      hooks: commands.map(hook),
      servers: [],
      settings: { statusLine: null, notificationCommand: null, providers: {} },
    }),
    { root, home: join(root, '..') },
  )
    .map((path) => path.slice(root.length + 1))
    .sort();

test('a script is found in the folder to which the command changes', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(join(root, 'tools/lint'), '');
  expect(run(root, 'cd tools && ./check.sh', 'sh -c \'cd "tools"; lint\'')).toEqual([
    'check.sh',
    'tools/lint',
  ]);
});

test('a tracked script is protected even in a build folder', () => {
  const root = temporaryFolder();
  const files = ['bin/check.sh', 'bin/server', 'scripts/lint.sh'];
  for (const file of files) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '--quiet');
  git('add', 'bin/check.sh', 'scripts/lint.sh');
  expect(run(root, 'bin/check.sh && scripts/lint.sh', 'bin/server --once')).toEqual([
    'bin/check.sh',
    'scripts/lint.sh',
  ]);
});

test('files that Node and Python load for a bare name, a folder or a module are protected', () => {
  const root = temporaryFolder();
  for (const folder of ['tools/check', 'lib', 'plain']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['tools/lint.mjs', 'tools/index.js', 'lib/start.js', 'plain/index.js'])
    writeFileSync(join(root, file), '');
  writeFileSync(join(root, 'lib/package.json'), '{"main":"start"}');
  expect(run(root, 'node ./tools/lint')).toContain('tools/lint.mjs');
  expect(run(root, 'node tools')).toContain('tools/index.js');
  expect(run(root, 'node lib')).toEqual(expect.arrayContaining(['lib/package.json', 'lib/start.js']));
  expect(run(root, 'python3 -m tools.check')).toEqual(
    expect.arrayContaining(['tools/__init__.py', 'tools/check/__main__.py', 'tools/check.py']),
  );
  expect(run(root, 'ls plain')).toEqual([]);
});

test('a script that prints an API key is protected; its command starts in the home', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'scripts'));
  for (const name of ['absolute', 'relative', 'other']) writeFileSync(join(root, 'scripts', name), '');
  const provider = { baseUrl: 'http://127.0.0.1/v1', wire: null, headers: {}, models: {} };
  const names = (apiKeyHelper: string) =>
    executedFiles(
      programsIn({
        ...{ hooks: [], servers: [] },
        settings: {
          statusLine: null,
          notificationCommand: null,
          providers: { mine: { ...provider, apiKeyHelper } },
        },
      }),
      { root, home: join(root, '..') },
    ).map((path) => path.slice(root.length + 1));
  expect(names(`${root}/scripts/absolute --print`)).toEqual(['scripts/absolute']);
  expect(names(`${basename(root)}/scripts/relative`)).toContain('scripts/relative');
  expect(names('pass show llm')).toEqual([]);
});

test('scripts that a shell script sources or starts are protected, at any depth', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'tools/lib'), { recursive: true });
  const texts = {
    'tools/check.sh': [
      'set -e',
      `DIR="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"`,
      'if [ -f "$DIR/lib/a.sh" ]; then . "$DIR/lib/a.sh"; fi',
      'source "$(dirname "$0")/lib/b.sh"',
      `. "\${BASH_SOURCE%/*}/lib/c.sh" && bash -e tools/d.sh || "$CLAUDE_PROJECT_DIR"/e`,
      'source "$TOOLS/lib/f.sh"',
      'cat notes.md',
    ].join('\n'),
    'tools/lib/a.sh': 'python3 tools/g.py --all',
    'tools/g.py': 'import h',
    'tools/lib/b.sh': 'sh tools/lib/deep.sh',
    'tools/lib/deep.sh': '. ./tooDeep.sh',
    ...{ 'tools/lib/c.sh': '', 'tools/d.sh': '', e: '', 'tools/lib/f.sh': '', 'tooDeep.sh': '' },
    ...{ 'notes.md': '', h: '' },
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(root, name), text);
  expect(run(root, 'bash ./tools/check.sh')).toEqual([
    ...['e', 'tooDeep.sh', 'tools/check.sh', 'tools/d.sh', 'tools/g.py', 'tools/lib/a.sh', 'tools/lib/b.sh'],
    ...['tools/lib/c.sh', 'tools/lib/deep.sh', 'tools/lib/f.sh'],
  ]);
  // A binary, or a script in another language, is not read.
  writeFileSync(join(root, 'tools/run'), '#!/usr/bin/env node\n. ./tools/d.sh');
  expect(run(root, './tools/run')).toEqual(['tools/run']);
});

test('a script in a build folder is not protected unless git tracks it, also as part of a submodule', () => {
  const root = temporaryFolder();
  for (const file of ['lib/bin/h.sh', 'lib/bin/built', 'bin/h.sh', 'dist/index.js']) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });
  git(root, 'init');
  git(join(root, 'lib'), 'init');
  git(join(root, 'lib'), 'add', 'bin/h.sh');
  git(root, 'add', 'bin/h.sh');
  const commands = ['sh lib/bin/h.sh', 'lib/bin/built', 'sh bin/h.sh', 'node dist'];
  expect(run(root, ...commands)).toEqual(['bin/h.sh', 'lib/bin/h.sh']);
});
