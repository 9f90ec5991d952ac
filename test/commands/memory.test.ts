import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CommandHost, CommandResult, MemoryPort } from '../../src/commands/types.ts';
import { LongTermMemory } from '../../src/context/index.ts';
import { commandHost, run } from './commandHost.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-memory-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** The command on real files. */
function host(settings: Partial<MemoryPort['settings']> = {}): CommandHost {
  const folders = { user: join(base, 'user'), project: join(base, 'project') };
  const memory = new LongTermMemory({ folders, isSensitive: (path) => path.endsWith('.env.md') });
  return commandHost({
    memory: {
      folders,
      settings: { enabled: true, limit: 1, minSimilarity: 0.6, category: null, ...settings },
      list: () => memory.list(),
      add: (text, scope, category) => memory.remember(text, scope, category),
      search: (words, category) =>
        memory.search(words, {
          limit: 10,
          minSimilarity: 0.01,
          timeoutMs: 10_000,
          ...(category === undefined ? {} : { category }),
        }),
    },
  });
}

const shown = (result: CommandResult): string => {
  expect(result).toMatchObject({ type: 'notice' });
  return result.type === 'notice' ? result.text : '';
};
const memory = async (args: string, at = host()): Promise<string> => shown(await run('memory', args, at));

test('without files it says where to put them and how to add a memory', async () => {
  const text = await memory('');
  expect(text).toContain('There are no memories yet.');
  expect(text).toContain(join(base, 'project'));
  expect(text).toContain('/memory add');
  expect(await memory('path')).toContain(join(base, 'user'));
});

test('an added memory is listed, found, and on disk in the requested file', async () => {
  expect(await memory('add Deploys go out on Mondays')).toBe(
    `Remembered for all projects, in ${join(base, 'user/notes.md')}`,
  );
  expect(await memory('add --project Deploys need\ntwo reviews')).toContain('for this project');
  expect(await readFile(join(base, 'project/notes.md'), 'utf8')).toBe('- Deploys need\n  two reviews\n');
  await writeFile(join(base, 'user/a.env.md'), 'secret');
  expect((await memory('list')).split('\n')).toEqual([
    'Up to 1 memory is added to each prompt (similarity 0.6 or more).',
    '',
    'For this project',
    `  ${join(base, 'project/notes.md')}  1 memory`,
    '',
    'For all projects',
    `  ${join(base, 'user/a.env.md')}  left out: its name suggests secrets`,
    `  ${join(base, 'user/notes.md')}  1 memory`,
  ]);
});

test('a search shows similarity, and what a prompt would include', async () => {
  await memory('add Deploys go out on Mondays');
  await memory('add --project Deploys need two reviews');
  const lines = (await memory('search deploys with two reviews')).split('\n');
  expect(lines[0]).toMatch(/^ {2}\* {2}1\.00 {2}notes\.md {2}Deploys need two reviews$/);
  expect(lines[1]).toMatch(/^ {5}0\.\d\d {2}notes\.md {2}Deploys go out on Mondays$/);
  expect(await memory('search kubernetes')).toBe('No memory matches these words.');
});

test('says so if prompts include no memories', async () => {
  await memory('add x');
  expect(await memory('', host({ enabled: false }))).toContain('"context.memory.enabled" is off');
});

test('a category can be written and searched, and decides what is included', async () => {
  expect(await memory('add --category style Deploys are written in small caps')).toBe(
    `Remembered for all projects, in ${join(base, 'user/style.md')}`,
  );
  await memory('add --category=Style Deploys have no exclamation marks');
  await memory('add --project --category "Release notes" Deploys are announced');
  await memory('add Deploys go out on Mondays');
  expect(await readFile(join(base, 'user/style.md'), 'utf8')).toBe(
    '---\ncategory: style\n---\n\n- Deploys are written in small caps\n- Deploys have no exclamation marks\n',
  );
  const found = await memory('search --category STYLE deploys');
  expect(found).toMatch(/style\.md \[style\] .*small caps/);
  expect(found).toContain('exclamation marks');
  expect(found).not.toContain('Mondays');
  expect(await memory('search --category "release notes" deploys')).toMatch(/\[release notes\] .*announced/);
  expect(await memory('search --category other deploys')).toBe('No memory matches these words.');
  const all = await memory('search deploys', host({ category: 'Style', limit: 9 }));
  const marked = all.split('\n').filter((line) => /^ *\* +\d/.test(line));
  expect(marked).toHaveLength(2);
  for (const line of marked) expect(line).toContain('style.md');
  expect(await memory('', host({ category: 'style' }))).toContain('Up to 1 memory of the category "style"');
  expect(await memory('add --project -- is no flag')).toContain('for this project');
  expect(await memory('add --category "say \'hi\'" x').catch(() => '')).toContain('without quotation marks');
});

test.each([
  'add',
  'add --project',
  'add --category',
  'add --category style',
  'add --category --project x',
  'search',
  'search --category',
  'search --category style',
  'forget everything',
  'add \u0000',
])('/memory %s is an error that says what to do', async (args) => {
  expect(await run('memory', args, host())).toMatchObject({ type: 'notice', level: 'error' });
});
