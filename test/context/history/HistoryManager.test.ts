import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { HistoryManager } from '../../../src/context/history/HistoryManager.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { dataOf } from '../../madeUpEntry.ts';
import { LogMaker } from './logMaker.ts';

type HistoryOptions = NonNullable<ConstructorParameters<typeof HistoryManager>[0]>;

/** By characters, so that every entry has a different size. */
const sizeOf = (entry: JSONLEntry): number =>
  4 + String(entry.message.content).length + String(entry.toolResult?.output ?? '').length;

const managerOf = (log: LogMaker, given: Partial<HistoryOptions> = {}): HistoryManager => {
  const manager = new HistoryManager({ sizeOf, contextWindow: 100_000, clock: () => 0, ...given });
  for (const entry of log.entries) manager.append(entry);
  return manager;
};
const rounds = (count: number, outputs: readonly string[] = ['a result that is not so short']): LogMaker => {
  const log = new LogMaker();
  for (let index = 0; index < count; index++) log.prompt(`prompt ${index}`).step('looking', ...outputs);
  return log;
};
const contentsOf = (manager: HistoryManager): unknown[] =>
  manager.getHistory().map(({ message }) => message.content);
const summaryOf = (manager: HistoryManager): JSONLEntry | undefined =>
  manager.getHistory().find(({ isCompactSummary }) => isCompactSummary === true);

test('the history is returned as a copy and cannot be changed from outside', () => {
  const log = rounds(2);
  const manager = managerOf(log);
  const first = manager.getHistory();
  first.length = 0;
  expect(manager.getHistory()).toEqual(log.entries);
  expect(() => {
    const [entry] = manager.getHistory();
    if (entry !== undefined) entry.message.content = 'changed';
  }).toThrow(TypeError);
  const [own] = log.entries;
  if (own !== undefined) own.message.content = 'changed';
  expect(contentsOf(manager)[0]).toBe('prompt 0');
});

test('rounds begin at user messages', () => {
  const log = new LogMaker();
  log.prompt('a').step('look', 'x').note('nudge', 'go on').reply('b').prompt('c').reply('d');
  const manager = managerOf(log);
  expect(manager.estimateRounds()).toBe(2);
  expect(manager.findRoundBoundaries()).toEqual([0, 6]);
});

test('fifteen rounds become a summary and the newest ten', () => {
  const manager = managerOf(rounds(15));
  expect(manager.compress('What was done.')).toBe(true);
  expect(manager.estimateRounds()).toBe(10);
  const [summary, first] = manager.getHistory();
  expect(summary?.message.content).toBe('## Archived Session Summary\n\nWhat was done.');
  expect(dataOf(summary).compressedAt).toBe('1970-01-01T00:00:00.000Z');
  expect(first?.message.content).toBe('prompt 5');
  // Ten rounds of prompt, reply, call and result.
  expect(manager.getHistory()).toHaveLength(1 + 40);
});

test('ten rounds stay unchanged while they fit', () => {
  const manager = managerOf(rounds(10));
  expect(manager.compress('x')).toBe(false);
  expect(manager.getHistory()).toHaveLength(40);
});

test('one giant round is compressed at whole steps and keeps its prompt', () => {
  const log = new LogMaker().prompt('the request');
  for (let index = 0; index < 60; index++) log.step(`step ${index}`, 'x'.repeat(90), 'y');
  const manager = managerOf(log, { contextWindow: 6000 });
  expect(manager.shouldCompress()).toBe(true);
  expect(manager.compress('Sixty steps.')).toBe(true);
  expect(manager.shouldCompress()).toBe(false);
  const contents = contentsOf(manager);
  expect(contents[0]).toContain('Sixty steps.');
  expect(contents[1]).toBe('the request');
  expect(contents).toContain('step 59');
  expect(contents).not.toContain('step 5');
  for (const { calls } of groupAtoms(manager.getHistory())) {
    for (const { result } of calls) expect(result).toBeDefined();
  }
  expect(manager.getHistory().filter(({ type }) => type === 'tool_use').length).toBe(
    manager.getHistory().filter(({ type }) => type === 'tool_result').length,
  );
});

test('with zero rounds, only what is always kept stays', () => {
  const manager = managerOf(rounds(4), { minRetainRounds: 0 });
  expect(manager.compress('All.')).toBe(true);
  expect(contentsOf(manager)).toEqual(['## Archived Session Summary\n\nAll.', 'prompt 3']);
});

test('header and instructions stay before the summary, the latest mode after it', () => {
  const log = new LogMaker();
  log.add({ type: 'system', subtype: 'session_start', message: { role: 'system', content: '' } });
  log.note('instructions', 'Always test.').note('mode', 'plan').note('mode', 'edit');
  for (let index = 0; index < 12; index++) log.prompt(`p${index}`).step('a rather long reply to it', 'out');
  const manager = managerOf(log, { minRetainRounds: 1 });
  expect(manager.compress('S')).toBe(true);
  expect(contentsOf(manager).slice(0, 5)).toEqual([
    '',
    'Always test.',
    '## Archived Session Summary\n\nS',
    'edit',
    'p11',
  ]);
});

