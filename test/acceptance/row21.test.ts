/** Row 21: rounds. What goes back to one of them belongs to the issue about going back. */
import { expect, test } from 'vitest';
import { estimateRounds, findRoundBoundaries, HistoryManager } from '../../src/context/index.ts';
import { buildHouse } from './support/house.ts';
import { use } from './support/project.ts';

const roles = (...names: string[]) => names.map((role) => ({ role }));

test('row 21, S3 estimate_rounds, find_round_boundaries: a user message starts a round', async () => {
  const list = roles('user', 'assistant', 'tool', 'user', 'assistant');
  expect([estimateRounds(list), findRoundBoundaries(list)]).toEqual([2, [0, 3]]);
  expect([estimateRounds([]), findRoundBoundaries([])]).toEqual([0, []]);
  expect(findRoundBoundaries(roles('system', 'assistant', 'user'))).toEqual([2]);

  const open = await (await buildHouse({ files: { 'a.txt': 'a' } })).open();
  await open.ask('one', { calls: [use('Read', { file_path: 'a.txt' })] }, { text: 'First.' });
  await open.ask('two', { text: 'Second.' });
  const history = new HistoryManager({ sizeOf: () => 1, contextWindow: 1000 });
  for (const entry of open.entries()) history.append(entry);
  expect(history.estimateRounds()).toBe(2);
  const heads = history.findRoundBoundaries().map((index) => history.getHistory()[index]?.message.content);
  expect(heads).toEqual(['one', 'two']);
});
