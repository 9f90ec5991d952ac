import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLearnedWindows } from '../../../src/cli/models/learnedWindows.ts';

async function folder() {
  const dataRoot = await mkdtemp(join(tmpdir(), 'clawdcode-windows-'));
  onTestFinished(() => rm(dataRoot, { recursive: true, force: true }));
  const file = join(dataRoot, 'windows.json');
  return {
    file,
    open: (baseUrl = 'http://127.0.0.1:8080/v1', onError?: (error: unknown) => void) =>
      openLearnedWindows({
        dataRoot: join(dataRoot),
        baseUrl,
        now: () => 0,
        ...(onError === undefined ? {} : { onError }),
      }),
    windows: async () => JSON.parse(await readFile(file, 'utf8')).windows as { model: string }[],
  };
}

test('a window is remembered by endpoint and model, in a private file', async () => {
  const { file, open, windows } = await folder();
  const first = await open();
  expect(first.get('m')).toBeUndefined();
  await first.remember('m', 20_000);
  expect(first.get('m')).toBe(20_000);

  expect((await open()).get('m')).toBe(20_000);
  expect((await open('http://127.0.0.1:8080/other/v1')).get('m')).toBe(20_000);
  expect((await open('http://127.0.0.1:9090/v1')).get('m')).toBeUndefined();
  expect((await open('https://user:secret@example.com/v1')).get('m')).toBeUndefined();
  expect((await open()).get('other')).toBeUndefined();
  expect(await windows()).toEqual([
    { endpoint: 'http://127.0.0.1:8080', model: 'm', tokens: 20_000, learnedAt: '1970-01-01T00:00:00.000Z' },
  ]);
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
});

test('that an unknown window was reported is remembered by endpoint and model, next to the windows', async () => {
  const { open, windows } = await folder();
  const first = await open();
  await first.remember('m', 20_000);
  expect(first.isReported('n')).toBe(false);
  await Promise.all([first.reported('n'), first.reported('o')]);
  expect(first.isReported('n')).toBe(true);
  const again = await open();
  expect(['m', 'n', 'o'].map(again.isReported)).toEqual([false, true, true]);
  expect((await open('http://127.0.0.1:9090/v1')).isReported('n')).toBe(false);
  expect(await windows()).toHaveLength(1);
});

test('a password in the address is not written', async () => {
  const { file, open } = await folder();
  await (await open('https://user:secret@example.com/v1')).remember('m', 20_000);
  expect(await readFile(file, 'utf8')).not.toContain('secret');
});

test('the newest window applies, and those of other processes are kept', async () => {
  const { open } = await folder();
  const [one, other] = [await open(), await open()];
  await one.remember('a', 20_000);
  await other.remember('b', 30_000);
  await one.remember('a', 24_000);
  const again = await open();
  expect([again.get('a'), again.get('b')]).toEqual([24_000, 30_000]);
});

test('windows learned at the same time are all kept', async () => {
  const { open, windows } = await folder();
  const learned = await open();
  await Promise.all(['a', 'b', 'c'].map((model) => learned.remember(model, 20_000)));
  expect((await windows()).map(({ model }) => model)).toEqual(['a', 'b', 'c']);
});

test('two hundred windows are kept, and the oldest is dropped first', async () => {
  const { file, open, windows } = await folder();
  const full = Array.from({ length: 200 }, (_, index) => ({
    endpoint: 'http://127.0.0.1:8080',
    model: `m${index}`,
    tokens: 5000,
    learnedAt: '2026-01-01T00:00:00.000Z',
  }));
  await writeFile(file, JSON.stringify({ windows: full }));
  const learned = await open();
  await learned.remember('m0', 6000);
  expect(await windows()).toHaveLength(200);
  await learned.remember('new', 7000);
  const kept = await windows();
  expect(kept).toHaveLength(200);
  expect([kept[0]?.model, kept.at(-1)?.model]).toEqual(['m2', 'new']);
});

test.each([
  '',
  'no JSON',
  'null',
  '[]',
  '{"windows":{}}',
  '{"windows":[{"tokens":"many"}]}',
  '{"windows":[{',
])('a damaged file (%j) is ignored, and replaced by the next window', async (text) => {
  const { file, open } = await folder();
  await writeFile(file, text);
  const learned = await open();
  expect(learned.get('m')).toBeUndefined();
  await learned.remember('m', 20_000);
  expect((await open()).get('m')).toBe(20_000);
});

test('if the file cannot be written, the window applies until the program ends', async () => {
  const { file, open } = await folder();
  await mkdir(join(file, 'in-the-way'), { recursive: true });
  const onError = vi.fn();
  const learned = await open(undefined, onError);
  await learned.remember('m', 20_000);
  expect(learned.get('m')).toBe(20_000);
  expect(onError).toHaveBeenCalledOnce();
});

test('nothing is remembered for an invalid address', async () => {
  const { open } = await folder();
  const learned = await open('no address');
  await learned.remember('m', 20_000);
  expect(learned.get('m')).toBe(20_000);
  expect((await open('no address')).get('m')).toBeUndefined();
});
