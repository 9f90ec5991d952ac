import { expect, test } from 'vitest';
import { boundedLines, refusalText, refusedLines, undoReview } from '../../../src/agent/rewind/texts.ts';
import type { RestoreStep } from '../../../src/protocol/checkpoints.ts';

const many = (count: number, folder: string, action: RestoreStep['action']): readonly RestoreStep[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ path: `/project/${folder}/f${at}`, action, added: 0, removed: 0 },
    ...(action === 'refuse' ? { reason: 'it changed' } : {}),
  }));

test('many paths left unchanged are counted by folder', () => {
  const steps = [
    ...many(1003, 'node_modules', 'refuse'),
    ...many(2, 'src', 'delete'),
    ...many(1, 'a', 'refuse'),
  ];
  const lines = [
    ...[0, 1, 2].map((at) => `/project/node_modules/f${at}: it changed`),
    '… and 1,000 more in /project/node_modules/',
    '/project/a/f0: it changed',
  ];
  expect(refusedLines({ steps }, '/project')).toEqual(lines);
  expect(refusalText({ steps }, '/project')).toBe(
    `Left unchanged:\n${lines.map((line) => `- ${line}`).join('\n')}`,
  );
});

test('the list of unchanged paths in a response to a program is limited', () => {
  const steps = Array.from({ length: 50 }, (_, at) => many(1, `folder${at}`, 'refuse')).flat();
  const text = boundedLines(refusedLines({ steps }, '/project'));
  expect(text.split('\n')).toHaveLength(21);
  expect(text).toMatch(/… and 30 more$/);
  expect(boundedLines([])).toBe('');
});

test('the review of an undo counts the deletions in a folder', () => {
  const text = undoReview([...many(30, 'node_modules', 'delete'), ...many(1, 'src', 'create')], '/project');
  expect(text).toContain('Undoing it changes 31 files on disk:');
  expect(text).toContain('- deletes /project/node_modules/f2\n- deletes 27 more in /project/node_modules/\n');
  expect(text).toContain('- creates /project/src/f0');
});