test('an earlier summary is folded in, once', () => {
  const log = rounds(30);
  const manager = managerOf(log, { minRetainRounds: 5 });
  manager.compress('First.');
  for (const entry of rounds(30).entries) manager.append(entry);
  expect(manager.compress('Second.')).toBe(true);
  const text = '## Archived Session Summary\n\nSecond.\n\n### The summary before this one\n\nFirst.';
  expect(summaryOf(manager)?.message.content).toBe(text);
  expect(manager.getHistory().filter(({ isCompactSummary }) => isCompactSummary === true)).toHaveLength(1);
  for (const entry of rounds(30).entries) manager.append(entry);
  const folded = `Third, after: ${text.slice('## Archived Session Summary\n\n'.length)}`;
  expect(manager.compress(folded)).toBe(true);
  expect(summaryOf(manager)?.message.content).toBe(`## Archived Session Summary\n\n${folded}`);
});

test('a hundred summaries of summaries do not grow without bound', () => {
  const manager = managerOf(rounds(0), { minRetainRounds: 1, contextWindow: 1_000_000 });
  for (let index = 0; index < 100; index++) {
    for (const entry of rounds(10, ['r'.repeat(900)]).entries) manager.append(entry);
    manager.compress(`Summary ${index}. ${'w'.repeat(500)} 😀`);
  }
  const text = String(summaryOf(manager)?.message.content);
  expect(text.length).toBeLessThan(9000);
  expect(text).toContain('Summary 99.');
  expect(text).toContain('Summary 95.');
  expect(text.isWellFormed()).toBe(true);
});

test('a summary that would not make the history smaller changes nothing', () => {
  const log = rounds(12);
  const manager = managerOf(log, { minRetainRounds: 11 });
  expect(manager.compress('long '.repeat(1000))).toBe(false);
  expect(manager.getHistory()).toEqual(log.entries);
});

test('a saved history can be loaded, and damaged entries are counted', () => {
  const manager = managerOf(rounds(15));
  manager.compress('Done.');
  const saved: unknown = JSON.parse(JSON.stringify(manager.toDict()));
  const other = managerOf(rounds(1));
  expect(other.load(saved)).toEqual({ loaded: 41, skipped: 0 });
  expect(other.toDict()).toEqual(manager.toDict());
  expect(other.countTokens()).toBe(manager.countTokens());
  expect(other.load({ version: 1, entries: [manager.getHistory()[0], { no: 'entry' }, null] })).toEqual({
    loaded: 1,
    skipped: 2,
  });
  expect(other.load({ version: 2, entries: [] })).toBeUndefined();
  expect(other.load('nothing')).toBeUndefined();
  expect(other.getHistory()).toHaveLength(1);
  other.clear();
  expect(other.getHistory()).toEqual([]);
  expect(other.countTokens()).toBe(0);
});

test('compression is due at its share of the window, not before', () => {
  const log = new LogMaker().prompt('x'.repeat(76));
  expect(managerOf(log, { contextWindow: 100 }).shouldCompress()).toBe(true);
  expect(managerOf(log, { contextWindow: 101 }).shouldCompress()).toBe(false);
  expect(managerOf(log, { contextWindow: 100, compressionThreshold: 0.9 }).shouldCompress()).toBe(false);
});

test('after 200 random operations, the count equals a full recount', { tags: 'long' }, () => {
  const operation = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ kind: fc.constantFrom('prompt', 'step', 'open', 'note'), text: fc.string() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('compress', 'load'), text: fc.string() }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear'), text: fc.string() }) },
  );
  fc.assert(
    fc.property(fc.array(operation, { minLength: 200, maxLength: 200 }), (operations) => {
      const manager = managerOf(new LogMaker(), { contextWindow: 1000, minRetainRounds: 2 });
      const log = new LogMaker();
      for (const { kind, text } of operations) {
        const from = log.entries.length;
        if (kind === 'prompt') log.prompt(text);
        else if (kind === 'step') log.step(text, text, 'b');
        else if (kind === 'open') log.open(text);
        else if (kind === 'note') log.note('reminder', text);
        else if (kind === 'compress') manager.compress(text);
        else if (kind === 'load') manager.load(structuredClone(manager.toDict()));
        else manager.clear();
        for (const entry of log.entries.slice(from)) manager.append(entry);
        const recount = manager.getHistory().reduce((sum, entry) => sum + sizeOf(entry), 0);
        expect(manager.countTokens()).toBe(recount);
      }
    }),
    { numRuns: 20 },
  );
});
