import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  displayLineOf,
  type EntryKind,
  entryKinds,
  originalOf,
  parseEntry,
} from '../../src/protocol/entries.ts';
import { type MadeUpFields, madeUpEntry } from '../madeUpEntry.ts';

const kinds = Object.keys(entryKinds) as EntryKind[];

describe('the kinds', () => {
  test('are those defined in the files, each under its own name', () => {
    const folder = join(import.meta.dirname, '../../src/protocol/entries/kinds');
    const source = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const defined = [...source.matchAll(/^export const (\w+) = defineKind\(/gm)].map(([, name]) => name);
    const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(kinds.map(camel).sort()).toEqual(defined.sort());
    for (const kind of kinds) expect(entryKinds[kind].subtype).toBe(kind);
  });

  test('have these traits', () => {
    const traits = Object.values(entryKinds).map(({ subtype, type, modelAccess, ...kind }) => [
      subtype,
      [
        type,
        ...(modelAccess === 'recall' ? [] : [modelAccess]),
        ...(kind.affectsEarlierEntries ? ['affectsEarlier'] : []),
        ...(kind.isCollapsible ? ['collapsible'] : []),
        ...(kind.stays === undefined ? [] : [`stays:${kind.stays}`]),
        ...(kind.searchedAs === undefined ? [] : [`searched:${kind.searchedAs}`]),
      ].join(' '),
    ]);
    expect(Object.fromEntries(traits)).toEqual({
      session_start: 'system affectsEarlier stays:all',
      instructions: 'user sent stays:all searched:note',
      prompt: 'user sent searched:you',
      shell: 'user sent collapsible searched:you',
      skill: 'user sent searched:note',
      attachment: 'user sent collapsible searched:note',
      image: 'user sent collapsible searched:note',
      environment: 'user sent collapsible stays:newest searched:note',
      mode: 'system sent stays:newest',
      model: 'system stays:newest',
      effort: 'system stays:newest',
      reminder: 'user sent collapsible stays:newest searched:note',
      nudge: 'user sent collapsible searched:note',
      memory: 'user sent collapsible searched:note',
      compact_boundary: 'system affectsEarlier',
      reduction: 'system affectsEarlier',
      summary_failed: 'system',
      summary_draft: 'system never',
      pin: 'system affectsEarlier',
      rewind: 'system affectsEarlier',
      undo: 'system affectsEarlier',
      checkpoint: 'system',
      tools: 'system stays:newest',
      request: 'system',
      judgement: 'system',
      hook: 'system searched:note',
      hook_context: 'user sent collapsible searched:note',
      shell_start: 'system',
      task: 'system',
      usage: 'system',
      turn_end: 'system',
      notice: 'system searched:note',
      title: 'system stays:newest searched:title',
      unknown: 'system searched:note',
      past: 'system',
    });
  });
});

describe('reading an entry', () => {
  test('returns the value itself, with its key order and unknown fields', () => {
    const value = {
      later: [1],
      ...madeUpEntry({ subtype: 'pin', data: { uuid: 'a', mood: { of: 'any' } } }),
    };
    const text = JSON.stringify(value);
    expect(parseEntry(value)).toBe(value);
    expect(JSON.stringify(value)).toBe(text);
  });

  test.each<[string, object, object | undefined]>([
    ['pin', { pinned: false, uuid: 7, mood: 'good' }, { pinned: false, mood: 'good' }],
    ['mode', { mode: 7 }, {}],
    [
      'reminder',
      { goal: 'g', todos: [{ content: 'a', status: 'pending' }, { content: 'b' }], later: 1 },
      { goal: 'g', later: 1 },
    ],
    [
      'reduction',
      { kind: 'drop', reason: 'r', preTokens: 1, removed: 'all' },
      { kind: 'drop', reason: 'r', preTokens: 1 },
    ],
    // Without its kind, nothing is known about it.
    ['reduction', { kind: 'fold', reason: 'r', preTokens: 1 }, undefined],
    ['checkpoint', { cause: 'call', changes: [{}] }, undefined],
    ['telepathy', { uuid: 7, todos: 'none' }, { uuid: 7, todos: 'none' }],
    ['toString', { uuid: 7 }, { uuid: 7 }],
  ])('of kind %s drops the parts that do not fit of %j', (subtype, data, expected) => {
    const value = Object.freeze(madeUpEntry({ subtype, data: Object.freeze(data) }));
    const entry = parseEntry(value);
    expect(entry?.data).toEqual(expected);
    const { data: _, ...rest } = value;
    expect(entry).toEqual(expected === undefined ? rest : { ...rest, data: expected });
    expect(value.data).toBe(data);
  });

  test('drops the parts that do not fit even without a kind', () => {
    const wrong = { display: 7, countedTokens: 'many', more: 1 };
    expect(parseEntry(madeUpEntry({ data: wrong }))?.data).toEqual({ countedTokens: 'many', more: 1 });
    expect(parseEntry(madeUpEntry({ type: 'assistant', data: wrong }))?.data).toEqual({
      display: 7,
      more: 1,
    });
  });

  test('adds version 1 to a line from before the format had versions', () => {
    const { v: _, ...old } = madeUpEntry({});
    expect(parseEntry(old)).toEqual({ ...old, v: 1 });
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'entry'],
    ['a list', [madeUpEntry({})]],
    ['an object', {}],
    ['an unknown type', { ...madeUpEntry({}), type: 'tool' }],
    ['no message', { ...madeUpEntry({}), message: undefined }],
    ['data that is a list', { ...madeUpEntry({}), data: [] }],
  ])('rejects %s', (_, value) => {
    expect(parseEntry(value)).toBeUndefined();
  });
});

