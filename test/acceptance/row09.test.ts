/** Row 9: of a list the first items, and how many there are. */
import { expect, test } from 'vitest';
import { textOf } from '../e2e/support/wire.ts';
import { buildHouse } from './support/house.ts';
import { use } from './support/project.ts';

const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`src/f${n}.txt`, `${n}\n`]));

async function listed(offload: object, pattern = 'src/*.txt') {
  const house = await buildHouse({ files, settings: { context: offload } });
  const open = await house.open();
  const [, next] = await open.ask('list', { calls: [use('Glob', { pattern })] }, { text: 'I see.' });
  return { open, text: textOf(next?.messages.at(-1)) };
}
const names = (text: string): string[] => text.match(/src\/f\d+\.txt/g) ?? [];

test('row 9, S1 list limit 20, `_note_`, `totalCount`: fifty items, twenty shown, and how to see the others', async () => {
  const { open, text } = await listed({});
  expect(names(text)).toHaveLength(20);
  expect(text).toContain('_note_');
  expect(text).toMatch(/20 of 50/);
  const pointer = /Recall\W+(?:id\W+)?([0-9a-f]{8,64}|#\d+)/.exec(text)?.[1] ?? '';
  const [, next] = await open.ask('all', { calls: [use('Recall', { id: pointer })] }, { text: 'I see.' });
  expect(new Set(names(textOf(next?.messages.at(-1)))).size).toBe(50);
});

test('row 9: shorter lists are whole, the limit is a setting, and so is the whole shortening', async () => {
  expect(names((await listed({}, 'src/f1*.txt')).text)).toHaveLength(11);
  expect((await listed({}, 'src/f1*.txt')).text).not.toContain('_note_');
  expect(names((await listed({ offload: { maxListItems: 5 } })).text)).toHaveLength(5);
  expect(names((await listed({ toolResultCompression: false })).text)).toHaveLength(50);
});
