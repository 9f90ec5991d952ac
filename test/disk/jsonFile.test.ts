import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuthStore } from '../../src/cli/mcp/authStore.ts';
import { storedKeyOf, storeKey } from '../../src/cli/models/storedKeys.ts';
import { readTrust, trustFolder } from '../../src/config/trust.ts';
import { damagedFilesIn, openJsonFile } from '../../src/disk/jsonFile.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawdcode-json-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modulePath = resolve(import.meta.dirname, '../../src/disk/jsonFile.ts');

const numbers = (file: string, maxBytes?: number) =>
  openJsonFile<{ readonly n: readonly number[] }>({
    file,
    parse(value) {
      if (!Array.isArray((value as { n?: unknown }).n)) throw new Error('no numbers');
      return value as { n: number[] };
    },
    empty: { n: [] },
    ...(maxBytes !== undefined && { maxBytes }),
  });

test('simultaneous changes are all kept, whichever part of the program makes them', async () => {
  const file = join(folder, 'a.json');
  const all = Array.from({ length: 20 }, (_, at) => at);
  await Promise.all(all.map((at) => numbers(file).change(({ n }) => ({ n: [...n, at] }))));
  expect(
    numbers(file)
      .read()
      .n.toSorted((a, b) => a - b),
  ).toEqual(all);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('changes of several processes are all kept', async () => {
  const file = join(folder, 'a.json');
  const code = `
    import { openJsonFile } from ${JSON.stringify(pathToFileURL(modulePath).href)};
    const [file, from] = process.argv.slice(-2);
    const list = openJsonFile({ file, parse: (value) => value, empty: { n: [] } });
    for (let at = 0; at < 10; at += 1) await list.change(({ n }) => ({ n: [...n, Number(from) + at] }));`;
  const run = (from: number) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, file, String(from)]);
  await Promise.all([run(0), run(10), run(20)]);
  expect(
    numbers(file)
      .read()
      .n.toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: 30 }, (_, at) => at));
});

test('logins, keys and trusted folders saved at the same time do not replace each other', async () => {
  const url = new URL('https://mcp.example/');
  const names = ['a', 'b', 'c'];
  const stores = names.map((name) => createAuthStore(folder, name, url));
  const endpoint = (name: string) => ({ name, baseUrl: 'https://models.example/v1' });
  await Promise.all([
    ...stores.map((store) => store.write({ tokens: { access_token: 't', token_type: 'Bearer' } })),
    ...names.map((name) => storeKey(folder, endpoint(name), `key-${name}`, undefined)),
    ...names.map((name) => trustFolder(folder, `/${name}`, [], () => new Date())),
  ]);
  expect(await Promise.all(stores.map(async (store) => (await store.read()) !== undefined))).toEqual([
    ...[true, true, true],
  ]);
  expect(names.map((name) => storedKeyOf(folder, endpoint(name)))).toEqual(
    names.map((name) => ({ place: 'file', key: `key-${name}` })),
  );
  const trusted = names.map(async (name) => (await readTrust(folder, `/${name}`)).isTrusted);
  expect(await Promise.all(trusted)).toEqual([true, true, true]);
});

test.each([
  ['a trailing comma', '{"n":[1],}'],
  ['an empty file', ''],
  ['other content', '{"m":1}'],
])('%s: the file is moved aside when it is read or changed', async (_, text) => {
  const file = join(folder, 'a.json');
  await writeFile(file, text, { mode: 0o644 });
  expect(numbers(file).read()).toEqual({ n: [] });
  const [found] = damagedFilesIn(folder);
  expect(found).toEqual({ file, aside: expect.stringContaining(`${file}.damaged-20`) });
  expect(await readFile(found?.aside ?? '', 'utf8')).toBe(text);
  expect((await stat(found?.aside ?? '')).mode & 0o777).toBe(0o600);
  await rm(found?.aside ?? '');

  await writeFile(file, text);
  await numbers(file).change(({ n }) => ({ n: [...n, 2] }));
  expect(numbers(file).read()).toEqual({ n: [2] });
  expect(await Promise.all(damagedFilesIn(folder).map(({ aside }) => readFile(aside, 'utf8')))).toEqual([
    text,
  ]);
});

