import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Page, plainText } from '../../src/commands/pages/page.ts';
import {
  type ContextItem,
  type ContextMeasure,
  type ContextReport,
  type ReductionRecord,
  requestParts,
} from '../../src/protocol/contextReport.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import { measure, report, type ScriptedContext, scriptedAgent, state } from '../headless/scriptedAgent.ts';
import { commandHost, run } from './commandHost.ts';

async function page(args: string, context: ScriptedContext = {}, about = {}): Promise<Page> {
  const host = commandHost({ agent: scriptedAgent([], { ...state, ...about }, context) });
  const result = await run('context', args, host);
  if (result.type !== 'page' && !(result.type === 'dialog' && result.dialog === 'items'))
    throw new Error(`/context ${args} gave ${result.type}`);
  return result.page;
}

async function shown(more: Partial<ContextReport> = {}, columns = 80, about = {}): Promise<string> {
  return plainText(await page('', { report: { ...report, ...more } }, about), columns);
}

/** 14:03 local time, wherever the test runs. */
const at = (day: number): number => new Date(2026, 10, day, 14, 3).getTime();

const record = (fields: Partial<ReductionRecord> = {}): ReductionRecord => ({
  uuid: 'r1',
  seq: 40,
  timestamp: at(21),
  kind: 'summary',
  reason: 'the window filled up',
  preTokens: 8100,
  postTokens: 2100,
  durationMs: 12_300,
  covers: 40,
  isUndone: false,
  ...fields,
});

const partsOf = (sizes: readonly number[]) =>
  sizes.map((tokens, index) => ({ name: requestParts[index] ?? '', tokens }));

