/** Tools behind a search: when they are deferred, how they are found, and what that costs. */
import { expect, test } from 'vitest';
import { createDeferredTools } from '../../../src/agent/toolset/deferredTools.ts';
import { searchTools } from '../../../src/agent/toolset/toolSearch.ts';
import { createToolset } from '../../../src/agent/toolset/toolset.ts';
import { estimateTokens } from '../../../src/context/index.ts';
import type { ToolSchema } from '../../../src/protocol/messages.ts';
import type { Tool, ToolContext } from '../../../src/protocol/tools.ts';
import { calls, says } from '../scriptedModel.ts';
import { smallTool } from '../smallTools.ts';
import { startAgent } from '../testAgent.ts';

/** A tool of a server with a schema of about so many tokens. */
function serverTool(name: string, description: string, tokens = 200): Tool {
  const properties = { text: { type: 'string', description: 'word '.repeat(tokens) } };
  const tool = smallTool(name);
  const schema = { name, description, parameters: { type: 'object', properties } };
  return { ...tool, onDemand: true, schema };
}

const tokensOf = (schemas: readonly ToolSchema[]): number => estimateTokens(JSON.stringify(schemas));
const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);

const many = Array.from({ length: 20 }, (_, server) =>
  Array.from({ length: 15 }, (_, tool) =>
    serverTool(`mcp__server${server}__tool${tool}`, `Does thing ${tool} of service ${server}.`),
  ),
).flat();

test('small schemas are offered as they are', async () => {
  const tools = [smallTool('Read'), serverTool('mcp__a__x', 'X.')];
  const { ask, model } = await startAgent({ tools: () => tools, answers: [says('Done.')] });
  await ask('Go');
  expect(names(model.requests[0]?.tools ?? [])).toEqual(['Read', 'mcp__a__x']);
});

test('over a tenth of the window a search replaces them; what it finds is offered and can be called', async () => {
  const tools = [smallTool('Read'), ...many];
  const { ask, model, lines } = await startAgent({
    tools: () => tools,
    answers: [
      calls(['1', 'ToolSearch', { query: 'thing 7 service 3', max_results: 1 }]),
      calls(['2', 'mcp__server3__tool7', { text: 'a' }]),
      says('Done.'),
    ],
  });
  await ask('Go');
  expect(model.requests.map((request) => names(request.tools))).toEqual([
    ['Read', 'ToolSearch'],
    ['Read', 'ToolSearch', 'mcp__server3__tool7'],
    ['Read', 'ToolSearch', 'mcp__server3__tool7'],
  ]);
  expect(lines()).toContain('entry tool_result 2 ok: mcp__server3__tool7 ran');
});

test.each([
  [15_999, ['Read']],
  [16_000, ['Read', 'Big']],
])('in a window of %i tokens the tools are %j', async (windowTokens, offered) => {
  const tools = [smallTool('Read'), { ...smallTool('Big'), minWindowTokens: 16_000 }];
  const { ask, model } = await startAgent({ windowTokens, tools: () => tools, answers: [says('Done.')] });
  await ask('Go');
  expect(names(model.requests[0]?.tools ?? [])).toEqual(offered);
});

test('twenty servers cost less than 2,000 tokens', () => {
  const deferred = createDeferredTools({ tokensOf, windowTokens: () => 200_000, called: [] });
  expect(tokensOf(many.map(({ schema }) => schema))).toBeGreaterThan(50_000);
  expect(tokensOf(deferred.offered(many).map(({ schema }) => schema))).toBeLessThan(500);
});

test('the share is of the window of the model in use', () => {
  const tools = many.slice(0, 20);
  const tokens = tokensOf(tools.map(({ schema }) => schema));
  const offered = (windowTokens: number) =>
    names(createDeferredTools({ tokensOf, windowTokens: () => windowTokens, called: [] }).offered(tools));
  expect(offered(tokens * 10)).toHaveLength(20);
  expect(offered(tokens * 10 - 1)).toEqual(['ToolSearch']);
});

test('a tool that the session has called before, or calls by its name, is offered', () => {
  const deferred = createDeferredTools({
    ...{ tokensOf, windowTokens: () => 1000 },
    called: ['Read', 'mcp__server2__tool2'],
  });
  const toolset = createToolset(() => many, deferred);
  expect(names(toolset.schemas())).toEqual(['ToolSearch', 'mcp__server2__tool2']);
  expect(toolset.find('mcp__server0__tool0')?.name).toBe('mcp__server0__tool0');
  expect(names(toolset.schemas())).toEqual(['ToolSearch', 'mcp__server2__tool2', 'mcp__server0__tool0']);
  expect(toolset.find('ToolSearch')?.name).toBe('ToolSearch');
});

test('a search finds the tools of the moment, although the search tool itself stays the same', async () => {
  const replacement = serverTool('mcp__server0__weather', 'Tells the weather.');
  const deferred = createDeferredTools({ tokensOf, windowTokens: () => 1000, called: [] });
  deferred.offered(many);
  const before = deferred.search();
  deferred.offered([replacement, ...many.slice(1)]);
  expect(deferred.search()).toBe(before);
  const prepared = await before?.prepare({ query: 'weather' }, {} as ToolContext);
  const outcome = prepared?.type === 'ready' ? await prepared.run({ basis: 'mode' }) : undefined;
  expect(outcome?.text).toContain('mcp__server0__weather');
});

test('the same list stays the same array, so that requests stay cached', () => {
  const deferred = createDeferredTools({ tokensOf, windowTokens: () => 1000, called: [] });
  const toolset = createToolset(() => [...many], deferred);
  expect(toolset.schemas()).toBe(toolset.schemas());
});

const schema = (name: string, description: string): ToolSchema => ({
  ...{ name, description },
  parameters: { type: 'object' },
});
const catalogue = [
  schema('mcp__github__create_issue', 'Open a new issue in a repository.'),
  schema('mcp__github__list_pull_requests', 'List pull requests.'),
  schema('mcp__linear__listIssues', 'Find tickets by state and team.'),
  schema('mcp__files__read_text', 'Read a file as text.'),
  schema('mcp__db__query', 'Run a read-only SQL statement and return rows.'),
];

test.each([
  ['create issue', 'mcp__github__create_issue'],
  ['list issues linear', 'mcp__linear__listIssues'],
  ['pull request', 'mcp__github__list_pull_requests'],
  ['sql rows', 'mcp__db__query'],
  ['reading files', 'mcp__files__read_text'],
  ['select:mcp__db__query', 'mcp__db__query'],
  ['select:read_text', 'mcp__files__read_text'],
])('%j finds %s first', async (query, name) => {
  expect((await searchTools(query, catalogue, 5))[0]?.name).toBe(name);
});

test('words that occur in no tool find nothing', async () => {
  expect(await searchTools('weather forecast', catalogue, 5)).toEqual([]);
});
