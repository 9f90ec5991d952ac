import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  analyzeFiles,
  analyzeFilesInSlices,
  readFileStart,
  readFilesContent,
} from '../../src/context/FileAnalyzer.ts';
import { pathTokens } from '../../src/context/facts/entryText.ts';
import { CacheStore } from '../../src/context/storage/CacheStore.ts';
import type { JSONLEntry, NewEntry } from '../../src/protocol/entries.ts';
import { cpuMs } from '../cpuTime.ts';

async function project(): Promise<string> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'clawdcode-files-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'src'));
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
    await writeFile(join(root, `src/${name}.ts`), `// ${name}\n`);
  return root;
}
const entry = (root: string, draft: NewEntry): JSONLEntry => {
  const identity = {
    v: 1,
    seq: 0,
    uuid: '',
    parentUuid: null,
    sessionId: 's',
    timestamp: '',
    cwd: root,
    version: '1',
  };
  return { ...identity, ...draft } as JSONLEntry;
};
const said = (root: string, content: string) =>
  entry(root, { type: 'user', message: { role: 'user', content } });
const used = (root: string, input: unknown) =>
  entry(root, {
    type: 'tool_use',
    message: { role: 'assistant', content: '' },
    tool: { id: '', name: 'Read', input },
  });
const changed = (root: string, path: string) =>
  entry(root, {
    type: 'tool_result',
    message: { role: 'user', content: '' },
    toolResult: { id: '', output: '', filesChanged: [{ path, kind: 'modified' }] },
  });

test('modified files come first, then those named most often in calls, then the newest', async () => {
  const root = await project();
  const found = analyzeFiles(
    [
      said(root, 'look at src/h.ts and src/g.ts'),
      used(root, { file_path: join(root, 'src/a.ts') }),
      used(root, { path: './src/a.ts' }),
      used(root, { path: 'src' }),
      used(root, { source: 'src/b.ts', destination: 'src/missing.ts' }),
      changed(root, join(root, 'src/c.ts')),
      said(root, 'and src/f.ts'),
    ],
    root,
  );
  expect(found.map(({ path }) => path.slice(root.length + 5))).toEqual(
    ['c.ts', 'a.ts', 'b.ts', 'f.ts', 'h.ts', 'g.ts'].map((name) => name),
  );
  expect(found[0]?.wasModified).toBe(true);
});

test('the first five eligible files are quoted: no secrets, no binaries, no links to either', async () => {
  const root = await project();
  await writeFile(join(root, '.env'), 'KEY=1');
  await symlink(join(root, '.env'), join(root, 'config.txt'));
  await writeFile(join(root, 'blob.bin'), Buffer.from([1, 0, 2]));
  await writeFile(join(root, 'src/a.ts'), 'line\n'.repeat(2000));
  const text = '.env config.txt blob.bin src/a.ts src/b.ts src/c.ts src/d.ts src/e.ts src/f.ts';
  const paths = analyzeFiles([said(root, text)], root).map(({ path }) => path);
  const read = await readFilesContent([...paths].sort(), { isSensitive: (path) => path.endsWith('.env') });
  expect(read.map(({ path }) => path.slice(root.length + 1))).toEqual([
    'src/a.ts',
    'src/b.ts',
    'src/c.ts',
    'src/d.ts',
    'src/e.ts',
  ]);
  expect(read[0]?.content.split('\n')).toHaveLength(1001);
  expect(read[0]?.content.endsWith('\n... (truncated)')).toBe(true);
});

test('a file that was replaced by a link to a secret is not quoted', async () => {
  const root = await project();
  const named = analyzeFiles([said(root, 'src/a.ts src/b.ts')], root).map(({ path }) => path);
  await writeFile(join(root, '.env'), 'KEY=1');
  await rm(join(root, 'src/a.ts'));
  await symlink(join(root, '.env'), join(root, 'src/a.ts'));
  const read = await readFilesContent(named, { isSensitive: (path) => path.endsWith('.env') });
  expect(read.map(({ path }) => path.slice(root.length + 1))).toEqual(['src/b.ts']);
});

test('the start of a file is not read through a link', async () => {
  const root = await project();
  await symlink('a.ts', join(root, 'src/link.ts'));
  await symlink('src', join(root, 'linked'));
  const start = (name: string) => readFileStart(join(root, name), { maxLines: 5, maxCharacters: 100 });
  expect(await start('src/a.ts')).toBeDefined();
  expect([await start('src/link.ts'), await start('linked/a.ts')]).toEqual([undefined, undefined]);
});

