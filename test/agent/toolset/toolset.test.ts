import { expect, test } from 'vitest';
import { createToolset } from '../../../src/agent/toolset/toolset.ts';
import { requestsIn } from '../../../src/context/request/rebuildRequest.ts';
import type { Tool } from '../../../src/protocol/tools.ts';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { readLog, startAgent } from '../testAgent.ts';

/** A tool whose call brings another one: `Query`. */
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

test('a call of a tool that has gone tells the model so, and which tools there are', async () => {
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
    'entry tool_result 2 error: The tool "Query" is no longer available. The tools are: Read.',
  );
});

test('a tool that goes between a request and its call does not run', async () => {
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
    'entry tool_result 1 error: The tool "Query" is no longer available. There are no tools now.',
  );
});

test('the log records each set of tools once, and each request names its own', async () => {
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

test('schemas are one array while the tools stay the same, whatever array they come in', () => {
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

test('of two tools with one name the first is offered and called', () => {
  const first = smallTool('Read');
  const toolset = createToolset(() => [first, smallTool('Read'), smallTool('Query')]);
  expect(toolset.current().map(({ name }) => name)).toEqual(['Read', 'Query']);
  expect(toolset.schemas()[0]).toBe(first.schema);
  expect(toolset.find('Read')).toBe(first);
});

test('an unknown tool name is distinguished from one that was offered before', () => {
  const toolset = createToolset(() => [smallTool('Read')]);
  expect(toolset.missing('Query')).toBe('There is no tool named "Query". The tools are: Read.');
});
