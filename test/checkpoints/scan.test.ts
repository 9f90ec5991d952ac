import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAsIndexed } from '../../src/checkpoints/git/gitTree.ts';
import { type DiskEntry, isYoung } from '../../src/checkpoints/scan/diskEntry.ts';
import { readStable } from '../../src/checkpoints/scan/stableRead.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clawdcode-looking-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file that has become a pipe, a link or a folder by the time it is opened is not read', async () => {
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('file'), 'one\n');
  symlinkSync('file', at('link'));
  execFileSync('mkfifo', [at('pipe')]);
  expect(await readStable(at('file'), 100, 100)).toMatchObject({ type: 'read', bytes: Buffer.from('one\n') });
  for (const path of [at('link'), at('pipe'), folder, at('missing'), at('file/below')])
    expect(await readStable(path, 100, 100)).toEqual({ type: 'gone' });
});

test('a file above the size limit is hashed but not kept; one above the higher limit is not even hashed', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, Buffer.alloc(200_000));
  expect(await readStable(path, 100, 1_000_000)).toMatchObject({ type: 'read', bytes: undefined });
  expect(await readStable(path, 100, 1_000)).toEqual({ type: 'failed', reason: 'it is too large' });
});

const entry: DiskEntry = {
  kind: 'file',
  mode: 0o644,
  size: 4,
  dev: 1,
  ino: 2 ** 32 + 7,
  mtimeMs: 1000.5,
  ctimeMs: 1000.5,
};
const indexed = { oid: 'a', size: 4, ino: 7, mtimeMs: 1000.5, ctimeMs: 1000.5 };

test.each<[string, Partial<DiskEntry>, number, boolean]>([
  ['unchanged', {}, 2000, true],
  ['of a different size', { size: 5 }, 2000, false],
  ['changed in another way', { ctimeMs: 1001 }, 2000, false],
  ['replaced by another', { ino: 8 }, 2000, false],
  ['now a link', { kind: 'link' }, 2000, false],
  ['written in the tick of the index', {}, 1000.5, false],
  ['written after the index', {}, 900, false],
])('detects whether a file that is %s matches the index', (_, change, writtenMs, expected) => {
  expect(isAsIndexed(indexed, { ...entry, ...change }, writtenMs)).toBe(expected);
});

test.each([
  ['long ago', 1000.5, 5000, false],
  ['just now', 4990.5, 5000, true],
  ['in the tick of a coarse clock', 3000, 5000, true],
  ['long ago by a coarse clock', 2000, 5000, false],
])('detects whether a file that changed %s must be read again', (_, ctimeMs, lookedAtMs, expected) => {
  expect(isYoung({ ...entry, ctimeMs }, lookedAtMs)).toBe(expected);
});