test.each<[string, object]>([
  ['prompt', {}],
  ['shell', {}],
  ['telepathy', { data: 1 }],
])('the reference to the full text of a %s is read from its data', (subtype, more) => {
  const original = { hash: 'h', bytes: 9 };
  expect(originalOf(madeUpEntry({ subtype, data: { ...more, original } }))).toEqual(original);
  expect(originalOf(madeUpEntry({ subtype, data: { ...more, original: 'h' } }))).toBeUndefined();
  expect(originalOf(madeUpEntry({ subtype }))).toBeUndefined();
});

const lineOf = (subtype: string, data?: object, content = '') => {
  const fields: MadeUpFields = { subtype, cwd: '/repo', message: { role: 'user', content } };
  const seqOf = (uuid: string) => (uuid === 'known' ? 12 : undefined);
  return displayLineOf(madeUpEntry(data === undefined ? fields : { ...fields, data }), { seqOf });
};
const sizes = { preTokens: 100_000, postTokens: 41_000 };
const file = { type: 'file', mode: 0o644, bytes: 1 };
const folder = { type: 'folder', mode: 0o755 };

test.each<[string, object | undefined, string, string]>([
  ['instructions', { path: '/repo/lib/AGENTS.md', hash: 'h' }, 'Use tabs.', 'Instructions: lib/AGENTS.md'],
  ['instructions', { path: '/repo/lib/AGENTS.md' }, '', 'Instructions removed: lib/AGENTS.md'],
  ['instructions', { path: '/home/me/AGENTS.md' }, 'x', 'Instructions: /home/me/AGENTS.md'],
  ['instructions', undefined, 'x', 'Project instructions'],
  ['image', { path: '/p/a.png' }, '', 'Image shown to the model: /p/a.png'],
  ['image', {}, '', 'Image shown to the model: unnamed'],
  ['environment', { block: 'b' }, 'x', 'Session resumed.'],
  ['environment', { block: 'b', about: 'rewind' }, 'x', 'Environment after the rewind.'],
  ['mode', { mode: 'plan' }, 'You plan.', 'Mode: plan'],
  ['mode', undefined, 'plan', 'Mode: plan'],
  ['model', { model: 'm-1' }, '', 'Model: m-1'],
  ['effort', { effort: 'high' }, '', 'Effort: high'],
  ['effort', {}, '', 'Effort: the default'],
  ['reminder', { todos: [] }, 'x', 'Goal and tasks, restated for the model.'],
  ['nudge', undefined, 'x', 'Note to the model.'],
  ['memory', { memories: [{ file: 'notes.md', similarity: 0.9 }] }, 'quoted', '1 memory: notes.md'],
  [
    'memory',
    { memories: [{ file: 'notes.md' }, { file: 'notes.md' }, { file: '习惯.md' }] },
    'quoted',
    '3 memories: notes.md, 习惯.md',
  ],
  ['memory', { memories: [{}, {}] }, 'quoted', '2 memories'],
  ['memory', undefined, 'quoted', 'Memories'],
  ['summary_failed', { reason: 'it called a tool' }, '', 'Summary failed: it called a tool'],
  ['summary_failed', { reason: '' }, 'no words', 'Summary failed: no words'],
  ['summary_failed', undefined, '', 'Summary failed: no reason was given'],
  ['pin', { uuid: 'known', pinned: true }, '', 'Pinned #12: it is never shortened or dropped'],
  ['pin', { uuid: 'known', pinned: false }, '', 'Unpinned #12'],
  ['pin', { uuid: 'lost', pinned: true }, '', 'Pinned an earlier item: it is never shortened or dropped'],
  ['rewind', { to: 'known' }, '', 'Rewound: what came after #12 is no longer part of the conversation.'],
  ['rewind', { to: 'known' }, 'Back to “One”', 'Back to “One”'],
  ['rewind', {}, '', 'Rewound.'],
  ['undo', {}, '', 'Undone.'],
  ['undo', {}, 'The compaction is undone.', 'The compaction is undone.'],
  ['checkpoint', { cause: 'call', changes: [{ path: '/a', after: file }] }, '', '1 file changed.'],
  [
    'checkpoint',
    { cause: 'call', changes: ['/a', '/b'].map((path) => ({ path, after: folder })) },
    '',
    '2 folders changed.',
  ],
  [
    'checkpoint',
    {
      cause: 'call',
      changes: [
        { path: '/a', before: folder, after: file },
        { path: '/b', after: folder },
      ],
    },
    '',
    '1 file and 1 folder changed.',
  ],
  ['judgement', { decision: 'allow', tool: 'Bash' }, 'Asked for.', 'Bash allowed by auto: Asked for.'],
  ['turn_end', { outcome: 'interrupted' }, '', 'Interrupted.'],
  ['turn_end', { outcome: 'failed', error: { message: 'no key' } }, '', 'no key'],
  ['turn_end', { outcome: 'failed', error: 'no key' }, '', 'no key'],
  ['turn_end', { outcome: 'failed' }, '', 'The turn failed.'],
  ['turn_end', { outcome: 'max_turns' }, '', 'Stopped: step limit reached.'],
  ['turn_end', { outcome: 'loop' }, '', 'Stopped: the same call kept returning the same result.'],
  ['turn_end', { outcome: 'done', durationMs: 42_400 }, '', '42 s'],
  ['turn_end', { outcome: 'done', durationMs: 3000, files: 1, added: 2, removed: 0 }, '', '1 file +2 −0'],
  [
    'turn_end',
    { outcome: 'done', durationMs: 125_000, files: 3, added: 12, removed: 4 },
    '',
    '2 min 5 s · 3 files +12 −4',
  ],
  ['turn_end', { outcome: 'done', durationMs: 4_000_000, files: 2 }, '', '1 h 6 min · 2 files'],
  ['notice', { level: 'warning' }, 'Disk is full.', 'Disk is full.'],
  ['title', { source: 'user' }, 'Baskets', 'Title: Baskets'],
])('the display line of %s %j', (subtype, data, content, text) => {
  expect(lineOf(subtype, data, content)?.text).toBe(text);
});

