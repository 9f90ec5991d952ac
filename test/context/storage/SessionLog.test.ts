import { mkdir, readFile, rm, rmdir, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { MAX_LINE_BYTES } from '../../../src/context/storage/entryLine.ts';
import { JSONLStore } from '../../../src/context/storage/JSONLStore.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { Retry, SessionLog } from '../../../src/context/storage/SessionLog.ts';
import type { StorageProblem } from '../../../src/context/storage/sessionStore.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { unsealedLines } from './madeUpLog.ts';

const time = new Date('2026-03-01T10:00:00.000Z');

async function makeStore(): Promise<PersistentStore> {
  const home = temporaryFolder();
  const projectRoot = join(home, 'project');
  await mkdir(projectRoot);
  return new PersistentStore({
    dataRoot: join(home, 'data'),
    projectRoot,
    programVersion: '1.2.3',
    now: () => time,
  });
}

async function makeLog(store?: PersistentStore): Promise<SessionLog> {
  const log = await (store ?? (await makeStore())).createSession('s');
  onTestFinished(() => log.close());
  return log;
}

const prompt = (content: string): NewEntry => ({
  type: 'user',
  subtype: 'prompt',
  message: { role: 'user', content },
});
const contents = (entries: readonly JSONLEntry[]): unknown[] => entries.map((entry) => entry.message.content);

function problemsOf(log: SessionLog): StorageProblem[] {
  const problems: StorageProblem[] = [];
  log.onProblem((problem) => problems.push(problem));
  return problems;
}

test('an entry has every field of a line, in a fixed order, and memory equals the file', async () => {
  const log = await makeLog();
  log.setCwd('/elsewhere');
  const [entry] = await log.append([
    madeUpNewEntry({ ...prompt('hi'), data: { gone: undefined, kept: Number.NaN } }),
  ]);
  expect(entry).toEqual({
    v: 1,
    seq: 0,
    uuid: expect.stringMatching(/^[A-Za-z0-9]{21}$/),
    parentUuid: null,
    sessionId: 's',
    timestamp: time.toISOString(),
    type: 'user',
    subtype: 'prompt',
    cwd: '/elsewhere',
    version: '1.2.3',
    message: { role: 'user', content: 'hi' },
    data: { kept: null },
  });
  expect(unsealedLines(await readFile(log.filePath, 'utf8'))).toEqual([JSON.stringify(entry)]);
});

test('any sequence of appends keeps order, links and batches across reopening', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.constant('reopen' as const),
          fc.constant('wait' as const),
          fc.integer({ min: 0, max: 4 }),
        ),
        { maxLength: 20 },
      ),
      async (steps) => {
        const store = await makeStore();
        let log = await store.createSession('s');
        const expected: string[] = [];
        let running: Promise<unknown>[] = [];
        for (const step of steps) {
          if (step === 'wait' || step === 'reopen') {
            await Promise.all(running);
            running = [];
          }
          if (step === 'reopen' && expected.length > 0) {
            await log.close();
            log = await store.openSession('s');
          }
          if (typeof step === 'number') {
            const batch = Array.from({ length: step }, (_, index) => `${expected.length + index}`);
            expected.push(...batch);
            running.push(log.append(batch.map(prompt)));
          }
        }
        const before = log.entries();
        await log.close();
        const after = (await store.loadSession('s'))?.entries ?? [];
        expect(contents(before)).toEqual(expected);
        expect(after).toEqual(before);
        expect(after.map((entry) => entry.seq)).toEqual(expected.map((_, index) => index));
        expect(after.map((entry) => entry.parentUuid)).toEqual(
          expected.map((_, index) => after[index - 1]?.uuid ?? null),
        );
        await rm(dirname(log.filePath), { recursive: true, force: true });
      },
    ),
    { numRuns: 25 },
  );
});

test('an append resolves when its lines are in the file', async () => {
  const log = await makeLog();
  for (let round = 0; round < 20; round += 1) {
    const racing = Array.from({ length: 5 }, async (_, index) => {
      for (let hop = 0; hop < index * round; hop += 1) await Promise.resolve();
      const [entry] = await log.append([prompt(`${round}/${index}`)]);
      expect(await readFile(log.filePath, 'utf8')).toContain(`"uuid":"${entry?.uuid}"`);
    });
    await Promise.all(racing);
  }
  expect(log.entries()).toHaveLength(100);
});

/** A log on a store that lets a test act before and after each write. */
async function makeWatchedLog(hooks: {
  before?: (log: SessionLog) => void;
  after?: (log: SessionLog) => void;
}): Promise<SessionLog> {
  const folder = temporaryFolder();
  class WatchedStore extends JSONLStore {
    override async appendLines(lines: readonly string[]): Promise<void> {
      hooks.before?.(log);
      await super.appendLines(lines);
      hooks.after?.(log);
    }
  }
  const log: SessionLog = new SessionLog({
    sessionId: 's',
    store: new WatchedStore(join(folder, 's.jsonl')),
    blobs: new BlobStore(join(folder, 'blobs')),
    contents: { entries: [], damaged: [] },
    projectRoot: folder,
    programVersion: '1.2.3',
    now: () => time,
    release: () => {},
  });
  onTestFinished(() => log.close());
  return log;
}

