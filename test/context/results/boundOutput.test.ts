import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundOutput, limitsFor } from '../../../src/context/results/boundOutput.ts';
import { ResultShares } from '../../../src/context/results/ResultRecorder.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import type { ToolResultKind } from '../../../src/protocol/entries/fields.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { firstIsQuick } from '../../e2e/support/long.ts';
import { countText } from '../../e2e/support/tokens.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { ask, call, configuration, createTestHome, outcome } from '../harness.ts';
import { makeEntry } from '../storage/madeUpLog.ts';
import { textOf } from '../texts.ts';

const settings = contextSettingsSchema.parse({});
const quiet = new AbortController().signal;
const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;
const body = (text: string): string => text.slice(text.indexOf(']\n') + 2);

test('results stay within lines, bytes and tokens, and the original is stored byte for byte', async () => {
  const blobs = new BlobStore(temporaryFolder());
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
      fc.constantFrom<ToolResultKind>(
        'file',
        'search',
        'list',
        'command',
        'edit',
        'todo',
        'document',
        'text',
      ),
      fc.constantFrom(undefined, settings.offload),
      fc.integer({ min: 10, max: 400 }),
      fc.integer({ min: 500, max: 9000 }),
      fc.integer({ min: 150, max: 2000 }),
      async (whole, kind, offload, maxLines, maxBytes, maxTokens) => {
        const limits = { maxLines, maxBytes, maxTokens };
        const options = { tool: 'Any', offload: offload ?? null };
        const admitted = await boundOutput({ text: whole, kind }, limits, blobs, options);
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

test('a partial result says what it is part of, even when cut again', async () => {
  const blobs = new BlobStore(temporaryFolder());
  const original = await blobs.put('all of it\n'.repeat(1000));
  const limits = { maxLines: 100, maxBytes: 1000 };
  const short = await boundOutput({ text: 'a part', kind: 'command', original }, limits, blobs);
  expect(short).toEqual({
    text: `[A part of 10000 bytes. All: Recall("${original.hash.slice(0, 12)}")]\na part`,
    original,
    partial: true,
    fullOutputPath: blobs.pathOf(original.hash),
  });
  const long = await boundOutput({ text: 'a part\n'.repeat(500), kind: 'command', original }, limits, blobs);
  expect(long.text).toContain('of 1,000 lines');
  expect(long.original).toEqual(original);
});

test('a full disk costs only the pointer', async () => {
  const blobs = new BlobStore('/dev/null/nowhere');
  const { text, original, partial } = await boundOutput(
    { text: 'x'.repeat(5000) },
    { maxLines: 10, maxBytes: 1000 },
    blobs,
    { offload: settings.offload },
  );
  expect(original).toBeUndefined();
  expect(partial).toBe(true);
  expect(text).toContain('could not be kept');
});

test('Recall’s output is neither shortened by structure nor stored again', async () => {
  const blobs = new BlobStore(temporaryFolder());
  const options = { tool: 'Recall', offload: settings.offload };
  const text = `[#1 …]\n${'word '.repeat(1900)}`;
  const limits = { maxLines: 2000, maxBytes: 51_200, maxTokens: 20_000 };
  expect(await boundOutput({ text, kind: 'text' }, limits, blobs, options)).toEqual({ text, partial: false });
  const cut = await boundOutput({ text, kind: 'text' }, { ...limits, maxBytes: 600 }, blobs, options);
  expect(cut.original).toBeUndefined();
  expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(600);
  expect(cut.text).toMatch(/^\[Cut to the space left for the results of this reply/);
});

describe('the results of one reply', () => {
  const reply = (calls: number): JSONLEntry[] => [
    makeEntry(0, '', { type: 'assistant', subtype: undefined }),
    ...Array.from({ length: calls }, (_, index) =>
      makeEntry(index + 1, '', {
        type: 'tool_use',
        subtype: undefined,
        tool: { id: `c${index}`, name: 'Read', input: {} },
      }),
    ),
  ];
  const resultOf = (seq: number, output: string): JSONLEntry =>
    makeEntry(seq, '', {
      type: 'tool_result',
      subtype: undefined,
      toolResult: { id: `c${seq}`, output },
    });

  /** By the higher estimate; a quarter of the window in real tokens. */
  const budgetOf = (window: number): number => 0.3 * window;

  /** Admits texts as the results of one reply; returns the part of each that the model sees. */
  const admitAll = async (texts: readonly string[], window: number): Promise<string[]> => {
    const blobs = new BlobStore(temporaryFolder());
    const single = limitsFor(settings.truncate, window);
    const entries = reply(texts.length);
    const shares = new ResultShares();
    const shown: string[] = [];
    for (const [index, text] of texts.entries()) {
      const limits = shares.limitsOfNext(entries, single, window);
      // Derived from the log alone: earlier counts make no difference.
      if (index < 50) expect(new ResultShares().limitsOfNext([...entries], single, window)).toEqual(limits);
      const admitted = await boundOutput({ text, kind: 'file' }, limits, blobs, { tool: 'Read' });
      shown.push(admitted.text);
      entries.push(resultOf(10_000 + index, admitted.text));
    }
    return shown;
  };
  const tokensOf = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + estimateTokens(text, HIGH), 0);

  test('share one budget, whatever their number and sizes', { tags: 'long' }, async () => {
    const sizes = fc.array(fc.constantFrom(10, 300, 2000, 40_000), { minLength: 2, maxLength: 60 });
    const pattern = fc.constantFrom('words ', 'aB3dE9', '错误', '  }\n', '😀');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(sizes, pattern), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(8000, 48_000, 200_000),
        async (groups, window) => {
          const texts = groups.flatMap(([wanted, text]) =>
            wanted.map((size) => text.repeat(Math.ceil(size / 6))),
          );
          const shown = await admitAll(texts, window);
          const single = limitsFor(settings.truncate, window);
          for (const text of shown) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(single.maxBytes);
          if (texts.length === 1) return;
          // Only pointers may exceed it, if even they are too many for a small window.
          expect(tokensOf(shown)).toBeLessThanOrEqual(
            budgetOf(window) + texts.length * 40 * Number(window < 10_000),
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  /** Source code as Read shows it, of at most `bytes`. */
  const codeOf = async (bytes: number): Promise<string> => {
    const names = (await readdir('src/context')).filter((name) => name.endsWith('.ts')).toSorted();
    const sources = await Promise.all(names.map((name) => readFile(join('src/context', name), 'utf8')));
    const lines = sources.join('').split('\n');
    const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n');
    return Buffer.from(numbered).subarray(0, bytes).toString().replace(/\n.*$/, '');
  };

  /** Sentences that differ, as in a real text. */
  const chinese = (characters: number): string => {
    const who = ['服务器', '客户端的缓存', '这个函数', '测试用例', '配置文件', '数据库连接', '用户界面'];
    const does = ['没有正确处理', '在启动时读取', '会覆盖', '已经不再支持', '需要重新计算', '忽略了'];
    const what = ['空的列表', '过期的令牌', '超长的文件路径', '并发写入的请求', '默认的时区'];
    const pick = (list: readonly string[], n: number): string => list[n % list.length] ?? '';
    const sentence = (n: number): string => `${pick(who, n)}${pick(does, n * 5 + 1)}${pick(what, n * 3)}。\n`;
    let text = '';
    for (let n = 0; text.length < characters; n++) text += sentence(n);
    return text;
  };

  test('four files of 45 kB and four small ones are all shown in full, in any order', async () => {
    const large = await codeOf(45_000);
    const small = large.slice(0, 2500);
    const window = 200_000;
    for (const texts of [
      [large, small, large, small, large, small, large, small],
      [large, large, large, large, small, small, small, small],
      [small, small, small, small, large, large, large, large],
    ])
      expect(await admitAll(texts, window)).toEqual(texts);
  });

  for (const { row, options } of firstIsQuick([
    { what: 'code', make: async () => codeOf(45_000) },
    { what: 'Chinese', make: async () => chinese(15_000) },
    { what: 'base64', make: async () => randomBytes(33_000).toString('base64') },
  ]))
    test(`eight results of 45 kB of ${row.what}: at least 40,000 tokens get through`, options, async () => {
      const text = await row.make();
      const shown = await admitAll(
        Array.from({ length: 8 }, () => text),
        200_000,
      );
      const exact = shown.reduce((sum, one) => sum + countText(one), 0);
      expect(exact).toBeGreaterThanOrEqual(40_000);
      expect(tokensOf(shown)).toBeLessThanOrEqual(budgetOf(200_000));
      // Late ones still have a useful minimum.
      for (const one of shown) expect(estimateTokens(one, HIGH)).toBeGreaterThan(800);
    });

  test('a thousand calls stay within the budget, and early ones do not starve late ones', {
    tags: 'long',
  }, async () => {
    for (const [count, pattern] of [
      [1000, 'word '],
      [1000, 'aB3dE9xY'],
      [1000, '错'],
      [40, 'aB3dE9xY'],
    ] as const) {
      const shown = await admitAll(
        Array.from({ length: count }, (_, index) => `${index} ${pattern.repeat(3000)}`),
        200_000,
      );
      expect(tokensOf(shown)).toBeLessThanOrEqual(budgetOf(200_000));
      expect(new Set(shown).size).toBe(count);
    }
  });

  test('may use everything beyond the minimum for each pending call', () => {
    const window = 200_000;
    const single = { maxLines: 2000, maxBytes: 51_200 };
    const shares = new ResultShares();
    const entries = reply(4);
    expect(shares.limitsOfNext(entries, single, window)).toEqual({
      ...single,
      maxTokens: 57_000,
      isSpent: false,
    });
    entries.push(resultOf(10, ' aB3dE9xY'.repeat(2000)));
    const used = estimateTokens(' aB3dE9xY'.repeat(2000), HIGH);
    expect(shares.limitsOfNext(entries, single, window).maxTokens).toBe(58_000 - used);
    // If the minimum of all exceeds the budget, each has an equal share.
    expect(shares.limitsOfNext(reply(100), single, window).maxTokens).toBe(600);
    expect(shares.limitsOfNext(reply(1), single, window)).toEqual(single);
  });

  test('a thousand of them still fit: the last are pointers, and each can be recalled', {
    tags: 'long',
  }, async () => {
    const home = await createTestHome({ windowTokens: 48_000 });
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

test('a file that was cut says which of its lines are shown', async () => {
  const home = await createTestHome({ windowTokens: 8000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const read = async (first: number, lines: number, totalLines?: number): Promise<string | undefined> => {
    const text = Array.from(
      { length: lines },
      (_, n) => `${String(first + n).padStart(6)}\t ${n}\tof it all\n`,
    );
    const display = {
      title: 'a.ts',
      summary: `${lines} lines`,
      ...(totalLines === undefined ? {} : { totalLines }),
    };
    await context.appendReply(ask([call('a', 'Read', {})]));
    const entry = await context.appendToolResult({
      call: call('a', 'Read', {}),
      outcome: outcome(text.join(''), { kind: 'file', display }),
    });
    const shown = String(entry.toolResult?.output).trimEnd().split('\n').at(-1)?.trim().split('\t')[0];
    expect(Number(shown)).toBeGreaterThan(first);
    return entry.toolResult?.display?.summary?.replace(`-${shown}`, '-LAST');
  };
  expect(await read(1, 669, 669)).toBe('lines 1-LAST of 669');
  expect(await read(1001, 669, 9000)).toBe('lines 1001-LAST of 9000');
  expect(await read(5, 669)).toBe('lines 5-LAST');
  expect(await read(1, 20, 20)).toBe('20 lines');
});

test('a page of 200 kB is offloaded, and its bytes come back identical, also after a restart', async () => {
  const home = await createTestHome();
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

test('whatever Recall returns within a window is admitted unchanged', { tags: 'long' }, async () => {
  for (const windowTokens of [8000, 48_000, 200_000]) {
    const home = await createTestHome({ windowTokens });
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

test('with structure turned off, a list is limited only by lines and bytes', async () => {
  const home = await createTestHome({ settings: { toolResultCompression: false } });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const text = Array.from({ length: 50 }, (_, index) => `src/file${index}.ts`).join('\n');
  const glob = call('a', 'Glob', { pattern: '**' });
  await context.appendReply(ask([glob]));
  const entry = await context.appendToolResult({ call: glob, outcome: outcome(text, { kind: 'list' }) });
  expect(entry.toolResult?.output).toBe(text);
});

describe('lines of a file', () => {
  /** As Read returns them: at most 2,000 of them. */
  const read = (totalLines: number, { first = 1, line = 'line', notes = [] as readonly string[] } = {}) => {
    const last = Math.min(totalLines, first + 1999);
    const lines = Array.from(
      { length: last - first + 1 },
      (_, index) => `${String(first + index).padStart(6)}\t${line} ${first + index}`,
    );
    const where =
      last < totalLines ? [`(Lines ${first}-${last} of ${totalLines}; more with offset ${last + 1}.)`] : [];
    const text = [...lines, ...notes, ...where].join('\n');
    return { text, kind: 'file', excerpt: { totalLines, notes } } as const;
  };
  const shown = (text: string): readonly number[] =>
    [...text.matchAll(/^ *(\d+)\t/gm)].map(([, number]) => Number(number));
  const limits = limitsFor(settings.truncate, 200_000);

  test('2,000 of them are unchanged, with Read’s note about the rest', async () => {
    const blobs = new BlobStore(temporaryFolder());
    const output = read(6000);
    const admitted = await boundOutput(output, limits, blobs, { tool: 'Read', offload: settings.offload });
    expect(admitted).toEqual({ text: output.text, partial: false });
    expect(admitted.text).toMatch(
      /\n {2}2000\tline 2000\n\(Lines 1-2000 of 6000; more with offset 2001\.\)$/,
    );
  });

  test.each([
    [
      'head',
      'auto',
      {},
      /^\[Output truncated: lines 1-(\d+) of 14000; more with offset (\d+)\. All that was read: /,
    ],
    [
      'a range further down',
      'auto',
      { first: 5000 },
      /^\[Output truncated: lines 5000-(\d+) of 14000; more with offset (\d+)\. All/,
    ],
    [
      'with a note',
      'head',
      { notes: ['(3 lines cut at 2000 characters.)'] },
      /^\[Output truncated: lines 1-(\d+) of 14000; more with offset (\d+)\. \(3 lines cut at 2000 characters\.\) All/,
    ],
  ] as const)(
    'if they do not fit, the first line says which of how many are shown: %s',
    async (_, direction, more, says) => {
      const blobs = new BlobStore(temporaryFolder());
      const output = read(14_000, {
        line: 'INFO worker 12 handled request 94 in 8 ms, and all is well',
        ...more,
      });
      const { text, partial } = await boundOutput(output, limits, blobs, {
        tool: 'Read',
        offload: settings.offload,
        direction,
      });
      const [, last, next] = says.exec(text) ?? [];
      const numbers = shown(text);
      expect(partial).toBe(true);
      expect(Number(last)).toBe(numbers.at(-1));
      expect(Number(next)).toBe(Number(last) + 1);
      expect(numbers.length).toBeGreaterThan(500);
      expect(numbers.length).toBe(lineCount(text) - 1);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.maxBytes);
      expect(text).not.toContain('1-2000');
    },
  );

  test.each([
    ['tail', /^\[Output truncated: lines (\d+)-(300) of 300; others with offset and limit\. All/],
    [
      'head_tail',
      /^\[Output truncated: beginning, error lines and end of lines (1)-(300) of 300; others with offset and limit\. All/,
    ],
  ] as const)('in another direction, too: %s', async (direction, says) => {
    const blobs = new BlobStore(temporaryFolder());
    const few = { ...limits, maxLines: 60 };
    const { text } = await boundOutput(read(300), few, blobs, { tool: 'Read', direction });
    const numbers = shown(text);
    expect(says.exec(text)?.slice(1).map(Number)).toEqual([numbers[0], numbers.at(-1)]);
    expect(lineCount(text)).toBeLessThanOrEqual(60);
  });

  test('the total is unknown for a file that was not read to its end', async () => {
    const blobs = new BlobStore(temporaryFolder());
    const output = { ...read(300), excerpt: { notes: [] } };
    const { text } = await boundOutput(output, { ...limits, maxLines: 60 }, blobs, { tool: 'Read' });
    expect(text).toMatch(/^\[Output truncated: lines 1-59 of a longer file; more with offset 60\./);
  });

  test('keep all limits', async () => {
    const blobs = new BlobStore(temporaryFolder());
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom('x', 'word '.repeat(12), '错'.repeat(90), '😀'),
        fc.constantFrom('head', 'tail', 'head_tail', 'auto'),
        fc.integer({ min: 10, max: 400 }),
        fc.integer({ min: 500, max: 9000 }),
        async (total, line, direction, maxLines, maxBytes) => {
          const output = read(total, { line });
          const admitted = await boundOutput(output, { maxLines, maxBytes, maxTokens: 2000 }, blobs, {
            tool: 'Read',
            direction,
          });
          expect(lineCount(admitted.text)).toBeLessThanOrEqual(maxLines);
          expect(Buffer.byteLength(admitted.text)).toBeLessThanOrEqual(maxBytes);
          expect(admitted.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});
