import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unsupportedNotices } from '../../src/cli/unsupportedNotices.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'clawdcode-notices-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const of = (hash: string, names: readonly string[] = ['model']) => ({
  unsupported: [{ file: '.claude/settings.json', path: '/repository/.claude/settings.json', hash, names }],
});

test('a file is reported once per content', async () => {
  const text = '.claude/settings.json: not supported here: model.';
  expect(await unsupportedNotices(data, of('a'))).toEqual([text]);
  expect(await unsupportedNotices(data, of('a'))).toEqual([]);
  expect(await unsupportedNotices(data, of('b'))).toEqual([text]);
  expect(await unsupportedNotices(data, { unsupported: [] })).toEqual([]);
});

test('the rest of the file is kept, and a damaged file is replaced', async () => {
  const file = join(data, 'notices.json');
  await writeFile(file, '{"other":1}');
  await unsupportedNotices(data, of('a'));
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    other: 1,
    unsupportedSettings: { '/repository/.claude/settings.json': 'a' },
  });
  await writeFile(file, '{');
  expect(await unsupportedNotices(data, of('a'))).toHaveLength(1);
  expect(await unsupportedNotices(data, of('a'))).toEqual([]);
});

test('a long list is cut', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `key${index}`);
  const [notice] = await unsupportedNotices(data, of('a', [...names, 'x'.repeat(100)]));
  expect(notice).toMatch(/key11, 19 more\.$/);
});
