/** The Ink UI drives the loop with the ContextManager, from the start to a resume. */
import { expect, test } from 'vitest';
import { setUpProgram } from '../../e2e/support/testProgram.ts';
import { expectPairedCalls } from '../../e2e/support/wire.ts';
import { keys } from '../../ui/screen.ts';

test('work in a repository, approve a call, /compact, exit, /resume', async () => {
  const { server, work, ready } = await setUpProgram();
  const filler = 'A long explanation of what was found in the scanner. '.repeat(60);
  server.script(
    { text: 'I look.', calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 20 } }] },
    { calls: [{ name: 'Write', input: { file_path: 'NOTES.md', content: '# Notes\n' } }] },
    { text: `Written. ${filler}` },
    { text: 'Nothing more.' },
    { text: '## Primary Request and Intent\nwrite notes\n\n## Files Modified\nNOTES.md' },
    { text: 'Welcome back.' },
  );
  const first = await ready();
  await first.submit('write notes about the constants');
  await first.waitFor('Write NOTES.md?');
  await expect(work.read('NOTES.md')).rejects.toThrow('ENOENT');
  // Keys already on their way when the question appeared do not answer it.
  await first.answer('1');
  await first.waitForPrinted('Written.');
  expect(await work.read('NOTES.md')).toBe('# Notes\n');
  await first.waitForIdle();
  await first.submit('anything else?');
  await first.waitForPrinted('Nothing more.');
  await first.waitForIdle();
  await first.submit('/compact');
  await first.waitForPrinted('Conversation compacted');
  await first.waitForIdle();
  await first.pressUntil(keys.ctrl('c'));
  expect(await first.exited).toBe(0);

  const second = await ready();
  await second.submit('/resume');
  await second.waitFor('write notes about the constants');
  await second.press(keys.enter);
  await second.waitFor('Conversation compacted');
  await second.submit('hello again');
  await second.waitForPrinted('Welcome back.');
  const request = server.requests().at(-1);
  expect(JSON.stringify(request?.messages)).toContain('[Previous conversation summary]');
  expect(request?.messages.at(-1)).toMatchObject({ role: 'user', content: 'hello again' });
  for (const one of server.requests()) expectPairedCalls(one);
  expect(server.left()).toBe(0);
});
