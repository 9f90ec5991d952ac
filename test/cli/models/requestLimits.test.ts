import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRequestLimit } from '../../../src/cli/models/requestLimits.ts';

const DAY_MS = 24 * 60 * 60_000;

async function folder() {
  const dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-limits-'));
  onTestFinished(() => rm(dataRoot, { recursive: true, force: true }));
  const onError = vi.fn();
  const file = join(dataRoot, 'request-limits.json');
  return {
    ...{ file, onError },
    open: (baseUrl = 'http://127.0.0.1:8080/v1', at = 0) =>
      openRequestLimit({ dataRoot, baseUrl, now: () => at, onError }),
    limits: async () => JSON.parse(await readFile(file, 'utf8')).limits,
  };
}

test('a size is remembered by endpoint for a day, in a private file', async () => {
  const { file, open, limits } = await folder();
  const first = open('http://user:secret@127.0.0.1:8080/v1');
  expect(first.rejectedBytes()).toBeUndefined();
  await first.learn(20_000);
  await first.learn(10_000);
  expect(first.rejectedBytes()).toBe(10_000);
  const saved = {
    endpoint: 'http://127.0.0.1:8080',
    bytes: 10_000,
    learnedAt: '1970-01-01T00:00:00.000Z',
  };
  expect(await limits()).toEqual([saved]);
  expect(open().rejectedBytes()).toBe(10_000);
  expect(open('http://127.0.0.1:9090/v1').rejectedBytes()).toBeUndefined();
  expect(open(undefined, DAY_MS - 1).rejectedBytes()).toBe(10_000);
  expect(open(undefined, DAY_MS).rejectedBytes()).toBeUndefined();
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
});

test('once a request of that size is accepted, nothing is remembered', async () => {
  const { open, limits } = await folder();
  const other = open('http://127.0.0.1:9090/v1');
  await other.learn(30_000);
  const limit = open();
  await limit.learn(10_000);
  await limit.forget();
  expect(limit.rejectedBytes()).toBeUndefined();
  expect(await limits()).toMatchObject([{ bytes: 30_000 }]);
});

test('a damaged file is ignored, and replaced by the next size', async () => {
  const { file, open } = await folder();
  await writeFile(file, '{"limits":[{"bytes":"many"}]}');
  expect(open().rejectedBytes()).toBeUndefined();
  await open().learn(10_000);
  expect(open().rejectedBytes()).toBe(10_000);
});

test('if the file cannot be written, the size applies until the program ends', async () => {
  const { file, open, onError } = await folder();
  await mkdir(join(file, 'in-the-way'), { recursive: true });
  const limit = open();
  await limit.learn(10_000);
  expect(limit.rejectedBytes()).toBe(10_000);
  expect(onError).toHaveBeenCalledOnce();
});
