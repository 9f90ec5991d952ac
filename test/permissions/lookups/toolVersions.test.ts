/** A version file can make a version manager run tools from the project, so any of its shims may be the project's. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { effectsOf } from '../../../src/permissions/command/commandEffects.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { toolsFolderLookup } from '../../../src/permissions/lookups/versionManagers.ts';
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
  for (const name of ['.vfox', '.volta']) rmSync(join(project, name), { recursive: true, force: true });
});

// `rg` is a link as mise makes them, `jq` and `node` are scripts as asdf makes them; `tree` is a program.
const bin = join(top, 'tools');
for (const folder of ['shims', 'bin']) mkdirSync(join(bin, folder), { recursive: true });
writeFileSync(join(bin, 'bin/mise'), '\x7fELF', { mode: 0o755 });
symlinkSync('../bin/mise', join(bin, 'shims/rg'));
for (const name of ['node', 'jq']) writeFileSync(join(bin, 'shims', name), '#!/bin/sh\n', { mode: 0o755 });
writeFileSync(join(bin, 'bin/tree'), '\x7fELF', { mode: 0o755 });

const env = { HOME: home, PATH: `${join(bin, 'shims')}:${join(bin, 'bin')}:/usr/bin:/bin` };

const policyHere = () =>
  policyFor([], 'default', { root: project, toolsFolderNamed: toolsFolderLookup(env) });
const behavior = async (command: string): Promise<string> =>
  decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, await policyHere()).behavior;

const namesOfMise =
  'mise.toml .mise.toml mise.local.toml mise.ci.toml .mise.ci.local.toml .rtx.toml mise/config.toml .mise/config.toml MISE.toml .config/mise.toml .config/mise/config.toml .config/mise/mise.toml .config/mise/conf.d/x.toml'.split(
    ' ',
  );

test.each([
  ['.tool-versions', 'ruby 3.3.0\nnodejs path:./node\n'],
  ['.tool-versions', 'nodejs 22.1.0 path:./node\n'],
  ['.tool-versions', 'github:evil/jq 1.0\n'],
  ['.tool-versions', 'jq {{ exec(command="./x") }}\n'],
  ['.node-version', 'path:node'],
  ['.nvmrc', 'path:./node\n'],
  ['.python-version', '../../x\n'],
  ['Gemfile', 'ruby "path:./ruby"\n'],
  ...namesOfMise.map((name): [string, string] => [name, '[tools]\njq = "path:./evil"\n']),
  ['mise.toml', '[tools]\n"github:evil/jq" = "1.0"\n'],
  ['mise.toml', '[tools.jq]\nversion = "path:./evil"\n'],
  ['mise.toml', 'tools.jq = "path:./evil"\n'],
  ['mise.toml', 'tools = { jq = "path:./evil" }\n'],
  ['mise.toml', '["tools"]\njq = "p\\u0061th:./evil"\n'],
  ['mise.toml', '[tools]\njq = "p\\u0061th:./evil"\n'],
  ['mise.toml', '[tasks.x]\nrun = """\n[tools]\n"""\n[tools]\njq = "path:./evil"\n'],
  ['mise.toml', '[tools]\nnode = "22"\n[env]\n_.path = ["./bin"]\n'],
  ['mise.toml', '[tools]\nnode = "22"\n[hooks]\nenter = "./x"\n'],
  ['mise.toml', '[plugins]\njq = "https://example.com/jq"\n'],
  ['mise.lock', '[[tools.jq]]\nversion = "1.7"\nurl = "https://example.com/jq"\n'],
  ['.miserc.toml', 'env = ["x"]\n'],
  ['.prototools', '[plugins]\nnode = "source:./node.toml"\n'],
  ['.prototools', 'plugins.jq = "https://example.com/x.toml"\n'],
  ['.prototools.ci', '[env]\nNODE_OPTIONS = "--import=./x.mjs"\n'],
  ['pyproject.toml', '[tool.rye]\nmanaged = true\n'],
  ['.volta/hooks.json', '{"node":{"distro":{"bin":"./x.sh"}}}'],
  ['.rbenv-vars', 'RUBYOPT=-r./x\n'],
  ['aqua.yaml', 'registries:\n- name: local\n  type: local\n  path: registry.yaml\n'],
  ['.vfox/sdks/node/bin/node', ''],
])('shims need approval if %s contains %j', async (name, text) => {
  write(join(project, name), text);
  for (const command of ['node --version', 'rg foo', 'jq . a.txt', 'timeout 5 jq . a.txt'])
    expect(await behavior(command)).toBe('ask');
  for (const command of ['wc -l a.txt', 'tree']) expect(await behavior(command)).toBe('allow');
});

test('shims run if version files name only versions', async () => {
  write(
    join(project, '.tool-versions'),
    'nodejs 22.1.0 # not path\nruby ref:v3.3\njava temurin-21.0.1+12\n\n',
  );
  write(join(project, '.nvmrc'), 'lts/*\n');
  write(join(project, '.prototools'), '# tools\nnode = "~22"\n');
  write(join(project, 'pyproject.toml'), '[tool.poetry]\nname = "x"\n');
  write(join(project, 'package.json'), '{"packageManager":"pnpm@10.1.0","dependencies":{"path":"1"}}');
  write(join(project, 'aqua.yaml'), 'registries:\n- type: standard\npackages:\n- name: cli/cli@v2\n');
  write(
    join(project, 'mise.toml'),
    'min_version = "2026.1"\n[tools]\nnode = "22" # LTS\npython = ["3.12", "3.11"]\n\n[tasks.x]\nrun = "path:./x"\n',
  );
  for (const command of ['node --version', 'rg foo', 'wc -l a.txt'])
    expect(await behavior(command)).toBe('allow');
});

test('what a shim runs in such a folder counts as code of the project', async () => {
  write(join(project, 'mise.toml'), '[tools]\njq = "path:./evil"\n');
  const policy = await policyHere();
  const areOfProject = (command: string) =>
    effectsOf(command, project, policy)?.map((one) => one.type === 'program' && one.isOfProject);
  expect(areOfProject('jq -r .session_id')).toEqual([true]);
  expect(areOfProject('date')).toEqual([false]);
});

test('a file that a variable of the manager names counts', () => {
  const others = { MISE_ENV_FILE: '.env', ASDF_DEFAULT_TOOL_VERSIONS_FILENAME: '.tool-versions' };
  const find = toolsFolderLookup({ ...env, ...others });
  write(join(project, '.tool-versions'), 'nodejs 22.1.0\n');
  expect(find(project, 'rg')).toBeUndefined();
  write(join(project, '.env'), 'LD_PRELOAD=./x.so\n');
  expect([find(project, 'rg'), find(project, 'wc')]).toEqual([join(project, '.env'), undefined]);
});

test('a version file applies in its folder and below, and is trusted above the workspace', async () => {
  write(join(project, 'sub/.tool-versions'), 'nodejs path:./node\n');
  write(join(home, '.tool-versions'), 'nodejs path:/opt/node\n');
  expect(await behavior('node --version')).toBe('allow');
  expect(await behavior('cd sub && node --version')).toBe('ask');
});

test('shims need approval if a version file is too large to read, or a link', async () => {
  write(join(project, '.ruby-version'), `${'x'.repeat(70_000)}\n`);
  expect(await behavior('rg foo')).toBe('ask');
  rmSync(join(project, '.ruby-version'));
  write(join(top, 'other.toml'), '[tools]\njq = "path:./evil"\n');
  symlinkSync(join(top, 'other.toml'), join(project, '.ruby-version'));
  symlinkSync(join(top, 'other.toml'), join(project, 'mise.toml'));
  made.push(join(project, 'mise.toml'));
  expect(await behavior('rg foo')).toBe('ask');
});
