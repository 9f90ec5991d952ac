import { expect, test } from 'vitest';
import { createEntryReader, replayed } from '../../src/acp/replay.ts';
import { madeUpEntry } from '../madeUpEntry.ts';

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
