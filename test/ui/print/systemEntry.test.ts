import { expect, test } from 'vitest';
import { renderEntry } from '../../../src/ui/print/entry.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import type { EntryOptions } from '../../../src/ui/print/toolResult.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

const options: EntryOptions = {
  width: 60,
  theme: chooseTheme('plain', { noColor: true }),
  markdown: plainMarkdown,
  tools: () => undefined,
  seqOf: (uuid) => (uuid === 'known' ? 12 : undefined),
};

const print = (subtype: string, data: object, content = '', type: MadeUpFields['type'] = 'system') =>
  renderEntry(madeUpEntry({ type, subtype, data, message: { role: 'system', content } }), options);

const drop = { kind: 'drop', reason: 'dropped by the user', removed: ['a'], preTokens: 9000 };

test.each<[string, object, string, string | undefined]>([
  ['reduction', drop, '', '◇ Left out 1 item as you asked · /context items restores it'],
  ['reduction', { ...drop, kind: 'mask', reason: 'compaction' }, '', undefined],
  ['pin', { uuid: 'known', pinned: false }, '', '◇ Unpinned #12'],
  ['summary_failed', { reason: 'it answered\nwith a call' }, '', '! Summary failed: it answered with a call'],
  ['summary_failed', { reason: 'a\u001b[2Jb\u0007' }, '', '! Summary failed: ab'],
  ['notice', {}, 'first\nsecond', '⎿ first\n  second'],
  ['notice', {}, ' \n', undefined],
  ['checkpoint', { cause: 'call', changes: [{ path: '/a' }] }, '', undefined],
  ['undo', {}, 'word '.repeat(13), `◇ ${'word '.repeat(10)}word\n  word word`],
  [
    'judgement',
    { decision: 'allow', tool: 'Bash' },
    'word\n'.repeat(20),
    `⎿ Bash allowed by auto: ${'word '.repeat(7)}…`,
  ],
])('%s %j', (subtype, data, content, expected) => {
  expect(print(subtype, data, content)).toBe(expected);
});

test('notes to the model have a line if they name something', () => {
  const memories = [{ file: 'notes.md', similarity: 0.9 }];
  expect(print('memory', { memories }, 'quoted', 'user')).toBe('◇ 1 memory: notes.md');
  expect(print('memory', {}, 'quoted', 'user')).toBeUndefined();
  expect(print('instructions', { path: '/p/lib/AGENTS.md' }, 'Use tabs.', 'user')).toBe(
    '◇ Instructions: lib/AGENTS.md',
  );
  expect(print('reminder', {}, 'x', 'user')).toBeUndefined();
});