test('a file with several names counts once; tool results and summaries name no files', async () => {
  const root = await project();
  await symlink(join(root, 'src/a.ts'), join(root, 'link.ts'));
  const entries = [
    said(root, './src/a.ts src/a.ts link.ts'),
    used(root, { target: join(root, 'link.ts') }),
    used(root, { destination: 'src/../src/a.ts' }),
    { ...said(root, 'src/b.ts'), isCompactSummary: true },
    entry(root, {
      type: 'user',
      subtype: 'shell',
      message: { role: 'user', content: '$ cat src/d.ts\nsrc/e.ts' },
      data: { command: 'cat src/d.ts', output: 'src/e.ts' },
    }),
    entry(root, {
      type: 'tool_result',
      message: { role: 'user', content: '' },
      toolResult: { id: '', output: 'src/c.ts' },
    }),
  ];
  const found = analyzeFiles(entries, root);
  expect(found).toEqual([
    {
      path: join(root, 'src/a.ts'),
      mentions: 9,
      lastMentioned: 2,
      wasModified: false,
      wasRead: false,
      isCurrent: true,
      spots: [],
    },
    {
      path: join(root, 'src/d.ts'),
      mentions: 1,
      lastMentioned: 4,
      wasModified: false,
      wasRead: false,
      isCurrent: false,
      spots: [],
    },
  ]);
  expect(await analyzeFilesInSlices(entries, root)).toEqual(found);
});

test('records edited and read places, calls without results, and files of the current task', async () => {
  const root = await project();
  const prompt = entry(root, {
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content: 'and now?' },
  });
  const readOf = (path: string) =>
    entry(root, {
      type: 'tool_result',
      message: { role: 'user', content: '' },
      toolResult: { id: '', output: '', filesRead: [{ path, hash: 'x' }] },
    });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(root, `src/${name}.ts`));
  const found = analyzeFiles(
    [
      used(root, { file_path: a, offset: 10, limit: 5 }),
      readOf(a ?? ''),
      used(root, { file_path: b }),
      prompt,
      used(root, { file_path: a, old_string: 'x', new_string: 'const y = 1;' }),
      changed(root, a ?? ''),
      used(root, { file_path: c, offset: 7 }),
      readOf(c ?? ''),
    ],
    root,
  );
  const known = found.map(({ path, wasModified, wasRead, isCurrent, spots }) => ({
    name: path.slice(-4),
    wasModified,
    wasRead,
    isCurrent,
    spots,
  }));
  expect(known).toEqual([
    {
      name: 'a.ts',
      wasModified: true,
      wasRead: true,
      isCurrent: true,
      spots: [
        { type: 'lines', from: 10, to: 14 },
        { type: 'text', text: 'const y = 1;' },
      ],
    },
    {
      name: 'c.ts',
      wasModified: false,
      wasRead: true,
      isCurrent: true,
      spots: [{ type: 'lines', from: 7, to: 206 }],
    },
    { name: 'b.ts', wasModified: false, wasRead: false, isCurrent: false, spots: [] },
  ]);
});

test('a file that was read before is not read again until it is edited', async () => {
  const root = await project();
  const path = join(root, 'src/a.ts');
  // The next change of a file that was just written might not alter its time.
  await new Promise((done) => setTimeout(done, 120));
  const cache = new CacheStore<string>();
  const read = async () => (await readFilesContent([path], { cache }))[0]?.content;
  expect(await read()).toBe('// a\n');
  expect(cache.size).toBe(1);
  expect(await read()).toBe('// a\n');
  expect(cache.size).toBe(1);
  await writeFile(path, '// b\n');
  expect(await read()).toBe('// b\n');
});

test.each([
  ['(/repo/src/foo.test.ts)', ['/repo/src/foo.test.ts']],
  ['在 src/上下文.ts，和 `lib/a.ts:12:3`。', ['src/上下文.ts', 'lib/a.ts']],
  ['run /a/v1.2/foo.ts, /home/u/.config/x.json.', ['/a/v1.2/foo.ts', '/home/u/.config/x.json']],
  ['see https://cdn.example.com/x.js and e.g. this', []],
  ['@src/main.ts Makefile package.json', ['src/main.ts', 'package.json']],
])('finds the paths in %j', (text, paths) => {
  expect(pathTokens(text).filter((path) => path !== 'e.g')).toEqual(paths);
});

test('a megabyte on one line is searched without delay', { tags: 'long' }, () => {
  const texts = ['/', 'a', '"/', ' /a.b'].map((piece) => piece.repeat(1_000_000 / piece.length));
  for (const text of texts) expect(cpuMs(() => pathTokens(text), 2)).toBeLessThan(1000);
});
