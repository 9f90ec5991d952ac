import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { commandsIn, readProjectFacts } from '../../../src/cli/onboarding/projectFacts.ts';
import { cpuClock } from '../../cpuTime.ts';

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'clawdcode-facts-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test('a project is described by its names and manifests', { tags: 'long' }, async () => {
  const root = await project({
    'package.json': JSON.stringify({ scripts: { build: 'tsc', test: 'vitest run' } }),
    'pnpm-lock.yaml': '',
    'src/a.ts': '',
    'src/b.tsx': '',
    'src/c.mts': '',
    'src/deep/er/package.json': '{}',
    'tools/x.py': '',
    'README.md': '# It',
    'CLAUDE.md': '',
    '.cursor/rules/style.mdc': '',
    '.github/workflows/ci.yml': '',
    Makefile: 'all: build\n\nbuild:\n\techo hi\nVERSION := 1\n.PHONY: all\n',
  });
  expect(await readProjectFacts({ root, env: process.env })).toEqual({
    files: 12,
    isComplete: true,
    languages: [
      { name: 'TypeScript', files: 3 },
      { name: 'Markdown', files: 2 },
      { name: 'Python', files: 1 },
    ],
    folders: ['.cursor/', '.github/', 'src/', 'tools/'],
    manifests: ['Makefile', 'package.json'],
    commands: [
      { command: 'make all' },
      { command: 'make build' },
      { command: 'pnpm run build', runs: 'tsc' },
      { command: 'pnpm run test', runs: 'vitest run' },
    ],
    guides: ['.cursor/rules/style.mdc', 'CLAUDE.md', 'README.md'],
    workflows: ['.github/workflows/ci.yml'],
    agentsBytes: undefined,
  });
});

test('links are not followed, hostile text is escaped, and an existing AGENTS.md is found', async () => {
  const outside = await project({
    'secret.json': JSON.stringify({ scripts: { stolen: 'cat /etc/passwd' } }),
  });
  const root = await project({
    'AGENTS.md': 'four',
    'deno.json': JSON.stringify({ tasks: { 'a\u001b[2Jb\nc': 'x', [`long${'x'.repeat(500)}`]: 'y' } }),
  });
  await symlink(join(outside, 'secret.json'), join(root, 'package.json'));
  const facts = await readProjectFacts({ root, env: process.env });
  expect(facts.agentsBytes).toBe(4);
  expect(JSON.stringify(facts)).not.toMatch(/stolen|\\u001b|\\n/);
  expect(Math.max(...facts.commands.map(({ command }) => command.length))).toBeLessThan(130);
});

test.each([
  ['package.json', '{"scripts":{"test":"x"}}', [], ['npm test']],
  ['package.json', '{"scripts":{"test":"x"}}', ['yarn.lock'], ['yarn run test']],
  ['package.json', '{broken', [], []],
  ['justfile', 'build target="x":\n  echo\n_private:\n', [], ['just build']],
  [
    'pyproject.toml',
    '[tool.uv]\n[tool.pytest.ini_options]\n[tool.ruff]\n',
    [],
    ['uv run pytest', 'uv run ruff check'],
  ],
  ['build.gradle.kts', '', ['gradlew'], ['./gradlew test']],
  ['README.md', 'npm test', [], []],
])('%s names its commands', (name, text, files, expected) => {
  expect(commandsIn(name, text, files).map(({ command }) => command)).toEqual(expected);
});

test('an endless line causes no delay', () => {
  const spentMs = cpuClock();
  for (const name of ['Makefile', 'justfile', 'pyproject.toml'])
    expect(commandsIn(name, `a${' '.repeat(200_000)}\n${'b'.repeat(50_000)}`, [])).toEqual([]);
  expect(spentMs()).toBeLessThan(2000);
});

test('no manifest causes an error', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('package.json', 'deno.json', 'Makefile', 'justfile', 'pyproject.toml'),
      fc.oneof(fc.string(), fc.json()),
      (name, text) => {
        for (const { command } of commandsIn(name, text, [])) expect(command).not.toBe('');
      },
    ),
  );
});
