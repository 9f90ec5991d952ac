/** The parts of a request, in order. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WireRequest } from '../../e2e/support/server.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const words = ({ messages }: WireRequest): string[] =>
  messages.map((message) => `${message.role}: ${textOf(message).replace(/\s+/g, ' ').slice(0, 44)}`);

test('a request is system prompt, instructions, summary, messages, memory, input, and the reminder at the end', async () => {
  const app = await createTestApp({
    window: 100_000,
    instructions: 'Be kind.',
    settings: { context: { reminderSteps: 2, memory: { timeoutMs: 20_000 } } },
    files: { 'a.txt': 'alpha\n'.repeat(9) },
  });
  const folder = join(app.dataRoot, 'memory');
  await mkdir(folder, { recursive: true });
  const others = ['tea at four', 'ports are numbered upwards', 'logs go to syslog', 'main is protected'];
  await writeFile(
    join(folder, 'notes.md'),
    ['zebra crossings are painted on Fridays', ...others].map((one) => `- ${one}\n`).join(''),
  );
  const open = await app.open();
  await open.ask('first', { text: `One. ${'And more of it. '.repeat(4000)}` });
  await open.ask('second', { text: 'Two.' });
  await open.submit({ type: 'compact' }, { text: SUMMARY });
  const read = (n: number) => ({ calls: [use('Read', { file_path: 'a.txt', offset: n + 1, limit: 1 })] });
  const asked = await open.ask('When are zebra crossings painted?', read(0), read(1), read(2), {
    text: 'On Fridays.',
  });
  const [start] = asked;
  if (start === undefined) throw new Error('no request');
  const roles = words(start);
  expect(roles[0]).toMatch(/^system: You are a coding agent/);
  expect(roles[1]).toMatch(/^user: .*[Ii]nstructions/);
  expect(roles[2]).toMatch(/^user: \[Previous conversation summary\]/);
  expect(roles.slice(3, -2)).toEqual(['user: second', 'assistant: Two.']);
  expect(textOf(start.messages.at(-2))).toContain('zebra crossings are painted on Fridays');
  expect(roles.at(-1)).toBe('user: When are zebra crossings painted?');
  expect(
    start.messages.filter((message) => textOf(message) === 'When are zebra crossings painted?'),
  ).toHaveLength(1);
  // Within an epoch it grows only at its end; after the input there is only the reminder.
  for (const [index, request] of asked.slice(1).entries()) {
    const before = asked[index]?.messages ?? [];
    expect(JSON.stringify(request.messages.slice(0, before.length))).toBe(JSON.stringify(before));
  }
  const last = asked.at(-1)?.messages ?? [];
  const after = last.slice(
    last.findIndex((message) => textOf(message) === 'When are zebra crossings painted?') + 1,
  );
  const notes = after.filter(({ role }) => role === 'user').map(textOf);
  expect(notes.length).toBeGreaterThan(0);
  for (const note of notes) expect(note).toMatch(/system-note[\s\S]*When are zebra crossings painted\?/);
  const { usedTokens, windowTokens, parts } = await open.agent.measure();
  expect(usedTokens).toBeLessThan(windowTokens);
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(usedTokens);
  for (const name of ['tools', 'system', 'instructions', 'summary', 'memories', 'reminder'])
    expect([name, (parts.find((part) => part.name === name)?.tokens ?? 0) > 0]).toEqual([name, true]);
});
