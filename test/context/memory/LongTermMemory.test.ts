import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LongTermMemory } from '../../../src/context/memory/LongTermMemory.ts';
import { MAX_FILES } from '../../../src/context/memory/memoryFiles.ts';

type LongTermMemoryOptions = ConstructorParameters<typeof LongTermMemory>[0];

let base: string;
let user: string;
let project: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-memory-'));
  user = join(base, 'data/memory');
  project = join(base, 'data/projects/p/memory');
  await mkdir(user, { recursive: true });
  await mkdir(project, { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

function memory(extra: Partial<LongTermMemoryOptions> = {}): LongTermMemory {
  const isSensitive = (path: string): boolean => path.endsWith('.env.md');
  return new LongTermMemory({ folders: { user, project }, isSensitive, ...extra });
}

/** For tests that are not about time: the machine may be busy. */
const patient = { timeoutMs: 10_000 };

const contents = async (prompt: string, options = {}): Promise<string[]> =>
  (await memory().search(prompt, { timeoutMs: 10_000, ...options })).map(({ content }) => content);

const notes = `# Database

Postgres 16 in production; SQLite in the unit tests.

## Migrations

Run \`npm run migrate\` after each change of a schema.

# Style

- Commit messages are in the imperative mood.
- Tabs in Makefiles, two blanks elsewhere.
`;

describe('a search', () => {
  beforeEach(() => writeFile(join(project, 'notes.md'), notes));

  test.each([
    ['which database do we use in production?', 'Database\nPostgres 16'],
    ['How are the schema migrations run?', 'Database › Migrations'],
    ['Write the commit messages', 'Style: Commit messages'],
    ['commit mesages, imperative', 'Style: Commit messages'],
    ['unit testing with SQLite', 'Database\nPostgres 16'],
  ])('for %j finds the memory about it first', async (prompt, start) => {
    expect((await contents(prompt))[0]).toMatch(new RegExp(`^${start}`));
  });

  test.each([
    'Explain how the tokenizer of the compiler treats production rules in the grammar',
    'Rename the button in the header and move its icon to the left',
    'yes',
    'please do it, thank you',
    '',
    '```\npostgres production database\n```',
  ])('for %j finds nothing: most of its words are unrelated, or none is significant', async (prompt) => {
    expect(await contents(prompt)).toEqual([]);
  });

  test('scores each sufficiently long sentence of a longer prompt', async () => {
    const prompt =
      'Add a button to the header that opens the sidebar with an animation. Run the migrations after the schema change. Then update the screenshots of the manual.';
    expect((await contents(prompt))[0]).toMatch(/^Database › Migrations/);
  });

  test('scores the share of significant words that the memory contains', async () => {
    const [all] = await memory().search('postgres production', patient);
    expect(all?.similarity).toBe(1);
    const [half] = await memory().search('postgres kubernetes', { minSimilarity: 0.1, timeoutMs: 10_000 });
    // Four memories, one of which contains "postgres": 1 + ln(5/2) / ln 5, against 1 for the unknown word.
    const weight = 1 + Math.log(5 / 2) / Math.log(5);
    expect(half?.similarity).toBeCloseTo(weight / (weight + 1), 10);
    expect(half?.file).toBe('notes.md');
  });

  test.each([
    ['testing', 'the tests'],
    ['deployed', 'deploying'],
    ['kuberntes', 'kubernetes'],
    ['getUserName', 'get the user name'],
    ['user name', 'getUserName()'],
    ['postgresql', 'PostgreSQL'],
    ['naïve café', 'CAFÉ NAÏVE'],
    ["server's", 'server'],
    ['プロジェクト', 'プロジェクトの名前'],
  ])('finds %j in %j', async (prompt, text) => {
    await writeFile(join(user, 'word.md'), `- ${text}`);
    expect(await contents(prompt, { minSimilarity: 0.99 })).toContain(text);
  });

  test.each([
    ['staging', 'string'],
    ['port', 'portable'],
    ['数据', '据数'],
    ['cat', 'car'],
  ])('does not find %j in %j', async (prompt, text) => {
    await writeFile(join(user, 'word.md'), `- ${text}`);
    expect(await contents(prompt, { minSimilarity: 0.01 })).not.toContain(text);
  });

  test('returns at most `limit`, most similar first', async () => {
    await writeFile(
      join(user, 'many.md'),
      Array.from({ length: 9 }, (_, n) => `- deploy note ${n + 10}`).join('\n'),
    );
    expect(await contents('deploy')).toHaveLength(3);
    expect(await contents('deploy', { limit: 5 })).toHaveLength(5);
    const found = await memory().search('deploy note 17', { minSimilarity: 0.1, timeoutMs: 10_000 });
    expect(found[0]?.content).toBe('deploy note 17');
    expect(found.map(({ similarity }) => similarity)).toEqual(
      found.map(({ similarity }) => similarity).sort((a, b) => b - a),
    );
  });

  test('can be restricted to a category', async () => {
    await writeFile(
      join(user, 'me.md'),
      '---\ncategory: User_Preference\n---\n- production releases on Mondays\n',
    );
    expect(await contents('production', { category: 'user_preference' })).toEqual([
      'production releases on Mondays',
    ]);
    expect(await contents('production', { category: 'other' })).toEqual([]);
  });

  test('finds words in scripts without spaces', async () => {
    await writeFile(
      join(user, 'cjk.md'),
      '- 生产环境的数据库是 PostgreSQL\n\n- テストは毎晩実行する\n\n- 배포 서버는 서울에 있다\n',
    );
    expect(await contents('我们用什么数据库？')).toEqual(['生产环境的数据库是 PostgreSQL']);
    expect(await contents('テストの実行')).toEqual(['テストは毎晩実行する']);
    expect(await contents('배포 서버')).toEqual(['배포 서버는 서울에 있다']);
    expect(await contents('部署前端页面的动画效果')).toEqual([]);
  });

  test('notices changed, new and deleted files', async () => {
    const one = memory();
    expect(await one.search('kubernetes', patient)).toEqual([]);
    await writeFile(join(project, 'notes.md'), '- kubernetes runs the staging cluster');
    await writeFile(join(user, 'more.md'), '- kubernetes is version 1.34');
    expect(await one.search('kubernetes', patient)).toHaveLength(2);
    await rm(join(user, 'more.md'));
    expect((await one.search('kubernetes', patient)).map(({ file }) => file)).toEqual(['notes.md']);
  });
});

describe('no failure ends a turn', () => {
  const slow = async (): Promise<never[]> => {
    await sleep(60_000, undefined, { ref: false });
    return [];
  };
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  test('a search that takes too long is cancelled, reported once, and leaves no timer', {
    tags: 'long',
  }, async () => {
    const warnings: string[] = [];
    const one = memory({ findFiles: slow, onWarning: (text) => warnings.push(text) });
    const before = timers();
    const started = performance.now();
    const heard: string[] = [];
    expect(await one.search('database', { onWarning: (text) => heard.push(text) })).toEqual([]);
    expect(performance.now() - started).toBeLessThan(50_000);
    expect(await one.search('database', { timeoutMs: 20 })).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before);
    expect(warnings).toEqual(['The memory search took longer than 500 ms; no memories are included.']);
    expect(heard).toEqual(warnings);
  });

  test('a failure does not throw, and an abort does not even warn', async () => {
    const warnings: string[] = [];
    const onWarning = (text: string): number => warnings.push(text);
    const stop = new AbortController();
    const waiting = memory({ findFiles: slow, onWarning }).search('database', { signal: stop.signal });
    stop.abort();
    expect(await waiting).toEqual([]);
    expect(await memory({ onWarning }).search('database', { signal: stop.signal })).toEqual([]);
    expect(warnings).toEqual([]);
    const broken = (): never => {
      throw new Error('broken disk');
    };
    expect(await memory({ findFiles: broken, onWarning }).search('database')).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('broken disk')]);
  });

  test('without folders there are no memories', async () => {
    await rm(join(base, 'data'), { recursive: true });
    expect(await memory().search('database')).toEqual([]);
    expect(await memory().list()).toEqual([]);
  });
});

