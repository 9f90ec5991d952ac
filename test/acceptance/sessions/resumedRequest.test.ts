/** The model sees the same before the program ended and afterwards. */
import { expect, test } from 'vitest';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('a resumed session sends the same bytes from the last boundary on, with tools and the retained tail', async () => {
  const app = await createTestApp({
    instructions: 'Be kind.',
    files: { 'a.txt': 'alpha\n'.repeat(300), 'b.txt': 'beta\n' },
  });
  const first = await app.open();
  await first.ask(
    'read a.txt',
    { text: 'I read.', calls: [use('Read', { file_path: 'a.txt' }), use('Bash', { command: 'exit 7' })] },
    { text: `Read. ${'Much to say. '.repeat(2000)}` },
  );
  await first.ask('read b.txt', { calls: [use('Read', { file_path: 'b.txt' })] }, { text: 'beta it is.' });
  await first.submit({ type: 'compact', focus: 'the letters' }, { text: SUMMARY });
  const [before] = await first.ask('what now?', { text: 'Nothing.' });
  if (before === undefined) throw new Error('no request');
  const messages = JSON.stringify(first.context.getMessages());
  await first.close();

  const second = await app.open(first.sessionId);
  expect(JSON.stringify(second.context.getMessages())).toBe(messages);
  const [after] = await second.ask('and now?', { text: 'Still nothing.' });
  if (after === undefined) throw new Error('no request');
  expectPairedCalls(after);
  expect(JSON.stringify(after.messages.slice(0, -2))).toBe(JSON.stringify(before.messages));
  expect(after.messages.slice(-2).map(textOf)).toEqual(['Nothing.', 'and now?']);
  expect(after.tools).toEqual(before.tools);
  const text = JSON.stringify(before.messages);
  for (const kept of ['[Previous conversation summary]', 'read b.txt', 'beta it is.', 'Be kind.'])
    expect(text).toContain(kept);
  expect(text).not.toContain('Much to say. Much to say.');
  expect(before.messages.some(({ role }) => role === 'tool')).toBe(true);

  await second.close();
  const kept = (await app.store.loadConversation(first.sessionId)) ?? [];
  expect(kept[0]?.isCompactSummary).toBe(true);
  expect(kept.map(({ message }) => message.content)).toContain('beta it is.');
  expect(kept.map(({ seq }) => seq).slice(1)).toEqual(
    kept
      .map(({ seq }) => seq)
      .slice(1)
      .toSorted((a, b) => a - b),
  );
  const whole = await app.store.loadSession(first.sessionId);
  expect(whole?.entries.length).toBeGreaterThan(kept.length);
  expect(JSON.stringify(whole?.entries)).toContain('Much to say. Much to say.');
});
