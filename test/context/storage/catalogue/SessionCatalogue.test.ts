import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { BlobStore } from '../../../../src/context/storage/BlobStore.ts';
import { openCatalogue } from '../../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { MAX_LINE_BYTES } from '../../../../src/context/storage/entryLine.ts';
import { summarizeSession } from '../../../../src/context/storage/sessionSummary.ts';
import { loadSqlite } from '../../../../src/disk/sqlite.ts';
import { firstIsQuick } from '../../../e2e/support/long.ts';
import { temporaryFolder } from '../../../temporaryFolder.ts';
import {
  addTo,
  type Catalogue,
  header,
  makeSession,
  reply,
  result,
  START,
  say,
  title,
  use,
} from './makeSessions.ts';

const workerFile = new URL('../../../../src/context/storage/catalogue/worker.ts', import.meta.url);

function open(dataRoot: string, inThread = false): Catalogue {
  const catalogue = openCatalogue({
    dataRoot,
    costUsd: (model, { inputTokens, outputTokens }) =>
      model === 'gpt-4.1' ? inputTokens + 10 * outputTokens : undefined,
    ...(inThread ? { startWorker: () => new Worker(workerFile, { workerData: { dataRoot } }) } : {}),
  });
  onTestFinished(() => catalogue.close());
  return catalogue;
}

const titles = async (catalogue: Catalogue, query = {}): Promise<string[]> =>
  (await catalogue.list(query)).map((session) => session.title);
const seqs = async (catalogue: Catalogue, text: string, limits = {}): Promise<string[]> =>
  (await catalogue.search(text, limits)).map(({ session, seq }) => `${session.id} ${seq}`);

test('a log with a line that is too long to be read is listed as partly read', { tags: 'long' }, async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one', cwd: dataRoot }, [header(), say('Hello')]);
  await makeSession(dataRoot, { id: 'two', cwd: dataRoot }, [header(), say('Hello')]);
  // Without writing that much to the disk.
  await truncate(file, (await stat(file)).size + MAX_LINE_BYTES + 1);
  await appendFile(file, '\n');
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const listed = (await catalogue.list()).map(({ id, isPartial }) => [id, isPartial]);
  expect(Object.fromEntries(listed)).toEqual({ one: true, two: false });
});

test.each([false, true])('a session is listed with its facts (in a thread: %s)', async (inThread) => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one', cwd: dataRoot }, [
    header({ forkedFrom: 'zero' }),
    say('Count the rows\nand more'),
    reply('There are 12.', [100, 10]),
    say('And the columns?'),
    reply('Three.', [200, 1]),
  ]);
  const catalogue = open(dataRoot, inThread);
  const report = await catalogue.refresh();
  expect(report).toMatchObject({ sessions: 1, isComplete: true, isDurable: true });
  expect(await catalogue.list()).toEqual([
    {
      id: 'one',
      file,
      project: 'p',
      root: dataRoot,
      isMoved: true,
      title: 'Count the rows',
      titleSource: 'prompt',
      createdAt: new Date(START),
      updatedAt: new Date(START + 4 * 60_000),
      bytes: (await stat(file)).size,
      gitBranch: 'main',
      messageCount: 5,
      promptCount: 2,
      model: 'gpt-4.1',
      inputTokens: 300,
      outputTokens: 11,
      costUsd: 410,
      isArchived: false,
      isPartial: false,
      forkedFrom: 'zero',
      lastLines: ['> Count the rows', 'There are 12.', '> And the columns?', 'Three.'],
    },
  ]);
  expect(await seqs(catalogue, 'columns')).toEqual(['one 3']);
});

