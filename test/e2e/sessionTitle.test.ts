/** @module-tag long */
import { expect, test } from 'vitest';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

const patience = { timeout: 15_000 };

test(
  'the model names a session after its first turn; the list shows the name, and the user’s own takes precedence',
  long,
  async () => {
    const { server, work, ready, print } = await setUpProgram();
    server.script({ text: 'It matches globs.' }, { text: 'Yes.' });
    server.nameSessions('"How the globs match."');
    const terminal = await ready();
    await terminal.submit('explain what this package does');
    await terminal.waitFor('It matches globs.');
    const entries = async () => (await work.sessions())[0]?.entries ?? [];
    await expect
      .poll(
        async () => (await entries()).findLast(({ subtype }) => subtype === 'title')?.message.content,
        patience,
      )
      .toBe('How the globs match');
    await terminal.submit('and is that all?');
    await terminal.waitFor('Yes.');
    // Neither the request for it nor the reply is part of the conversation.
    expect(JSON.stringify(server.requests().at(-1))).not.toContain('How the globs match');
    const title = async (): Promise<unknown> =>
      JSON.parse((await print(['session', 'list', '--json'])).stdout)[0]?.title;
    expect(await title()).toBe('How the globs match');
    await terminal.submit('/rename Globs');
    await expect.poll(title, patience).toBe('Globs');
    await terminal.submit('/exit');
    await terminal.exited;
  },
);

test('a headless run requests no title', async () => {
  const { server, work, print } = await setUpProgram();
  server.script({ text: 'It matches globs.' });
  server.nameSessions('Globs');
  expect((await print(['-p', 'explain'])).code).toBe(0);
  expect((await work.sessions())[0]?.entries.filter(({ subtype }) => subtype === 'title')).toEqual([]);
});
