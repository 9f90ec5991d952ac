import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PresentNames } from '../../../src/context/memory/InstructionReader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawdcode-names-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NAMES = ['one', 'two', 'three'] as const;

test('every change is seen at the next check, in the order of the names', async () => {
  const change = fc.record({
    name: fc.constantFrom(...NAMES, 'other'),
    what: fc.constantFrom('file', 'link', 'gone', 'nothing'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const names = new PresentNames(NAMES);
      const there = new Set<string>();
      for (const { name, what } of changes) {
        const path = join(folder, name);
        if (what !== 'nothing') rmSync(path, { force: true });
        if (what === 'gone') there.delete(name);
        if (what === 'file') writeFileSync(path, 'x');
        if (what === 'link') symlinkSync('nowhere', path);
        if (what === 'file' || what === 'link') there.add(name);
        expect(await names.in(folder)).toEqual(NAMES.filter((one) => there.has(one)));
      }
      for (const name of there) rmSync(join(folder, name));
    }),
    { numRuns: 60 },
  );
});

test('a directory that changed long ago is read once', async () => {
  writeFileSync(join(folder, 'two'), 'x');
  const later = new PresentNames(NAMES, () => Date.now() + 10_000);
  const first = await later.in(folder);
  expect(first).toEqual(['two']);
  // The same object, not an equal one: the disk was not read again.
  expect(await later.in(folder)).toBe(first);
  writeFileSync(join(folder, 'one'), 'x');
  expect(await later.in(folder)).toEqual(['one', 'two']);
  const recent = new PresentNames(NAMES);
  const before = await recent.in(folder);
  expect(await recent.in(folder)).not.toBe(before);
});

test('a missing directory has none', async () => {
  expect(await new PresentNames(NAMES).in(join(folder, 'missing'))).toEqual([]);
});
