/** Prompts as commands, and resources that a prompt names. */
import { expect, test, vi } from 'vitest';
import { mcpPromptCommands } from '../../src/commands/extensions/mcp.ts';
import type { McpPort } from '../../src/protocol/extensions/mcp.ts';
import { commandHost } from '../commands/commandHost.ts';
import { openBench } from './support/bench.ts';
import { stdio } from './support/testServer.ts';

const signal = new AbortController().signal;

async function known() {
  const { servers } = await openBench({ test: stdio() });
  await vi.waitFor(() => expect(servers.resources()).not.toEqual([]), 10_000);
  return servers;
}

test('a prompt is a command in lower case, with its arguments in order', { tags: 'long' }, async () => {
  const servers = await known();
  const [command] = mcpPromptCommands(servers);
  expect(command).toMatchObject({
    name: 'mcp__test__review_pr',
    description: 'Reviews a pull request.',
    argumentHint: '<number> [focus]',
  });
  expect(await command?.run('12 the tests', {} as never)).toEqual({
    type: 'op',
    op: {
      type: 'prompt',
      text: '/mcp__test__review_pr 12 the tests',
      attachments: [
        {
          path: 'test:Review PR',
          title: '/mcp__test__review_pr',
          outcome: 'prompt',
          summary: 'from test',
          text: 'The prompt that the user has chosen from the MCP server test:\nReview pull request 12; look at the tests.',
        },
      ],
    },
  });
  expect(await command?.run('', {} as never)).toMatchObject({
    level: 'error',
    text: expect.stringContaining('<number>'),
  });
  expect(servers.prompts()).toBe(servers.prompts());
});

test('a resource named in a prompt is read and attached; the prompt stays the same', async () => {
  const servers = await known();
  expect(servers.resources()).toEqual(['test:note://one']);
  const prompt = { type: 'prompt', text: 'Sum up @test:note://one.' } as const;
  const about = { path: 'test:note://one', title: 'test:note://one', outcome: 'read' };
  const heading = 'The content of @test:note://one, as its MCP server returns it:';
  expect(await servers.expand(prompt, signal, 1000)).toEqual({
    ...prompt,
    attachments: [
      { ...about, summary: '2 lines', text: `${heading}\n[Resource note://one]\nThe note says 42.` },
    ],
  });
  const cut = await servers.expand(prompt, signal, 5);
  expect(cut.attachments).toEqual([
    { ...about, summary: 'only its beginning', text: `${heading}\n[Reso\n(The rest is left out.)` },
  ]);
  const missing = await servers.expand({ type: 'prompt', text: 'Read @test:note://two' }, signal, 1000);
  expect(missing.text).toBe('Read @test:note://two');
  expect(missing.attachments?.[0]).toMatchObject({
    outcome: 'refused',
    text: expect.stringContaining('@test:note://two is not attached:\nThe MCP server "test" failed: '),
  });
});

test('only text typed by the user names resources, and only those of known servers', async () => {
  const servers = await known();
  const piped = { type: 'prompt', text: 'What is this?\n@test:note://one', typed: 'What is this?' } as const;
  expect(await servers.expand(piped, signal, 1000)).toBe(piped);
  const mixed = { type: 'prompt', text: 'mail me@test:x, see @other:y @test:a @test:a (@test:b).' } as const;
  const { attachments } = await servers.expand(mixed, signal, 1000);
  expect(attachments?.map(({ path }) => path)).toEqual(['test:a', 'test:b']);
});

test.each([
  ['1', { number: '1' }],
  ['1 two words', { number: '1', focus: 'two words' }],
  ['"1 2" x', { number: '1 2', focus: 'x' }],
  ['', undefined],
])('arguments %j', async (text, expected) => {
  const given: unknown[] = [];
  const prompt = {
    ...{ server: 's', ownName: 'p', command: 'mcp__s__p', description: '' },
    arguments: [
      { name: 'number', isRequired: true },
      { name: 'focus', isRequired: false },
    ],
  };
  const port = {
    prompts: () => [prompt],
    getPrompt: async (_: unknown, values: unknown) => {
      given.push(values);
      return { text: 'Do it.', images: [] };
    },
  };
  const [command] = mcpPromptCommands(port as unknown as McpPort);
  await command?.run(text, commandHost());
  expect(given).toEqual(expected === undefined ? [] : [expected]);
});
