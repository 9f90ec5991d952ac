import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { type EntryOptions, renderEntry } from '../../../src/ui/print/entry.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { chooseTheme } from '../../../src/ui/theme.ts';

const options: EntryOptions = {
  width: 160,
  theme: chooseTheme('plain', { noColor: true }),
  markdown: plainMarkdown,
  tools: () => undefined,
  seqOf: (uuid) => (uuid === 'known' ? 12 : undefined),
};

function print(subtype: string, data: Record<string, unknown>, more: Partial<JSONLEntry> = {}) {
  const entry: JSONLEntry = {
    v: 1,
    seq: 0,
    uuid: 'u',
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-11-21T09:00:00.000Z',
    cwd: '/',
    version: '0',
    type: 'system',
    subtype,
    message: { role: 'system', content: '' },
    data,
    ...more,
  };
  return renderEntry(entry, options);
}

const sizes = { preTokens: 100_000, postTokens: 41_000 };

test.each([
  [
    { kind: 'mask', reason: 'old results', replacements: [{}, {}], ...sizes },
    '◇ Shortened 2 earlier tool results (100k → 41k tokens)',
  ],
  [
    { kind: 'mask', reason: 'earlier turns', strategy: 'ledger', removed: ['a', 'b', 'c'], ...sizes },
    '◇ Shortened 3 earlier steps (100k → 41k tokens)',
  ],
  [
    {
      kind: 'mask',
      reason: 'no summary could make room in time',
      removed: ['a'],
      replacements: [{}],
      ...sizes,
    },
    '◇ Shortened 1 earlier step and 1 earlier tool result (100k → 41k tokens) · no summary could make room in time',
  ],
  [
    { kind: 'clip', reason: 'results too large for the window', replacements: [{}], preTokens: 9000 },
    '◇ Shortened 1 large tool result · results too large for the window',
  ],
  // Parts of a compaction, which has a line of its own.
  [{ kind: 'clip', reason: 'compaction', replacements: [{}], ...sizes }, undefined],
  [{ kind: 'mask', reason: 'compaction', strategy: 'ledger', removed: ['a'], ...sizes }, undefined],
  [
    { kind: 'remove', reason: 'no summary in time', removed: ['a', 'b'], ...sizes },
    '◇ Left out 2 older messages (100k → 41k tokens) · no summary in time',
  ],
  [
    { kind: 'drop', reason: 'dropped by the user', removed: ['a'], preTokens: 9000 },
    '◇ Left out 1 item as you asked · /context items restores it',
  ],
  [{ kind: 'restore', reason: 'r', restored: ['a'], preTokens: 9000 }, '◇ Restored an item at your request'],
  [
    { kind: 'window', reason: 'too long', model: 'm-1', windowTokens: 8192, preTokens: 9000 },
    "◇ The server's error sets the window of m-1 to 8,192 tokens",
  ],
  // A newer program may know other kinds, and write other shapes.
  [{ kind: 'fold', reason: 'r', preTokens: 1 }, undefined],
  [{ something: 'else' }, undefined],
])('a reduction is one dim line: %j', (data, expected) => {
  expect(print('reduction', data)).toBe(expected);
});

test.each([
  [
    'summary_failed',
    { reason: 'the model answered\nwith a call' },
    '! Summary failed: the model answered with a call',
  ],
  ['summary_failed', {}, '! Summary failed: no reason was given'],
  ['pin', { uuid: 'known', pinned: true }, '◇ Pinned #12: it is never shortened or dropped'],
  ['pin', { uuid: 'known', pinned: false }, '◇ Unpinned #12'],
  ['pin', { uuid: 'lost', pinned: true }, '◇ Pinned an earlier item: it is never shortened or dropped'],
  ['rewind', { to: 'known' }, '◇ Went back: what came after #12 is no longer part of the conversation'],
  ['undo', {}, '◇ Undone.'],
  ['reminder', {}, undefined],
])('%s %j', (subtype, data, expected) => {
  expect(print(subtype, data)).toBe(expected);
});

test('memories are named by their files, once each', () => {
  const memories = [
    { file: 'notes.md', similarity: 0.9 },
    { file: 'notes.md', similarity: 0.8 },
    { file: '习惯.md', similarity: 0.7 },
  ];
  const from = { type: 'user', message: { role: 'user', content: 'quoted' } } as const;
  expect(print('memory', { memories }, from)).toBe('◇ 3 memories: notes.md, 习惯.md');
  expect(print('memory', { memories: memories.slice(0, 1) }, from)).toBe('◇ 1 memory: notes.md');
  expect(print('memory', {}, from)).toBeUndefined();
});

test('nothing in a reason can drive the terminal', () => {
  expect(print('summary_failed', { reason: 'a\u001b[2Jb\u0007' })).toBe('! Summary failed: ab');
});

test('instructions that are sent are named, and so are those that are gone', () => {
  const path = '/repo/lib/AGENTS.md';
  const user = (content: string) => ({ message: { role: 'user' as const, content }, cwd: '/repo' });
  expect(print('instructions', { path, hash: 'h' }, user('Use tabs.'))).toBe('◇ Instructions: lib/AGENTS.md');
  expect(print('instructions', { path }, user(''))).toBe('◇ Instructions removed: lib/AGENTS.md');
  expect(print('instructions', { path: '/home/me/AGENTS.md' }, user('x'))).toBe(
    '◇ Instructions: /home/me/AGENTS.md',
  );
});
