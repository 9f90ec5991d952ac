/** The request for a summary. */
import { expect, test } from 'vitest';
import type { WireRequest } from '../../e2e/support/server.ts';
import { countRequest } from '../../e2e/support/tokens.ts';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { isSummary, SILENT, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

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

test('a summary request has the cached prefix, six headings, tool names and file snippets', async () => {
  const app = await createTestApp({ files });
  const open = await app.open();
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

  // The summarizer sees the files that will be quoted next to its summary.
  const shown = names.filter((name) => instruction.includes(`### ${name}`));
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.length).toBeLessThanOrEqual(5);
  expect(instruction).toContain(`content of ${shown[0]}`);

  const [next] = await open.ask('go on', { text: 'Yes.' });
  const text = JSON.stringify(next?.messages);
  const quoted = names.filter((name) => text.includes(`### ${name}`));
  expect(quoted).toEqual(shown);
});

test('a background draft request begins with every byte of the request before it, and fits the window', async () => {
  const window = 16_000;
  const app = await createTestApp({ window, files });
  const open = await app.open();
  let step = 0;
  app.server.otherwise((request) => {
    if (isSummary(request)) return { text: SUMMARY, ...SILENT };
    const file_path = names[step % names.length];
    // Steps this fast may overtake a draft before it is requested: then it waits for the next one.
    const isEnough = step >= 30 && app.server.requests().some(isSummary);
    return step++ < 300 && !isEnough
      ? { text: `Step ${step}.`, calls: [use('Read', { file_path })], ...SILENT }
      : { text: 'Read.', ...SILENT };
  });
  await open.ask('read all files again and again');
  const requests = app.server.requests();
  const asked = requests.filter(isSummary);
  expect(asked.length).toBeGreaterThan(0);
  for (const request of asked) {
    // The next steps may have been faster; each step adds a reply and its result.
    const earlier = requests.slice(0, requests.indexOf(request)).filter((one) => !isSummary(one));
    const before = earlier.findLast(({ messages }) => continues(request, messages));
    expect(request.messages.length - (before?.messages.length ?? 0)).toBeLessThanOrEqual(3);
    expect(request.tools).toEqual(before?.tools);
    expect(countRequest(request)).toBeLessThan(window);
    const shown = names.filter((name) => textOf(request.messages.at(-1)).includes(`### ${name}`));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThanOrEqual(5);
    expect(textOf(request.messages.at(-1))).toContain(`content of ${shown[0]}`);
  }
});

test('if the whole prefix is too long for the server, each message is clipped to 5,000 characters', async () => {
  const app = await createTestApp({
    files: { 'long.txt': 'a long line of a long file\n'.repeat(1000) },
  });
  const open = await app.open();
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

function continues({ messages }: WireRequest, before: WireRequest['messages']): boolean {
  return JSON.stringify(messages).startsWith(JSON.stringify(before).slice(0, -1));
}
