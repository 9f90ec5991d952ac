import { expect, test } from 'vitest';
import { createEntryReader, replayed } from '../../src/acp/replay.ts';
import { type MadeUpFields, madeUpEntry } from '../madeUpEntry.ts';

const replay = (entry: MadeUpFields) => replayed(madeUpEntry(entry), createEntryReader());

test.each<[string, MadeUpFields, string]>([
  [
    'a compaction',
    {
      ...{ type: 'system', subtype: 'compact_boundary' },
      compactMetadata: { trigger: 'auto', preTokens: 100_000, postTokens: 20_000, filesIncluded: ['a.ts'] },
    },
    '> ◇ Conversation compacted: 100k → 20k tokens · automatic · 1 file kept',
  ],
  [
    'what a hook did, without its images',
    {
      ...{ type: 'system', subtype: 'hook', data: { what: 'failed' } },
      message: { role: 'system', content: 'Failed: ![x](https://example.org)\n# more' },
    },
    '> ! Failed: !\\[x\\](https://example.org) \\# more',
  ],
  [
    'text that looks like a link of this program',
    {
      ...{ type: 'system', subtype: 'hook' },
      message: { role: 'system', content: '1. [sign in](https://a.example) **C** `x` <img> &lt; \\[a\\](b)' },
    },
    '> 1\\. \\[sign in\\](https://a.example) \\*\\*C\\*\\* \\`x\\` &lt;img\\> \\&lt; \\\\\\[a\\\\\\](b)',
  ],
  [
    'how a turn ended',
    { type: 'system', subtype: 'turn_end', data: { outcome: 'interrupted' } },
    '> Interrupted.',
  ],
])('%s is a message with the line shown in the terminal', (_, entry, text) => {
  expect(replay(entry)).toMatchObject([
    { sessionUpdate: 'agent_message_chunk', content: { text: `\n\n${text}\n\n` } },
  ]);
});

test('an entry without a line on screen sends nothing', () => {
  expect(replay({ type: 'user', subtype: 'environment' })).toEqual([]);
  expect(replay({ type: 'system', subtype: 'usage' })).toEqual([]);
});

test.each([
  [{}, 'all of it'],
  [{ typed: 'a part' }, 'a part'],
  [{ typed: '' }, 'all of it'],
])('a prompt with %j is shown as %j', (data, text) => {
  const entry = madeUpEntry({
    ...{ type: 'user', subtype: 'prompt', message: { role: 'user', content: 'all of it' } },
    data,
  });
  expect(replayed(entry, createEntryReader())).toMatchObject([{ content: { type: 'text', text } }]);
});
