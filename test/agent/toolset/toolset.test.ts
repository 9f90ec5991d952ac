import { expect, test } from 'vitest';
import { createToolSearch } from '../../../src/agent/toolset/toolSearch.ts';
import { createDeferredTools, createToolset } from '../../../src/agent/toolset/toolset.ts';
import { estimateTokens } from '../../../src/context/index.ts';
import { requestsIn } from '../../../src/context/request/rebuildRequest.ts';
import type { ToolSchema } from '../../../src/protocol/messages.ts';
import type { Tool, ToolContext } from '../../../src/protocol/tools.ts';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { readLog, startAgent } from '../testAgent.ts';

/** A tool whose call adds another one: `Query`. */
function connectable(): readonly Tool[] {
  const tools: Tool[] = [];
  const run = () => {
    tools.push(smallTool('Query'));
    return ok('connected');
  };
  tools.push(smallTool('Connect', { run }));
  return tools;
}

test('a tool that appears between two steps is offered in the next request and can be called', async () => {
  const tools = connectable();
  const { ask, model, lines } = await startAgent({
    tools: () => tools,
    answers: [calls(['1', 'Connect']), calls(['2', 'Query']), says('Done.')],
  });
  await ask('Go');
  expect(model.requests.map((request) => request.tools.map(({ name }) => name))).toEqual([
    ['Connect'],
    ['Connect', 'Query'],
    ['Connect', 'Query'],
  ]);
  expect(lines()).toContain('entry tool_result 2 ok: Query ran');
});

test('a call to a removed tool fails with the list of available tools', async () => {
  let tools: Tool[] = [];
  const run = () => {
    tools = [smallTool('Read')];
    return ok('last');
  };
  tools = [smallTool('Read'), smallTool('Query', { run })];
  const { ask, model, lines } = await startAgent({
    tools: () => tools,
    answers: [calls(['1', 'Query']), calls(['2', 'Query']), says('Done.')],
  });
  await ask('Go');
  expect(model.requests.map((request) => request.tools.length)).toEqual([2, 1, 1]);
  expect(lines()).toContain(
    'entry tool_result 2 error: The tool "Query" is no longer available. Available tools: Read.',
  );
});

test('a tool that is removed between a request and its call does not run', async () => {
  let tools = [smallTool('Query')];
  const { ask, lines } = await startAgent({
    tools: () => tools,
    answers: [
      async function* () {
        tools = [];
        yield* calls(['1', 'Query']);
      },
      says('Done.'),
    ],
  });
  await ask('Go');
  expect(lines()).toContain(
    'entry tool_result 1 error: The tool "Query" is no longer available. No tools are available.',
  );
});

test('the log records each set of tools once, and each request refers to its set', async () => {
  const tools = connectable();
  const made = await startAgent({
    tools: () => tools,
    answers: [calls(['1', 'Connect']), calls(['2', 'Query']), says('Done.')].map(
      (answer) =>
        async function* (_request, _signal, onSent) {
          onSent?.({ hash: 'a' });
          yield* answer;
        },
    ),
  });
  await made.ask('Go');
  const entries = await readLog(made.context.filePath() ?? '');
  const recorded = entries.flatMap(({ subtype, data }) => (subtype === 'tools' ? [data?.hash] : []));
  expect(recorded).toHaveLength(2);
  const named = requestsIn(entries).map((entry) =>
    entry.type === 'assistant' ? entry.data?.request?.tools : undefined,
  );
  expect(named).toEqual([recorded[0], recorded[1], recorded[1]]);
});

test('schemas stay the same array as long as the tools are the same, whatever array contains the tools', () => {
  const read = smallTool('Read');
  const query = smallTool('Query');
  let tools = [read];
  const toolset = createToolset(() => [...tools]);
  const first = toolset.schemas();
  expect(toolset.schemas()).toBe(first);
  tools = [read, query];
  expect(toolset.schemas()).toEqual([read.schema, query.schema]);
  // The same name with another schema is another tool.
  const other = smallTool('Read');
  tools = [other];
  expect(toolset.schemas()[0]).toBe(other.schema);
});