describe('files', () => {
  test('are listed with their content, or the reason why they are skipped', async () => {
    await writeFile(join(user, 'a.md'), notes);
    await writeFile(join(user, 'b.txt'), 'not Markdown');
    await writeFile(join(user, 'c.env.md'), 'token: deploy secret');
    await writeFile(join(base, 'outside.md'), '- deploy from outside');
    await symlink('../../outside.md', join(user, 'd.md'));
    await symlink('a.md', join(user, 'e.md'));
    await symlink('f.md', join(user, 'f.md'));
    await mkdir(join(user, 'g.md'));
    execFileSync('mkfifo', [join(user, 'h.md')]);
    const listed = (await memory().list()).map(({ path, memories, leftOut }) => [
      path.slice(user.length + 1),
      memories,
      leftOut,
    ]);
    expect(listed).toEqual([
      ['a.md', 4, undefined],
      ['c.env.md', 0, 'sensitive'],
      ['d.md', 0, 'link'],
      ['e.md', 4, undefined],
      ['g.md', 0, 'no file'],
      ['h.md', 0, 'no file'],
    ]);
    expect(await contents('deploy')).toEqual([]);
  });

  test('a folder may itself be a link of the user’s', async () => {
    await rm(user, { recursive: true });
    await mkdir(join(base, 'dotfiles'));
    await writeFile(join(base, 'dotfiles/a.md'), '- deploy on Mondays');
    await symlink('../dotfiles', user);
    expect(await contents('deploy')).toEqual(['deploy on Mondays']);
  });

  test('of 100 MB only the start is read, and invalid bytes are harmless', async () => {
    await writeFile(join(user, 'big.md'), '- deploy from the start\n\n');
    await truncate(join(user, 'big.md'), 100_000_000);
    await writeFile(
      join(user, 'odd.md'),
      Buffer.from([0x2d, 0x20, 0xff, 0xc3, 0x28, 0x20, 0x64, 0x62, 0xed, 0xa0, 0x80]),
    );
    expect(await contents('deploy', { timeoutMs: 10_000 })).toEqual(['deploy from the start']);
    const [odd] = await memory().search('db', { timeoutMs: 10_000 });
    expect(odd?.content.isWellFormed()).toBe(true);
    expect(await memory().list()).toMatchObject([{ isCut: true }, { memories: 1 }]);
  });

  test('beyond two hundred are left out', { tags: 'long' }, async () => {
    for (let n = 0; n < MAX_FILES + 5; n++) await writeFile(join(user, `${1000 + n}.md`), `- deploy ${n}`);
    await writeFile(join(project, 'z.md'), '- deploy first');
    const listed = await memory().list();
    expect(listed.filter(({ leftOut }) => leftOut === undefined)).toHaveLength(MAX_FILES);
    expect(listed.filter(({ leftOut }) => leftOut === 'too many')).toHaveLength(6);
    expect(listed[0]).toMatchObject({ scope: 'project', memories: 1 });
  });

  test('an index of a large file is built in slices, and continues after a timeout', async () => {
    const line = (n: number): string =>
      `- memory ${n} about ${n % 7 === 0 ? 'deploying' : 'building'} part ${n}\n`;
    await writeFile(join(user, 'a.md'), Array.from({ length: 2000 }, (_, n) => line(n)).join(''));
    const one = memory();
    await one.search('deploying', { timeoutMs: 1 });
    const found = await one.search('deploying part 14', { timeoutMs: 30_000 });
    expect(found[0]?.content).toContain('memory 14 about deploying');
  });
});

