import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMatcher } from '../../../src/context/recall/matcher.ts';
import { recall } from '../../../src/context/recall/recall.ts';
import { seenIn } from '../../../src/context/recall/seenLog.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import type { BlobRef } from '../../../src/protocol/entries/fields.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { MadeUpFields } from '../../madeUpEntry.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from '../storage/madeUpLog.ts';
import { textOf } from '../texts.ts';

const quiet = new AbortController().signal;
const said = (seq: number, content: string, fields: MadeUpFields = {}): JSONLEntry =>
  makeEntry(seq, content, fields);
const result = (seq: number, output: string, original?: BlobRef, name = 'Bash'): JSONLEntry =>
  makeEntry(seq, '', {
    type: 'tool_result',
    subtype: undefined,
    toolResult: { id: 'a', name, output, ...(original === undefined ? {} : { original }) },
  });
const store = async (): Promise<BlobStore> => new BlobStore(temporaryFolder());

/** Pointer and offset of each hit, in order. */
const hits = (text: string): [string, number][] =>
  [...text.matchAll(/^(#\d+|[0-9a-f]{12}) .*?, offset (\d+)/gm)].map(([, id = '', at]) => [id, Number(at)]);

describe('a search of the session', () => {
  test('finds a phrase in prompts, replies, reasoning, calls, results and summaries, newest first', async () => {
    const entries: JSONLEntry[] = [
      said(0, 'the PORT is 7421'),
      said(1, '', {
        type: 'assistant',
        message: { role: 'assistant', content: '', reasoning: { field: 'reasoning', text: 'port is 7421?' } },
      }),
      said(2, '', { type: 'tool_use', tool: { id: 'a', name: 'Bash', input: { command: 'port is 7421' } } }),
      result(3, 'x\nport is 7421\ny'),
      said(4, 'so the port is 7421.', { isCompactSummary: true }),
      said(5, 'nothing'),
    ];
    const { found, text } = await recall({ query: 'Port is 7421' }, seenIn(entries), await store(), quiet);
    expect(found).toBe(true);
    expect(hits(text).map(([id]) => id)).toEqual(['#4', '#3', '#2', '#1', '#0']);
    expect(text).toContain('#3 result of Bash, offset 0: x ⏎ port is 7421 ⏎ y');
  });

  test('does not find its own query or the reply that contains it', async () => {
    const ask = { id: 'a', name: 'Recall', input: { query: 'deploy button' } };
    const entries: JSONLEntry[] = [
      said(0, 'we deploy with the blue button'),
      said(1, 'what color has the deploy button?'),
      said(2, 'I look for the deploy button.', { type: 'assistant', subtype: undefined }),
      said(3, '', { type: 'tool_use', subtype: undefined, tool: ask }),
    ];
    const { text } = await recall({ query: 'deploy button' }, seenIn(entries), await store(), quiet);
    expect(hits(text).map(([id]) => id)).toEqual(['#0']);
    // If there is nothing else they are found,
    const last = await recall({ query: 'color' }, seenIn(entries), await store(), quiet);
    expect(hits(last.text).map(([id]) => id)).toEqual(['#1']);
    // and later they are like everything else.
    const later = [...entries, said(4, 'and now?')];
    expect(
      hits((await recall({ query: 'deploy button' }, seenIn(later), await store(), quiet)).text),
    ).toHaveLength(2);
  });

  test('finds text deep in an original and gives its offset', async () => {
    const blobs = await store();
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index} 日志`);
    lines[43_210] = 'the needle: 数据库连接失败 at pool.ts';
    const ref = await blobs.put(lines.join('\n'));
    const entries = [result(0, 'the beginning', ref), said(1, 'hm')];
    for (const query of ['数据库连接失败', 'NEEDLE: 数据库']) {
      const { text } = await recall({ query }, seenIn(entries), blobs, quiet);
      const [first] = hits(text);
      expect(first?.[0]).toBe('#0');
      const page = await recall(
        { id: '#0', offset: first?.[1] ?? 0, limit: 400 },
        seenIn(entries),
        blobs,
        quiet,
      );
      expect(page.text).toContain('the needle: 数据库连接失败 at pool.ts');
    }
  });

  test('falls back to lines with most of the words', async () => {
    const entries = [
      said(0, 'we deploy on Friday'),
      said(1, 'use port 9 for staging only\nport'),
      said(2, 'staging'),
    ];
    const { text } = await recall({ query: 'staging port number' }, seenIn(entries), await store(), quiet);
    expect(text).toContain('most of the words');
    expect(hits(text).map(([id]) => id)).toEqual(['#1']);
  });

  test('does not find its own calls and answers', async () => {
    const entries = [
      said(0, 'secret word: xyzzy'),
      said(1, '', { type: 'tool_use', tool: { id: 'a', name: 'Recall', input: { query: 'xyzzy' } } }),
      result(2, 'xyzzy', undefined, 'Recall'),
    ];
    const { text } = await recall({ query: 'xyzzy' }, seenIn(entries), await store(), quiet);
    expect(hits(text).map(([id]) => id)).toEqual(['#0']);
  });

  test('shows a few hits per entry, says that there are more, and finds them within the entry', async () => {
    const entries = [said(0, 'needle'), said(1, `needle${' '.repeat(193)}\n`.repeat(50))];
    const all = await recall({ query: 'needle' }, seenIn(entries), await store(), quiet);
    expect(hits(all.text).map(([id]) => id)).toEqual(['#1', '#1', '#1', '#1', '#0']);
    expect(all.text).toContain('more in #1');
    const within = await recall({ id: '#1', query: 'needle' }, seenIn(entries), await store(), quiet);
    expect(hits(within.text)).toHaveLength(20);
    const later = await recall(
      { id: '#1', query: 'needle', offset: 200 * 45 },
      seenIn(entries),
      await store(),
      quiet,
    );
    expect(hits(later.text)).toHaveLength(5);
  });

  test('reports the searched range if it finds nothing, and stops on abort', async () => {
    const entries = [said(0, 'a'), said(1, 'b')];
    expect(await recall({ query: 'zzz' }, seenIn(entries), await store(), quiet)).toEqual({
      found: false,
      text: '["zzz" was not found in #0 to #1. Try fewer or other words.]',
    });
    const stopped = await recall({ query: 'a' }, seenIn(entries), await store(), AbortSignal.abort());
    expect(stopped).toMatchObject({ found: false, text: expect.stringContaining('Stopped after 0 bytes') });
  });

  test('stays within the size of an answer', async () => {
    const entries = Array.from({ length: 50 }, (_, seq) =>
      said(seq, `${'错'.repeat(300)} needle ${'😀'.repeat(300)}`),
    );
    for (const maxBytes of [1000, 4800, 51_200]) {
      const { text } = await recall({ query: 'needle' }, seenIn(entries), await store(), quiet, {
        maxBytes,
        maxLines: 2000,
      });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
      expect(text.isWellFormed()).toBe(true);
      expect(hits(text).length).toBeGreaterThan(0);
    }
  });
});

test('a phrase is found once per occurrence, at any position relative to the chunks of a large text', {
  tags: 'long',
}, async () => {
  const blobs = await store();
  const piece = 256 * 1024;
  for (const at of [0, piece - 20, piece - 3, piece, piece + 1, 2 * piece - 7]) {
    for (const filler of ['x', 'é', '😀', 'word\n']) {
      const before = filler.repeat(Math.ceil(at / Buffer.byteLength(filler)));
      const ref = await blobs.put(`${before}needle-42${filler.repeat(1000)}`);
      const { text } = await recall({ query: 'NEEDLE-42' }, seenIn([result(0, '', ref)]), blobs, quiet);
      const found = hits(text);
      expect(found).toHaveLength(1);
      const offset = found[0]?.[1] ?? -1;
      const exact = Buffer.byteLength(before);
      expect(offset).toBeLessThanOrEqual(exact);
      expect(exact - offset).toBeLessThanOrEqual(400);
    }
  }
});

test('a phrase is found anywhere, whatever surrounds it', () => {
  fc.assert(
    fc.property(textOf(30), textOf(6), textOf(30), (before, phrase, after) => {
      fc.pre(phrase.trim() !== '' && phrase.trim() === phrase && phrase.length <= 300);
      const text = before + phrase + after;
      const [first] = createMatcher(phrase).on(text).phrase(1);
      expect(first?.index).toBeLessThanOrEqual(before.length);
      const found = text.slice(first?.index, (first?.index ?? 0) + (first?.length ?? 0));
      expect(found.replaceAll('İ', 'i').toLowerCase()).toBe(phrase.replaceAll('İ', 'i').toLowerCase());
    }),
  );
});

test('the text around a hit contains no part of a key', async () => {
  const key = 'k3y0fTh1sSess10n';
  const near = `${key} ${'x'.repeat(95)} needle ${'y'.repeat(95)} ${key}`;
  const limits = { maxBytes: 40_000, maxLines: 100, noteKey: key };
  const { text } = await recall({ query: 'needle' }, seenIn([said(0, near)]), await store(), quiet, limits);
  expect(text).toContain('needle');
  for (let at = 0; at + 3 <= key.length; at++) expect(text).not.toContain(key.slice(at, at + 3));
});
