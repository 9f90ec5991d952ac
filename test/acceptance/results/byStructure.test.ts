/** Results are shortened by their structure. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BlobStore, estimateTokens } from '../../../src/context/index.ts';
import { compress } from '../../../src/context/results/ToolResultCompressor.ts';
import { WorkingMemory } from '../../../src/context/results/WorkingMemory.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { article, servePages } from '../support/pages.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const { offload } = contextSettingsSchema.parse({});

test('a document, a list, a search and plain text are each shortened differently', async () => {
  const page = await servePages({ '/long.html': article(30), '/short.txt': 'Only a few words.' });
  const names = Array.from({ length: 50 }, (_, n) => `src/file${n}.txt`);
  const app = await createTestApp({
    settings: { webFetch: { allowPrivate: true } },
    window: 100_000,
    files: Object.fromEntries(
      names.map((name) => [name, `needle one\n${'needle and a lot of hay\n'.repeat(100)}`]),
    ),
  });
  const open = await app.open();
  const result = async (call: ReturnType<typeof use>): Promise<string> => {
    const [, next] = await open.ask('look', { calls: [call] }, { text: 'I see.' });
    return textOf(next?.messages.at(-1));
  };
  const document = await result(use('WebFetch', { url: `${page}/long.html` }));
  for (const wanted of ['_OFFLOADED_', 'memoryId', 'On braces', 'Section 3', 'totalLength'])
    expect(document).toContain(wanted);
  expect(estimateTokens(document)).toBeLessThan(1500);
  const list = await result(use('Glob', { pattern: 'src/*.txt' }));
  expect(list).toMatch(/20 of 50/);
  const search = await result(use('Grep', { pattern: 'needle', output_mode: 'content' }));
  for (const name of names) expect(search).toContain(name);
  expect(search).toMatch(/more/);
  expect(search.length).toBeLessThan(51_300);
  expect(await result(use('WebFetch', { url: `${page}/short.txt` }))).toContain('Only a few words.');
  expect(await result(use('Read', { file_path: 'src/file0.txt' }))).not.toContain('_OFFLOADED_');
});

test('Grep results beyond the limits are shortened file by file, not cut after the first files', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `src/file${n}.txt`);
  const app = await createTestApp({
    window: 16_000,
    files: Object.fromEntries(
      names.map((name) => [name, `needle ${'in a lot of hay '.repeat(6)}\n`.repeat(12)]),
    ),
  });
  const open = await app.open();
  // Within Grep's own limit of 250 lines, so that its result is what is shortened.
  const call = use('Grep', { pattern: 'needle', output_mode: 'content' });
  const [, next] = await open.ask('look', { calls: [call] }, { text: 'I see.' });
  const search = textOf(next?.messages.at(-1));
  expect(search).toMatch(/^\[_note_: lines \d+ of 240\. All: Recall\("[0-9a-f]{12}"\)\. Every file is shown/);
  for (const name of names) {
    expect(search).toContain(`${name}:1:needle`);
    expect(search).not.toContain(`${name}:12:`);
  }
  expect(search.match(/^\(\+\d+ more in this file\)$/gm)).toHaveLength(20);
});

test('null is "null", other values are kept, and other names of the same tools are recognized', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-results-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const deps = {
    settings: offload,
    memory: new WorkingMemory(new BlobStore(folder)),
    limits: { maxLines: 2000, maxBytes: 51_200 },
  };
  const text = async (name: string, value: unknown): Promise<string> =>
    (await compress(name, value, deps)).text;
  for (const nothing of [null, undefined]) expect(await text('getDoc', nothing)).toBe('null');
  for (const [value, shown] of [
    [0, '0'],
    [false, 'false'],
    ['', ''],
  ] as const)
    expect(await text('anything', value)).toBe(shown);
  const long = 'word '.repeat(5000);
  for (const name of ['getDoc', 'getCurrentDoc'])
    expect(
      JSON.parse(await text(name, { id: 'd1', title: 'Large', content: long, outline: ['a'] })),
    ).toMatchObject({
      id: 'd1',
      _OFFLOADED_: { totalLength: long.length },
    });
  for (const name of ['view_file', 'read_url_content'])
    expect(await text(name, long)).toContain('_OFFLOADED_');
  const items = Array.from({ length: 50 }, (_, n) => ({ name: `item ${n}` }));
  for (const name of ['listDocuments', 'list_resources'])
    expect(JSON.parse(await text(name, { items, nextCursor: 'c7' }))).toMatchObject({
      totalCount: 50,
      nextCursor: 'c7',
    });
  const hits = Array.from({ length: 4000 }, (_, n) => `src/f${n % 40}.ts:${n}: needle`).join('\n');
  for (const name of ['grep_search', 'search_web'])
    expect((await text(name, hits)).length).toBeLessThan(hits.length);
  expect(await text('SomethingElse', long)).toBe(long);
});