test.each([0, 1, 2, 3, 4, 5, 6, 8, 12])(
  'an append %i microtasks after another write is not mistaken for part of it',
  async (hops) => {
    let late: Promise<void> | undefined;
    const log = await makeWatchedLog({
      after: (self) => {
        late ??= (async () => {
          for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
          await self.append([prompt('late')]);
          expect(await readFile(self.filePath, 'utf8')).toContain('late');
        })();
      },
    });
    await log.append([prompt('early')]);
    expect(late).toBeDefined();
    await late;
  },
);

test('lines that could not be written keep their place before later ones', async () => {
  let failures = 2;
  const log = await makeWatchedLog({
    before: (self) => {
      if (failures === 0) return;
      failures -= 1;
      void self.append([prompt(`while failing, ${failures} left`)]);
      throw new Error('EIO: the disk is tired.');
    },
  });
  const problems = problemsOf(log);
  log.onProblem(() => {
    throw new Error('a bad listener');
  });
  for (const text of ['a', 'b', 'c']) await log.append([prompt(text)]);
  const lines = unsealedLines(await readFile(log.filePath, 'utf8'));
  expect(lines.map((line) => JSON.parse(line))).toEqual(log.entries());
  expect(contents(log.entries())).toHaveLength(5);
  expect(problems.map((problem) => problem.recovered ?? false)).toEqual([false, true]);
});

test('a snapshot of the entries never changes, nor can it be changed', async () => {
  const log = await makeLog();
  const draft = {
    type: 'user' as const,
    message: { role: 'user' as const, content: [{ type: 'text', text: 'a' }] },
  };
  await log.append([draft]);
  const snapshot = log.entries();
  (draft.message.content[0] as { text: string }).text = 'changed by the caller';
  await log.append([prompt('b')]);
  expect(contents(snapshot)).toEqual([[{ type: 'text', text: 'a' }]]);
  expect(log.entries()).toHaveLength(2);
  expect(log.entries()).toBe(log.entries());
  expect(() => (snapshot as JSONLEntry[]).pop()).toThrow(TypeError);
  expect(() => Object.assign(snapshot[0]?.message ?? {}, { role: 'system' })).toThrow(TypeError);
});

test('a malformed draft is rejected before it is written', async () => {
  const log = await makeLog();
  await expect(log.append([prompt('fine'), { type: 'user' } as NewEntry])).rejects.toThrow();
  await log.append([prompt('next')]);
  expect(contents(log.entries())).toEqual(['next']);
  expect(log.entries()[0]).toMatchObject({ seq: 0, parentUuid: null });
});

test('a compaction is a boundary and its summary; the conversation continues from there', async () => {
  const store = await makeStore();
  const log = await makeLog(store);
  const [, b] = await log.append([prompt('a'), prompt('b')]);
  await log.saveCompaction('the summary', { trigger: 'manual', preTokens: 9, retained: [b?.uuid ?? ''] });
  await log.saveMessage('assistant', 'c', { model: 'm' });
  expect(log.entries().slice(2, 4)).toMatchObject([
    {
      type: 'system',
      subtype: 'compact_boundary',
      message: { content: '=== Context Compaction Boundary ===' },
    },
    {
      type: 'user',
      isCompactSummary: true,
      message: { content: 'the summary' },
      compactMetadata: { preTokens: 9 },
    },
  ]);
  expect(contents((await store.loadConversation('s')) ?? [])).toEqual(['the summary', 'b', 'c']);
  expect(await store.loadConversation('unknown')).toBeUndefined();
});

test('a boundary whose summary was lost in a crash does not count, and the chain continues', async () => {
  const store = await makeStore();
  const log = await store.createSession('s');
  await log.append([prompt('a'), prompt('b')]);
  await log.saveCompaction('the summary', { trigger: 'auto', preTokens: 9 });
  await log.close();
  await truncate(log.filePath, (await readFile(log.filePath)).length - 20);
  const again = await store.openSession('s');
  expect(contents(again.entries())).toEqual(['a', 'b']);
  expect(again.damaged).toMatchObject([{ line: 4, reason: 'cut short' }]);
  const [next] = await again.saveMessage('user', 'c');
  expect(next).toMatchObject({ seq: 3, parentUuid: again.entries()[1]?.uuid });
  await again.close();
  const third = await store.openSession('s');
  expect(contents(third.entries())).toEqual(['a', 'b', 'c']);
  expect(contents((await store.loadConversation('s')) ?? [])).toEqual(['a', 'b', 'c']);
  await third.close();
});

test('calls and results are stored with all their fields', async () => {
  const log = await makeLog();
  await log.saveToolUse({ id: 'c1', name: 'Read', arguments: '{"path":"a"}', rawArguments: "{path:'a'}" });
  await log.saveToolResult({
    id: 'c1',
    output: 'text',
    status: 'ok',
    filesRead: [{ path: '/a', hash: 'h' }],
  });
  expect(log.entries()).toMatchObject([
    { type: 'tool_use', tool: { id: 'c1', input: { path: 'a' }, rawArguments: "{path:'a'}" } },
    { type: 'tool_result', toolResult: { id: 'c1', status: 'ok', filesRead: [{ path: '/a', hash: 'h' }] } },
  ]);
});

