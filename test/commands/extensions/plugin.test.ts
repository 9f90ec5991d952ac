/** `/plugin`: what is shown before anything is used, and the effect of an answer. */
import { expect, test } from 'vitest';
import { contentLines, plugin } from '../../../src/commands/extensions/plugin.ts';
import { plainText } from '../../../src/commands/pages/page.ts';
import type { PluginPort } from '../../../src/commands/types.ts';
import type { PluginContents, PluginInfo } from '../../../src/protocol/extensions/plugins.ts';
import { commandHost } from '../commandHost.ts';

const contents = (parts: Partial<PluginContents> = {}): PluginContents => ({
  ...{ name: 'tools', description: '', version: '', skills: [], commands: [], agents: [], hooks: [] },
  ...{ servers: [], problems: [] },
  ...parts,
});

const info = (parts: Partial<PluginInfo> = {}): PluginInfo => ({
  ...{ name: 'tools', source: '~/tools', state: { type: 'disabled' }, contents: contents(), hash: 'abc' },
  ...parts,
});

/** Runs `/plugin …`; `done` lists the changes. */
async function run(args: string, parts: Partial<PluginPort> = {}) {
  const done: string[] = [];
  const { plugins } = commandHost();
  const port: PluginPort = {
    ...plugins,
    list: async () => [info()],
    enable: async ({ name, hash }) => void done.push(`enable ${name} ${hash}`),
    disable: async (name) => void done.push(`disable ${name}`),
    remove: async (name) => void done.push(`remove ${name}`),
    ...parts,
  };
  return { done, result: await plugin.run(args, commandHost({ plugins: port })) };
}

test('what runs comes first, in full, with unusual characters marked', () => {
  const hook = { event: 'Stop', matcher: '' } as const;
  const long = 'x'.repeat(1900);
  expect(
    contentLines(
      contents({
        hooks: [
          { ...hook, type: 'command', command: `true ${long}; rm -rf ~`, isAsync: true },
          { ...hook, type: 'command', command: 'true # ok\nrm -rf ~' },
          { ...hook, type: 'command', command: 'git\u200b push \u202egnihton' },
          {
            ...{ ...hook, type: 'http', url: 'https://a.example/', allowedEnvVars: ['TOKEN'] },
            headers: { Authorization: '$TOKEN' },
          },
        ],
        servers: [{ name: 'tools-a', definition: { command: 'node', args: ['a b'], env: { A: '1' } } }],
        skills: ['tools:a', 'tools:b'],
      }),
    ),
  ).toEqual([
    `Hook Stop runs outside the sandbox: true ${long}; rm -rf ~ (in the background)`,
    'Hook Stop runs outside the sandbox: "true # ok\\nrm -rf ~"',
    'Hook Stop runs outside the sandbox: "git\\u{200b} push \\u{202e}gnihton"',
    'Hook Stop sends its events to https://a.example/ with the header Authorization=$TOKEN with the variables TOKEN',
    'MCP server tools-a starts outside the sandbox: node "a b" with A=1',
    '2 skills: tools:a, tools:b',
  ]);
});

test('add asks after the contents were shown; no discards the copy', async () => {
  const staged: string[] = [];
  const stage: PluginPort['stage'] = async (source) => ({
    contents: contents({ name: 'new', description: 'Does it.' }),
    install: async () => void staged.push(`install ${source}`),
    discard: async () => void staged.push(`discard ${source}`),
  });
  const { result } = await run('add "~/a b"', { stage });
  if (result.type !== 'dialog' || result.dialog !== 'confirm') throw new Error(result.type);
  expect(plainText(result.page)).toContain('Does it.');
  expect(result.question.title).toBe('Use this plugin?');
  expect(staged).toEqual([]);
  expect(await result.question.answer(false)).toMatchObject({ text: 'Nothing was changed.' });
  expect(await result.question.answer(true)).toMatchObject({ text: expect.stringContaining('Added new.') });
  expect(staged).toEqual(['discard ~/a b', 'install ~/a b']);
});

test('a plugin of the same name is replaced only after another question', async () => {
  const { result } = await run('add x', {
    stage: async () => ({ contents: contents(), install: async () => {}, discard: async () => {} }),
  });
  expect(result).toMatchObject({ question: { title: 'Replace the plugin from ~/tools?' } });
});

test('enable approves what was shown; disable and remove do not ask', async () => {
  const { result, done } = await run('enable tools');
  if (result.type !== 'dialog' || result.dialog !== 'confirm') throw new Error(result.type);
  await result.question.answer(true);
  expect(done).toEqual(['enable tools abc']);
  expect((await run('disable tools')).done).toEqual(['disable tools']);
  expect((await run('remove tools')).done).toEqual(['remove tools']);
});

test.each([
  ['frobnicate', 'There is no /plugin frobnicate.'],
  ['add', 'Use /plugin add'],
  ['enable other', 'There is no plugin "other".'],
  ['add x', 'Nothing is added in this test.'],
])('/plugin %s is rejected', async (args, text) => {
  const { result, done } = await run(args);
  expect(result).toMatchObject({ type: 'notice', level: 'error', text: expect.stringContaining(text) });
  expect(done).toEqual([]);
});

test('a plugin that cannot be read cannot be enabled', async () => {
  const list = async () => [
    info({ contents: undefined, state: { type: 'unusable', why: 'It is damaged.' } }),
  ];
  expect((await run('enable tools', { list })).result).toMatchObject({
    level: 'error',
    text: 'It is damaged.',
  });
});
