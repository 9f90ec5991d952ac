import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  editQuery,
  moveMatch,
  nextScope,
  searchExcerpt,
  startSearch,
} from '../../../src/ui/input/historySearch.ts';
import { clean } from '../../../src/ui/input/units.ts';
import { drawnWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { anyText } from '../../anyText.ts';

const dark = chooseTheme('dark', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });

const sources = {
  project: ['fix the Parser', 'run tests', 'fix the lexer', 'run tests', 'write docs'],
  session: ['write docs'],
  all: ['elsewhere: run it', 'fix the Parser', 'run tests', 'fix the lexer', 'run tests', 'write docs'],
};
const find = (query: string) => editQuery(startSearch(sources), { type: 'insert', text: query }, sources);

describe('the search', () => {
  test('starts with all prompts, newest first, without duplicates', () => {
    expect(startSearch(sources).matches).toEqual([
      'write docs',
      'run tests',
      'fix the lexer',
      'fix the Parser',
    ]);
  });

  test.each([
    ['fix', ['fix the lexer', 'fix the Parser']],
    ['parser', ['fix the Parser']],
    ['PARSER', []],
    ['Parser', ['fix the Parser']],
    ['the l', ['fix the lexer']],
    ['nothing like it', []],
  ])('%j finds %j', (query, matches) => {
    expect(find(query).matches).toEqual(matches);
  });

  test('moves to older and newer matches and stops at the ends', () => {
    const search = find('fix');
    expect(moveMatch(search, 1).selected).toBe(1);
    expect(moveMatch(moveMatch(search, 1), 1).selected).toBe(1);
    expect(moveMatch(search, -1).selected).toBe(0);
  });

  test('cycles through scopes and keeps the query', () => {
    const all = nextScope(find('run'), sources);
    expect(all).toMatchObject({ scope: 'all', matches: ['run tests', 'elsewhere: run it'] });
    const session = nextScope(all, sources);
    expect(session).toMatchObject({ scope: 'session', matches: [] });
    expect(nextScope(session, sources).scope).toBe('project');
  });

  test('does not find prompts that are not loaded yet', () => {
    expect(nextScope(find('run'), { ...sources, all: undefined }).matches).toEqual([]);
  });
});

test.each([
  ['one two', 'two', 'two'],
  ['eins ZWEI', 'zwei', 'ZWEI'],
  ['漢字かな', '字か', '字か'],
  ['İstanbul x', 'x', 'x'],
  ['👩‍👩‍👧 family', 'family', 'family'],
  ['none', 'x', undefined],
  ['any', '', undefined],
])('in %j, %j is at %j', (prompt, query, found) => {
  const theme = { ...dark, warning: (text: string) => text, underline: (text: string) => `<${text}>` };
  const [row = ''] = searchExcerpt(prompt, query, { width: 40, maxRows: 1, theme });
  expect(/<(.*)>/.exec(row)?.[1]).toBe(found);
});

test('shows the rows around the match in a long prompt', () => {
  const prompt = Array.from({ length: 50 }, (_, line) => `line number ${line}`).join('\n');
  const rows = searchExcerpt(prompt, 'number 30', { width: 40, maxRows: 4, theme: dark });
  expect(rows).toHaveLength(4);
  expect(rows.join('\n')).toContain('\u001B');
  expect(rows[1]).toContain('line ');
  expect(rows[0]).toBe('line number 29');
});

test('no prompt, however hostile or long, exceeds its rows and columns', { tags: 'long' }, () => {
  const prompt = fc.oneof(anyText(), fc.string({ unit: 'grapheme', maxLength: 300 }));
  fc.assert(
    fc.property(
      prompt,
      fc.string({ maxLength: 5 }),
      fc.integer({ min: 5, max: 90 }),
      (text, query, width) => {
        const rows = searchExcerpt(text, query, {
          width,
          maxRows: 3,
          theme: chooseTheme('plain', { noColor: true }),
        });
        expect(rows.length).toBeLessThanOrEqual(3);
        for (const row of rows) {
          expect(clean(row)).toBe(row);
          expect(drawnWidth(row)).toBeLessThanOrEqual(Math.max(width - 1, 4));
        }
      },
    ),
  );
  const huge = searchExcerpt(`${'x'.repeat(2_000_000)}needle`, 'needle', {
    width: 60,
    maxRows: 3,
    theme: dark,
  });
  expect(huge.join('')).toContain('needle');
});
