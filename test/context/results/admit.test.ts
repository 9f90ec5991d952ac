import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admitOutput, limitsFor } from '../../../src/context/results/admit.ts';
import { ResultShares } from '../../../src/context/results/resultShares.ts';
import { BlobStore } from '../../../src/context/storage/index.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import { contextSettingsSchema } from '../../../src/protocol/contextSettings.ts';
import { type JSONLEntry, toolResultKinds } from '../../../src/protocol/entries.ts';
import { ask, call, configuration, house, outcome } from '../harness.ts';
import { makeEntry, temporaryFolder } from '../storage/tmp.ts';
import { textOf } from '../texts.ts';

const settings = contextSettingsSchema.parse({});
const quiet = new AbortController().signal;
const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;
const body = (text: string): string => text.slice(text.indexOf(']\n') + 2);

test('what is admitted keeps lines, bytes and tokens, and the original is kept to the byte', async () => {
  const blobs = new BlobStore(await temporaryFolder());
  const text = fc.oneof(
    textOf(400),
    fc.constantFrom(
      'x'.repeat(90_000),
      'aB3dE9'.repeat(9000),
      '错'.repeat(20_000),
      '😀'.repeat(9000),
      'error\n'.repeat(9000),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom(...toolResultKinds),
      fc.constantFrom(undefined, settings.offload),
      fc.integer({ min: 10, max: 400 }),
      fc.integer({ min: 500, max: 9000 }),
      fc.integer({ min: 150, max: 2000 }),
      async (whole, kind, offload, maxLines, maxBytes, maxTokens) => {
        const limits = { maxLines, maxBytes, maxTokens };
        const options = { tool: 'Any', offload: offload ?? null };
        const admitted = await admitOutput({ text: whole, kind }, limits, blobs, options);
        expect(lineCount(admitted.text)).toBeLessThanOrEqual(maxLines);
        expect(Buffer.byteLength(admitted.text)).toBeLessThanOrEqual(maxBytes);
        expect(estimateTokens(admitted.text, HIGH)).toBeLessThanOrEqual(maxTokens);
        expect(admitted.text.isWellFormed()).toBe(true);
        expect(admitted.partial).toBe(admitted.text !== whole);
        if (!admitted.partial) return;
        const { original } = admitted;
        expect(admitted.text.slice(0, 400)).toContain(original?.hash.slice(0, 12));
        expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(whole);
      },
    ),
    { numRuns: 60 },
  );
});

test('a part of what its tool kept says of what, whole or cut again', async () => {
  const blobs = new BlobStore(await temporaryFolder());
  const original = await blobs.put('all of it\n'.repeat(1000));
  const limits = { maxLines: 100, maxBytes: 1000 };
  const short = await admitOutput({ text: 'a part', kind: 'command', original }, limits, blobs);
  expect(short).toEqual({
    text: `[A part of 10000 bytes. All: Recall("${original.hash.slice(0, 12)}")]\na part`,
    original,
    partial: true,
  });
  const long = await admitOutput({ text: 'a part\n'.repeat(500), kind: 'command', original }, limits, blobs);
  expect(long.text).toContain('of 1,000 lines');
  expect(long.original).toEqual(original);
});

test('a disk that refuses costs the pointer only', async () => {
  const blobs = new BlobStore('/dev/null/nowhere');
  const { text, original, partial } = await admitOutput(
    { text: 'x'.repeat(5000) },
    { maxLines: 10, maxBytes: 1000 },
    blobs,
    { offload: settings.offload },
  );
  expect(original).toBeUndefined();
  expect(partial).toBe(true);
  expect(text).toContain('could not be kept');
});

