/**
 * The cost of sessions, by purpose: in a conversation, over all sessions, and before a resume.
 *
 * @module-tag long
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODEL, setUpProgram } from './support/testProgram.ts';
import { clockShift } from './support/workspace.ts';

const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 100 });

/** A session in which a file was read, with a model that has a price. */
async function setSession() {
  const setup = await setUpProgram();
  const models = { [MODEL]: { price: { input: 10, cachedInput: 1, output: 50 } } };
  await writeFile(join(setup.work.data, 'config.json'), JSON.stringify({ models }));
  await writeFile(join(setup.work.repository, 'notes.txt'), 'A line of notes.\n'.repeat(1900));
  setup.server.script(
    { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }], usage: usage(4000) },
    { text: 'I have read it.', usage: usage(20_000) },
  );
  return setup;
}

test('/cost and stats say what the cost was for; /compact says what it will cost', {
  tags: 'long',
}, async () => {
  const setup = await setSession();
  const terminal = await setup.ready();
  await terminal.submit('read the notes');
  await terminal.waitForPrinted('I have read it.');
  await terminal.waitForIdle();
  await terminal.submit('/cost');
  await terminal.waitForPrinted('Turns, the most expensive first');
  await terminal.waitForPrinted(/read the notes +2 req +24k in/);
  await terminal.waitForPrinted(/Read +[\d.k]+ in/);
  await terminal.waitForPrinted(/notes\.txt +[\d.k]+ in/);
  await terminal.submit('/compact');
  await terminal.waitForPrinted(/The summary reads the conversation,\s+[\d,]+\s+tokens: about\s+\$/);
  await terminal.submit('/exit');
  await terminal.exited;

  const stats = await setup.print(['stats']);
  expect(stats).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 session of this project/) });
  expect(stats.stdout).toMatch(/read the notes +2 req +24k in/);
  const json = await setup.print(['stats', '--json', '--all']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    sessions: 1,
    total: { inputTokens: expect.any(Number), costUsd: expect.any(Number) },
    files: [{ name: expect.stringContaining('notes.txt') }],
  });
});

test('a resume after a day says what the next prompt will cost', { tags: 'long' }, async () => {
  const setup = await setSession();
  await setup.print(['-p', 'read the notes']);
  const NODE_OPTIONS = await clockShift(setup.work, 24);
  const tomorrow = { env: setup.work.env({ ...setup.access, NODE_OPTIONS }) };
  const terminal = await setup.ready(['--continue'], tomorrow);
  await terminal.waitForPrinted(/reads the whole conversation again,\s+20,100\s+tokens: about \$0\.2010/);
});
