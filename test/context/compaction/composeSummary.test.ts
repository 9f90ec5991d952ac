import { expect, test } from 'vitest';
import { lastSummarised } from '../../../src/context/compaction/composeSummary.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import { LogMaker } from '../history/logMaker.ts';

test('the end of what a summary speaks for is found in a session of any length', () => {
  const log = new LogMaker();
  for (let index = 0; index < 200_000; index++) log.reply('on');
  const view = viewOf(log.entries);
  const choice = (cut: number) => ({
    plan: { kept: view.atoms.slice(cut), cut, worthwhile: true },
    withSnippets: false,
    clips: [],
  });
  expect(lastSummarised(view, choice(199_000))).toBe(198_999);
  expect(lastSummarised(view, choice(0))).toBeUndefined();
});
