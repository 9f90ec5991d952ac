/** The cost of requests, by purpose: from entries as they are in logs. */
import { describe, expect, test } from 'vitest';
import { costTables, costText, totalFacts } from '../../src/commands/cost/costPage.ts';
import { type CostReport, createCostReader } from '../../src/commands/cost/costReader.ts';
import { noSpending } from '../../src/commands/cost/spending.ts';
import { plainText } from '../../src/commands/pages/page.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';

const price = { input: 10, cachedInput: 1, output: 50 };
const options = { rows: 5, shownPath: (path: string) => path, isOverall: false };

/** A log of entries one minute apart, unless an entry has its own time. */
function log(...entries: readonly object[]): JSONLEntry[] {
  let minute = 0;
  return entries.map((entry, seq) => {
    const { at = minute, ...rest } = entry as { readonly at?: number };
    minute = at + 1;
    const timestamp = new Date(Date.UTC(2026, 4, 1, 12, at)).toISOString();
    return {
      v: 1,
      seq,
      uuid: `u${seq}`,
      type: 'system',
      timestamp,
      cwd: '/w',
      ...rest,
    } as unknown as JSONLEntry;
  });
}

const prompt = (text: string, more: object = {}): object => ({
  type: 'user',
  subtype: 'prompt',
  message: { role: 'user', content: text },
  ...more,
});
const reply = (input: number, cached: number | undefined, output: number, more: object = {}): object => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    content: 'x'.repeat(400),
    model: 'm',
    usage: {
      input_tokens: input,
      output_tokens: output,
      ...(cached === undefined ? {} : { cached_tokens: cached }),
    },
  },
  data: { request: { seq: 0, model: 'm', sent: [{ hash: 'h' }] } },
  ...more,
});
const call = (id: string, name: string, input: object): object => ({
  type: 'tool_use',
  message: { role: 'assistant', content: '' },
  tool: { id, name, input },
});
const result = (id: string, name: string, output: string, more: object = {}): object => ({
  type: 'tool_result',
  message: { role: 'user', content: '' },
  toolResult: { id, name, output, ...more },
});
const usage = (purpose: string, input: number): object => ({
  subtype: 'usage',
  message: { role: 'system', content: '', model: 'small', usage: { input_tokens: input, output_tokens: 10 } },
  data: { purpose },
});

function read(
  entries: readonly JSONLEntry[],
  priceOf = (_: string) => price as typeof price | undefined,
): CostReport {
  const reader = createCostReader(priceOf);
  reader.begin('s');
  for (const entry of entries) reader.see(entry);
  return reader.report();
}

const nameds = (rows: readonly { readonly name: string }[]): readonly string[] =>
  rows.map(({ name }) => name);

const session = log(
  prompt('fix the parser'),
  reply(5000, 0, 200),
  call('c1', 'Read', { file_path: '/w/parser.ts' }),
  result('c1', 'Read', 'x'.repeat(40_000), { filesRead: [{ path: '/w/parser.ts', hash: 'h' }] }),
  reply(15_200, 5000, 100),
  usage('subagent a1', 3000),
  result('c2', 'Task', 'done', { display: { title: 't', agent: { id: 'a1', name: 'explore' } } }),
  prompt('thanks'),
  reply(15_400, 15_200, 50),
  usage('title', 100),
);

describe('sums', () => {
  test('by model, purpose, day, turn and subagent', () => {
    const report = read(session);
    expect(report.total).toMatchObject({ requests: 5, inputTokens: 38_700, outputTokens: 370 });
    const cost = (5000 + 10_200 + 200 + 3000 + 100) * 10 + 20_200 + 370 * 50;
    expect(report.total.costUsd).toBeCloseTo(cost / 1e6, 10);
    expect(nameds(report.models)).toEqual(['m', 'small']);
    expect(report.purposes.map(({ name, requests }) => [name, requests])).toEqual([
      ['conversation', 3],
      ['subagents', 1],
      ['title', 1],
    ]);
    expect(report.subagents).toMatchObject([{ name: 'a1 explore', requests: 1, inputTokens: 3000 }]);
    expect(report.turns).toMatchObject([
      { name: 'fix the parser', seq: 0, requests: 3 },
      { name: 'thanks', seq: 7, requests: 2 },
    ]);
    expect(report.days.map(({ requests }) => requests)).toEqual([5]);
  });

  test('the shares of tools and files add up to the conversation', () => {
    const { tools, files, purposes } = read(session);
    const conversation = purposes.find(({ name }) => name === 'conversation');
    const sum = (pick: (row: (typeof tools)[number]) => number) =>
      tools.reduce((all, row) => all + pick(row), 0);
    expect(sum(({ inputTokens }) => inputTokens)).toBeCloseTo(conversation?.inputTokens ?? 0, 5);
    expect(sum(({ costUsd }) => costUsd ?? 0)).toBeCloseTo(conversation?.costUsd ?? 0, 10);
    expect(tools[0]?.name).toBe('Read');
    expect(files).toMatchObject([{ name: '/w/parser.ts' }]);
    // Read once in full, then once from the cache.
    expect(files[0]?.inputTokens).toBeGreaterThan(19_000);
    expect(files[0]?.costUsd).toBeLessThan(0.12);
  });

  test('without a price there are tokens and no dollars', () => {
    const report = read(session, (model) => (model === 'm' ? undefined : price));
    expect(report.total.costUsd).toBeNull();
    expect(report.models.find(({ name }) => name === 'small')?.costUsd).toBeCloseTo(0.032, 5);
    expect(plainText(costTables(report, options))).not.toContain('NaN');
  });

  test('forks of a session are counted once', () => {
    const reader = createCostReader(() => price);
    for (const id of ['s', 'copy']) {
      reader.begin(id);
      for (const entry of session) reader.see(entry);
    }
    expect(reader.report().total).toMatchObject({ requests: 5, inputTokens: 38_700 });
  });

  test('a log from an early version, without requests, models and calls, can be read', () => {
    const old = log(
      { type: 'user', message: { role: 'user', content: 'hi' } },
      {
        type: 'assistant',
        message: { role: 'assistant', content: 'a', usage: { input_tokens: 10, output_tokens: 1 } },
      },
      { type: 'assistant', message: { role: 'assistant', content: 'b' } },
    );
    expect(read(old, () => undefined).total).toMatchObject({ requests: 1, inputTokens: 10, costUsd: null });
  });
});

