import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeText } from '../../src/checkpoints/restoring/mergeText.ts';
import { cpuClock } from '../cpuTime.ts';

const merge = async (base: string, ours: string, theirs: string): Promise<string | undefined> => {
  const merged = await mergeText(Buffer.from(base), Buffer.from(ours), Buffer.from(theirs));
  return merged?.toString();
};

test.each([
  ['far apart', 'a\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n'],
  ['next to each other', 'a\nb\n', 'A\nb\n', 'a\nB\n', undefined],
  ['that are the same', 'a\nb\n', 'A\nb\n', 'A\nb\n', 'A\nb\n'],
  ['in the same line', 'a\n', 'b\n', 'c\n', undefined],
  ['with Windows line endings', 'a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\r\nb\r\n', 'A\r\nb\r\n'],
  ['without a final line ending', 'a\nb\nc', 'A\nb\nc', 'a\nb\nC', 'A\nb\nC'],
  ['beyond ASCII', 'ä\nb\n€\n', 'ä\nb\n€€\n', 'Ä\nb\n€\n', 'Ä\nb\n€€\n'],
  ['of which one deletes everything', 'a\nb\n', '', 'a\nb\n', ''],
])('merges or rejects two changes %s', async (_, base, ours, theirs, expected) => {
  expect(await merge(base, ours, theirs)).toBe(expected);
});

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', 'long line'), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

test('a change on only one side is applied unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (base, other) => {
      expect(await merge(base, other, base)).toBe(other);
      expect(await merge(base, base, other)).toBe(other);
      expect(await merge(base, other, other)).toBe(other);
    }),
  );
});

test('changes that are far enough apart are merged as git merges them', { tags: 'long' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'clawdcode-merge-'));
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const edit = fc.record({ at: fc.nat(9), removed: fc.nat(2), added: fc.nat(2) });
  const base = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const edited = (start: number, { at, removed, added }: { at: number; removed: number; added: number }) => {
    const lines = [...base];
    lines.splice(
      start + at,
      removed,
      ...Array.from({ length: added }, (_, index) => `new ${start} ${index}`),
    );
    return `${lines.join('\n')}\n`;
  };
  return fc
    .assert(
      fc.asyncProperty(edit, edit, async (mine, yours) => {
        const [original, ours, theirs] = [`${base.join('\n')}\n`, edited(0, mine), edited(14, yours)];
        const git = spawnSync(
          'git',
          ['merge-file', '-p', file('ours', ours), file('base', original), file('theirs', theirs)],
          { encoding: 'utf8' },
        );
        expect(git.status).toBe(0);
        expect(await merge(original, ours, theirs)).toBe(git.stdout);
      }),
      { numRuns: 30 },
    )
    .finally(() => rmSync(folder, { recursive: true }));
});

test('merging a file that differs everywhere gives up in time', { tags: 'long' }, async () => {
  const lines = (seed: number): string =>
    Array.from({ length: 20_000 }, (_, index) => `${(index * 7919 + seed) % 10_007}\n`).join('');
  const spentMs = cpuClock();
  await merge(lines(0), lines(1), lines(2));
  expect(spentMs()).toBeLessThan(20_000);
});