describe('/context', () => {
  test('shows parts that are not empty, free and reserved space, what happens next, and the cache', async () => {
    expect(await shown()).toBe(
      [
        'Context: ~2,500 of 10,000 tokens (25.0 %)',
        '  ██████▓▓▓▓▓▓▓▓▓▓▓▒▒··········································░░░░░░░░░░░░░░░',
        '                                                               c',
        '  c compacts at 8k',
        '  █ tools                    800    8.0 %',
        '  ▓ system                 1,500   15.0 %',
        '  ▒ history                  200    2.0 %',
        '  · free until compaction  5,500   55.0 %',
        '  ░ reserves               2,000   20.0 %  (1,000 of it for the reply)',
        'Next: a summary takes the place of older messages, at 8,000 tokens (80.0 %; in about 5,500 tokens)',
        'Window: 10,000 tokens for gpt-4.1 (known for this model)',
        'Cache: no usage reported yet',
        'Reductions: none so far; the whole conversation is sent',
        '',
        '~ estimated, and corrected by what the endpoint reports',
        '/context items pins, drops and restores · /context settings · /context --json',
      ].join('\n'),
    );
  });

  test('parts, free and reserved space add up to the window', async () => {
    const size = fc.nat({ max: 4000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 20, max: 120 }),
        async (sizes, columns) => {
          const parts = partsOf(sizes);
          const usedTokens = sizes.reduce((sum, tokens) => sum + tokens, 0);
          const text = await shown({ measure: { ...measure, parts, usedTokens } }, Math.max(40, columns));
          const rows = text.split('\n').filter((row) => /^ {2}[█▓▚▄▌▖▒▀▝·░] \S/.test(row));
          const sum = rows.reduce(
            (all, row) => all + Number(/([\d,]+) +(?:<?\d[\d.]* %)/.exec(row)?.[1]?.replaceAll(',', '')),
            0,
          );
          expect(sum).toBe(Math.max(measure.windowTokens, usedTokens));
          expect(rows).toHaveLength(sizes.filter((tokens) => tokens > 0).length + 2);
        },
      ),
    );
  });

  test('the bar has the right width, shows every part, and distinguishes them without color', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 30_000 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 20, max: 120 }),
        async (sizes, columns) => {
          const parts = partsOf(sizes);
          const usedTokens = sizes.reduce((sum, tokens) => sum + tokens, 0);
          const text = await shown({ measure: { ...measure, parts, usedTokens } }, columns);
          const bar = text.split('\n')[1]?.trimStart() ?? '';
          expect(bar).toHaveLength(Math.min(96, columns - 4));
          const runs = bar.match(/([^·░])\1*/g) ?? [];
          expect(runs).toHaveLength(sizes.filter((tokens) => tokens > 0).length);
          expect(new Set(runs.map(([sign]) => sign)).size).toBe(runs.length);
        },
      ),
    );
  });

  test('marks show where it shortens, compacts and drops messages, and the hard limit', async () => {
    const text = await shown({ marks: { maskAt: 5000, removeAt: 9000, limit: 9100 } });
    const [, , marks = '', legend] = text.split('\n');
    expect(legend).toBe('  m shortens from 5k · c compacts at 8k · r drops oldest at 9k · x hard limit 9.1k');
    expect(marks.replace(/ +/g, ' ')).toBe(' m c rx');
    expect(marks.indexOf('m')).toBe(2 + 38);
  });

  test('says why compaction starts below the share in the settings', async () => {
    const note = 'Compaction starts at 68.8 % instead of 80 %: 4,000 tokens are reserved for the reply.';
    expect(await shown({ triggerNote: note })).toContain(`\n${note}\n`);
    expect(await shown({})).not.toContain('instead of');
  });

  test('two marks at the same position are next to each other', async () => {
    const text = await shown({ marks: { maskAt: 8000, removeAt: 8000, limit: 10_000 } });
    expect(text.split('\n')[2]?.trim()).toMatch(/^mcr +x$/);
  });

  test.each<[ContextMeasure['windowSource'], string]>([
    ['setting', '(from your settings)'],
    ['server', '(reported by the server)'],
    ['learned', '(learned from the server)'],
    ['assumed', '(assumed; not reported by the server)'],
  ])('says where the window size comes from: %s', async (windowSource, words) => {
    expect(await shown({ measure: { ...measure, windowSource } })).toContain(words);
  });

  test('is correct if the window is empty, overfull or exact', async () => {
    const empty = await shown({ measure: { ...measure, usedTokens: 0, parts: [], exact: true } });
    expect(empty).toContain('Context: 0 of 10,000 tokens (0.0 %)');
    expect(empty).not.toContain('~');
    const parts = [{ name: 'history', tokens: 12_000 }];
    const full = await shown({ measure: { ...measure, usedTokens: 12_000, parts } });
    expect(full).toContain('120.0 %');
    expect(full).toMatch(/free until compaction\s+0/);
    expect(full).toMatch(/reserves\s+0/);
    expect(full).toContain('due before the next request');
  });

  test('reductions are counted by kind, and an undone one saves nothing', async () => {
    const reductions = [
      record({ kind: 'mask', preTokens: 9000, postTokens: 4000 }),
      record({ kind: 'mask', preTokens: 9000, postTokens: 5000, isUndone: true }),
      record({ kind: 'window', postTokens: 8100 }),
      record(),
    ];
    expect(await shown({ reductions })).toContain(
      'Reductions: 4 (mask 2, window learned 1, summary 1; 1 undone), 11,000 tokens saved',
    );
  });

  test('the latest compactions come first, with time, sizes, strategy, reason, duration and cost', async () => {
    const compactions = [
      record({ kind: 'mask', timestamp: at(20), reason: 'old results', isUndone: true }),
      record({ strategy: 'llm', usage: { inputTokens: 8000, outputTokens: 1000 } }),
    ];
    const price = { input: 2, cachedInput: 0.5, output: 8 };
    const text = await shown({ reductions: compactions, compactions }, 120, {
      model: { ...state.model, price },
    });
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'The last 2 reductions',
        '  2026-11-21 14:03  8,100 → 2,100        summary (llm) · the window filled up · 12s · at most $0.0240',
        '  2026-11-20 14:03  8,100 → 2,100        mask · old results · 12s · undone',
      ]),
    );
    const narrow = await shown({ reductions: compactions, compactions }, 40);
    expect(narrow).toContain('  11-21 14:03  8,100 → 2,100 · summary');
  });

  test('cache, price, draft, circuit breaker and warnings are shown', async () => {
    const text = await shown({
      cache: { cachedTokens: 900, inputTokens: 1000 },
      nextInputUsd: 0.0123,
      draft: 'ready',
      breakerIsOpen: true,
      warnings: ['Tools take too much.'],
    });
    expect(text).toContain(
      'Cache: 900 of the last 1,000 input tokens came from it (90.0 %); the next input costs about $0.0123',
    );
    expect(text).toContain('Draft: a summary is ready');
    expect(text).toMatch(/^! Summaries: paused after too many failures/m);
    expect(text).toMatch(/^! Tools take too much\.$/m);
    expect(await shown({ draft: 'running' })).toContain('Draft: a summary is being written');
    expect(await shown({ cache: { cachedTokens: 0, inputTokens: 9 } })).toContain('price unknown');
  });

  test('--json is the report itself', async () => {
    const result = await run('context', '--json');
    if (result.type !== 'notice') throw new Error(result.type);
    expect(JSON.parse(result.text)).toEqual(report);
  });

  test('an unknown word is an error that names the known ones', async () => {
    expect(await run('context', 'itms')).toEqual({
      type: 'notice',
      level: 'error',
      text: 'Unknown argument "itms": use /context items, settings or --json.',
    });
  });
});