test.each<[object, string]>([
  [
    { kind: 'mask', reason: 'old results', replacements: [{}, {}] },
    'Shortened 2 earlier tool results (100k → 41k tokens)',
  ],
  [
    { kind: 'mask', reason: 'earlier turns', strategy: 'ledger', removed: ['a', 'b', 'c'] },
    'Shortened 3 earlier steps (100k → 41k tokens)',
  ],
  [
    { kind: 'mask', reason: 'no summary could make room in time', removed: ['a'], replacements: [{}] },
    'Shortened 1 earlier step and 1 earlier tool result (100k → 41k tokens) · no summary could make room in time',
  ],
  [
    { kind: 'clip', reason: 'too large\nfor the window', replacements: [{}], postTokens: undefined },
    'Shortened 1 large tool result · too large for the window',
  ],
  [
    { kind: 'remove', reason: 'no summary in time', removed: ['a', 'b'] },
    'Left out 2 older messages (100k → 41k tokens) · no summary in time',
  ],
  [
    { kind: 'drop', reason: 'dropped by the user', removed: ['a'] },
    'Left out 1 item as you asked (100k → 41k tokens)',
  ],
  [
    { kind: 'restore', reason: 'r', restored: ['a'], postTokens: undefined },
    'Restored an item at your request',
  ],
  [
    { kind: 'window', reason: 'too long', model: 'm-1', windowTokens: 8192 },
    "The server's error sets the window of m-1 to 8,192 tokens",
  ],
])('the display line of a reduction %j', (data, text) => {
  expect(lineOf('reduction', { ...sizes, ...data })?.text).toBe(text);
});

