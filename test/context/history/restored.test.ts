import { expect, test } from 'vitest';
import { reductionEntry } from '../../../src/context/history/reductions.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import { projectMessages } from '../../../src/context/request/standardMessages.ts';
import { validateRequest } from '../../../src/context/request/validateRequest.ts';
import { compactionEntries } from '../../../src/context/storage/newEntries.ts';
import { LogMaker } from './logMaker.ts';

const restored = (uuid: string) =>
  reductionEntry({ kind: 'restore', reason: 'restored by the user', preTokens: 0, restored: [uuid] });

const shown = (log: LogMaker): readonly string[] => viewOf(log.entries).atoms.map(({ head }) => head.uuid);

function compacted(log: LogMaker, retained: readonly string[]): LogMaker {
  const metadata = { trigger: 'manual' as const, preTokens: 0, retained: [...retained] };
  for (const draft of compactionEntries('the text of a reply', metadata)) log.add(draft);
  return log;
}

test('an item restored before a compaction follows what that compaction retained', () => {
  const log = new LogMaker().prompt('a').prompt('b');
  compacted(log, ['e1']).add(restored('e0')).prompt('c');
  expect(shown(log)).toEqual(['e0', 'e1', 'e5']);
  compacted(log, ['e5']);
  expect(shown(log)).toEqual(['e5']);
});

test('an instruction file that the user dropped is not pinned again by a compaction, and returns once', () => {
  const log = new LogMaker().prompt('a').note('instructions', 'be brief').prompt('b');
  const reason = 'dropped by the user';
  compacted(log.add(reductionEntry({ kind: 'drop', reason, preTokens: 0, removed: ['e1'] })), ['e2']);
  expect(viewOf(log.entries).instructions).toEqual([]);
  log.add(restored('e1'));
  expect(viewOf(log.entries).instructions.map(({ uuid }) => uuid)).toEqual(['e1']);
  expect(shown(log)).toEqual(['e2']);
});

test('a step that was restored and became a line again does not take along the note of an earlier compaction', () => {
  const log = new LogMaker().prompt('a').reply('x').reply('y').prompt('b');
  const facts = { kind: 'mask', reason: 'old steps', preTokens: 0 } as const;
  log.add(reductionEntry({ ...facts, removed: ['e1', 'e2'] }, 'lines of x and y'));
  log.add(restored('e1'));
  log.add(reductionEntry({ ...facts, removed: ['e1'] }, 'line of x'));
  expect(shown(log)).toEqual(['e0', 'e6', 'e4', 'e3']);
  compacted(log, ['e4', 'e6', 'e3']);
  expect(shown(log)).toEqual(['e4', 'e6', 'e3']);
});

test('an invalid file name does not invalidate the summary that quotes it', () => {
  const log = new LogMaker().prompt('a').prompt('b');
  const snippets = [{ path: '/a/\ud800.ts', hash: 'unknown', bytes: 3 }];
  const metadata = { trigger: 'manual' as const, preTokens: 0, retained: ['e1'], snippets };
  for (const draft of compactionEntries('the text of a reply', metadata)) log.add(draft);
  expect(validateRequest(projectMessages(log.entries))).toEqual([]);
});
