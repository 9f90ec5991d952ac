import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPage, textSource } from '../../../src/context/recall/page.ts';
import { recall } from '../../../src/context/recall/recall.ts';
import { seenIn } from '../../../src/context/recall/seenLog.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import type { BlobRef } from '../../../src/protocol/entries/fields.ts';
import { entryKinds, type JSONLEntry } from '../../../src/protocol/entries.ts';
import type { MadeUpFields } from '../../madeUpEntry.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { makeEntry } from '../storage/madeUpLog.ts';
import { textOf } from '../texts.ts';

const quiet = new AbortController().signal;

async function session() {
  const blobs = new BlobStore(temporaryFolder());
  const entries: JSONLEntry[] = [];
  const add = (fields: MadeUpFields): JSONLEntry => {
    const made = makeEntry(entries.length, '', fields);
    entries.push(made);
    return made;
  };
  return {
    blobs,
    entries,
    add,
    prompt: (content: unknown) => add({ message: { role: 'user', content } }),
    reply: (content: string, reasoning?: string) =>
      add({
        type: 'assistant',
        subtype: undefined,
        message: {
          role: 'assistant',
          content,
          ...(reasoning === undefined ? {} : { reasoning: { field: 'reasoning_content', text: reasoning } }),
        },
      }),
    call: (name: string, input: unknown) =>
      add({ type: 'tool_use', subtype: undefined, tool: { id: 'a', name, input } }),
    result: (output: string, original?: BlobRef, name = 'Bash') =>
      add({
        type: 'tool_result',
        subtype: undefined,
        toolResult: {
          id: 'a',
          name,
          output,
          status: 'ok',
          display: { title: 'npm test', summary: '1.0 s' },
          ...(original === undefined ? {} : { original }),
        },
      }),
    ask: (request: Parameters<typeof recall>[0], limits?: Parameters<typeof recall>[4]) =>
      recall(request, seenIn(entries), blobs, quiet, limits),
  };
}

/** The result without its header. */
const body = (text: string): string => text.slice(text.indexOf(']\n') + 2);

