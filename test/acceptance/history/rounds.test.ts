/** Rounds, for the window and for rewinding. */
import { expect, test } from 'vitest';
import { estimateRounds, findRoundBoundaries, HistoryManager } from '../../../src/context/index.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const roles = (...names: string[]) => names.map((role) => ({ role }));

test('a user message starts a round', async () => {
  const list = roles('user', 'assistant', 'tool', 'user', 'assistant');
  expect([estimateRounds(list), findRoundBoundaries(list)]).toEqual([2, [0, 3]]);
  expect([estimateRounds([]), findRoundBoundaries([])]).toEqual([0, []]);
  expect(findRoundBoundaries(roles('system', 'assistant', 'user'))).toEqual([2]);

  const open = await (await createTestApp({ files: { 'a.txt': 'a' } })).open();
  await open.ask('one', { calls: [use('Read', { file_path: 'a.txt' })] }, { text: 'First.' });
  await open.ask('two', { text: 'Second.' });
  const history = new HistoryManager({ sizeOf: () => 1, contextWindow: 1000 });
  for (const entry of open.entries()) history.append(entry);
  expect(history.estimateRounds()).toBe(2);
  const heads = history.findRoundBoundaries().map((index) => history.getHistory()[index]?.message.content);
  expect(heads).toEqual(['one', 'two']);
});

test('a rewind removes whole rounds: a user message and everything up to the next one', async () => {
  const open = await (await createTestApp({ files: { 'a.txt': 'a' } })).open();
  await open.ask('one', { calls: [use('Read', { file_path: 'a.txt' })] }, { text: 'First.' });
  await open.ask('two', { calls: [use('Read', { file_path: 'a.txt' })] }, { text: 'Second.' });
  await open.ask('three', { text: 'Third.' });
  const history = new HistoryManager({ sizeOf: () => 1, contextWindow: 1000 });
  for (const entry of open.entries()) history.append(entry);
  const starts = history.findRoundBoundaries().map((index) => history.getHistory()[index]?.uuid);
  const turns = await open.agent.turns(100);
  expect(turns.map(({ uuid }) => uuid)).toEqual(starts);

  for (const [at, kept] of [
    [1, ['one']],
    [0, []],
  ] as const) {
    await open.submit({ type: 'rewind', to: turns[at]?.uuid ?? '', scope: 'conversation' });
    const said = open.context.getMessages().filter(({ role }) => role === 'user');
    expect(said.map(({ content }) => content)).toEqual(kept);
    expect((await open.agent.turns(100)).map(({ text }) => text)).toEqual(kept);
    expect(estimateRounds(open.context.getMessages())).toBe(kept.length);
  }
  const [request] = await open.ask('again', { text: 'Again.' });
  expect(request?.messages.map(({ role, content }) => [role, content]).slice(1)).toEqual([['user', 'again']]);
});
