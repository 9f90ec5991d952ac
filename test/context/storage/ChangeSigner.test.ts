/** Which changes of files in a log count as recorded by the user's own program. */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import type { PathChange } from '../../../src/protocol/checkpoints.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';

let home: string;
let dataRoot: string;
let projectRoot: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-signer-')));
  [dataRoot, projectRoot] = [join(home, 'data'), join(home, 'project')];
  mkdirSync(projectRoot);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const keyFile = (): string => join(dataRoot, 'checkpoints.key');
/** A store of a program that has just started. */
const newStore = (): PersistentStore => new PersistentStore({ dataRoot, projectRoot, programVersion: '1' });

const hash = 'a'.repeat(64);
const file = { type: 'file', mode: 0o644, bytes: 3, hash } as const;
const change: PathChange = { path: '/home/me/.profile', before: file, after: { ...file, mode: 0o755 } };
const header: NewEntry = {
  type: 'system',
  subtype: 'session_start',
  message: { role: 'system', content: '' },
};
const prompt: NewEntry = { type: 'user', subtype: 'prompt', message: { role: 'user', content: 'go' } };
const checkpoint = (changes: PathChange[] = [change], of?: string): NewEntry => ({
  type: 'system',
  subtype: 'checkpoint',
  message: { role: 'system', content: '' },
  data: { cause: 'call', changes, ...(of === undefined ? {} : { of }) },
});
const rewind: NewEntry = {
  type: 'system',
  subtype: 'rewind',
  message: { role: 'system', content: '' },
  data: { scope: 'files', changes: [change] },
};

/** Records a session with changes of files; returns its log. */
async function record(id: string, ...entries: NewEntry[]): Promise<string> {
  const log = await newStore().createSession(id);
  await log.append([header, prompt]);
  for (const entry of entries.length === 0 ? [checkpoint()] : entries) await log.append([entry]);
  await log.close();
  return log.filePath;
}

/** Which of the entries that name changes are the user's own, for a program that has just started. */
async function ownIn(id: string): Promise<readonly boolean[]> {
  const log = await newStore().openSession(id);
  const named = log.entries().filter(({ subtype }) => subtype === 'checkpoint' || subtype === 'rewind');
  const own = named.map((entry) => log.isOwn(entry));
  await log.close();
  return own;
}

type Line = Record<string, unknown> & { seq: number; data?: Record<string, unknown> };

/** Without the checksums of the lines, which only detect damage. */
const linesOf = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { crc: _, ...entry } = JSON.parse(line) as Line;
      return entry as Line;
    });
const writeLines = (path: string, lines: readonly Line[]): void =>
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

test('a program started later recognizes the changes that this one has recorded; other entries carry nothing', async () => {
  const path = await record('s', checkpoint(), rewind, checkpoint([], 'the rewind'), prompt);
  expect(await ownIn('s')).toEqual([true, true, true]);
  expect(linesOf(path).map(({ mac }) => typeof mac)).toEqual([
    ...['undefined', 'undefined'],
    ...['string', 'string', 'string'],
    'undefined',
  ]);
  const log = await newStore().openSession('s');
  expect(
    log
      .entries()
      .filter((entry) => log.isOwn(entry))
      .map(({ seq }) => seq),
  ).toEqual([2, 3, 4]);
  await log.close();
});

