import { expect, test } from 'vitest';
import type { Print } from '../../../src/ui/controller/view.ts';
import { createReadFold, withReadsFolded } from '../../../src/ui/print/readFold.ts';
import { renderReads } from '../../../src/ui/print/toolLine.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

const plain = chooseTheme('plain', { noColor: true });
const print = (entry: Parameters<typeof madeUpEntry>[0]): Print => ({
  type: 'entry',
  entry: madeUpEntry(entry),
});
const result = (
  name: string,
  title: string,
  status: 'ok' | 'partial' | 'error' = 'ok',
  summary = '3 lines',
): Print =>
  print({
    type: 'tool_result',
    toolResult: { id: title, output: '', name, status, display: { title, summary } },
  });
const call = print({ type: 'tool_use', tool: { id: 'c', name: 'Read', input: {} } });
const reply = (content: string, reasoning = ''): Print =>
  print({
    type: 'assistant',
    message: {
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning: { field: 'reasoning', text: reasoning } }),
    },
  });
const mode = (name: string): Print =>
  print({ type: 'system', subtype: 'mode', message: { role: 'system', content: '' }, data: { mode: name } });
const checkpoint = print({ type: 'system', subtype: 'checkpoint', message: { role: 'system', content: '' } });

/** The printed parts, one word each. */
const words = (prints: readonly Print[]): readonly string[] =>
  prints.map((one) => {
    if (one.type === 'reads') return `reads ${one.entries.length}`;
    if (one.type === 'entry' && one.entry.subtype === 'mode') return `mode ${one.entry.data?.mode}`;
    return one.type === 'entry'
      ? (one.entry.toolResult?.name ?? one.entry.subtype ?? one.entry.type)
      : one.type;
  });

test.each<[string, readonly Print[], readonly string[]]>([
  [
    'several',
    [result('Read', 'a'), call, result('Grep', 'b'), reply('So.')],
    ['tool_use', 'reads 2', 'assistant'],
  ],
  [
    'modes that were only cycled through',
    [result('Read', 'a'), mode('acceptEdits'), mode('plan'), reply('So.')],
    ['Read', 'mode plan', 'assistant'],
  ],
  [
    'a mode set by a command',
    [{ type: 'command', text: '/permissions plan' }, mode('plan'), mode('default')],
    ['command', 'mode plan', 'mode default'],
  ],
  ['one', [result('Read', 'a'), reply('So.')], ['Read', 'assistant']],
  [
    'text between them',
    [result('Read', 'a'), reply('Hm.'), result('Read', 'b')],
    ['Read', 'assistant', 'Read'],
  ],
  [
    'a failure between them',
    [result('Read', 'a'), result('Read', 'b', 'error'), result('Read', 'c')],
    ['Read', 'Read', 'Read'],
  ],
  [
    'a command between them',
    [result('Read', 'a'), result('Bash', 'b'), result('Read', 'c')],
    ['Read', 'Bash', 'Read'],
  ],
  [
    'an entry that prints nothing between them',
    [result('Read', 'a'), checkpoint, reply(''), result('Read', 'b', 'partial')],
    ['checkpoint', 'assistant', 'reads 2'],
  ],
  [
    'reasoning between them',
    [result('Read', 'a'), reply('', 'Let me see.'), result('Read', 'b')],
    ['reads 2'],
  ],
  [
    'reasoning before them',
    [reply('', 'Let me see.'), result('Read', 'a'), result('Read', 'b')],
    ['assistant', 'reads 2'],
  ],
  [
    'reasoning after one',
    [result('Read', 'a'), reply('', 'I see.'), reply('So.')],
    ['Read', 'assistant', 'assistant'],
  ],
])('reads are folded: %s', (_, prints, expected) => {
  expect(words(withReadsFolded(prints, false))).toEqual(expected);
});

test('reasoning shown as text separates reads', () => {
  const prints = [result('Read', 'a'), reply('', 'Let me see.'), result('Read', 'b')];
  expect(words(withReadsFolded(prints, true))).toEqual(['Read', 'assistant', 'Read']);
});

test('held-back reads are tracked, and nothing is lost or printed twice', () => {
  const fold = createReadFold(() => false);
  expect(fold.add([result('Read', 'a'), result('Glob', 'b')])).toEqual([]);
  expect(fold.reads()).toHaveLength(2);
  expect(words(fold.rest())).toEqual(['reads 2']);
  expect(fold.rest()).toEqual([]);
  expect(fold.reads()).toEqual([]);
});

test('the line counts each file once, names as many as fit, and fits the width', () => {
  const entries = ['Read a.ts', 'Read a.ts', 'Read lib/b.ts', 'Grep TODO in lib', 'Glob *.md'].flatMap(
    (text) => {
      const [name = '', ...title] = text.split(' ');
      const one = result(name, title.join(' '));
      return one.type === 'entry' ? [one.entry] : [];
    },
  );
  expect(renderReads(entries, 80, plain)).toBe(
    '● Read 2 files, searched 2 patterns  a.ts, lib/b.ts, TODO in lib, *.md',
  );
  expect(renderReads(entries, 50, plain)).toBe('● Read 2 files, searched 2 patterns  a.ts, lib/b.…');
  expect(renderReads(entries, 20, plain)).toBe('● Read 2 files, sea…');
  expect(renderReads(entries.slice(0, 1), 80, plain)).toBe('● Read(a.ts)  3 lines');
});

test('searches without a match are shown as such', () => {
  const search = (title: string, summary: string) => result('Grep', title, 'ok', summary);
  const shown = (...prints: readonly Print[]) =>
    renderReads(
      prints.flatMap((one) => (one.type === 'entry' ? [one.entry] : [])),
      80,
      plain,
    );
  expect(shown(search('a', 'no matches'), search('b', 'no matches'))).toBe(
    '● Searched 2 patterns, no matches  a, b',
  );
  expect(shown(search('a', 'no matches'), search('b', '1 file'))).toBe(
    '● Searched 2 patterns, 1 without matches  a, b',
  );
});

test('a partial file is shown as partial, with its range', () => {
  const part = print({
    type: 'tool_result',
    toolResult: {
      ...{ id: 'a', output: '', name: 'Read', status: 'partial' },
      display: { title: 'many.txt', summary: 'lines 1-200 of 900' },
    },
  });
  const entries = [part, result('Read', 'b.ts')].flatMap((one) => (one.type === 'entry' ? [one.entry] : []));
  expect(renderReads(entries, 80, plain)).toBe(
    '◐ Read 2 files, partial  many.txt (lines 1-200 of 900), b.ts',
  );
});
