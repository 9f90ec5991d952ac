/** What Ctrl+B, Ctrl+T, Ctrl+V and leaving do, over an agent that plays a script. */
import { expect, test } from 'vitest';
import type { AgentState } from '../../../src/agent/types.ts';
import type { Snapshot } from '../../../src/ui/controllerTypes.ts';
import { createDeeds } from '../../../src/ui/deeds/createDeeds.ts';
import type { DeedPorts } from '../../../src/ui/deeds/types.ts';
import type { Intent } from '../../../src/ui/input/keys.ts';
import { endingText } from '../../../src/ui/tasks/endingText.ts';
import { scriptedAgent } from '../../headless/scriptedAgent.ts';

const running = { id: 'b1', command: 'npm run\n dev', startedAtMs: 0, lastLine: '' };
const ended = { ...running, id: 'b2', end: { endedAtMs: 1, code: 0 } };
const todos = [{ content: 'one', status: 'pending' as const }];

/** A screen that notes what it is told. */
function play(about: Partial<AgentState>, { clipboard }: { clipboard?: string } = {}) {
  const agent = scriptedAgent([{ on: { type: 'background' }, say: [] }], about);
  const noted: unknown[] = [];
  let snapshot = { session: { agent }, todoView: 'auto' } as unknown as Snapshot;
  const ports = {
    options: { now: () => 1_000_000 },
    snapshot: () => snapshot,
    set(change: Partial<Snapshot>) {
      snapshot = { ...snapshot, ...change };
      noted.push(change);
    },
    say: (level: string, text: string) => void noted.push(`${level}: ${text}`),
    showHint: (hint: string | undefined) => void noted.push(hint),
    images: () => ({ fromClipboard: async () => clipboard }),
    screen: () => ({ composer: () => ({ insertImage: (label: string) => void noted.push(label) }) }),
  } as unknown as DeedPorts;
  const deeds = createDeeds();
  return { agent, noted, press: (intent: Intent) => deeds[intent](ports, { empty: true }) };
}

test('Ctrl+B asks the agent to move what runs', async () => {
  const { agent, press } = play({});
  await press('background');
  expect(agent.ops).toEqual([{ type: 'background' }]);
});

test('Ctrl+T shows and hides the list, and says where there is none', async () => {
  const { noted, press } = play({ todos });
  for (let count = 0; count < 3; count++) await press('todos');
  expect(noted).toEqual([{ todoView: 'all' }, { todoView: 'none' }, { todoView: 'all' }]);
  const without = play({});
  await without.press('todos');
  expect(without.noted).toEqual(['info: No todo list yet. The model makes one for longer work.']);
});

test('Ctrl+V puts the label where the cursor stands, and nothing where there is no image', async () => {
  const full = play({}, { clipboard: '[Image #1]' });
  await full.press('paste_image');
  expect(full.noted).toEqual(['[Image #1]']);
  const bare = play({});
  await bare.press('paste_image');
  expect(bare.noted).toEqual([]);
});

test.each([
  [[], 'Press Ctrl+C again to exit'],
  [[ended], 'Press Ctrl+C again to exit'],
  [[running, ended], 'Press Ctrl+C again to exit and end 1 background task'],
])('the first Ctrl+C, with the tasks %j, says: %s', async (tasks, hint) => {
  const { noted, press } = play({ tasks });
  await press('clear_or_exit');
  expect(noted.at(-1)).toBe(hint);
});

test.each([
  [[ended], undefined],
  [[running, ended], 'Background tasks stop with their session: b1 npm run dev'],
  [
    [{ ...running, command: 'x'.repeat(99) }],
    `Background tasks stop with their session: b1 ${'x'.repeat(59)}…`,
  ],
])('leaving with the tasks %j says: %s', (tasks, text) => {
  expect(endingText(tasks)).toBe(text);
});
