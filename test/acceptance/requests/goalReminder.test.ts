/** The user's goal and the progress, near the end of long turns. */
import { expect, test } from 'vitest';
import { estimateTokens, extractGoalFromMessage, generateStatusSummary } from '../../../src/context/index.ts';
import type { WireRequest } from '../../e2e/support/server.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const GOAL = 'Make the scanner accept braces inside of brackets';
const todos = [
  { content: 'Read the scanner', status: 'completed' },
  { content: 'Change the scanner', status: 'in_progress' },
  { content: 'Run the tests', status: 'pending' },
];
const step = (n: number) => ({
  text: `Step ${n}.`,
  calls: [use('Read', { file_path: 'a.txt', offset: n + 1, limit: 1 })],
});
const steps = Array.from({ length: 40 }, (_, n) =>
  n === 0 ? { calls: [use('TodoWrite', { todos })] } : step(n),
);

async function longTurn(settings: object): Promise<readonly WireRequest[]> {
  const app = await createTestApp({
    settings: { context: settings },
    files: { 'a.txt': 'alpha\n'.repeat(100) },
  });
  const open = await app.open();
  await open.ask(GOAL, { text: 'May I?' });
  return open.ask('yes', ...steps, { text: 'Done.' });
}

test('after forty tool results the goal and the status are near the end', async () => {
  const requests = await longTurn({});
  const last = requests.at(-1)?.messages.map(textOf) ?? [];
  const at = last.findLastIndex((text) => text.includes(GOAL));
  expect(at).toBeGreaterThan(last.length / 2);
  for (const wanted of ['Change the scanner', '1 of 3']) expect(last[at]).toContain(wanted);
  expect(estimateTokens(last[at] ?? '')).toBeLessThan(250);
  expect(last.filter((text) => text.includes('Todo list: 1 of 3')).length).toBeLessThan(4);
  // The cached prefix is unchanged: each request is the previous one, plus something at its end.
  for (const [index, request] of requests.slice(1).entries()) {
    const before = requests[index]?.messages ?? [];
    expect(JSON.stringify(request.messages.slice(0, before.length))).toBe(JSON.stringify(before));
  }
});

test('the reminder can be turned off, and its interval is a setting', {
  tags: 'long',
}, async () => {
  const off = await longTurn({ instructionPinning: false });
  expect(
    off
      .at(-1)
      ?.messages.map(textOf)
      .filter((text) => text.includes(GOAL)),
  ).toHaveLength(1);
  const often = await longTurn({ reminderSteps: 5 });
  expect(
    often
      .at(-1)
      ?.messages.map(textOf)
      .filter((text) => text.includes(GOAL)).length,
  ).toBeGreaterThan(4);
});

test('`extractGoalFromMessage` and `generateStatusSummary` return a goal and a status', () => {
  expect(extractGoalFromMessage(GOAL)).toBe(GOAL);
  for (const word of ['yes', 'Yes.', 'ok', 'go on', 'continue', 'ja', '好的', '继续'])
    expect(extractGoalFromMessage(word, GOAL)).toBe(GOAL);
  expect(extractGoalFromMessage('x'.repeat(500))?.length).toBeLessThanOrEqual(201);
  expect(generateStatusSummary(todos as Parameters<typeof generateStatusSummary>[0])).toMatch(
    /1 of 3.*In progress: Change the scanner.*Run the tests/s,
  );
  expect(generateStatusSummary([])).toBe('');
});
