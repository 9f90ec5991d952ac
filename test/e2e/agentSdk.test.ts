/**
 * The bytes that the Claude Agent SDK 0.3.330 writes, as captured from it: its flags, its first message with features
 * of several kinds, and its responses. The package itself includes a binary that is too large for a test dependency.
 *
 * @module-tag long
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf } from './support/jsonLines.ts';
import { MODEL, setUpProgram } from './support/testProgram.ts';

const flags = [
  ...['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', '--max-turns=5'],
  ...['--max-budget-usd=1', '--json-schema={"type":"object","properties":{"n":{"type":"number"}}}'],
  ...['--permission-prompt-tool=stdio', '--setting-sources=user', '--no-session-persistence'],
  `--settings={"models":{"${MODEL}":{"price":{"input":1,"output":1}}}}`,
];

const opening = `
{"request_id":"o1e3rppopdk","type":"control_request","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hook_0"],"timeout":5}]},"sdkMcpServers":["sums"],"sdkMcpServerManifests":{"sums":{"initializeResult":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sums","version":"1.0.0"}},"toolsListResult":{"tools":[{"name":"add","description":"Adds numbers","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]},"execution":{"taskSupport":"forbidden"}}]}}},"jsonSchema":{"type":"object","properties":{"n":{"type":"number"}}},"systemPrompt":[""]}}
{"type":"user","session_id":"","message":{"role":"user","content":[{"type":"text","text":"hello"}]},"parent_tool_use_id":null}
`.trimStart();

/** The SDK's answers by what was asked; ID and MCP are the ids of the request and of the server's message. */
const answers: Readonly<Record<string, string>> = {
  hook_callback:
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}}}',
  can_use_tool:
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"behavior":"allow","updatedInput":INPUT,"toolUseID":"t"}}}',
  initialize:
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"mcp_response":{"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sums","version":"1.0.0"}},"jsonrpc":"2.0","id":MCP}}}}',
  'notifications/initialized':
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"mcp_response":{"jsonrpc":"2.0","result":{},"id":0}}}}',
  'tools/list':
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"mcp_response":{"result":{"tools":[{"name":"add","description":"Adds numbers","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]},"execution":{"taskSupport":"forbidden"}}]},"jsonrpc":"2.0","id":MCP}}}}',
  'tools/call':
    '{"type":"control_response","response":{"subtype":"success","request_id":"ID","response":{"mcp_response":{"result":{"content":[{"type":"text","text":"SUM 5"}]},"jsonrpc":"2.0","id":MCP}}}}',
};

interface Request {
  readonly subtype: string;
  readonly input?: unknown;
  readonly message?: { readonly id?: number; readonly method: string };
}

test('one session with hooks, its own server, approvals and structured output leaves nothing behind', async () => {
  const { server, work, startPrint } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'touch made' } }] },
    { calls: [{ name: 'mcp__sums__add', input: { a: 2, b: 3 } }] },
    { calls: [{ name: 'StructuredOutput', input: { n: 5 } }] },
  );
  const run = startPrint(flags, { isInputOpen: true });
  const asked: string[] = [];
  let read = 0;
  run.onOutput(() => {
    const lines = run.printed().split('\n').slice(0, -1);
    for (const line of lines.slice(read)) answer(JSON.parse(line) as Record<string, unknown>);
    read = lines.length;
  });
  const answer = ({ type, request_id, request }: Record<string, unknown>): void => {
    // The SDK closes its side after the result of a text prompt.
    if (type === 'result') run.endInput();
    if (type !== 'control_request') return;
    const { subtype, input, message } = request as Request;
    const kind = message?.method ?? subtype;
    asked.push(kind);
    const text = answers[kind] ?? '';
    const filled = text.replace('ID', String(request_id)).replace('MCP', String(message?.id));
    run.write(`${filled.replace('INPUT', JSON.stringify(input))}\n`);
  };
  run.write(opening);
  const { code, stdout, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(linesOf(stdout).at(-1)).toMatchObject({
    type: 'result',
    subtype: 'success',
    structured_output: { n: 5 },
    permission_denials: [],
  });
  const handshake = ['initialize', 'notifications/initialized', 'tools/list'];
  expect(asked.slice(0, 3)).toEqual(handshake);
  expect(asked.slice(3)).toEqual(['hook_callback', 'can_use_tool', 'can_use_tool', 'tools/call']);
  expect(existsSync(join(work.repository, 'made'))).toBe(true);
  expect(JSON.stringify(server.requests()[2]?.messages)).toContain('SUM 5');
  expect(await work.sessions()).toEqual([]);
});