describe('reasons for a cache miss', () => {
  const first = reply(20_000, 0, 10);
  const other = { data: { request: { seq: 0, model: 'm', tools: 't2', sent: [{ hash: 'h' }] } } };
  const loud = { data: { request: { seq: 0, model: 'm', sent: [{ hash: 'h', effort: 'high' }] } } };
  const boundary = { subtype: 'compact_boundary', message: { role: 'system', content: '' } };
  const masked = { subtype: 'reduction', message: { role: 'system', content: '' }, data: { kind: 'mask' } };
  test.each<readonly [string, readonly object[], string, string]>([
    ['time', [reply(20_100, 0, 10, { at: 90 })], 'time', '89 min after the last request'],
    ['a compaction', [boundary, reply(12_000, 1000, 10)], 'context', 'compaction'],
    ['a reduction', [masked, reply(19_000, 1000, 10)], 'context', 'reduction (mask)'],
    ['other tools', [reply(20_100, 0, 10, other)], 'tools', 'other tools were offered'],
    ['another effort', [reply(20_100, 0, 10, loud)], 'options', 'effort or another option changed'],
    ['the server', [reply(20_100, 0, 10)], 'server', ''],
    [
      'another model',
      [reply(20_100, 0, 10, { data: { request: { seq: 0, model: 'n', sent: [] } } })],
      'model',
      'from m to n',
    ],
  ])('%s', (_what, then, reason, detail) => {
    const { misses, missCount } = read(log(prompt('p'), first, ...then));
    expect(missCount).toBe(1);
    expect(misses).toMatchObject([{ reason, detail }]);
    const tokens = misses[0]?.tokens ?? 0;
    expect(misses[0]?.costUsd).toBeCloseTo((tokens * 9) / 1e6, 10);
  });

  test('the entry that changed the prompt is named on the page', () => {
    const page = costTables(read(log(prompt('p'), first, boundary, reply(12_000, 0, 10))), options);
    expect(plainText(page)).toMatch(
      /#3 +12k again +\$0\.1080 +the conversation was changed: compaction \(#2\)/,
    );
  });

  test('a hit, a short prompt, and a server that never reports cached tokens are not misses', () => {
    expect(read(log(prompt('p'), first, reply(20_100, 19_000, 10))).misses).toEqual([]);
    expect(read(log(prompt('p'), reply(900, 0, 1), reply(950, 0, 1))).misses).toEqual([]);
    expect(read(log(prompt('p'), reply(20_000, undefined, 1), reply(20_100, undefined, 1))).misses).toEqual(
      [],
    );
  });
});

describe('models without a price', () => {
  const mixed = log(
    { subtype: 'session_start', message: { role: 'system', content: '' } },
    prompt('Ask both'),
    reply(1000, 0, 100),
    reply(1000, 0, 100, {
      message: {
        role: 'assistant',
        content: 'Yes.',
        model: 'free',
        usage: { input_tokens: 1000, output_tokens: 100 },
      },
    }),
  );
  const priceOf = (model: string) => (model === 'm' ? price : undefined);

  test('the known cost is shown, and the models without a price are named', () => {
    const report = read(mixed, priceOf);
    expect(report.total).toMatchObject({ costUsd: null, knownCostUsd: 0.015, requests: 2 });
    expect(new Map(totalFacts(report)).get('Cost')).toBe('at least $0.0150 at list price: no price for free');
    const page = plainText(costTables(report, options), 80);
    expect(page).toMatch(/Ask both .*\$0\.0150 \+/);
  });

  test('many of them are counted', () => {
    const rows = ['a', 'b', 'c', 'd'].map((name) => ({ ...noSpending, name, requests: 1, costUsd: null }));
    expect(costText({ costUsd: null, knownCostUsd: 0 }, rows)).toBe('unknown: no price for a, b, 2 more');
  });
});

test('a call that does not name the files it read counts in full for the path in its input', () => {
  const entries = log(
    prompt('Search'),
    reply(1000, 0, 100),
    call('c1', 'Grep', { pattern: 'x', path: '/w/src' }),
    result('c1', 'Grep', 'found '.repeat(100)),
    reply(2000, 0, 100),
  );
  expect(nameds(read(entries).files)).toEqual(['/w/src']);
});