describe('adding memories', () => {
  test('appends an item to notes.md, readable only by the user, and finds it immediately', async () => {
    await rm(join(base, 'data'), { recursive: true });
    const one = memory();
    const file = join(project, 'notes.md');
    expect(await one.remember('Deploys go out on Mondays', 'project')).toEqual({ type: 'saved', file });
    expect(await one.remember('two\nlines', 'project')).toEqual({ type: 'saved', file });
    expect(await readFile(file, 'utf8')).toBe('- Deploys go out on Mondays\n- two\n  lines\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(project)).mode & 0o777).toBe(0o700);
    expect((await one.search('when are deploys?', patient)).map(({ content }) => content)).toEqual([
      'Deploys go out on Mondays',
    ]);
  });

  test('stays separate from a last line without a newline', async () => {
    await writeFile(join(user, 'notes.md'), '- mine');
    await memory().remember('more', 'user');
    expect(await readFile(join(user, 'notes.md'), 'utf8')).toBe('- mine\n- more\n');
  });

  test('a category has its own file, and what is added is found under it', async () => {
    const one = memory();
    const add = async (text: string, category: string): Promise<string> => {
      const saved = await one.remember(text, 'user', category);
      return saved.type === 'saved' ? saved.file : saved.message;
    };
    expect(await add('tabs', 'Style')).toBe(join(user, 'style.md'));
    expect(await add('semicolons', 'style')).toBe(join(user, 'style.md'));
    // The same file name, but another category.
    expect(await add('a', 'a b')).toBe(join(user, 'a-b.md'));
    expect(await add('b', 'a-b')).toBe(join(user, 'a-b-2.md'));
    expect(await add('c', '../..')).toBe(join(user, 'category.md'));
    expect(await add('d', '偏好')).toBe(join(user, '偏好.md'));
    // The end of the user's own file is about something else.
    await writeFile(join(user, 'ops.md'), '---\ncategory: ops\n---\n# Pager\ncategory: pager\nring\n');
    expect(await add('e', 'ops')).toBe(join(user, 'ops-2.md'));
    await writeFile(join(user, 'mine.md'), '---\ncategory: mine\n---\nfirst');
    expect(await add('second', 'mine')).toBe(join(user, 'mine.md'));
    for (const [word, category] of [
      ['tabs', 'style'],
      ['second', 'mine'],
    ] as const)
      expect(await one.search(word, { ...patient, category })).toMatchObject([{ category }]);
    // Under its own name the file would look like one with secrets, and never be searched.
    const careful = memory({ isSensitive: (path) => path.endsWith('/secrets.md') });
    expect(await careful.remember('f', 'user', 'secrets')).toMatchObject({
      file: join(user, 'secrets-2.md'),
    });
    for (const bad of ['', ' ', 'a\nb', 'say "hi"', 'x'.repeat(62)])
      expect(await one.remember('x', 'user', bad)).toMatchObject({ type: 'refused' });
  });

  test('rejects text that it could not find again and files that it must not write', async () => {
    const one = memory();
    expect(await one.remember(' \n', 'user')).toMatchObject({ type: 'refused' });
    expect(await one.remember('x'.repeat(4001), 'user')).toMatchObject({ type: 'refused' });
    await writeFile(join(base, 'elsewhere'), '');
    await symlink('../../elsewhere', join(user, 'notes.md'));
    expect(await one.remember('x', 'user')).toMatchObject({
      type: 'refused',
      message: expect.stringContaining('it is a link'),
    });
    expect(await readFile(join(base, 'elsewhere'), 'utf8')).toBe('');
    await writeFile(join(project, 'notes.md'), 'x'.repeat(1_000_000));
    expect(await one.remember('x', 'project')).toMatchObject({
      type: 'refused',
      message: expect.stringContaining('is full'),
    });
  });

  test('says why a folder cannot be written', async () => {
    await rm(user, { recursive: true });
    await writeFile(user, 'a file where the folder should be');
    expect(await memory().remember('x', 'user')).toMatchObject({
      type: 'refused',
      message: expect.stringContaining('could not be written'),
    });
    await chmod(user, 0o600);
  });
});