const path = '/home/me/.ssh/authorized_keys';
const alterations: readonly (readonly [what: string, change: (line: Line) => Line])[] = [
  ['without its checksum', ({ mac: _, ...line }) => line as Line],
  ['with another checksum', (line) => ({ ...line, mac: 'f'.repeat(64) })],
  ['with another id', (line) => ({ ...line, uuid: 'another' })],
  ['at another place', (line) => ({ ...line, seq: line.seq + 1 })],
  ['of another kind', (line) => ({ ...line, subtype: 'rewind' })],
  ['that ends another rewind', (line) => ({ ...line, data: { ...line.data, of: 'u' } })],
  ['without its changes', (line) => ({ ...line, data: { ...line.data, changes: [] } })],
  ['with another path', (line) => withChange(line, { ...change, path })],
  [
    'with one more path',
    (line) => ({ ...line, data: { ...line.data, changes: [change, { ...change, path }] } }),
  ],
  [
    'with another content',
    (line) => withChange(line, { ...change, before: { ...file, hash: 'b'.repeat(64) } }),
  ],
  ['with another mode', (line) => withChange(line, { ...change, before: { ...file, mode: 0o755 } })],
  ['that deletes the file', (line) => withChange(line, { path: change.path, after: change.after })],
  [
    'with before and after exchanged',
    (line) => withChange(line, { ...change, before: change.after, after: file }),
  ],
];

function withChange(line: Line, changed: PathChange): Line {
  return { ...line, data: { ...line.data, changes: [changed] } };
}

test.each(alterations)('an entry %s is foreign', async (_, alter) => {
  const log = await record('s');
  const lines = linesOf(log);
  writeLines(log, [...lines.slice(0, -1), ...lines.slice(-1).map(alter)]);
  expect(await ownIn('s')).toEqual([false]);
});

test('fields in another order, and fields that a rewind ignores, change nothing', async () => {
  const log = await record('s');
  const lines = linesOf(log);
  const turned = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? Array.isArray(value)
        ? value.map(turned)
        : value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, one]) => [key, turned(one)]),
        );
  writeLines(
    log,
    lines.map((line) => turned({ ...line, timestamp: '2020-01-01T00:00:00.000Z' }) as Line),
  );
  expect(await ownIn('s')).toEqual([true]);
});

test('entries are foreign in another session, in a log joined from two, and if the header names another folder', async () => {
  const [first, second] = [await record('first'), await record('second')];
  const [a, b] = [linesOf(first), linesOf(second)];
  const joined = [...a, ...b.slice(-1).map((line) => ({ ...line, seq: 3 }))];
  writeLines(first, joined);
  expect(await ownIn('first')).toEqual([true, false]);
  writeLines(
    first,
    joined.map((line) => ({ ...line, sessionId: 'first' })),
  );
  expect(await ownIn('first')).toEqual([true, false]);
  writeFileSync(join(first, '../copied.jsonl'), readFileSync(second));
  expect(await ownIn('copied')).toEqual([false]);
  expect(await ownIn('second')).toEqual([true]);
  writeLines(
    second,
    b.map((line, at) => (at === 0 ? { ...line, cwd: '/elsewhere' } : line)),
  );
  expect(await ownIn('second')).toEqual([false]);
});

test('in a fork, own entries stay own and foreign ones foreign; a copy from another project has only foreign ones', async () => {
  const log = await record('s', checkpoint(), rewind);
  const lines = linesOf(log);
  writeLines(log, [...lines.slice(0, -1), ...lines.slice(-1).map((line) => ({ ...line, uuid: 'forged' }))]);
  const entries = linesOf(log) as unknown as JSONLEntry[];
  expect(await ownIn(await newStore().forkSession(entries, 's'))).toEqual([true, false]);
  expect(await ownIn(await newStore().forkSession(entries, 'another'))).toEqual([false, false]);
  expect(await ownIn(await newStore().forkSession(entries))).toEqual([false, false]);
});

test('changes before a compaction are still recognized when most of the log is no longer in memory', async () => {
  const small = () => new PersistentStore({ dataRoot, projectRoot, programVersion: '1', wholeBytes: 1 });
  const log = await small().createSession('s');
  await log.append([header, prompt]);
  await log.append([checkpoint()]);
  for (let at = 0; at < 20; at += 1) await log.append([prompt]);
  await log.saveCompaction('summary', { trigger: 'manual', preTokens: 1 });
  await log.sync();
  await log.append([prompt]);
  await log.append([checkpoint()]);
  const own = async (one: typeof log): Promise<readonly number[]> => {
    const seqs: number[] = [];
    for await (const entry of one.seen().range(0, one.seen().last))
      if (one.isOwn(entry)) seqs.push(entry.seq);
    return seqs;
  };
  expect(await own(log)).toEqual([2, 26]);
  await log.close();
  const again = await small().openSession('s');
  expect(again.entries().some(({ seq }) => seq === 2)).toBe(false);
  expect(await own(again)).toEqual([2, 26]);
  await again.close();
});

