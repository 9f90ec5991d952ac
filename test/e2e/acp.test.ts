/** An editor drives sessions over the Agent Client Protocol. */
import { methods } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEditor } from './support/acpClient.ts';
import { setUpProgram } from './support/testProgram.ts';

test('a session reads a file and answers; text, reasoning and the call arrive as updates', async () => {
  const setup = await setUpProgram();
  await setup.work.write('hello.txt', 'a file\n');
  setup.server.script(
    { reasoning: 'Look first.', calls: [{ name: 'Read', input: { file_path: 'hello.txt' } }] },
    { text: 'It says: a file.' },
  );
  const editor = startEditor(setup);
  expect(await editor.initialize()).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'clawdcode' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
    },
    authMethods: [{ id: 'settings' }],
  });
  const { sessionId, modes, configOptions } = await editor.newSession();
  expect(modes).toMatchObject({ currentModeId: 'default' });
  expect(configOptions?.map(({ id }) => id)).toEqual(['mode', 'model']);
  expect(await editor.prompt(sessionId, 'What does hello.txt say?')).toEqual({ stopReason: 'end_turn' });
  expect(editor.text()).toBe('It says: a file.');
  expect(editor.updatesOf('agent_thought_chunk').map(({ content }) => content)).toEqual([
    { type: 'text', text: 'Look first.' },
  ]);
  const [call] = editor.updatesOf('tool_call');
  expect(call).toMatchObject({
    ...{ title: 'Read hello.txt', name: 'Read', kind: 'read', status: 'pending' },
    locations: [{ path: `${setup.work.repository}/hello.txt` }],
    rawInput: { file_path: 'hello.txt' },
  });
  const ends = editor.updatesOf('tool_call_update').filter(({ status }) => status === 'completed');
  expect(ends).toMatchObject([{ toolCallId: call?.toolCallId }]);
  expect(JSON.stringify(ends)).toContain('a file');
  expect(editor.updatesOf('usage_update').at(-1)).toMatchObject({ size: 48_000 });
  await editor.until(() => editor.updatesOf('available_commands_update').length > 0);
  const names = editor
    .updatesOf('available_commands_update')
    .at(-1)
    ?.availableCommands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['compact', 'init']));
  expect(names).not.toContain('vim');
  editor.run.endInput();
  expect(await editor.run.ended).toMatchObject({ code: 0, stderr: '' });
  expect(methods.agent.session.new).toBe('session/new');
});
