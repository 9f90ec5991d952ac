import { expect, test } from 'vitest';
import { changesPage } from '../../../src/commands/pages/changesPage.ts';
import { plainText } from '../../../src/commands/pages/page.ts';
import { diffSize, readDiff } from '../../../src/protocol/text/diff.ts';

/** A removed line that begins with two dashes, like an SQL comment, looks like a file name. */
const sql = `--- a/q.sql
+++ b/q.sql
@@ -1,3 +1,2 @@
 select 1;
--- old comment
-++ x
+select 2;
\\ No newline at end of file
`;

test('each line has the type given by its hunk', () => {
  expect(readDiff(sql).map(({ kind, number }) => [kind, number])).toEqual([
    ['file', undefined],
    ['file', undefined],
    ['hunk', undefined],
    ['context', 1],
    ['removed', 2],
    ['removed', 3],
    ['added', 2],
    ['note', undefined],
  ]);
  expect(diffSize(sql)).toEqual({ added: 1, removed: 2 });
});

test('lines outside a diff are of kind "other"', () => {
  expect(readDiff('+ a\n- b\nwords')).toEqual([
    { kind: 'other', line: '+ a' },
    { kind: 'other', line: '- b' },
    { kind: 'other', line: 'words' },
  ]);
  expect(readDiff('')).toEqual([]);
});

test('a removed line is shown by /diff, however it begins', () => {
  const step = { path: '/p/q.sql', action: 'modify', added: 1, removed: 2, diff: sql } as const;
  expect(plainText(changesPage({ title: 'T', steps: [step], root: '/p' }))).toContain('--- old comment');
});
