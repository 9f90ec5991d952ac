/**
 * `/resume`, `--continue` and `--resume id` find a session, restore it, and continue it.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { setUpProgram } from '../../e2e/support/testProgram.ts';

test('a resume continues the chain of entries and recounts tokens; an unknown id is an error', {
  tags: 'long',
}, async () => {
  const { server, work, print } = await setUpProgram();
  server.script({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
  expect(await print(['-p', 'first'])).toMatchObject({ code: 0, stdout: 'One.\n' });
  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  expect(await print(['-p', '--continue', 'second'])).toMatchObject({ code: 0, stdout: 'Two.\n' });
  const third = await print(['-p', '--resume', id, 'third', '--output-format', 'json']);
  const result = JSON.parse(third.stdout) as { session_id: string; context_usage: { used_tokens: number } };
  expect(result.session_id).toBe(id);
  expect(result.context_usage.used_tokens).toBeGreaterThan(500);

  const [session, ...others] = await work.sessions();
  expect(others).toEqual([]);
  const entries = session?.entries ?? [];
  expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index));
  expect(entries.slice(1).map((entry) => entry.parentUuid)).toEqual(
    entries.slice(0, -1).map((entry) => entry.uuid),
  );
  const prompts = (server.requests().at(-1)?.messages ?? []).filter((message) => message.role === 'user');
  expect(prompts.map((message) => message.content)).toEqual(['first', 'second', 'third']);
  expect(await print(['-p', '--resume', 'unknown', 'x'])).toMatchObject({ code: 42, stdout: '' });
});
