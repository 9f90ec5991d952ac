import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompressorDeps } from '../../../src/context/results/lists.ts';
import { compress } from '../../../src/context/results/ToolResultCompressor.ts';
import { WorkingMemory } from '../../../src/context/results/WorkingMemory.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { estimateTokens } from '../../../src/context/tokens/estimate.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from '../storage/madeUpLog.ts';
import { brokenTextOf } from '../texts.ts';

const settings = contextSettingsSchema.parse({}).offload;

async function desk(more: Partial<CompressorDeps> = {}) {
  const blobs = new BlobStore(temporaryFolder());
  const deps: CompressorDeps = {
    settings,
    memory: new WorkingMemory(blobs),
    limits: { maxLines: 2000, maxBytes: 51_200 },
    ...more,
  };
  return {
    blobs,
    run: (tool: string, result: unknown, extra: Partial<CompressorDeps> = {}) =>
      compress(tool, result, { ...deps, ...extra }),
  };
}

const markdown = `# The Guide\n\n${Array.from({ length: 40 }, (_, index) => `## Part ${index}\n\n${'All of thîs is text. '.repeat(20)}\n\n`).join('')}`;

describe('a document', () => {
  test.each(['getDoc', 'getCurrentDoc', 'WebFetch'])(
    'from %s becomes title, outline and beginning; the full text is stored',
    async (tool) => {
      const { blobs, run } = await desk();
      const { text, original } = await run(tool, markdown, tool === 'WebFetch' ? { kind: 'document' } : {});
      const shown = JSON.parse(text);
      expect(Object.keys(shown)).toEqual(['_OFFLOADED_', 'title', 'outline', 'originalSize']);
      expect(shown.title).toBe('The Guide');
      expect(shown._OFFLOADED_).toMatchObject({
        memoryId: original?.hash.slice(0, 12),
        preview: markdown.slice(0, 500),
        totalLength: Buffer.byteLength(markdown),
      });
      expect(shown._OFFLOADED_.summary).toContain(`Recall("${original?.hash.slice(0, 12)}")`);
      expect(shown.originalSize).toBe(estimateTokens(markdown));
      expect(shown.outline).toHaveLength(31);
      const at = Number(/@(\d+)$/.exec(shown.outline[7])?.[1]);
      expect(Buffer.from(markdown).toString('utf8', at)).toMatch(/^## Part 6\n/);
      expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(markdown);
    },
  );

  test('below the limit is unchanged', async () => {
    const { run } = await desk();
    for (const text of [markdown.slice(0, 3500), '错'.repeat(1700), ''])
      expect(await run('getDoc', text)).toEqual({ text });
  });

  test('as a record keeps its other fields', async () => {
    const { blobs, run } = await desk();
    const { text, original } = await run('getDoc', {
      id: 7,
      title: 'T',
      outline: ['a'],
      content: markdown,
      ok: false,
    });
    expect(JSON.parse(text)).toMatchObject({ id: 7, title: 'T', outline: ['a'], ok: false });
    expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(markdown);
  });

  test('as a record with other large fields is stored with all of them', async () => {
    const { blobs, run } = await desk();
    const record = { content: markdown, raw: 'r'.repeat(9000) };
    const { text, original } = await run('getDoc', record);
    expect(text.length).toBeLessThan(6000);
    expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(JSON.stringify(record));
  });

  test.each(['view_file', 'read_url_content', 'mcp__files__read'])(
    'from %s may be plain text',
    async (tool) => {
      const { run } = await desk();
      const { text } = await run(tool, 'x y '.repeat(50_000));
      expect(JSON.parse(text)._OFFLOADED_).toMatchObject({
        preview: 'x y '.repeat(125),
        totalLength: 200_000,
      });
    },
  );

  test('that cannot be stored is unchanged', async () => {
    const { run } = await desk({ memory: { store: () => Promise.resolve(undefined) } });
    expect(await run('getDoc', markdown)).toEqual({ text: markdown });
  });
});

describe('a list', () => {
  test.each(['Glob', 'listDocuments', 'list_resources'])(
    'of 50 lines from %s shows 20 and says how to see more',
    async (tool) => {
      const { blobs, run } = await desk();
      const lines = Array.from({ length: 50 }, (_, index) => `src/file${index}.ts`);
      const whole = [
        ...lines,
        '(The search was stopped at its limit: there may be more. Search a smaller directory.)',
      ].join('\n');
      const { text, original } = await run(tool, whole, tool === 'Glob' ? { kind: 'list' } : {});
      expect(text.split('\n')).toEqual([
        `[_note_: 20 of 50. All: Recall("${original?.hash.slice(0, 12)}"). totalCount: 50]`,
        ...lines.slice(0, 20),
        '(The search was stopped at its limit: there may be more. Search a smaller directory.)',
      ]);
      expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(whole);
    },
  );

  test('in JSON keeps its other keys', async () => {
    const { run } = await desk();
    const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `item ${id}` }));
    const fromObject = JSON.parse((await run('list_resources', { items, nextCursor: 'abc', total: 0 })).text);
    expect(fromObject).toMatchObject({
      totalCount: 50,
      nextCursor: 'abc',
      total: 0,
      items: items.slice(0, 20),
    });
    expect(fromObject._note_).toMatch(/^20 of 50\. All: Recall\("[0-9a-f]{12}"\)\.$/);
    const fromText = JSON.parse((await run('mcp__x__list', JSON.stringify(items))).text);
    expect(fromText.items).toEqual(items.slice(0, 20));
  });

  test('of a few large items is bounded by tokens', async () => {
    const { run } = await desk();
    for (const whole of [
      Array.from({ length: 10 }, () => ({ text: 'word '.repeat(300) })),
      [{ text: 'word '.repeat(20_000) }],
      { items: ['a'], other: 'word '.repeat(20_000), cursor: 'c' },
    ]) {
      const { text } = await run('list_resources', whole);
      expect(estimateTokens(text)).toBeLessThanOrEqual(1100);
      expect(JSON.parse(text).items.length).toBeGreaterThan(0);
    }
    const lines = await run('Glob', Array.from({ length: 15 }, () => 'p/'.repeat(2000)).join('\n'), {
      kind: 'list',
    });
    expect(estimateTokens(lines.text)).toBeLessThanOrEqual(1100);
  });

  test('that is short is unchanged, and so is one whose note would be longer', async () => {
    const { run } = await desk();
    for (const text of ['a\nb', '[0,1,2]', 'No files match.', `${'a\n'.repeat(25)}`])
      expect(await run('Glob', text, { kind: 'list' })).toEqual({ text });
  });
});

