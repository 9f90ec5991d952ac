/**
 * Another repository at the path of a trusted one inherits nothing.
 *
 * @module-tag long
 */
import { cp, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpProgram } from './support/testProgram.ts';

test('another folder at a trusted path runs no hooks, and does not continue the conversation without asking', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { repository } = setup.work;
  const hook = { hooks: [{ type: 'command', command: 'echo words of the hook' }] };
  const settings = JSON.stringify({ hooks: { UserPromptSubmit: [hook] } });
  await writeFile(join(repository, '.clawdcode.json'), settings);
  setup.server.otherwise(() => ({ text: 'Hello.' }));
  const sent = (): string => JSON.stringify(setup.server.requests().at(-1)?.messages);

  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('a secret prompt');
  await terminal.waitForPrinted('Hello.');
  await terminal.submit('/exit');
  await terminal.exited;
  expect(sent()).toContain('words of the hook');

  await rename(repository, `${repository}-first`);
  await cp(`${repository}-first`, repository, { recursive: true });
  const requests = setup.server.requests().length;
  const continued = await setup.print(['-p', 'hi', '--continue']);
  expect(continued).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('in another folder, which used to be at'),
  });
  expect(setup.server.requests()).toHaveLength(requests);
  const id = /--resume (\S+)/.exec(continued.stderr)?.[1] ?? '';
  expect((await setup.print(['-p', 'hi', '--resume', id])).code).toBe(0);
  expect(sent()).toContain('a secret prompt');

  const other = await setup.print(['-p', 'hi']);
  expect(other.stderr).toContain('not the folder that you trusted at this path');
  expect(sent()).not.toContain('words of the hook');
  const asking = setup.open();
  await asking.waitFor(/This is not the folder that you trusted/);
  await asking.answer('2');
  await asking.waitFor(/context ~?\d+%/);
  await asking.submit('/exit');
  await asking.exited;

  await rename(repository, `${repository}-second`);
  await rename(`${repository}-first`, repository);
  const back = await setup.print(['-p', 'hi']);
  expect(back).toMatchObject({ code: 0, stderr: '' });
  expect(sent()).toContain('words of the hook');
});

test('another folder at the path of a session is noticed, even if the program was killed at its first request', async () => {
  const { server, work, print, startPrint } = await setUpProgram();
  server.otherwise(() => ({ text: 'Hello.' }));
  const first = startPrint(['-p', 'a secret prompt']);
  await server.waitForRequests(1);
  first.kill('SIGKILL');
  await first.ended;
  await rename(work.repository, `${work.repository}-first`);
  await cp(`${work.repository}-first`, work.repository, { recursive: true });
  expect(await print(['-p', 'hi', '--continue'])).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('in another folder, which used to be at'),
  });
  expect(server.requests()).toHaveLength(1);
});
