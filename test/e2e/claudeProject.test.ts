/**
 * The sample repository that is set up for Claude Code. The same calls of a scripted model were run in Claude Code 2.1.330;
 * docs/claude-code.md compares what both did, and this test keeps our side of it.
 *
 * @module-tag long
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVER } from '../mcp/support/testServer.ts';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const call = (name: string, input: object) => ({ calls: [{ name, input }] });

/** What every hook gets, and what those of tool calls get as well. */
const base = ['cwd', 'hook_event_name', 'permission_mode', 'session_id', 'transcript_path'];
const ofTurn = [...base, 'prompt_id'];
const ofCall = [...ofTurn, 'tool_input', 'tool_name', 'tool_use_id'];

test('a repository set up for Claude Code works unchanged once it is approved', async () => {
  const { server, work, access, open, print } = await setUpProgram();
  await cp(join(import.meta.dirname, '../fixtures/claudeProject'), work.repository, { recursive: true });
  await writeFile(join(work.repository, '.env'), 'SECRET=1');
  // In the repository: after the server's tool has run, the hooks run in the sandbox.
  const log = join(work.repository, 'hooks.jsonl');
  const env = work.env({ ...access, HOOK_LOG: log, NOTES_SERVER: SERVER });

  const terminal = open([], { env });
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor('Use this MCP server?');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('/exit');
  await terminal.exited;
  await writeFile(log, '');

  server.script(
    call('Read', { file_path: '.env' }),
    call('Bash', { command: 'curl http://127.0.0.1:9/' }),
    call('Bash', { command: 'rm -rf build' }),
    call('Read', { file_path: 'src/answer.js' }),
    call('Bash', { command: 'touch made' }),
    call('Skill', { skill: 'greet', args: 'Ada' }),
    call('mcp__notes__echo', { text: 'hi' }),
    call('Agent', { description: 'Review', prompt: 'Review it.', subagent_type: 'reviewer' }),
    call('Read', { file_path: 'src/answer.js' }),
    { text: 'Reviewed.' },
    { text: 'Done.' },
  );
  const ran = await print(['-p', 'go', '--output-format', 'stream-json'], { env });
  const lines = linesOf(ran.stdout) as Record<string, unknown>[];
  expect(lines[0]).toMatchObject({
    mcp_servers: [{ name: 'notes' }],
    tools: expect.arrayContaining(['Agent', 'Skill', 'mcp__notes__echo']),
    slash_commands: expect.arrayContaining(['greet', 'checklist', 'explain', 'db:migrate']),
    agents: expect.arrayContaining(['reviewer', 'tester']),
    skills: ['checklist', 'greet'],
  });
  expect(lines.at(-1)).toMatchObject({
    ...{ subtype: 'success', result: 'Done.' },
    permission_denials: [
      { tool_name: 'Read' },
      { tool_input: { command: 'curl http://127.0.0.1:9/' } },
      { tool_input: { command: 'rm -rf build' } },
      { tool_input: { command: 'touch made' } },
    ],
  });

  const requests = server.requests();
  const first = JSON.stringify(requests[0]);
  for (const mark of ['CLAUDE-MAIN', 'STYLE-IMPORT', 'LOCAL-MEMORY', 'RULE-ALWAYS', 'HOOK-START-CONTEXT'])
    expect(first).toContain(mark);
  for (const mark of ['HOOK-PROMPT-CONTEXT', 'SKILL-GREET', 'SKILL-CHECKLIST', 'COMMAND-EXPLAIN'])
    expect(first).toContain(mark);
  for (const mark of ['COMMAND-MIGRATE', 'AGENT-REVIEWER', 'AGENT-TESTER']) expect(first).toContain(mark);
  expect(first).not.toContain('RULE-SRC');
  expect(first).not.toContain('GREET-BODY');
  const after = (request: number): string => JSON.stringify(requests[request]?.messages.slice(-8));
  expect(after(1)).toContain('Rule Read(.env) (.claude/settings.json)');
  expect(after(2)).toContain('Rule Bash(curl *) (.claude/settings.json)');
  expect(after(3)).toContain('HOOK-BLOCKS removing');
  expect(after(4)).toContain('HOOK-POST-CONTEXT');
  expect(after(4)).toContain('RULE-SRC');
  expect(after(6)).toMatch(/GREET-BODY\. Today: .*GREET-COMMAND/);
  expect(after(7)).toContain('You said hi');
  expect(JSON.stringify(requests[8])).toContain('REVIEWER-BODY');
  expect(requests[8]?.tools?.map((tool) => tool.function.name)).toEqual(['Read', 'Grep']);
  expect(textOf(requests[10]?.messages.findLast(({ role }) => role === 'tool'))).toContain('Reviewed.');

  const given = linesOf(await readFile(log, 'utf8')) as Record<string, unknown>[];
  const keysOf = (event: string): string[] =>
    Object.keys(given.find((one) => one.hook_event_name === event) ?? {}).sort();
  const events = [...new Set(given.map((one) => one.hook_event_name))];
  expect(events).toEqual(
    expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop']),
  );
  expect(events).toEqual(expect.arrayContaining(['SubagentStart', 'SubagentStop', 'SessionEnd']));
  const includes = (event: string, keys: readonly string[]): void =>
    expect(keysOf(event)).toEqual(expect.arrayContaining([...keys]));
  includes('SessionStart', [...base, 'source']);
  includes('UserPromptSubmit', [...ofTurn, 'prompt']);
  includes('PreToolUse', ofCall);
  includes('PostToolUse', [...ofCall, 'duration_ms', 'tool_response']);
  includes('PermissionRequest', [...ofTurn, 'permission_suggestions', 'tool_input', 'tool_name']);
  includes('SubagentStart', [...ofTurn, 'agent_id', 'agent_type']);
  includes('SubagentStop', [
    ...ofTurn,
    'agent_id',
    'agent_type',
    'agent_transcript_path',
    'stop_hook_active',
  ]);
  includes('SubagentStop', ['background_tasks', 'last_assistant_message']);
  includes('Stop', [...ofTurn, 'background_tasks', 'last_assistant_message', 'stop_hook_active']);
  includes('SessionEnd', [...base, 'reason']);
  const prompts = new Set(given.flatMap(({ prompt_id: id }) => (id === undefined ? [] : [id])));
  expect(prompts.size).toBe(1);
  expect(events).not.toContain('PermissionDenied');
  expect(events).not.toContain('Notification');
  expect(given.find(({ tool_name: tool }) => tool === 'mcp__notes__echo')).toMatchObject({
    mcp_server: { name: 'notes', source: 'project' },
  });
});