test('without an index, the list comes from the logs themselves, and is the same', async () => {
  const dataRoot = temporaryFolder();
  for (const [minute, id] of ['a', 'b', 'c'].entries()) {
    const file = await makeSession(dataRoot, { id, minute }, [
      header(),
      say(`Ask ${id}`),
      reply('Yes.', [5, 5]),
    ]);
    await utimes(file, 1, START / 1000 + minute * 60);
  }
  await makeSession(dataRoot, { id: 'silent' }, [header()]);
  const catalogue = open(dataRoot);
  const before = await catalogue.list();
  expect(before.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  expect(await titles(catalogue, { limit: 1, offset: 1 })).toEqual(['Ask b']);
  expect(await titles(catalogue, { filter: 'ASK main c' })).toEqual(['Ask c']);
  await catalogue.refresh();
  expect(await catalogue.list()).toEqual(before);
  expect(await titles(catalogue, { limit: 1, offset: 1 })).toEqual(['Ask b']);
  expect(await titles(catalogue, { filter: 'ASK main c' })).toEqual(['Ask c']);
});

test("the user's title takes precedence over the model's, and the newest of each applies", async () => {
  const dataRoot = temporaryFolder();
  const place = { id: 'one' };
  const file = await makeSession(dataRoot, place, [header(), say('first words'), reply('Yes.')]);
  const catalogue = open(dataRoot);
  const after = async (seq: number, text: string, source: 'user' | 'model'): Promise<unknown> => {
    await addTo(file, { ...place, seq, minute: seq }, [title(text, source)]);
    const quick = await summarizeSession(file, 'one');
    await catalogue.refresh();
    const [session] = await catalogue.list();
    expect(quick?.title).toBe(session?.title);
    return [session?.title, session?.titleSource];
  };
  expect(await after(3, 'By the model', 'model')).toEqual(['By the model', 'model']);
  expect(await after(4, 'Mine', 'user')).toEqual(['Mine', 'user']);
  expect(await after(5, 'Again by the model', 'model')).toEqual(['Mine', 'user']);
  expect(await after(6, 'Mine, later', 'user')).toEqual(['Mine, later', 'user']);
});

test('all messages and outputs are found, but not the system prompt', async () => {
  const dataRoot = temporaryFolder();
  const blobs = new BlobStore(join(dataRoot, 'projects', 'p', 'blobs'));
  const original = await blobs.put(`head ${'\n'.repeat(5000)} buriedword tail`);
  const binary = await blobs.put(Buffer.from('\0\0 binaryword'));
  await makeSession(dataRoot, { id: 'one' }, [
    header(),
    say('promptword'),
    {
      ...reply('replyword'),
      message: { role: 'assistant', content: 'replyword', reasoning: { field: 'r', text: 'thoughtword' } },
    },
    use('Bash', { command: 'echo argumentword', list: [{ deep: 'deepword' }] }),
    result('Bash', '\u001b[31mresultword\u001b[0m', { original }),
    result('Read', 'x', { original: binary }),
    { type: 'user', message: { role: 'user', content: 'summaryword' }, isCompactSummary: true },
    {
      type: 'user',
      subtype: 'shell',
      message: { role: 'user', content: 'shelloutput' },
      data: { command: 'make shellword' },
    },
    say('购物车的总价'),
  ]);
  const catalogue = open(dataRoot);
  const check = async (): Promise<void> => {
    for (const [word, seq, who] of [
      ['promptword', 1, 'you'],
      ['replyword', 2, 'model'],
      ['thoughtword', 2, 'model'],
      ['argumentword', 3, 'Bash'],
      ['deepword', 3, 'Bash'],
      ['resultword', 4, 'Bash'],
      ['buriedword', 4, 'Bash'],
      ['summaryword', 6, 'summary'],
      ['shellword', 7, 'you'],
      ['shelloutput', 7, 'you'],
      ['总价', 8, 'you'],
    ] as const) {
      const hits = await catalogue.search(word);
      expect(hits.map((hit) => [hit.seq, hit.who])).toEqual([[seq, who]]);
      const [{ snippet = '', marks = [] } = {}] = hits;
      expect(marks.map(([start, end]) => snippet.slice(start, end))).toEqual([word]);
    }
    expect(await catalogue.search('zebra')).toEqual([]);
    expect(await catalogue.search('binaryword')).toEqual([]);
    expect(await catalogue.search('"echo replyword"')).toEqual([]);
  };
  await check(); // Nothing is indexed yet: the log itself is searched.
  await catalogue.refresh();
  await check();
});

test('only appended lines are read, even while the last one is being written', async () => {
  const dataRoot = temporaryFolder();
  const place = { id: 'one' };
  const file = await makeSession(dataRoot, place, [header(), say('alpha')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const before = (await stat(file)).size;
  await addTo(file, { ...place, seq: 2, minute: 5 }, [reply('beta')]);
  const whole = await readFile(file);
  await truncate(file, whole.length - 20);
  expect(await catalogue.refresh()).toMatchObject({ indexedBytes: 0 });
  expect(await seqs(catalogue, 'beta')).toEqual([]);
  await writeFile(file, whole.subarray(whole.length - 20), { flag: 'a' });
  expect(await catalogue.refresh()).toMatchObject({ indexedBytes: whole.length - before });
  expect(await seqs(catalogue, 'beta')).toEqual(['one 2']);
  expect((await catalogue.list())[0]?.updatedAt).toEqual(new Date(START + 5 * 60_000));
});

test('a renamed session keeps its place in the list', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [header(), say('alpha')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const before = (await catalogue.list())[0]?.updatedAt;
  await addTo(file, { id: 'one', seq: 2, minute: 50 }, [title('Named', 'user')]);
  await catalogue.refresh();
  expect((await catalogue.list())[0]).toMatchObject({ title: 'Named', updatedAt: before });
});

test('a replaced log is read again, and its old content is no longer found', async () => {
  const dataRoot = temporaryFolder();
  const place = { id: 'one' };
  await makeSession(dataRoot, place, [header(), say('alpha'), reply('beta gamma')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  await makeSession(dataRoot, place, [
    header(),
    say('delta'),
    reply('beta and a longer reply than before, with words'),
  ]);
  await catalogue.refresh();
  expect(await seqs(catalogue, 'alpha')).toEqual([]);
  expect(await seqs(catalogue, 'delta')).toEqual(['one 1']);
  expect(await seqs(catalogue, 'beta')).toEqual(['one 2']);
  expect(await catalogue.list()).toMatchObject([{ title: 'delta', messageCount: 3, promptCount: 1 }]);
});

test('the list follows new, removed and renamed sessions', async () => {
  const dataRoot = temporaryFolder();
  const gone = await makeSession(dataRoot, { id: 'gone' }, [say('gone words')]);
  await makeSession(dataRoot, { id: 'kept', project: 'old', minute: 1 }, [say('kept words')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  await rm(gone);
  await rename(join(dataRoot, 'projects/old'), join(dataRoot, 'projects/new'));
  await makeSession(dataRoot, { id: 'fresh', minute: 2 }, [say('fresh words')]);
  let changes = 0;
  await catalogue.refresh(() => {
    changes += 1;
  });
  expect(changes).toBeGreaterThan(0);
  expect((await catalogue.list()).map(({ project, id }) => `${project}/${id}`)).toEqual([
    'p/fresh',
    'new/kept',
  ]);
  expect(await seqs(catalogue, 'words')).toEqual(['fresh 0', 'kept 0']);
  expect(await seqs(catalogue, 'words', { project: 'new' })).toEqual(['kept 0']);
  expect(await seqs(catalogue, 'words', { project: ['new', 'p'], limit: 1 })).toEqual(['fresh 0']);
  expect(await titles(catalogue, { project: ['new'] })).toEqual(['kept words']);
});

for (const { row, options } of firstIsQuick<readonly [string, (file: string) => unknown]>([
  ['deleted', (file: string) => rm(file)],
  ['a folder', (file: string) => rm(file).then(() => mkdir(file))],
  ['not a database', (file: string) => writeFile(file, 'nonsense '.repeat(1000))],
  ['empty', (file: string) => writeFile(file, '')],
  [
    'zeros in the middle',
    async (file: string) => {
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0, 4096, bytes.length));
    },
  ],
  [
    'of another version',
    async (file: string) => {
      const { DatabaseSync } = loadSqlite();
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
  ],
]))
  test(`an index that is ${row[0]} is rebuilt`, options, async () => {
    const [, damage] = row;
    const dataRoot = temporaryFolder();
    for (let index = 0; index < 30; index++)
      await makeSession(dataRoot, { id: `s${index}`, minute: index }, [say(`words ${index}`)]);
    const first = open(dataRoot);
    await first.refresh();
    await first.close();
    const file = join(dataRoot, 'index/sessions.db');
    await damage(file);
    const catalogue = open(dataRoot);
    expect(await titles(catalogue, { limit: 1 })).toHaveLength(1);
    expect(await catalogue.refresh()).toMatchObject({ sessions: 30, isComplete: true, isDurable: true });
    expect(await titles(catalogue)).toHaveLength(30);
    expect(await seqs(catalogue, '17')).toEqual(['s17 0']);
    const again = open(dataRoot);
    expect(await again.refresh()).toMatchObject({ indexedBytes: 0 });
  });

test('a list opened before the index was rebuilt shows the new one', async () => {
  const dataRoot = temporaryFolder();
  await makeSession(dataRoot, { id: 'one' }, [say('first')]);
  const watching = open(dataRoot);
  await watching.refresh();
  expect(await titles(watching)).toEqual(['first']);
  await makeSession(dataRoot, { id: 'two', minute: 1 }, [say('second')]);
  await rm(join(dataRoot, 'index'), { recursive: true });
  await open(dataRoot).refresh();
  expect(await titles(watching)).toEqual(['second', 'first']);
});

test('a query whose result is no longer needed ends early, in a thread too', { tags: 'long' }, async () => {
  const dataRoot = temporaryFolder();
  for (let index = 0; index < 50; index++)
    await makeSession(dataRoot, { id: `s${index}` }, [say(`words ${index} ${'x '.repeat(20_000)}`)]);
  for (const inThread of [false, true]) {
    const catalogue = open(dataRoot, inThread);
    const signal = AbortSignal.abort();
    expect(await catalogue.refresh(undefined, { signal })).toMatchObject({ isComplete: false });
    expect((await catalogue.search('words', { signal })).length).toBeLessThan(50);
    expect(await catalogue.refresh()).toMatchObject({ isComplete: true });
    expect(await catalogue.search('words', { limit: 3 })).toHaveLength(3);
    await catalogue.close();
    await rm(join(dataRoot, 'index'), { recursive: true });
  }
});

test.each([false, true])(
  'if no index can be stored, it is kept in memory (in a thread: %s)',
  async (inThread) => {
    const dataRoot = temporaryFolder();
    await makeSession(dataRoot, { id: 'one' }, [say('some words'), reply('Yes.')]);
    // A file in place of its folder keeps even root out.
    await writeFile(join(dataRoot, 'index'), '');
    const catalogue = open(dataRoot, inThread);
    expect(await titles(catalogue)).toEqual(['some words']);
    expect(await catalogue.refresh()).toMatchObject({ isDurable: false, isComplete: true });
    expect(await titles(catalogue)).toEqual(['some words']);
    expect((await catalogue.find('on')).map(({ id }) => id)).toEqual(['one']);
    expect(await seqs(catalogue, 'words')).toEqual(['one 0']);
  },
);

test('it works if the thread cannot start', async () => {
  const dataRoot = temporaryFolder();
  await makeSession(dataRoot, { id: 'one' }, [say('some words')]);
  const startWorker = (): Worker => new Worker(join(dataRoot, 'missing.js'));
  const catalogue = openCatalogue({ dataRoot, startWorker });
  onTestFinished(() => catalogue.close());
  expect(await catalogue.refresh()).toMatchObject({ sessions: 1, isComplete: true });
  expect(await seqs(catalogue, 'words')).toEqual(['one 0']);
});

test('several programs share one index, and each hit is found once', { tags: 'long' }, async () => {
  const dataRoot = temporaryFolder();
  for (let index = 0; index < 200; index++)
    await makeSession(dataRoot, { id: `s${index}`, minute: index }, [
      header(),
      say(`words ${index}`),
      reply('Yes.', [1, 1]),
    ]);
  const all = Array.from({ length: 4 }, () => open(dataRoot, true));
  await Promise.all(all.map((catalogue) => catalogue.refresh()));
  const [one = open(dataRoot)] = all;
  await one.refresh();
  expect(await seqs(one, 'words', { limit: 1000 })).toHaveLength(200);
  expect(
    (await one.list()).every(({ inputTokens, messageCount }) => inputTokens === 1 && messageCount === 3),
  ).toBe(true);
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(join(dataRoot, 'index/sessions.db'), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM said').get()).toMatchObject({ n: 400 });
  database.close();
});

test('with a budget, indexing continues where it stopped', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [
    header(),
    ...Array.from({ length: 300 }, (_, n) => say(`word${n} ${'x'.repeat(900)}`)),
  ]);
  const { size } = await stat(file);
  const catalogue = open(dataRoot);
  let read = 0;
  for (let round = 0; round < 20; round++) {
    const { indexedBytes, isComplete } = await catalogue.refresh(undefined, { maxBytes: 50_000 });
    expect(indexedBytes).toBeLessThan(60_000);
    read += indexedBytes;
    expect(await seqs(catalogue, 'word299')).toEqual(['one 300']);
    if (isComplete) break;
  }
  expect(read).toBe(size);
  expect(await catalogue.list()).toMatchObject([{ title: `word0 ${'x'.repeat(193)}…`, promptCount: 300 }]);
});

test('damaged lines lose only their own content', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [header(), say('alpha'), reply('beta')]);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await writeFile(
    file,
    [lines[0], '{"v":1,"seq":', '\0\0\0', 'null', '[]', lines[1], '{"half', lines[2], ''].join('\n'),
  );
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  expect(await seqs(catalogue, 'alpha')).toEqual(['one 1']);
  expect(await seqs(catalogue, 'beta')).toEqual(['one 2']);
});

test('session content cannot affect the index or the list', async () => {
  const dataRoot = temporaryFolder();
  const nasty = `'; DROP TABLE session; -- " \u001b]0;owned\u0007 \u202e <b> \ud83d`;
  await makeSession(dataRoot, { id: 'one', project: 'it\'s a "project"' }, [
    say(nasty),
    title(nasty, 'user'),
  ]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const [session] = await catalogue.list();
  expect(session?.title).toMatch(/^'; DROP TABLE session; -- " +<b> .$/);
  expect(session?.title.isWellFormed()).toBe(true);
  expect(await seqs(catalogue, nasty)).not.toEqual([]);
  expect(await seqs(catalogue, 'drop table', { project: 'it\'s a "project"' })).toHaveLength(2);
});

test('a session is found by id or id prefix, indexed or not', async () => {
  const dataRoot = temporaryFolder();
  for (const id of ['abc', 'abcd', 'xyz']) await makeSession(dataRoot, { id }, [say(`in ${id}`)]);
  const catalogue = open(dataRoot);
  const ids = async (prefix: string): Promise<string[]> =>
    (await catalogue.find(prefix)).map(({ id }) => id).sort();
  for (const round of ['before', 'after']) {
    if (round === 'after') await catalogue.refresh();
    expect([await ids('abc'), await ids('ab'), await ids('q'), await ids('_%')]).toEqual([
      ['abc'],
      ['abc', 'abcd'],
      [],
      [],
    ]);
  }
});

test('the index is readable only by its owner', async () => {
  const dataRoot = temporaryFolder();
  await makeSession(dataRoot, { id: 'one' }, [say('words')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const folder = join(dataRoot, 'index');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('a folder that cannot be read is left out', async () => {
  const dataRoot = temporaryFolder();
  await makeSession(dataRoot, { id: 'one' }, [say('words')]);
  await writeFile(join(dataRoot, 'projects', 'a file'), 'x');
  await mkdir(join(dataRoot, 'projects/p/two.jsonl'));
  await mkdir(join(dataRoot, 'projects/closed'));
  await chmod(join(dataRoot, 'projects/closed'), 0);
  const catalogue = open(dataRoot);
  expect(await catalogue.refresh()).toMatchObject({ sessions: 1, isComplete: true });
});
