/** The results that hooks get, compared with the published types of Claude Code's tools. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchedResponse, noProgress, responseOf } from '../../src/agent/subagents/result.ts';
import { outcomeOf } from '../../src/mcp/outcome.ts';
import type { ToolOutcome } from '../../src/protocol/tools.ts';
import { resultDifferences } from '../claudeTypes.ts';
import { openWorkbench } from './workbench.ts';

const todos = [{ content: 'before', status: 'completed' as const }];
const given = ({ response }: ToolOutcome): object => response?.({ durationMs: 7, todos }) as object;

async function bench() {
  const open = await openWorkbench({ web: { allowPrivate: true } });
  onTestFinished(() => open.close());
  const result = async (tool: string, input: object): Promise<object> => given(await open.call(tool, input));
  await writeFile(join(open.root, 'a.txt'), 'alpha\nbeta\ngamma\n');
  return { ...open, result };
}

test('every tool passes hooks a result of the published shape', { tags: 'long' }, async () => {
  const { root, result, prepare } = await bench();
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/plain').end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const questions = [{ question: 'Which?', header: 'Which', options: [{ label: 'a' }, { label: 'b' }] }];
  const asked = await prepare('AskUserQuestion', { questions });
  const planned = await prepare('ExitPlanMode', { plan: 'Do it.' });
  if (asked.type !== 'ready' || planned.type !== 'ready') throw new Error('invalid');
  const path = join(root, 'a.txt');
  const results: readonly (readonly [string, object])[] = [
    ['Read', await result('Read', { file_path: path, offset: 2, limit: 1 })],
    ['Read', await result('Read', { file_path: path })],
    ['Edit', await result('Edit', { file_path: path, old_string: 'beta', new_string: 'delta' })],
    [
      'Edit',
      await result('Edit', {
        file_path: path,
        edits: [
          { old_string: 'alpha', new_string: 'one' },
          { old_string: 'gamma', new_string: 'three' },
        ],
      }),
    ],
    ['Write', await result('Write', { file_path: path, content: 'other\n' })],
    ['Write', await result('Write', { file_path: join(root, 'b.txt'), content: 'alpha\n' })],
    ['Glob', await result('Glob', { pattern: '*.txt' })],
    ['Grep', await result('Grep', { pattern: 'alpha' })],
    ['Grep', await result('Grep', { pattern: 'alpha', output_mode: 'content' })],
    ['Grep', await result('Grep', { pattern: 'a', output_mode: 'count' })],
    ['Bash', await result('Bash', { command: 'echo out; echo err >&2' })],
    ['Bash', await result('Bash', { command: 'sleep 60', run_in_background: true })],
    ['TodoWrite', await result('TodoWrite', { todos: [{ content: 'now', status: 'pending' }] })],
    ['WebFetch', await result('WebFetch', { url })],
    ['AskUserQuestion', given(await asked.run({ basis: 'user' }, [{ chosen: [0] }]))],
    ['ExitPlanMode', given(await planned.run({ basis: 'user' }))],
    ['Agent', responseOf({ ...ended, worktree: kept }, 'Look.')],
    ['Agent', launchedResponse(ended, 'Look.')],
  ];
  expect(results.flatMap(([tool, value]) => resultDifferences(tool, value))).toEqual([]);
  const shaped = (index: number) => results[index]?.[1];
  expect(shaped(0)).toMatchObject({
    file: { filePath: path, content: 'beta', numLines: 1, startLine: 2, totalLines: 3 },
  });
  expect(shaped(2)).toMatchObject({
    ...{ oldString: 'beta', newString: 'delta', originalFile: 'alpha\nbeta\ngamma\n' },
    structuredPatch: [{ oldStart: 1, oldLines: 3, lines: [' alpha', '-beta', '+delta', ' gamma'] }],
  });
  expect(shaped(3)).toMatchObject({
    ...{ oldString: 'alpha\ndelta\ngamma\n', newString: 'one\ndelta\nthree\n' },
  });
  expect(shaped(4)).toMatchObject({ type: 'update', originalFile: 'one\ndelta\nthree\n' });
  expect(shaped(5)).toMatchObject({ type: 'create', originalFile: null, structuredPatch: [] });
  expect(shaped(6)).toMatchObject({ numFiles: 2, filenames: ['b.txt', 'a.txt'], durationMs: 7 });
  expect(shaped(7)).toMatchObject({ mode: 'files_with_matches', filenames: ['b.txt'] });
  expect(shaped(8)).toMatchObject({ content: 'b.txt:1:alpha', numLines: 1 });
  expect(shaped(9)).toMatchObject({ content: 'b.txt:2', numMatches: 2 });
  expect(shaped(10)).toMatchObject({ stdout: 'out\nerr', stderr: '', interrupted: false });
  expect(shaped(11)).toMatchObject({ stdout: '', backgroundTaskId: expect.stringMatching(/./) });
  expect(shaped(12)).toMatchObject({
    oldTodos: [{ content: 'before', status: 'completed' }],
    newTodos: [{ content: 'now', status: 'pending' }],
  });
  expect(shaped(13)).toMatchObject({ bytes: 5, code: 200, codeText: 'OK', result: 'hello', url });
});

const ended = {
  ...{ id: 'a1', agent: 'explore', description: 'look', log: '/log.jsonl', durationMs: 5 },
  progress: { ...noProgress, text: 'Found.', tokens: 15, outputTokens: 5, calls: ['Read(a)'] },
};
const kept = {
  ...{ path: '/tree', branch: 'b', isKept: true, summary: '1 file', stat: '', ignored: [] },
};

test('an MCP server’s tool passes the blocks that the server sent', () => {
  const options = { title: 't', name: 'n', seesImages: false };
  const blocks = [{ type: 'text', text: 'hi' }];
  expect(given(outcomeOf({ content: blocks }, options))).toEqual(blocks);
  expect(given(outcomeOf({ content: [], structuredContent: { a: 1 } }, options))).toEqual({ a: 1 });
  const deep = JSON.parse(`{"a":${'['.repeat(500)}${'1,'.repeat(20_000)}"\u{e0041}"${']'.repeat(500)}}`);
  const { text } = outcomeOf({ content: [], structuredContent: deep }, options);
  expect(text, 'indentation does not multiply it').toBe(JSON.stringify(deep).replace('\u{e0041}', ''));
});
