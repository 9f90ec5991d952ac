/** A version file can make a version manager run tools from the project, so any program may be the project's. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { home, policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'tools');
mkdirSync(join(project, 'sub'), { recursive: true });
writeFileSync(join(project, 'a.txt'), 'x\n');

const made: string[] = [];
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  made.push(path);
};
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true });
});

const behavior = async (command: string): Promise<string> => {
  const policy = await policyFor([], 'default', { root: project });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
};

test.each([
  ['.tool-versions', 'ruby 3.3.0\nnodejs path:./node\n'],
  ['.tool-versions', 'nodejs 22.1.0 path:./node\n'],
  ['.node-version', 'path:node'],
  ['.nvmrc', 'path:./node\n'],
  ['.python-version', '../../x\n'],
  ['.prototools', '[plugins]\nnode = "source:./node.toml"\n'],
  ['pyproject.toml', '[tool.rye]\nmanaged = true\n'],
  ['.volta/hooks.json', '{"node":{"distro":{"bin":"./x.sh"}}}'],
])('programs need approval if %s contains %j', async (name, text) => {
  write(join(project, name), text);
  for (const command of ['node --version', 'rg foo', 'jq . a.txt', 'wc -l a.txt'])
    expect(await behavior(command)).toBe('ask');
});

test('programs run if version files name only versions', async () => {
  write(join(project, '.tool-versions'), 'nodejs 22.1.0 # not path\nruby ref:v3.3\n');
  write(join(project, '.nvmrc'), 'lts/*\n');
  write(join(project, '.prototools'), 'node = "22"\n');
  write(join(project, 'pyproject.toml'), '[tool.poetry]\nname = "x"\n');
  for (const command of ['node --version', 'rg foo', 'wc -l a.txt'])
    expect(await behavior(command)).toBe('allow');
});

test('a version file applies in its folder and below, and is trusted above the workspace', async () => {
  write(join(project, 'sub/.tool-versions'), 'nodejs path:./node\n');
  write(join(home, '.tool-versions'), 'nodejs path:/opt/node\n');
  expect(await behavior('node --version')).toBe('allow');
  expect(await behavior('cd sub && node --version')).toBe('ask');
});

test('programs need approval if a version file is too large to read', async () => {
  write(join(project, '.ruby-version'), `${'x'.repeat(70_000)}\n`);
  expect(await behavior('ls')).toBe('ask');
});
