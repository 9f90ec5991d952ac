import { describe, expect, test } from 'vitest';
import { plainText } from '../../src/commands/pages/page.ts';
import { previewPage } from '../../src/commands/pages/previewPage.ts';
import type {
  CompactionDiff,
  CompactionPreview,
  ContextItem,
  Loss,
} from '../../src/protocol/contextReport.ts';
import { measure, scriptedAgent, state } from '../headless/scriptedAgent.ts';
import { commandHost, run } from './commandHost.ts';

const item = (seq: number, title: string): ContextItem => ({
  uuid: `u${seq}`,
  seq,
  kind: 'reply',
  title,
  tokens: 500,
  state: 'sent',
  isPinned: false,
});

const losses: readonly Loss[] = [
  { kind: 'path', text: 'lib/a.ts', seq: 3 },
  { kind: 'message', text: 'never touch\nthe schema', seq: 1 },
  { kind: 'path', text: 'lib/b.ts', seq: 5 },
];

const preview: CompactionPreview = {
  outcome: 'ready',
  preTokens: 8000,
  postTokens: 2000,
  summary: '1. Primary request\n\nRead it all.',
  files: ['lib/a.ts'],
  kept: [item(7, 'Read it all'), item(9, '全部')],
  losses,
  unverified: ['lib/ghost.js'],
};

describe('/compact --preview', () => {
  test('shows sizes, summary, what stays, files, losses by kind, unverified paths, and what to do', () => {
    expect(plainText(previewPage(preview))).toBe(
      [
        'Preview: compaction would take the context from 8,000 to 2,000 tokens (75.0 % less). Nothing has changed.',
        '',
        'Summary',
        '  1. Primary request',
        '',
        '  Read it all.',
        '',
        'Kept verbatim: 2 items, about 1,000 tokens',
        '  #9 reply  全部',
        '  #7 reply  Read it all',
        'Files quoted with it: lib/a.ts',
        '3 details omitted (recoverable by number):',
        '  Your messages (1)',
        '    never touch the schema #1',
        '  Changed files (2)',
        '    lib/a.ts #3',
        '    lib/b.ts #5',
        'Paths that do not occur in this session (marked in the summary): lib/ghost.js',
        '',
        '/compact applies exactly this summary as long as the session stays open and nothing else is reduced first. /compact --preview with a focus writes another; /uncompact undoes a compaction.',
      ].join('\n'),
    );
  });

  test('a summary not written by the model is labeled as such, and is not kept', () => {
    const text = plainText(previewPage({ ...preview, message: 'The model could not write one.' }));
    expect(text).toContain('! The model could not write one.');
    expect(text).toContain('/compact asks the model again');
    expect(text).not.toContain('exactly');
  });

  test('says so if nothing is lost', () => {
    expect(plainText(previewPage({ ...preview, losses: [] }))).toContain(
      'Nothing is lost: your messages and all changed files are kept.',
    );
  });

  test('long lists end with a count, and a single remaining item is shown instead of counted', () => {
    const items = (many: number) => Array.from({ length: many }, (_, seq) => item(seq, 'x'));
    const rows = (many: number): string[] =>
      plainText(previewPage({ ...preview, kept: items(many) }))
        .split('\n')
        .filter((row) => /^ {2}(#\d+ reply|…)/.test(row));
    expect(rows(13)).toHaveLength(13);
    expect(rows(40)).toHaveLength(13);
    expect(rows(40).at(-1)).toBe('  … and 28 older');
    const many = Array.from({ length: 30 }, (_, seq): Loss => ({ kind: 'path', text: `E${seq}.ts`, seq }));
    expect(plainText(previewPage({ ...preview, losses: many }))).toContain('    … and 18 more');
  });

  test.each([
    ['refused', 'There is nothing to compact yet.'],
    ['cancelled', 'The preview was stopped.'],
  ] as const)('one that was %s shows the reason and nothing else', (outcome, message) => {
    expect(plainText(previewPage({ ...preview, outcome, message }))).toBe(message);
  });
});

describe('/compact --diff', () => {
  const diff: CompactionDiff = {
    record: {
      uuid: 'c',
      seq: 51,
      timestamp: 0,
      kind: 'summary',
      reason: '/compact',
      preTokens: 8000,
      postTokens: 2000,
      covers: 50,
      isUndone: false,
    },
    summary: 'What was said.',
    dropped: [item(2, 'Part 1'), item(5, 'Part 2')],
    kept: [item(9, 'Part 3')],
    losses,
  };

  test('shows what was removed, what stayed, the summary and its losses', async () => {
    const host = commandHost({ agent: scriptedAgent([], {}, { lastDiff: diff }) });
    const result = await run('compact', '--diff', host);
    if (result.type !== 'page') throw new Error(result.type);
    expect(plainText(result.page).split('\n')).toEqual(
      expect.arrayContaining([
        'The last compaction (#51, /compact): 8,000 → 2,000 tokens',
        '− Replaced by the summary: 2 items, about 1,000 tokens',
        '  #5 reply  Part 2',
        '+ Kept verbatim: 1 item, about 500 tokens',
        '  What was said.',
        '    lib/b.ts #5',
        '/uncompact undoes it; /context items restores single items.',
      ]),
    );
  });

  test('says so if there was no compaction', async () => {
    expect(await run('compact', '--diff')).toMatchObject({
      type: 'notice',
      text: expect.stringMatching(/no compaction/),
    });
  });
});

test('an unknown flag is not a focus', async () => {
  expect(await run('compact', '--previw the parser')).toMatchObject({
    type: 'notice',
    level: 'error',
    text: expect.stringContaining('no flag --previw'),
  });
});

test('a focus may contain what looks like a flag', async () => {
  const op = { type: 'compact', focus: 'the --preview flag' };
  expect(await run('compact', 'the --preview flag')).toMatchObject({ type: 'op', op });
});

test('shortened text never ends in half a character', () => {
  const smileys = { ...item(3, '😀'.repeat(500)), kind: 'prompt' } as const;
  const text = plainText(previewPage({ ...preview, kept: [smileys, item(4, 'a\n b')] }));
  expect(text).toContain(`#3 prompt  ${'😀'.repeat(89)}…\n`);
  expect(text).toContain('#4 reply  a b\n');
});

test('the forecast uses the price of the model that writes the summary', async () => {
  const model = { ...state.model, price: { input: 10, cachedInput: 10, output: 30 } };
  const agent = scriptedAgent([], { ...state, model, measure: { ...measure, usedTokens: 50_000 } });
  const forecast = async (windowTokens?: number): Promise<string | undefined> => {
    const other = { ...model, id: 'small', price: { input: 1, cachedInput: 1, output: 3 } };
    const host = commandHost({
      agent,
      summaryModel: () => (windowTokens === undefined ? undefined : { ...other, windowTokens }),
    });
    const result = await run('compact', '', host);
    return result.type === 'op' ? result.remark?.() : undefined;
  };
  expect(await forecast()).toContain('50,000 tokens: about $0.50');
  expect(await forecast(100_000)).toContain('50,000 tokens: about $0.05');
  expect(await forecast(50_000)).toContain('50,000 tokens: about $0.50');
});
