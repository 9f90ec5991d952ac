/** Row 49: what the model is asked when a summary is wanted. */
import { expect, test } from 'vitest';
import { expectPairedCalls, textOf } from '../e2e/support/wire.ts';
import { buildHouse } from './support/house.ts';
import { isSummary, SUMMARY, use } from './support/project.ts';

const HEADINGS = [
  'Primary request and intent',
  'Key technical decisions',
  'Files modified',
  'Errors encountered and fixes',
  'Current work status',
  'Pending tasks',
];
const names = Array.from({ length: 8 }, (_, n) => `file${n}.txt`);
const files = Object.fromEntries(names.map((name) => [name, `content of ${name}\n`.repeat(40)]));
const talk = `Done. ${'Now we know what is in them. '.repeat(500)}`;

test('row 49, S5 compaction prompt: six headings, tool names, file snippets, on the prefix that is cached', async () => {
  const house = await buildHouse({ strategy: 'summary', files });
  const open = await house.open();
  const [, , before] = await open.ask(
    'read all files',
    { calls: [use('Bash', { command: 'ls' })] },
    { calls: names.map((file_path) => use('Read', { file_path })) },
    { text: talk },
  );
  await open.ask('and?', { text: 'That was it.' });
  const [asked] = await open.submit({ type: 'compact', focus: 'the files' }, { text: SUMMARY });
  if (asked === undefined || before === undefined) throw new Error('no request');
  expectPairedCalls(asked);
  expect(isSummary(asked)).toBe(true);
  expect(asked.tools).toEqual(before.tools);
  const shared = Math.min(before.messages.length, asked.messages.length - 1);
  expect(JSON.stringify(asked.messages.slice(0, shared))).toBe(
    JSON.stringify(before.messages.slice(0, shared)),
  );
  const called = asked.messages
    .flatMap(({ tool_calls }) => tool_calls ?? [])
    .map((call) => call.function.name);
  expect(new Set(called)).toEqual(new Set(['Read', 'Bash']));
  const instruction = textOf(asked.messages.at(-1));
  const positions = HEADINGS.map((heading) => instruction.toLowerCase().indexOf(heading.toLowerCase()));
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(positions[0]).toBeGreaterThan(0);
  expect(instruction).toContain('the files');
  const lastSentence =
    instruction
      .replace(/<[^>]+>/g, '')
      .trim()
      .split('\n')
      .at(-1) ?? '';
  expect(lastSentence).toMatch(/create a summary .*for continuing the work\.?$/i);

  const [next] = await open.ask('go on', { text: 'Yes.' });
  const text = JSON.stringify(next?.messages);
  const quoted = names.filter((name) => text.includes(`### ${name}`));
  expect(quoted.length).toBeGreaterThan(0);
  expect(quoted.length).toBeLessThanOrEqual(5);
});

test('row 49: when the whole prefix is too long for the server, each message is clipped to 5,000 characters', async () => {
  const house = await buildHouse({
    strategy: 'summary',
    files: { 'long.txt': 'a long line of a long file\n'.repeat(1000) },
  });
  const open = await house.open();
  await open.ask('read', { calls: [use('Read', { file_path: 'long.txt' })] }, { text: talk });
  await open.ask('and?', { text: 'That was it.' });
  const overflow = {
    error: {
      status: 400,
      code: 'context_length_exceeded',
      message: 'maximum context length is 20000 tokens',
    },
  };
  const [first, second] = await open.submit({ type: 'compact' }, overflow, { text: SUMMARY });
  if (first === undefined || second === undefined) throw new Error('too few requests');
  expect(Math.max(...first.messages.map((one) => textOf(one).length))).toBeGreaterThan(10_000);
  expectPairedCalls(second);
  for (const message of second.messages.filter(({ role }) => role !== 'system')) {
    expect(textOf(message).length).toBeLessThanOrEqual(10_100);
    if (message.role !== 'user') expect(textOf(message).length).toBeLessThanOrEqual(5100);
  }
  expect(textOf(second.messages.at(-1))).toContain('Pending tasks');
  expect(open.entries().some(({ compactMetadata }) => compactMetadata?.success === true)).toBe(true);
});
