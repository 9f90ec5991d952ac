import { expect, test } from 'vitest';
import { plainText } from '../../src/commands/pages/page.ts';
import type { ProjectFacts } from '../../src/commands/types.ts';
import { commandHost, run } from './commandHost.ts';

const host = commandHost();

async function promptOf(args = '', facts: Partial<ProjectFacts> = {}) {
  const known = await host.projectFacts();
  const result = await run('init', args, commandHost({ projectFacts: async () => ({ ...known, ...facts }) }));
  if (result.type !== 'op' || result.op.type !== 'prompt') throw new Error('/init is a prompt');
  return result.op;
}

test('/init is shown as typed, and its prompt asks for what was found', async () => {
  const { text, display } = await promptOf();
  expect(display).toBe('/init');
  expect(text).toMatch(/^Write AGENTS\.md/);
  for (const fact of [
    '3 files: TypeScript 2',
    'folders: src/',
    'npm test (vitest)',
    'Read README.md and use',
  ])
    expect(text).toContain(fact);
});

test('an existing AGENTS.md is improved and not replaced', async () => {
  const { text } = await promptOf('', { agentsBytes: 812 });
  expect(text).toMatch(/^Improve the AGENTS\.md of this project \(812 bytes\)/);
  expect(text).toContain('rather than rewriting the file');
});

test('the user’s text is included, and an empty project has no empty lists', async () => {
  const { text, display } = await promptOf('mind the tests', {
    languages: [],
    folders: [],
    manifests: [],
    commands: [],
    guides: [],
    isComplete: false,
  });
  expect(display).toBe('/init mind the tests');
  expect(text).toContain('The user adds: mind the tests');
  expect(text).toContain('- 3 or more files\n');
  expect(text).not.toMatch(/folders:|manifests:|commands:|Read .* and use/);
});

test.each([30, 80])('/doctor is a page with a fix below each problem, in %i columns', async (columns) => {
  const result = await run('doctor');
  if (result.type !== 'page') throw new Error('/doctor is a page');
  const lines = plainText(result.page, columns).split('\n');
  expect(lines[0]).toBe('ClawdCode 1.2.3');
  expect(lines).toContain(columns < 50 ? '✓ Node: 24.0.0' : '✓ Node  24.0.0');
  expect(lines.findIndex((line) => line.includes('→ Install git.'))).toBe(
    lines.findIndex((line) => line.startsWith('! git')) + 1,
  );
  expect(lines.at(-1)).toBe('Ready to work; 1 thing could be better.');
});
