/** The file of compiled code: whatever has happened to it, a start gets the stored code or nothing, and never fails. */
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Code {
  readonly name: string;
  readonly sum: string;
  readonly code: Buffer;
}
interface Kept {
  find(name: string, sum: string): (Code & { readonly runs: number }) | undefined;
  write(codes: readonly Code[], isPiece: (name: string) => boolean): void;
}
const { readCode } = (await import(resolve(import.meta.dirname, '../../bin/codeCache.js'))) as {
  readonly readCode: (place: Place | undefined, identity: string) => Kept;
};

interface Place {
  readonly dataRoot: string;
  readonly cwd: string;
}

const FIRST = { name: 'cli.cjs', sum: 'one', code: Buffer.from('the code of the first piece') };
const SECOND = { name: 'chunk-A.cjs', sum: 'two', code: Buffer.from('the code of the second') };

let base: string;
let place: Place;
let folder: string;
let file: string;
let kept: Kept;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-code-'));
  place = { dataRoot: join(base, 'data'), cwd: join(base, 'work') };
  await mkdir(place.dataRoot, { mode: 0o700 });
  await mkdir(place.cwd);
  folder = join(place.dataRoot, 'compile-cache');
  kept = readCode(place, 'here');
  kept.write([FIRST, SECOND], () => true);
  file = join(folder, (await readdir(folder))[0] ?? '');
});

afterEach(() => rm(base, { recursive: true, force: true }));

const read = () => readCode(place, 'here');

test('cached code is found by its source’s checksum', () => {
  expect(read().find('cli.cjs', 'one')).toEqual({ ...FIRST, runs: 1 });
  expect(read().find('chunk-A.cjs', 'two')).toEqual({ ...SECOND, runs: 1 });
  expect(read().find('cli.cjs', 'two')).toBeUndefined();
  expect(read().find('constructor', 'one')).toBeUndefined();
  expect(readCode(place, 'elsewhere').find('cli.cjs', 'one')).toBeUndefined();
});

test('code signed with another key, or for another program, is not used', async () => {
  const key = join(place.dataRoot, 'compile-cache.key');
  const other = readCode(place, 'elsewhere');
  other.write([FIRST], () => true);
  const [name = ''] = (await readdir(folder)).filter((one) => join(folder, one) !== file);
  await rename(join(folder, name), file);
  expect(read().find('cli.cjs', 'one')).toBeUndefined();
  read().write([FIRST], () => true);
  expect(read().find('cli.cjs', 'one')?.code).toEqual(FIRST.code);
  await writeFile(key, Buffer.alloc(32, 7));
  expect(read().find('cli.cjs', 'one')).toBeUndefined();
  await rm(key);
  expect(read().find('cli.cjs', 'one')).toBeUndefined();
  read().write([FIRST], () => true);
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  expect(read().find('cli.cjs', 'one')?.code).toEqual(FIRST.code);
});

test.skipIf(process.getuid === undefined)('a file that others could have written is not read', async () => {
  await chmod(file, 0o620);
  expect(read().find('cli.cjs', 'one')).toBeUndefined();
  await chmod(file, 0o600);
  expect(read().find('cli.cjs', 'one')?.code).toEqual(FIRST.code);
});

test('whatever has happened to the file, a cached piece is complete or missing', {
  tags: 'long',
}, async () => {
  const whole = await readFile(file);
  const damaged = fc.oneof(
    fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ bits;
      return bytes;
    }),
    fc.nat(whole.length).map((length) => whole.subarray(0, length)),
    fc.nat(whole.length).map((from) => Buffer.from(whole).fill(0, from)),
    fc.uint8Array({ maxLength: 400 }),
    // As the previous version wrote it.
    fc
      .constantFrom('{}', 'null', '{"runs":1}', '{"runs":1,"pieces":{"cli.cjs":{"sum":"one"}}}')
      .map((json) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(json.length);
        return Buffer.concat([length, Buffer.from(json)]);
      }),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => {
      await writeFile(file, bytes);
      for (const { name, sum, code } of [FIRST, SECOND]) {
        const found = read().find(name, sum);
        if (found !== undefined) expect(found.code).toEqual(code);
      }
      read().write([FIRST], () => true);
      expect(read().find('cli.cjs', 'one')?.code).toEqual(FIRST.code);
    }),
    { numRuns: 300 },
  );
});

test('without read or write access there is no message', async () => {
  await rm(file);
  await mkdir(join(file, 'full'), { recursive: true });
  expect(read().find('cli.cjs', 'one')).toBeUndefined();
  read().write([FIRST], () => true);
  expect(await readdir(folder)).toEqual([basename(file)]);
  await rm(folder, { recursive: true });
  await writeFile(folder, 'not a folder');
  kept.write([FIRST], () => true);
  expect(await readFile(folder, 'utf8')).toBe('not a folder');
  expect(readCode(undefined, 'here').find('cli.cjs', 'one')).toBeUndefined();
});

test('code that V8 has discarded is kept, if its source has not changed', () => {
  const less = Buffer.from('less');
  read().write([{ ...FIRST, code: less }], () => true);
  expect(read().find('cli.cjs', 'one')).toEqual({ ...FIRST, runs: 2 });
  read().write([{ ...FIRST, sum: 'three', code: less }], () => true);
  expect(read().find('cli.cjs', 'three')).toEqual({ ...FIRST, sum: 'three', code: less, runs: 1 });
});

test('other entries stay as long as their pieces exist', () => {
  read().write([FIRST], () => true);
  expect(read().find('chunk-A.cjs', 'two')?.code).toEqual(SECOND.code);
  read().write([FIRST], (name) => name !== 'chunk-A.cjs');
  expect(read().find('chunk-A.cjs', 'two')).toBeUndefined();
});

test('an open file can still be read after another has replaced it', () => {
  const before = read();
  read().write(
    [{ ...FIRST, sum: 'three', code: Buffer.from('of a new build') }],
    (name) => name === 'cli.cjs',
  );
  expect(before.find('chunk-A.cjs', 'two')?.code).toEqual(SECOND.code);
});

test('partly written files are removed once they are old, and unused ones after a month', async () => {
  const daysAgo = (days: number) => Date.now() / 1000 - days * 86_400;
  const gone = { 'code-1.77': daysAgo(1), 'code-2': daysAgo(31) };
  const stays = {
    'code-1.78': daysAgo(0),
    'code-3': daysAgo(29),
    'code-of-others': daysAgo(99),
    v24: daysAgo(99),
  };
  for (const [name, time] of Object.entries({ ...gone, ...stays })) {
    await writeFile(join(folder, name), 'something');
    await utimes(join(folder, name), time, time);
  }
  await mkdir(join(folder, 'code-4'));
  await utimes(join(folder, 'code-4'), 1, 1);
  read().write([FIRST], () => true);
  expect((await readdir(folder)).toSorted()).toEqual(
    [...Object.keys(stays), 'code-4', basename(file)].toSorted(),
  );
  expect(read().find('cli.cjs', 'one')?.runs).toBe(2);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
