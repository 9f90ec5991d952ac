import { expect, test } from 'vitest';
import { unreportedSubagents } from '../../../src/cli/subagents/unreportedSubagents.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

const entry = (fields: object): JSONLEntry =>
  ({ type: 'system', message: { role: 'system', content: '' }, ...fields }) as JSONLEntry;

const started = (id: string, summary = `${id} in the background`): JSONLEntry =>
  entry({ toolResult: { display: { agent: { id, name: 'explore' }, summary } } });

const log = [
  entry({
    subtype: 'session_start',
    data: { configuration: { subagent: { callId: 'c1', agent: 'explore', description: 'look' } } },
  }),
  entry({ type: 'assistant', message: { role: 'assistant', content: 'It is in src.' } }),
];

const store = {
  loadSession: async (id: string) => (id === 'gone' ? undefined : { entries: log, damaged: [] }),
};

test('a subagent that ended without being reported is reported with its final message', async () => {
  const end = entry({
    subtype: 'task',
    message: { role: 'system', content: 'Background task a1 ended (done) after 3 s.' },
    data: { id: 'a1' },
  });
  const { notes, notices } = await unreportedSubagents([started('a1'), end], store);
  expect(notes).toMatchObject([{ subtype: 'nudge', data: { about: 'task', id: 'a1' } }]);
  expect(notes[0]?.message.content).toMatch(
    /^Background task a1 ended \(done\) after 3 s\. The program stopped before it could report subagent a1 \(explore: look\) to you\. Its last message was:\n\nIt is in src\./,
  );
  expect(notices).toHaveLength(1);
});

test.each([
  ['one that was waited for', [started('a1', '2 steps · 3k tokens')]],
  [
    'one whose end the model knows',
    [started('a1'), entry({ subtype: 'nudge', data: { about: 'task', id: 'a1' } })],
  ],
  ['one whose log is elsewhere, as in a fork', [started('gone')]],
])('nothing is reported about %s', async (_, entries) => {
  expect(await unreportedSubagents(entries, store)).toEqual({ notes: [], notices: [] });
});
