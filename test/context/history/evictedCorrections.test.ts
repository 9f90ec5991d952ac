/** Rewinds beyond the resident part, in a log whose file has changed. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ContextManager, PersistentStore } from '../../../src/context/index.ts';
import { seal } from '../../../src/context/storage/entryLine.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { MadeUpFields } from '../../madeUpEntry.ts';
import { rewindTo } from '../anyCorrection.ts';
import { createTestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';
import { makeEntry } from '../storage/madeUpLog.ts';

/** Prompts, a compaction that retained the last of them, and what followed. */
const entries = Array.from({ length: 300 }, (_, seq): JSONLEntry => {
  const entry = (fields: MadeUpFields = {}) => makeEntry(seq, `prompt ${seq} ${'x'.repeat(1000)}`, fields);
  if (seq === 0) return entry({ type: 'system', subtype: 'session_start' });
  const compactMetadata = { trigger: 'auto' as const, preTokens: 9, success: true, retained: ['#195-#199'] };
  if (seq === 200) return entry({ type: 'system', subtype: 'compact_boundary', compactMetadata });
  return seq === 201 ? entry({ subtype: undefined, isCompactSummary: true }) : entry();
});
const lines = entries.map((entry) => seal(JSON.stringify(entry)));

/** A session of which only the end is in memory. */
async function opened(content: readonly string[]): Promise<ContextManager> {
  const { deps, root } = await createTestHome({ windowTokens: 1_000_000 });
  const store = new PersistentStore({
    dataRoot: join(root, 'data'),
    projectRoot: root,
    programVersion: '1',
    wholeBytes: 0,
  });
  const file = join(store.folder, 'session.jsonl');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content.map((line) => `${line}\n`).join(''));
  const context = new ContextManager({ ...deps, store });
  onTestFinished(() => context.close());
  await context.loadSession('session');
  return context;
}

const options = { tools: [], signal: new AbortController().signal, emit: () => {} };
const shown = (context: ContextManager): string[] =>
  context.getMessages().map(({ content }) => String(content).slice(0, 12));

test('a compaction is not undone without what it replaced', { tags: 'long' }, async () => {
  // As a damaged disk leaves it: ranges of the file have changed places.
  const context = await opened([
    ...lines.slice(0, 150),
    ...lines.slice(205, 280),
    ...lines.slice(150, 205),
    ...lines.slice(280),
  ]);
  const before = shown(context);
  expect(await context.uncompact(options)).toMatchObject({ outcome: 'refused' });
  expect(shown(context)).toEqual(before);
});

test('a rewind never crosses unreadable entries, and trying loses nothing', async () => {
  const context = await opened(lines);
  const before = [shown(context), context.entries()];
  await rm(context.filePath() ?? '');
  expect(await context.uncompact(options)).toMatchObject({
    outcome: 'refused',
    message: expect.stringContaining('cannot be read'),
  });
  expect(await rewindTo(sessionOf(context), 'uuid50')).toBe(false);
  expect([shown(context), context.entries()]).toEqual(before);
  // The next entry restores the file, and with it the rest.
  await context.addMessage('user', 'go on');
  expect(await context.uncompact(options)).toMatchObject({ outcome: 'done' });
  expect(shown(context)).toContain(`prompt 50 xx`);
});