test('of two tools with the same name, the first is offered and called', () => {
  const first = smallTool('Read');
  const toolset = createToolset(() => [first, smallTool('Read'), smallTool('Query')]);
  expect(toolset.current().map(({ name }) => name)).toEqual(['Read', 'Query']);
  expect(toolset.schemas()[0]).toBe(first.schema);
  expect(toolset.find('Read')).toBe(first);
});

test('an unknown tool name is distinguished from one that was offered before', () => {
  const toolset = createToolset(() => [smallTool('Read')]);
  expect(toolset.missing('Query')).toBe('There is no tool named "Query". Available tools: Read.');
});

// Deferred tools: when schemas are deferred, how a search finds them, and what it costs.

/** An MCP tool with a schema of about this many tokens. */
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

test('small schemas are offered directly', async () => {
  const tools = [smallTool('Read'), serverTool('mcp__a__x', 'X.')];
  const { ask, model } = await startAgent({ tools: () => tools, answers: [says('Done.')] });
  await ask('Go');
  expect(names(model.requests[0]?.tools ?? [])).toEqual(['Read', 'mcp__a__x']);
});

test('schemas over a tenth of the context window are replaced by a search; tools that it finds are offered and can be called', async () => {
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
])('a context window of %i tokens offers the tools %j', async (windowTokens, offered) => {
  const tools = [smallTool('Read'), { ...smallTool('Big'), minWindowTokens: 16_000 }];
  const { ask, model } = await startAgent({ windowTokens, tools: () => tools, answers: [says('Done.')] });
  await ask('Go');
  expect(names(model.requests[0]?.tools ?? [])).toEqual(offered);
});

test('twenty MCP servers with deferred tools cost less than 500 tokens', () => {
  const deferred = createDeferredTools({ tokensOf, windowTokens: () => 200_000, called: [] });
  expect(tokensOf(many.map(({ schema }) => schema))).toBeGreaterThan(50_000);
  expect(tokensOf(deferred.offered(many).map(({ schema }) => schema))).toBeLessThan(500);
});

test("whether tools are deferred depends on the current model's context window", () => {
  const tools = many.slice(0, 20);
  const tokens = tokensOf(tools.map(({ schema }) => schema));
  const offered = (windowTokens: number) =>
    names(createDeferredTools({ tokensOf, windowTokens: () => windowTokens, called: [] }).offered(tools));
  expect(offered(tokens * 10)).toHaveLength(20);
  expect(offered(tokens * 10 - 1)).toEqual(['ToolSearch']);
});

test('a deferred tool that the session has called before, or calls by name, is offered', () => {
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

test('a search finds the current tools, although the search tool itself stays the same', async () => {
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

test('an unchanged tool list is the same array, so that requests stay cached', () => {
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

/** The names of the tools that a search has found, best first. */
async function found(query: string): Promise<readonly string[]> {
  const names: string[] = [];
  const tools = () => catalogue.map((one): Tool => ({ ...smallTool(one.name), schema: one }));
  const search = createToolSearch('', { tools, load: (name) => names.push(name) });
  const prepared = await search.prepare({ query }, {} as ToolContext);
  if (prepared.type !== 'ready') throw new Error(prepared.type);
  await prepared.run({ basis: 'read-only' });
  return names;
}

test.each([
  ['create issue', 'mcp__github__create_issue'],
  ['list issues linear', 'mcp__linear__listIssues'],
  ['pull request', 'mcp__github__list_pull_requests'],
  ['sql rows', 'mcp__db__query'],
  ['reading files', 'mcp__files__read_text'],
  ['select:mcp__db__query', 'mcp__db__query'],
  ['select:read_text', 'mcp__files__read_text'],
])('a search for %j finds %s first', async (query, name) => {
  expect((await found(query))[0]).toBe(name);
});

test('a search for words that occur in no tool finds nothing', async () => {
  expect(await found('weather forecast')).toEqual([]);
});
