/** The context manager, and what survives a kill. */
import { expect, test } from 'vitest';
import { setUpProgram } from '../../e2e/support/testProgram.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { keys } from '../../ui/screen.ts';
import { openProject, SILENT } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('`ContextManager` creates a session, adds messages, and loads them again', async () => {
  const app = await createTestApp();
  const manager = app.manager();
  await expect(manager.addMessage('user', 'hello')).rejects.toThrow(
    /no open session.*createSession or loadSession/i,
  );
  expect([manager.getCurrentSessionId(), manager.getContext(), manager.getMessages()]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  const preferences = { language: 'de', theme: { name: 'dark' } };
  const id = await manager.createSession('user-7', preferences, {
    systemPrompt: 'Be brief.',
    temperature: 0.2,
  });
  expect(manager.getCurrentSessionId()).toBe(id);
  await manager.addMessage('user', 'hello', { typed: 'hello' });
  await manager.addMessage('assistant', 'Hi.');
  await manager.close();

  const later = app.manager();
  await later.loadSession(id);
  expect(later.getMessages()).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'Hi.' },
  ]);
  expect(later.getContext()?.layers.session).toMatchObject({
    sessionId: id,
    userId: 'user-7',
    preferences,
    configuration: { temperature: 0.2 },
  });
});

test('after a kill right after the reply, the full turn is restored', { tags: 'long' }, async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 3 } }], ...SILENT },
    { text: 'The answer is forty-two.', ...SILENT },
    { text: 'As I said.', ...SILENT },
  );
  const terminal = await ready();
  await terminal.submit('what is the answer?');
  await terminal.waitForPrinted('The answer is forty-two.');
  terminal.kill('SIGKILL');
  await terminal.exited;
  const second = await ready();
  await second.submit('/resume');
  await second.waitFor('what is the answer?');
  await second.press(keys.enter);
  // The list shows a preview of the reply, too.
  await second.waitForGone('Sessions of this project');
  await second.waitForPrinted('The answer is forty-two.');
  await second.submit('again?');
  await second.waitForPrinted('As I said.');
  const messages = server.requests().at(-1)?.messages ?? [];
  expect(messages.map(({ role }) => role).slice(1, 5)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(messages.map(textOf)).toContain('The answer is forty-two.');
  expect(textOf(messages.at(-1))).toBe('again?');
});

test('a session keeps the settings with which it was started', { tags: 'long' }, async () => {
  const project = await openProject();
  const first = await project.run('hello', {
    replies: [{ text: 'Hi.' }],
    flags: ['--append-system-prompt', 'Speak like a pirate.'],
  });
  const second = await project.run('more', { resume: first.sessionId, replies: [{ text: 'Arr.' }] });
  expect(textOf(second.requests[0]?.messages[0])).toContain('Speak like a pirate.');
  expect(second.requests[0]?.messages[0]).toEqual(first.requests[0]?.messages[0]);
});