test('a call’s arguments are stored once and read back byte for byte', async () => {
  const log = await makeLog();
  const texts = [
    '{"path":"a"}',
    '{ "path": "a" }',
    '{"n":1.0}',
    '{"b":1,"1":2}',
    '{"__proto__":{"a":1}}',
    '{"a":1,"a":2}',
  ];
  for (const text of texts) await log.saveToolUse({ id: 'c', name: 'Read', arguments: text });
  const tools = log.entries().map((entry) => entry.tool);
  expect(tools.map((tool) => tool?.arguments ?? JSON.stringify(tool?.input))).toEqual(texts);
  expect(tools.filter((tool) => tool?.arguments === undefined)).toHaveLength(2);
});

test('a log that cannot be written is reported once, the conversation continues, and nothing is missing afterwards', async () => {
  const log = await makeLog();
  const problems = problemsOf(log);
  await mkdir(dirname(log.filePath), { recursive: true });
  await mkdir(log.filePath);
  await log.append([prompt('a')]);
  await log.append([prompt('b')]);
  expect(contents(log.entries())).toEqual(['a', 'b']);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toMatch(/not being saved: EISDIR/);
  const late = problemsOf(log);
  expect(late).toEqual(problems);
  await rmdir(log.filePath);
  await log.append([prompt('c')]);
  expect(problems.at(-1)).toMatchObject({ recovered: true });
  const lines = unsealedLines(await readFile(log.filePath, 'utf8'));
  expect(lines.map((line) => JSON.parse(line))).toEqual(log.entries());
});

test('if the folder is not writable, everything stays in memory, and closing does not fail', async () => {
  const store = await makeStore();
  await mkdir(dirname(store.folder), { recursive: true });
  await writeFile(store.folder, 'a file where the folder should be');
  const log = await store.createSession('s');
  const problems = problemsOf(log);
  expect(problems[0]?.message).toMatch(/could not be locked/);
  await log.append([prompt('a')]);
  await log.sync();
  expect(problems.at(-1)?.message).toMatch(/not being saved: (ENOTDIR|EEXIST)/);
  expect(contents(log.entries())).toEqual(['a']);
  await log.close();
});

test('a session deleted while open is written again in full', async () => {
  const log = await makeLog();
  const problems = problemsOf(log);
  await log.append([prompt('a'), prompt('b')]);
  await rm(dirname(log.filePath), { recursive: true });
  await log.append([prompt('c')]);
  const lines = unsealedLines(await readFile(log.filePath, 'utf8'));
  expect(contents(lines.map((line) => JSON.parse(line)))).toEqual(['a', 'b', 'c']);
  expect(problems.map((problem) => problem.recovered ?? false)).toEqual([false, true]);
});

test('an entry names the git branch at the time, even if the repository was created later', async () => {
  const store = await makeStore();
  const log = await makeLog(store);
  await log.append([prompt('outside')]);
  await log.close();
  const root = log.entries()[0]?.cwd ?? '';
  await mkdir(join(root, '.git'));
  await writeFile(join(root, '.git/HEAD'), 'ref: refs/heads/feature/x\n');
  const again = await store.openSession('s');
  await again.append([prompt('inside')]);
  expect(again.entries().map((entry) => entry.gitBranch)).toEqual([undefined, 'feature/x']);
  await again.close();
});

test('closing twice is harmless, and later appends are rejected', async () => {
  const log = await makeLog();
  const running = log.append([prompt('a')]);
  await Promise.all([log.close(), log.close()]);
  await running;
  await expect(log.append([prompt('b')])).rejects.toThrow('closed');
  await log.sync();
  expect(await readFile(log.filePath, 'utf8')).toContain('"a"');
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the intervals between attempts double up to a maximum, and start over after a success', async () => {
  const times: number[] = [];
  const began = Date.now();
  const retry: Retry = new Retry(
    async () => {
      times.push(Date.now() - began);
      if (times.length === 7) retry.stop();
      else retry.schedule();
    },
    1000,
    30_000,
  );
  retry.schedule();
  retry.schedule();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(times).toEqual([1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
  retry.schedule();
  await vi.advanceTimersByTimeAsync(1000);
  expect(times).toHaveLength(8);
});

test('an attempt that throws does not stop the program', async () => {
  let attempts = 0;
  const retry = new Retry(async () => {
    attempts += 1;
    throw new Error('still broken');
  });
  retry.schedule();
  await vi.advanceTimersByTimeAsync(1000);
  retry.schedule();
  await vi.advanceTimersByTimeAsync(2000);
  expect(attempts).toBe(2);
});

test('rejects an entry that no reader would accept, and continues the log', { tags: 'long' }, async () => {
  const log = await makeLog();
  await expect(log.append([prompt('x'.repeat(MAX_LINE_BYTES))])).rejects.toThrow('too large for the log');
  await log.append([prompt('next')]);
  expect(contents(log.entries())).toEqual(['next']);
});