test('bookkeeping entries, and those shown elsewhere, have no line of their own', () => {
  const silent = kinds.filter((kind) => entryKinds[kind].displayLine === undefined);
  expect(silent.sort()).toEqual(
    'compact_boundary past prompt request session_start shell shell_start summary_draft task tools unknown usage'.split(
      ' ',
    ),
  );
  expect(
    lineOf('reduction', { kind: 'mask', reason: 'compaction', removed: ['a'], ...sizes }),
  ).toBeUndefined();
  expect(lineOf('reduction')).toBeUndefined();
  expect(lineOf('reduction', { kind: 'window', reason: 'r', preTokens: 1 })).toBeUndefined();
  expect(lineOf('judgement', { decision: 'deny', tool: 'Bash' }, 'No.')).toBeUndefined();
  expect(lineOf('turn_end', { outcome: 'done' })).toBeUndefined();
  expect(lineOf('turn_end', { outcome: 'done', durationMs: 22_000 })).toBeUndefined();
  expect(lineOf('title', { source: 'model' }, 'Baskets')).toBeUndefined();
  expect(lineOf('checkpoint', { cause: 'call', changes: [] })).toBeUndefined();
  expect(lineOf('telepathy', { any: 1 }, 'x')).toBeUndefined();
  expect(displayLineOf(madeUpEntry({ type: 'assistant' }), { seqOf: () => 1 })).toBeUndefined();
});

test('a display line has a position and a level', () => {
  const where = (subtype: string, data?: object) => {
    const { only = 'everywhere', tone, mark } = lineOf(subtype, data, 'x') ?? {};
    return `${only} ${tone} ${mark}`;
  };
  expect(where('mode')).toBe('everywhere quiet ⎿');
  expect(where('undo')).toBe('everywhere quiet ◇');
  expect(where('summary_failed')).toBe('everywhere warning !');
  expect(where('pin', { uuid: 'known' })).toBe('screen quiet ◇');
  expect(where('notice', { level: 'error' })).toBe('screen error ⎿');
  expect(where('notice')).toBe('screen quiet ⎿');
  expect(where('turn_end', { outcome: 'failed' })).toBe('screen error ⎿');
  expect(where('turn_end', { outcome: 'loop' })).toBe('screen warning ⎿');
  for (const subtype of ['environment', 'nudge', 'reminder', 'image', 'instructions', 'memory'])
    expect(where(subtype)).toBe('export quiet ◇');
  expect(lineOf('instructions', { path: '/repo/a' }, 'Use tabs.')?.body).toBe('Use tabs.');
  expect(lineOf('reduction', { kind: 'drop', reason: '', removed: ['a'], preTokens: 1 })?.hint).toBe(
    '/context items restores it',
  );
});