test('what Recall shows is neither shortened by its structure nor kept again', async () => {
  const blobs = new BlobStore(await temporaryFolder());
  const options = { tool: 'Recall', offload: settings.offload };
  const text = `[#1 …]\n${'word '.repeat(1900)}`;
  const limits = { maxLines: 2000, maxBytes: 51_200, maxTokens: 20_000 };
  expect(await admitOutput({ text, kind: 'text' }, limits, blobs, options)).toEqual({ text, partial: false });
  const cut = await admitOutput({ text, kind: 'text' }, { ...limits, maxBytes: 600 }, blobs, options);
  expect(cut.original).toBeUndefined();
  expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(600);
  expect(cut.text).toMatch(/^\[Cut to what is left for the results of this reply/);
});

describe('the results of one reply', () => {
  const reply = (calls: number): JSONLEntry[] => [
    { ...makeEntry(0), type: 'assistant', subtype: undefined },
    ...Array.from({ length: calls }, (_, index) => ({
      ...makeEntry(index + 1),
      type: 'tool_use' as const,
      subtype: undefined,
      tool: { id: `c${index}`, name: 'Read', input: {} },
    })),
  ];
  const resultOf = (seq: number, output: string): JSONLEntry => ({
    ...makeEntry(seq, ''),
    type: 'tool_result',
    subtype: undefined,
    toolResult: { id: `c${seq}`, output },
  });

  test('share a quarter of the window, whatever their number and sizes', async () => {
    const blobs = new BlobStore(await temporaryFolder());
    const sizes = fc.array(fc.constantFrom(10, 300, 2000, 40_000), { minLength: 2, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.constantFrom(8000, 48_000, 200_000), async (wanted, window) => {
        const single = limitsFor(settings.truncate, window);
        const entries = reply(wanted.length);
        const shares = new ResultShares();
        let bytes = 0;
        let tokens = 0;
        for (const [index, size] of wanted.entries()) {
          const limits = shares.limitsOfNext(entries, single, window);
          const again = new ResultShares().limitsOfNext([...entries], single, window);
          expect(limits).toEqual(again);
          const { text } = await admitOutput({ text: 'words '.repeat(size / 5) }, limits, blobs, {
            tool: 'Read',
          });
          bytes += Buffer.byteLength(text);
          tokens += estimateTokens(text, HIGH);
          entries.push(resultOf(100 + index, text));
        }
        // What is spent is followed by pointers of one line.
        expect(bytes).toBeLessThanOrEqual(window + 500 + wanted.length * 160);
        expect(tokens).toBeLessThanOrEqual(window / 4 + 150 + wanted.length * 60);
      }),
      { numRuns: 15 },
    );
  });

  test('hand on what they do not use', () => {
    const window = 8000;
    const single = limitsFor(settings.truncate, window);
    const shares = new ResultShares();
    const entries = reply(4);
    expect(shares.limitsOfNext(entries, single, window)).toMatchObject({ maxBytes: 2000, isSpent: false });
    entries.push(resultOf(10, 'x'.repeat(100)), resultOf(11, 'x'.repeat(100)));
    expect(shares.limitsOfNext(entries, single, window).maxBytes).toBe(3900);
    expect(shares.limitsOfNext(reply(1), single, window)).toEqual(single);
  });

  test('a thousand of them still leave room: the last are pointers, and each can be recalled', async () => {
    const home = await house({ windowTokens: 48_000 });
    const context = home.manager();
    await context.createSession(undefined, {}, configuration);
    const calls = Array.from({ length: 1000 }, (_, index) => call(`c${index}`));
    await context.appendReply(ask(calls));
    const outputs: string[] = [];
    for (const [index, one] of calls.entries()) {
      const text = `${index} `.repeat(1000);
      const entry = await context.appendToolResult({ call: one, outcome: outcome(text) });
      outputs.push(String(entry.toolResult?.output));
    }
    expect(outputs[0]).toMatch(/^\[Output truncated/);
    expect(outputs[999]).toMatch(/^\[Not shown: .* 4000 bytes: Recall\("[0-9a-f]{12}"\)\]$/);
    expect(Buffer.byteLength(outputs.join(''))).toBeLessThan(48_000 + 1000 * 130);
    const id = /Recall\("(\w+)"\)/.exec(outputs[999] ?? '')?.[1] ?? '';
    expect(body((await context.recall({ id }, quiet)).text)).toBe('999 '.repeat(1000));
  });
});

test('a page of 200 kB is offloaded, and its bytes come back identical, also after a restart', async () => {
  const home = await house();
  const first = home.manager();
  const id = await first.createSession(undefined, {}, configuration);
  const page = Array.from({ length: 5000 }, (_, index) => `Paragraph ${index} says something.`)
    .join('\n')
    .padEnd(200_000, '.');
  const fetched = call('a', 'mcp__docs__get', {});
  await first.appendReply(ask([fetched]));
  const entry = await first.appendToolResult({ call: fetched, outcome: outcome(page, { kind: 'text' }) });
  const shown = JSON.parse(String(entry.toolResult?.output));
  expect(shown._OFFLOADED_).toMatchObject({ totalLength: 200_000, preview: page.slice(0, 500) });
  expect(entry.toolResult?.status).toBe('partial');
  const { memoryId } = shown._OFFLOADED_;
  const range = { id: memoryId, offset: 100_000, limit: 1000 };
  const before = await first.recall(range, quiet);
  await first.close();
  const second = home.manager();
  await second.loadSession(id);
  const after = await second.recall(range, quiet);
  expect(body(before.text)).toBe(page.slice(100_000, 101_000));
  expect(after).toEqual(before);
});

test('whatever Recall answers within a window is admitted as it is', async () => {
  for (const windowTokens of [8000, 48_000, 200_000]) {
    const home = await house({ windowTokens });
    const context = home.manager();
    await context.createSession(undefined, {}, configuration);
    for (const text of [
      'aB3dE9xY'.repeat(10_000),
      '错😀'.repeat(9000),
      '\n'.repeat(50_000),
      'word '.repeat(20_000),
    ]) {
      await context.appendReply(ask([call('a')]));
      const { seq } = await context.appendToolResult({ call: call('a'), outcome: outcome(text) });
      for (const request of [{ id: `#${seq}`, limit: 40_000 }, { query: text.slice(0, 3) || 'x' }]) {
        const answer = await context.recall(request, quiet);
        const again = call('r', 'Recall', request);
        await context.appendReply(ask([again]));
        const entry = await context.appendToolResult({
          call: again,
          outcome: outcome(answer.text, { kind: 'text' }),
        });
        expect(entry.toolResult?.output === answer.text).toBe(true);
        expect(entry.toolResult?.original).toBeUndefined();
      }
    }
  }
});

test('with structure switched off, a list is bounded by lines and bytes alone', async () => {
  const home = await house({ settings: { toolResultCompression: false } });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const text = Array.from({ length: 50 }, (_, index) => `src/file${index}.ts`).join('\n');
  const glob = call('a', 'Glob', { pattern: '**' });
  await context.appendReply(ask([glob]));
  const entry = await context.appendToolResult({ call: glob, outcome: outcome(text, { kind: 'list' }) });
  expect(entry.toolResult?.output).toBe(text);
});