describe('search results', () => {
  const found = (files: number, each: number): string =>
    Array.from({ length: files }, (_, file) =>
      Array.from(
        { length: each },
        (_, line) => `src/dir/file${file}.ts:${line + 1}:const match = ${line};`,
      ).join('\n'),
    ).join('\n');

  test('within the limits are unchanged', async () => {
    const { run } = await desk();
    const text = found(20, 50);
    expect(await run('Grep', text, { kind: 'search' })).toEqual({ text });
  });

  test.each(['Grep', 'grep_search', 'search_web'])(
    'of %s beyond the limits show the first matches of every file',
    async (tool) => {
      const { blobs, run } = await desk();
      const whole = `${found(1, 3000)}\n${found(40, 4).replaceAll('/dir/', '/other/')}`;
      const limits = { maxLines: 300, maxBytes: 12_000, maxTokens: 5000 };
      const { text, original } = await run(tool, whole, {
        limits,
        ...(tool === 'Grep' ? { kind: 'search' } : {}),
      });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.maxBytes);
      expect(text).toContain('src/dir/file0.ts:1:const match = 0;');
      for (let file = 0; file < 40; file++)
        expect(text).toContain(`src/other/file${file}.ts:1:const match = 0;`);
      expect(text).toMatch(/\(\+2[89]\d\d more in this file\)/);
      expect(text.split('\n')[0]).toMatch(
        /^\[_note_: lines \d+ of 3160\. All: Recall\("[0-9a-f]{12}"\)\. Every file is shown/,
      );
      expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(whole);
    },
  );

  test('in more files than lines name as many files as fit', async () => {
    const { run } = await desk();
    const limits = { maxLines: 50, maxBytes: 4000 };
    const { text } = await run('Grep', found(400, 2), { kind: 'search', limits });
    expect(text.split('\n').length).toBeLessThanOrEqual(50);
    expect(text).toContain('src/dir/file0.ts (2)');
    expect(text).toMatch(/3\d\d files are not shown/);
  });

  test('in JSON show items of every place', async () => {
    const { run } = await desk();
    const results = Array.from({ length: 300 }, (_, index) => ({
      path: index < 280 ? 'a.ts' : `b${index}.ts`,
      line: index,
      text: 'match '.repeat(10),
    }));
    const limits = { maxLines: 2000, maxBytes: 6000 };
    const { text } = await run('grep_search', { results, took: 0 }, { limits });
    const shown = JSON.parse(text);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.maxBytes);
    expect(shown).toMatchObject({ took: 0, totalCount: 300 });
    expect(new Set(shown.results.map((one: { path: string }) => one.path)).size).toBe(21);
  });
});

