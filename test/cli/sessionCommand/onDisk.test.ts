/** Subcommands that read a log directly, on real logs. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { PersistentStore } from '../../../src/context/index.ts';
import type { SessionRecord } from '../../../src/protocol/sessions.ts';
import { runWith } from './ports.ts';
import { record } from './records.ts';

/** A real log of eight prompts on disk, as the catalogue would know it. */
async function written(): Promise<SessionRecord> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-verify-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  for (let index = 0; index < 8; index++) await log.saveMessage('user', `prompt ${index}`);
  await log.close();
  return record({ id: 'abc', file: log.filePath });
}

/** Garbles a line so that none of it can be read. */
async function damage({ file }: SessionRecord, line: number): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[line] = '\0'.repeat(lines[line]?.length ?? 0);
  await writeFile(file, lines.join('\n'));
  return lines.join('\n');
}

test('an intact session is reported as intact', async () => {
  const session = await written();
  const run = (...argv: string[]) => runWith(argv, { sessions: [session] });
  const { code, stdout } = await run('verify', 'abc');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Session abc is intact\. 8 entries, [\d.]+ kB, 0 originals next to the log\n$/),
  ]);
  expect(JSON.parse((await run('verify', 'abc', '--json', '--deep')).stdout)).toMatchObject({
    entries: 8,
    isDamaged: false,
  });
  const before = await readFile(session.file, 'utf8');
  expect((await run('repair', 'abc')).stdout).toBe('Session abc is intact; nothing was changed.\n');
  expect(await readFile(session.file, 'utf8')).toBe(before);
});

test('damage is located and repaired, and the original is kept', async () => {
  const session = await written();
  const run = (...argv: string[]) => runWith(argv, { sessions: [session] });
  const damaged = await damage(session, 3);
  const found = await run('verify', 'abc');
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(/^Session abc is damaged\. 7 entries/);
  expect(found.stdout).toMatch(/line 4, .* at byte \d+: .*lost: #3/);
  expect(found.stdout).toContain('clawdcode session repair abc');

  const repaired = await run('repair', 'abc');
  expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining('1 entry lost')]);
  const kept = /The original log: (.*)\n/.exec(repaired.stdout)?.[1] ?? '';
  expect(await readFile(kept, 'utf8')).toBe(damaged);
  expect((await run('verify', 'abc')).stdout).toContain('is intact. 8 entries');
  expect((await run('show', 'abc')).stdout).toContain('> prompt 7');
});

test.each<[string[], number[]]>([
  [[], [0, 1, 2, 3, 4, 5, 6, 7]],
  [
    ['--from', '5'],
    [5, 6, 7],
  ],
  [['--from', '#7'], [7]],
  [
    ['--tail', '2'],
    [6, 7],
  ],
  [
    ['--tail', '99'],
    [0, 1, 2, 3, 4, 5, 6, 7],
  ],
  [['--seq', '0'], [0]],
])('show %j --json prints the entries %j', async (flags, seqs) => {
  const { stdout } = await runWith(['show', 'abc', '--json', ...flags], { sessions: [await written()] });
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq),
  ).toEqual(seqs);
});

test('a part without readable entries is fine; a missing part is an error', async () => {
  const session = await written();
  const folder = join(session.file, '../../..');
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.openSession('abc');
  await log.append([
    {
      type: 'system',
      subtype: 'turn_end',
      message: { role: 'system', content: 'done' },
      data: { outcome: 'done', steps: 1 },
    },
  ]);
  await log.close();
  const run = (...argv: string[]) => runWith(argv, { sessions: [session] });
  expect(await run('show', 'abc', '--tail', '1')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('--json'),
  });
  expect((await run('show', 'abc', '--tail', '2')).stdout).toContain('> prompt 7');
  expect((await run('show', 'abc', '--seq', '8')).stdout).toContain('turn_end');
  expect(await run('show', 'abc', '--seq', '9')).toMatchObject({ code: 42, stdout: '' });
  expect(await run('show', 'abc', '--from', '9')).toMatchObject({ code: 42, stdout: '' });
});

test('an entry is found even if lines are out of order', async () => {
  const session = await written();
  const lines = (await readFile(session.file, 'utf8')).trimEnd().split('\n');
  const [second = '', third = ''] = lines.splice(1, 2);
  await writeFile(session.file, `${[...lines.slice(0, 5), third, second, ...lines.slice(5)].join('\n')}\n`);
  for (let seq = 0; seq < 8; seq++) {
    const { code, stdout } = await runWith(['show', 'abc', '--seq', `${seq}`], { sessions: [session] });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`prompt ${seq}\n`)]);
  }
});

test('a session that is open is not repaired', async () => {
  const session = await written();
  await damage(session, 3);
  const folder = join(session.file, '../../..');
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.openSession('abc');
  expect(await runWith(['repair', 'abc'], { sessions: [session] })).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('open in another clawdcode'),
  });
  await log.close();
});

test('an archive is checked like a log, and an intact one is unchanged', async () => {
  const plain = await written();
  const bytes = await readFile(plain.file);
  const file = join(plain.file, '../archive/abc.jsonl.zst');
  await mkdir(join(file, '..'));
  const packed = zstdCompressSync(bytes);
  await writeFile(file, packed);
  const session = { ...plain, file, isArchived: true };
  const run = (...argv: string[]) => runWith(argv, { sessions: [session] });
  expect((await run('verify', 'abc')).stdout).toContain('Session abc is intact. 8 entries, ');
  expect((await run('show', 'abc', '--tail', '2', '--json')).stdout.trimEnd().split('\n')).toHaveLength(2);
  expect((await run('show', 'abc', '--from', '6')).stdout).toMatch(/#6 > prompt 6[\s\S]*#7 > prompt 7/);
  expect(await run('repair', 'abc')).toMatchObject({ code: 0, done: [] });
  await writeFile(file, packed.subarray(0, packed.length - 20));
  expect(await run('verify', 'abc')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('is damaged'),
  });
  expect(JSON.parse((await run('verify', 'abc', '--json')).stdout)).toMatchObject({ isDamaged: true });
});