describe('a pointer', () => {
  test('to a prompt, a reply with calls, a call or a result returns all of it', async () => {
    const { prompt, reply, call, result, ask } = await session();
    prompt('please fix it');
    reply('I look.', 'hm');
    call('Read', { file_path: 'a.ts' });
    result(`     1\t${'hello '.repeat(5)}`);
    expect(await ask({ id: '#0' })).toEqual({
      found: true,
      text: '[#0 prompt: all 13 bytes.]\nplease fix it',
    });
    expect(body((await ask({ id: '#1' })).text)).toBe(
      '<reasoning>\nhm\n</reasoning>\nI look.\n[#2 call] Read {"file_path":"a.ts"}',
    );
    expect((await ask({ id: '2' })).text).toBe('[#2 call of Read: all 25 bytes.]\nRead {"file_path":"a.ts"}');
    expect((await ask({ id: '`#3`' })).text).toBe(
      `[#3 result of Bash "npm test" (1.0 s): all 37 bytes.]\n     1\t${'hello '.repeat(5)}`,
    );
  });

  test('to a result that contains less than its call returns the call as well, after it', async () => {
    const { reply, call, result, prompt, ask } = await session();
    const input = { file_path: 'a.ts', old_string: 'const a = 1;', new_string: 'const a = 2;' };
    call('Edit', { file_path: 'other.ts' });
    reply('Now.');
    call('Edit', input);
    prompt('Mind the tests.');
    result('Edited /repo/a.ts.', undefined, 'Edit');
    expect(body((await ask({ id: '#4' })).text)).toBe(
      `Edited /repo/a.ts.\n[#2 call] Edit ${JSON.stringify(input)}`,
    );
    // A hit at an offset can be read on from that offset.
    expect(body((await ask({ id: '#4', offset: 7 })).text)).toMatch(/^\/repo\/a\.ts\.\n\[#2 call\]/);
    expect((await ask({ id: '#4', query: 'const a = 2' })).found).toBe(true);
  });

  test('to a result with a lost call returns only the result', async () => {
    const { reply, call, result, ask } = await session();
    call('Edit', { file_path: 'other.ts' });
    reply('Now.');
    result('Edited.');
    expect(body((await ask({ id: '#2' })).text)).toBe('Edited.');
  });

  test('to a range returns its entries in order', async () => {
    const { prompt, reply, ask } = await session();
    prompt('one');
    reply('two');
    prompt('three');
    for (const id of ['#0-#1', '#0-1', '#1-#0', '#0..#1']) {
      expect((await ask({ id })).text).toBe(
        '[#0-#1 2 entries: all 31 bytes.]\n[#0 prompt]\none\n[#1 reply]\ntwo\n',
      );
    }
    expect((await ask({ id: '#0-#2', offset: 12, limit: 4 })).text).toMatch(
      /bytes 12-16 of 49; more: offset 16\.\]\none\n$/,
    );
  });

  test('by hash returns the original, and so does its result', async () => {
    const { blobs, result, ask } = await session();
    const whole = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const ref = await blobs.put(whole);
    result('[Output truncated …]', ref);
    for (const id of ['#0', ref.hash, ref.hash.slice(0, 12), ref.hash.slice(0, 8).toUpperCase()]) {
      const { text, found } = await ask({ id, offset: 100_000, limit: 1000 });
      expect(found).toBe(true);
      expect(body(text)).toBe(whole.slice(100_000, 101_000));
      expect(text).toContain(`bytes 100000-101000 of ${whole.length}; more: offset 101000`);
    }
  });

  test('to a missing entry is answered with what exists', async () => {
    const { prompt, ask } = await session();
    prompt('one');
    expect(await ask({ id: '#7' })).toMatchObject({
      found: false,
      text: expect.stringContaining('#0 to #0'),
    });
    expect(await ask({ id: '#7-#9' })).toMatchObject({ found: false });
    expect(await ask({ id: 'deadbeef' })).toMatchObject({
      found: false,
      text: expect.stringContaining('deadbeef'),
    });
    expect(await ask({ id: 'the log' })).toMatchObject({
      found: false,
      text: expect.stringContaining('is not a pointer'),
    });
    expect(await ask({})).toMatchObject({ found: false, text: expect.stringContaining('A pointer is') });
  });

  test('to a missing original returns the shown part and says so', async () => {
    const { result, ask } = await session();
    result('the part', { hash: 'c'.repeat(64), bytes: 500 });
    const { found, text } = await ask({ id: '#0' });
    expect(found).toBe(true);
    expect(text).toContain('no longer on the disk');
    expect(body(text)).toBe('the part');
    expect(await ask({ id: 'c'.repeat(12) })).toMatchObject({ found: false });
  });

  const never = Object.values(entryKinds).filter(({ modelAccess }) => modelAccess === 'never');
  test.each(never)(
    'to a $subtype, which the model never sees, returns no text of it',
    async ({ subtype }) => {
      const { add, blobs, ask } = await session();
      const original = await blobs.put('hidden, in full');
      add({ type: 'system', subtype, data: { text: 'hidden', original } });
      const requests = [{ id: '#0' }, { id: '#0-#9' }, { id: original.hash }, { query: 'hidden' }];
      for (const request of requests) {
        const { text } = await ask(request);
        expect(text.replace('"hidden"', 'the query')).not.toContain('hidden');
      }
    },
  );

  test('that is ambiguous asks for more of it', async () => {
    const { result, ask } = await session();
    result('a', { hash: `${'c'.repeat(20)}${'0'.repeat(44)}`, bytes: 1 });
    result('b', { hash: `${'c'.repeat(20)}${'1'.repeat(44)}`, bytes: 1 });
    expect((await ask({ id: 'c'.repeat(10) })).text).toMatch(/^2 originals/);
  });
});

describe('pages', () => {
  test('in sequence give the original byte for byte', async () => {
    const limits = fc.record({
      maxBytes: fc.integer({ min: 1, max: 90 }),
      maxLines: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(textOf(150), limits, async (text, pageLimits) => {
        const source = textSource(text);
        const pages: string[] = [];
        for (let offset = 0; offset < source.bytes; ) {
          const page = await readPage(source, offset, pageLimits);
          const bytes = page.end - page.start;
          const lines = page.text.replace(/\n$/, '').split('\n').length;
          const isGood =
            page.start === offset &&
            bytes > 0 &&
            bytes <= Math.max(4, pageLimits.maxBytes) &&
            lines <= pageLimits.maxLines;
          if (!isGood) throw new Error(`A page of ${bytes} bytes and ${lines} lines at ${page.start}.`);
          pages.push(page.text);
          offset = page.end;
        }
        expect(Buffer.from(pages.join('')).equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  test('that start inside a character start with the whole character', async () => {
    const source = textSource('a错😀b');
    const limits = { maxBytes: 10, maxLines: 5 };
    expect(await readPage(source, 2, limits)).toEqual({ text: '错😀b', start: 1, end: 9 });
    expect(await readPage(source, 7, limits)).toEqual({ text: '😀b', start: 4, end: 9 });
  });

  test('at random ranges of an ASCII original are identical to it', async () => {
    const { blobs, result, ask } = await session();
    const whole = Array.from({ length: 30_000 }, (_, index) =>
      String.fromCharCode(32 + ((index * 7919) % 95)),
    ).join('');
    const ref = await blobs.put(whole);
    result('part', ref);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 29_999 }),
        fc.integer({ min: 4, max: 40_000 }),
        async (offset, limit) => {
          expect(body((await ask({ id: '#0', offset, limit })).text)).toBe(
            whole.slice(offset, offset + limit),
          );
        },
      ),
    );
  });

  test('never exceed the size of an answer', async () => {
    const { blobs, result, ask } = await session();
    for (const text of ['x'.repeat(100_000), '😀\n'.repeat(30_000), '\n'.repeat(100_000)]) {
      const seq = result('part', await blobs.put(text)).seq;
      for (const limits of [
        { maxBytes: 1000, maxLines: 10 },
        { maxBytes: 4800, maxLines: 2000 },
      ]) {
        const answer = (await ask({ id: `#${seq}`, limit: 1_000_000 }, limits)).text;
        expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(limits.maxBytes);
        expect(answer.replace(/\n$/, '').split('\n').length).toBeLessThanOrEqual(limits.maxLines);
      }
      expect(Buffer.byteLength(body((await ask({ id: `#${seq}` })).text))).toBeLessThanOrEqual(10_000);
    }
  });

  test('beyond the end say where the end is', async () => {
    const { prompt, ask } = await session();
    prompt('one');
    expect((await ask({ id: '#0', offset: 9 })).text).toContain('3 bytes, so nothing is at 9');
    expect((await ask({ id: '#0', offset: -5, limit: 0 })).found).toBe(true);
  });
});