test.each([
  [null, 'null'],
  [undefined, 'null'],
  [0, '0'],
  ['', ''],
  [false, 'false'],
  [[], '[]'],
  [{ output: 0 }, '{"output":0}'],
  ['plain', 'plain'],
  [10n, '10'],
])('%s survives every branch as %j', async (result, text) => {
  const { run } = await desk();
  for (const tool of ['getDoc', 'list_resources', 'grep_search', 'view_file', 'mcp__a__b', 'Bash', 'other'])
    expect(await run(tool, result)).toEqual({ text });
});

test('no input makes it throw, and well-formed text stays well-formed', async () => {
  const { run } = await desk({
    settings: { ...settings, maxResultTokens: 50, maxListItems: 3 },
    limits: { maxLines: 5, maxBytes: 300 },
  });
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  expect((await run('getDoc', circular)).text).toBe('[object Object]');
  const value = fc.oneof(
    brokenTextOf(80),
    fc.array(brokenTextOf(5), { maxLength: 30 }).map((lines) => lines.join('\n')),
    fc.jsonValue({ maxDepth: 3 }),
    fc
      .array(fc.record({ path: brokenTextOf(3), text: brokenTextOf(20) }), { maxLength: 30 })
      .map((all) => JSON.stringify(all)),
  );
  const tool = fc.constantFrom('getDoc', 'list_resources', 'grep_search', 'view_file', 'mcp__a__b');
  await fc.assert(
    fc.asyncProperty(tool, value, async (name, result) => {
      const { text } = await run(name, result);
      expect(typeof text).toBe('string');
      if (typeof result !== 'string' || result.isWellFormed()) expect(text.isWellFormed()).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('the working memory reads only content that the session refers to', async () => {
  const blobs = new BlobStore(temporaryFolder());
  const stored = await new WorkingMemory(blobs).store('0123456789é');
  if (stored === undefined) throw new Error('not stored');
  const entry = { ...makeEntry(0), toolResult: { id: 'a', output: 'part', original: stored.original } };
  const memory = new WorkingMemory(blobs, () => [entry]);
  expect(await memory.read(stored.memoryId, 2, 5)).toBe('23456');
  expect(await memory.read(stored.memoryId, 8, 100)).toBe('89é');
  expect(await memory.read('ffffffffffff', 0, 5)).toBeUndefined();
  expect(await memory.read('', 0, 5)).toBeUndefined();
  expect(await new WorkingMemory(blobs).read(stored.memoryId, 0, 5)).toBeUndefined();
});