const namesIn = (value: unknown, name: string): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, one]) => namesIn(one, `${name}.${key}`))
    : [name];

describe('/context settings', () => {
  const settings = contextSettingsSchema.parse({ strategy: 'middle-removal', compact: { threshold: 0.7 } });

  test('lists every setting with its value, and marks those that differ from the default', async () => {
    const host = commandHost({ settings: () => settings });
    const result = await run('context', 'settings', host);
    if (result.type !== 'page') throw new Error(result.type);
    const text = plainText(result.page);
    for (const name of namesIn(settings, 'context'))
      expect(text.match(new RegExp(`^ +${name} `, 'gm')), name).toHaveLength(1);
    expect(text).toMatch(/^Context settings: 2 changed from the default$/m);
    expect(text).toMatch(/context\.strategy +"middle-removal" {2}default is "auto"$/m);
    expect(text).toMatch(/context\.compact\.threshold +0\.7 {2}default is 0\.8$/m);
    expect(text).toMatch(/context\.summary +"smart" {2}default$/m);
    expect(text).toMatch(/removal by middle-removal \(chosen in the settings/);
  });

  test.each([
    [{}, 'a balance of beginning and end', 'on, a summary is drafted shortly before it is needed'],
    [
      { provider: 'local', id: 'qwen3', hasOneSlot: true },
      'local models have small windows',
      'Esc shortens old steps instead',
    ],
    [{ id: 'claude-sonnet-4-5' }, 'the oldest are removed first', 'on, a summary is drafted'],
  ])('says what auto means for %j, and why', async (model, removal, drafts) => {
    const text = plainText(await page('settings', {}, { model: { ...state.model, ...model } }));
    expect(text).toMatch(/all at their defaults/);
    expect(text).toContain(removal);
    expect(text).toContain(drafts);
    expect(text).toContain('summary by the model at 8,000 tokens (80.0 % of 10,000)');
  });

  test.each([
    ['off', 'nothing happens automatically'],
    ['mask-only', 'only steps of earlier turns are shortened'],
    ['oldest-removal', 'not asked for a summary'],
  ] as const)('strategy %s is explained', async (strategy, words) => {
    const host = commandHost({ settings: () => contextSettingsSchema.parse({ strategy }) });
    const result = await run('context', 'settings', host);
    expect(result.type === 'page' && plainText(result.page)).toContain(words);
  });
});

describe('/context items', () => {
  const item = (seq: number, fields: Partial<ContextItem> = {}): ContextItem => ({
    uuid: `u${seq}`,
    seq,
    kind: 'reply',
    title: 'Read lib/scan.js',
    tokens: 1200,
    state: 'sent',
    isPinned: false,
    ...fields,
  });

  test('is a list without a screen: totals, then items, newest first', async () => {
    const items = [
      item(2, { kind: 'prompt', title: '看一下', isPinned: true }),
      item(5),
      item(9, { state: 'masked' }),
    ];
    expect(plainText(await page('items', { items }))).toBe(
      [
        '3 items: 2 sent, 1 masked, 1 pinned',
        '  #9     reply        masked        1,200  Read lib/scan.js',
        '  #5     reply        sent          1,200  Read lib/scan.js',
        '  #2     prompt       sent, pinned    1,200  看一下',
        'In the terminal, /context items pins, drops and restores them.',
      ].join('\n'),
    );
  });

  test('says so if the conversation is empty', async () => {
    expect(plainText(await page('items'))).toBe('No items yet.');
  });
});
