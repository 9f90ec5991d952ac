/** Row 47: which files a compaction quotes. */
import { expect, test } from 'vitest';
import { analyzeFiles, readFilesContent } from '../../src/context/index.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { cpuMs } from './support/cpuTime.ts';
import { buildHouse } from './support/house.ts';
import { SUMMARY, use } from './support/project.ts';

const quoted = ['src/a.ts', 'src/b.test.ts', 'src/c.ts', 'docs/d.md', 'e.txt', 'src/f.ts', 'g.txt', 'h.txt'];
const files = {
  ...Object.fromEntries(quoted.map((path) => [path, `This is ${path}.\n`.repeat(3)])),
  '.env': 'SECRET=hunter2\n',
  'binary.bin': 'abc\0def',
  'long.txt': 'a line\n'.repeat(1500),
};

test('row 47, S5 `FileAnalyzer` analyzeFiles / readFilesContent: modified before often named before newly named, five of eight', async () => {
  const house = await buildHouse({ strategy: 'summary', files });
  const open = await house.open();
  await open.ask(
    'Look at src/b.test.ts, at (src/c.ts), and：docs/d.md。 Also binary.bin, .env and .env and .env.',
    { calls: ['src/a.ts', 'g.txt', 'h.txt'].map((file_path) => use('Read', { file_path })) },
    { calls: [use('Edit', { file_path: 'h.txt', old_string: 'not in it', new_string: 'x' })] },
    { calls: [use('Write', { file_path: 'src/a.ts', content: 'export const changed = 1;\n' })] },
    {
      text: `src/b.test.ts is like src/c.ts; docs/d.md tells of src/b.test.ts. ${'Words about it. '.repeat(1500)}`,
    },
  );
  await open.ask('See src/b.test.ts, src/b.test.ts and src/c.ts again, e.txt:12, and src/f.ts', {
    text: 'I see.',
  });
  await open.submit({ type: 'compact' }, { text: SUMMARY });
  const boundary = open.entries().find(({ subtype }) => subtype === 'compact_boundary')?.compactMetadata;
  expect(boundary?.filesIncluded).toHaveLength(5);
  expect(boundary?.filesIncluded?.[0]).toBe('src/a.ts');
  expect(boundary?.filesIncluded).toEqual(expect.arrayContaining(['src/b.test.ts', 'src/c.ts', 'h.txt']));
  const [next] = await open.ask('go on', { text: 'Yes.' });
  const text = JSON.stringify(next?.messages);
  expect(text).toContain('export const changed = 1;');
  expect(text).toContain('This is src/b.test.ts.');
  for (const hidden of ['hunter2', 'abc\\u0000def']) expect(text).not.toContain(hidden);

  const found = analyzeFiles(open.entries(), house.root).map(({ path }) => path.slice(house.root.length + 1));
  for (const path of quoted) expect(found).toContain(path);
});

test('row 47: a file that was modified once comes before files that were named more often', async () => {
  const house = await buildHouse({ strategy: 'summary', files });
  const open = await house.open();
  const often = ['src/c.ts', 'e.txt'];
  await open.ask(
    'Change src/a.ts.',
    { calls: [use('Write', { file_path: 'new.txt', content: 'fresh\n' })] },
    { calls: Array.from({ length: 6 }, () => often.map((file_path) => use('Read', { file_path }))).flat() },
    { text: 'Done.' },
  );
  const found = analyzeFiles(open.entries(), house.root).map((one) => ({
    ...one,
    path: one.path.slice(house.root.length + 1),
  }));
  expect(found[0]).toMatchObject({ path: 'new.txt', wasModified: true });
  expect(found.slice(1, 3).map(({ path }) => path)).toEqual(['e.txt', 'src/c.ts']);
  // By mentions and by age alone it would come last of the three.
  for (const { mentions, lastMentioned } of found.slice(1, 3)) {
    expect(mentions).toBeGreaterThan(found[0]?.mentions ?? 0);
    expect(lastMentioned).toBeGreaterThan(found[0]?.lastMentioned ?? 0);
  }
});

test('row 47: every key that names a path counts, files are cut at 1,000 lines, at most five are read', async () => {
  const house = await buildHouse({ strategy: 'summary', files });
  const open = await house.open();
  const keys = ['file_path', 'path', 'target', 'source', 'destination'] as const;
  await open.ask(
    'hello',
    { calls: keys.map((key, index) => use('Unknown', { [key]: quoted[index] })) },
    { text: 'Done.' },
  );
  const found = analyzeFiles(open.entries(), house.root).map(({ path }) => path.slice(house.root.length + 1));
  expect(new Set(found)).toEqual(new Set(quoted.slice(0, 5)));

  const all = Object.keys(files).map((path) => `${house.root}/${path}`);
  const read = await readFilesContent([`${house.root}/long.txt`, ...all], {
    isSensitive: (path) => path.endsWith('.env'),
  });
  expect(read).toHaveLength(5);
  expect(read[0]?.content.split('\n')).toHaveLength(1001);
  expect(read[0]?.content.endsWith('\n... (truncated)')).toBe(true);
  const hidden = await readFilesContent(all.slice(8), { isSensitive: (path) => path.endsWith('.env') });
  expect(hidden.map(({ path }) => path)).toEqual([`${house.root}/long.txt`]);
});

test('row 47: a line of a megabyte takes less than 50 ms', async () => {
  const house = await buildHouse({ strategy: 'summary' });
  const entry = (content: string): JSONLEntry => ({
    v: 1,
    seq: 0,
    uuid: 'u',
    parentUuid: null,
    sessionId: 's',
    timestamp: '',
    cwd: house.root,
    version: '1',
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content },
  });
  for (const part of ['a', '/a', 'a/b.c ', '(x.ts)，', './', '"']) {
    const line = part.repeat(Math.ceil(1_000_000 / part.length));
    const ms = cpuMs(() => analyzeFiles([entry(line)], house.root));
    expect({ part, ms: ms < 50 ? 'fast' : ms }).toEqual({ part, ms: 'fast' });
  }
});
