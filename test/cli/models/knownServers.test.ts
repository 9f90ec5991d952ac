import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openKnownServers } from '../../../src/cli/models/knownServers.ts';

const DAY_MS = 24 * 60 * 60_000;

async function folder() {
  const dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-servers-'));
  onTestFinished(() => rm(dataRoot, { recursive: true, force: true }));
  return {
    file: join(dataRoot, 'servers.json'),
    open: (baseUrl = 'http://127.0.0.1:8080/v1', at = 0, onError?: (error: unknown) => void) =>
      openKnownServers({ dataRoot, baseUrl, now: () => at, ...(onError && { onError }) }),
  };
}

test('a server’s kind is remembered by endpoint for a day, in a private file', async () => {
  const { file, open } = await folder();
  const first = open();
  expect(await first.recall()).toBeUndefined();
  await first.remember('ollama');
  expect(await first.recall()).toBe('ollama');
  expect(await open().recall()).toBe('ollama');
  expect(await open('http://127.0.0.1:9090/v1').recall()).toBeUndefined();
  expect(await open(undefined, DAY_MS - 1).recall()).toBe('ollama');
  expect(await open(undefined, DAY_MS).recall()).toBeUndefined();
  await open('http://user:secret@127.0.0.1:9090/v1').remember('silent');
  expect(await open('http://127.0.0.1:9090').recall()).toBe('silent');
  expect(await readFile(file, 'utf8')).not.toContain('secret');
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
});

test('a damaged file is replaced; one that cannot be written is reported', async () => {
  const { file, open } = await folder();
  await writeFile(file, '{"servers":[{"endpoint":1}]');
  await open().remember('vllm');
  expect(await open().recall()).toBe('vllm');
  const errors: unknown[] = [];
  const nowhere = openKnownServers({
    dataRoot: join(file, 'below'),
    baseUrl: 'http://127.0.0.1:1/v1',
    now: () => 0,
    onError: (error) => errors.push(error),
  });
  await nowhere.remember('silent');
  expect(errors).toHaveLength(1);
});