test('a file that is too large is moved aside, a folder is not; a link is not followed', async () => {
  const file = join(folder, 'a.json');
  await mkdir(file);
  expect(numbers(file).read()).toEqual({ n: [] });
  await expect(numbers(file).change(() => ({ n: [1] }))).rejects.toThrow('cannot be read');
  await rm(file, { recursive: true });
  await writeFile(file, JSON.stringify({ n: [1, 2, 3] }));
  expect(numbers(file, 5).read()).toEqual({ n: [] });
  const target = join(folder, 'target');
  await writeFile(target, 'x', { mode: 0o640 });
  await chmod(target, 0o640);
  await symlink(target, file);
  expect(numbers(file).read()).toEqual({ n: [] });
  expect(await readFile(target, 'utf8')).toBe('x');
  expect((await stat(target)).mode & 0o777).toBe(0o640);
  expect((await readdir(folder)).filter((name) => name.startsWith('a.json.damaged-'))).toHaveLength(2);
});

test('a byte order mark is not damage, and a change without effect writes nothing', async () => {
  const file = join(folder, 'a.json');
  await writeFile(file, '\uFEFF{"n":[1]}');
  expect(numbers(file).read()).toEqual({ n: [1] });
  await numbers(file).change((now) => now);
  expect(await readFile(file, 'utf8')).toBe('\uFEFF{"n":[1]}');
});

test('after a change that throws, the next one runs', async () => {
  const list = numbers(join(folder, 'a.json'));
  const failing = list.change(() => {
    throw new Error('no');
  });
  const next = list.change(({ n }) => ({ n: [...n, 1] }));
  await expect(failing).rejects.toThrow('no');
  await next;
  expect(list.read()).toEqual({ n: [1] });
});

test.each([
  ['larger than the file may be', { n: Array.from({ length: 40 }, (_, at) => at) }],
  ['of another shape', { m: [1] } as unknown as { n: number[] }],
  ['that JSON cannot express', { n: undefined } as unknown as { n: number[] }],
])('a change to something %s is rejected, and the file keeps what it has', async (_, next) => {
  const file = join(folder, 'a.json');
  const list = numbers(file, 100);
  await list.change(() => ({ n: [1, 2] }));
  await expect(list.change(() => next)).rejects.toThrow(`${file} `);
  await list.change(({ n }) => ({ n: [...n, 3] }));
  expect(list.read()).toEqual({ n: [1, 2, 3] });
  expect(damagedFilesIn(folder)).toEqual([]);
});

test('the size of a file is measured in bytes, as when reading', async () => {
  const texts = openJsonFile<readonly string[]>({
    file: join(folder, 'a.json'),
    parse: (value) => value as string[],
    empty: [],
    maxBytes: 100,
    isCompact: true,
  });
  await texts.change(() => ['€'.repeat(30)]);
  await expect(texts.change(() => ['€'.repeat(40)])).rejects.toThrow('larger');
  expect(texts.read()).toEqual(['€'.repeat(30)]);
});

const tokensOf = (length: number) => ({
  tokens: { access_token: 'x'.repeat(length), token_type: 'Bearer' },
});

test('an MCP server with huge tokens, and many with large ones, do not remove the logins of other servers', async () => {
  const good = createAuthStore(folder, 'good', new URL('https://good.example/'));
  await good.write(tokensOf(1000));
  for (const length of [200_000, 1_000_000, 9_000_000]) {
    const evil = createAuthStore(folder, 'evil', new URL('https://evil.example/'));
    await expect(evil.write(tokensOf(length))).rejects.toThrow('The login is larger than 100 KB');
    expect(await evil.read()).toBeUndefined();
  }
  for (let at = 0; at < 12; at += 1)
    await createAuthStore(folder, `evil${at}`, new URL('https://evil.example/')).write(tokensOf(90_000));
  await good.write(tokensOf(2000));
  expect(await good.read()).toEqual(tokensOf(2000));
  expect(damagedFilesIn(folder)).toEqual([]);
});