test('the key is made with the first change: 32 bytes that only the user can read', async () => {
  const log = await newStore().createSession('s');
  await log.append([header, prompt]);
  expect(existsSync(keyFile())).toBe(false);
  await log.append([checkpoint()]);
  await log.close();
  const info = statSync(keyFile());
  expect([info.mode & 0o777, info.size]).toEqual([0o600, 32]);
  expect(readdirSync(dataRoot).sort()).toEqual(['checkpoints.key', 'projects']);
  const key = readFileSync(keyFile());
  await record('other');
  expect(readFileSync(keyFile())).toEqual(key);
});

const losses: readonly (readonly [string, () => void, isReplaced: boolean])[] = [
  ['was lost', () => rmSync(keyFile()), true],
  ['was cut short', () => writeFileSync(keyFile(), 'short'), true],
  ['could be read by others', () => chmodSync(keyFile(), 0o644), true],
  [
    'is a link',
    () => {
      renameSync(keyFile(), `${keyFile()}.moved`);
      symlinkSync(`${keyFile()}.moved`, keyFile());
    },
    false,
  ],
  [
    'is a folder',
    () => {
      rmSync(keyFile());
      mkdirSync(keyFile());
    },
    false,
  ],
];

test.each(losses)(
  'if the key %s, earlier entries are foreign, and nothing fails',
  async (_, lose, isReplaced) => {
    await record('s');
    lose();
    const log = await newStore().openSession('s');
    const [before] = log.entries().filter(({ subtype }) => subtype === 'checkpoint');
    const [after] = await log.append([checkpoint()]);
    expect([before, after].map((entry) => entry !== undefined && log.isOwn(entry))).toEqual([false, true]);
    await log.close();
    expect(await ownIn('s')).toEqual([false, isReplaced]);
  },
);

test('no key is kept in a data folder inside the project: entries are own only in the process that wrote them', async () => {
  dataRoot = join(projectRoot, 'data');
  const log = await newStore().createSession('s');
  const added = [...(await log.append([header, prompt])), ...(await log.append([checkpoint()]))];
  expect(added.map((entry) => log.isOwn(entry))).toEqual([false, false, true]);
  await log.close();
  expect(existsSync(keyFile())).toBe(false);
  mkdirSync(dataRoot, { recursive: true });
  writeFileSync(keyFile(), Buffer.alloc(32), { mode: 0o600 });
  expect(await ownIn('s')).toEqual([false]);
});

test('an entry that is appended to the log by another program is foreign, even while the session is open', async () => {
  const log = await newStore().createSession('s');
  await log.append([header, prompt]);
  const [own] = await log.append([checkpoint()]);
  appendFileSync(log.filePath, `${JSON.stringify({ ...own, seq: 3, uuid: 'planted' })}\n`);
  const found: boolean[] = [];
  const reader = await newStore().openReader('s');
  for (const entry of reader.entries().slice(2)) found.push(log.isOwn(entry));
  expect(found).toEqual([true, false]);
  await log.close();
});

test('processes that start at the same time use one key', async () => {
  mkdirSync(dataRoot);
  const script = join(import.meta.dirname, 'signer.child.ts');
  const run = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [script, dataRoot, projectRoot], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      child.on('error', reject);
      child.on('close', () => resolve(text));
    });
  const macs = await Promise.all(Array.from({ length: 6 }, run));
  expect(macs[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(macs).size).toBe(1);
});
