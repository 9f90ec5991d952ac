import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileChange } from '../../../src/protocol/entries/fields.ts';
import { changedFilesRow } from '../../../src/ui/print/toolResult.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { anyText } from '../../anyText.ts';
import { plain } from '../mount.tsx';

const files: readonly FileChange[] = [
  { path: '/p/lib/a.ts', kind: 'modified', added: 1, removed: 2 },
  { path: '/p/b.txt', kind: 'created', added: 3, removed: 0 },
  { path: '/elsewhere/c', kind: 'deleted', added: 0, removed: 9 },
  { path: '/p/漢字.bin', kind: 'modified' },
];
const row = (width: number, some = files): string[] =>
  changedFilesRow(some, { cwd: '/p', width, theme: plain });

test('files changed by a command are on one row, as many as fit', () => {
  expect(row(80)).toEqual(['  ✎ lib/a.ts +1 −2, b.txt new +3 −0, /elsewhere/c gone, 漢字.bin']);
  expect(row(40)).toEqual(['  ✎ lib/a.ts +1 −2, b.txt new +3 −0 … +2']);
  expect(row(16)).toEqual(['  ✎ lib/a.… … +3']);
  expect(row(80, [])).toEqual([]);
});

test('no name makes it wider or taller than one row', () => {
  fc.assert(
    fc.property(fc.array(anyText(), { minLength: 1 }), fc.integer({ min: 12, max: 200 }), (paths, width) => {
      const [only = '', ...more] = row(
        width,
        paths.map((path) => ({ path, kind: 'created' })),
      );
      expect(more).toEqual([]);
      expect(only).not.toMatch(/[\n\u001b]/);
      expect(textWidth(only)).toBeLessThanOrEqual(width);
    }),
  );
});
