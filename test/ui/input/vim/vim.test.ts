import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expand, lineEnd, lineStart, segment, unitsOf } from '../../../../src/ui/input/units.ts';
import { shown, strokesOfKeys, typeAll, typed, vimComposer } from './typing.ts';

/** Text before, keys in normal mode, text after: `|` is the cursor. */
type Row = readonly [before: string, keys: string, after: string];

function check(rows: readonly Row[]): void {
  test.each(rows)('%j %s gives %j', (before, keys, after) => {
    expect(shown(typed(vimComposer(before), keys))).toBe(after);
  });
}

describe('motions', () => {
  check([
    ['on|e two', 'l', 'one| two'],
    ['one tw|o', 'l', 'one tw|o'],
    ['|one two', '3l', 'one| two'],
    ['one| two', 'h', 'on|e two'],
    ['one\n|two', 'h', 'one\n|two'],
    ['one| two', '<bs>', 'on|e two'],
    ['|one two.three', 'w', 'one |two.three'],
    ['|one two.three', 'www', 'one two.|three'],
    ['|one two.three four', 'WW', 'one two.three |four'],
    ['|one two three', '2w', 'one two |three'],
    ['one\n|\ntwo', 'w', 'one\n\n|two'],
    ['|one\n\ntwo', 'w', 'one\n|\ntwo'],
    ['one two.thr|ee', 'b', 'one two.|three'],
    ['one two.|three', 'bb', 'one |two.three'],
    ['one two.three fo|ur', 'BB', 'one |two.three four'],
    ['|one two', 'e', 'on|e two'],
    ['on|e two', 'e', 'one tw|o'],
    ['|one two.three', '2e', 'one tw|o.three'],
    ['|one two.three x', 'EE', 'one two.thre|e x'],
    ['one tw|o', 'ge', 'on|e two'],
    ['  one tw|o', '0', '|  one two'],
    ['  one tw|o', '^', '  |one two'],
    ['  one| two', '$', '  one tw|o'],
    ['o|ne\ntwo', '2$', 'one\ntw|o'],
    ['one\ntwo\nthr|ee', 'gg', '|one\ntwo\nthree'],
    ['|one\ntwo\n  three', 'G', 'one\ntwo\n  |three'],
    ['|one\ntwo\nthree', '2G', 'one\n|two\nthree'],
    ['|one, two, three', 'f,', 'one|, two, three'],
    ['|one, two, three', '2f,', 'one, two|, three'],
    ['|one, two, three', 'f,;', 'one, two|, three'],
    ['|one, two, three', '2f,,', 'one|, two, three'],
    ['|one, two, three', 't,', 'on|e, two, three'],
    ['|one, two, three', 't,;', 'one, tw|o, three'],
    ['one, two, thre|e', 'F,', 'one, two|, three'],
    ['one, two, thre|e', 'T,', 'one, two,| three'],
    ['|one', 'fx', '|one'],
    ['on|e', 'fé', 'on|e'],
    ['f|(a[b]{c})', '%', 'f(a[b]{c}|)'],
    ['f(a[b]{c}|)', '%', 'f|(a[b]{c})'],
    ['|f(a)', '%', 'f(a|)'],
    ['|a\nb\n\nc', '}', 'a\nb\n|\nc'],
    ['a\n\nb\n|c', '{', 'a\n|\nb\nc'],
    ['漢|字 かな ok', 'w', '漢字 |かな ok'],
    ['|漢字かな', 'w', '漢字|かな'],
  ]);

  test.each([
    ['|one\ntwo', 'j', 'one\n|two'],
    ['one\nt|wo', 'k', 'o|ne\ntwo'],
    ['thr|ee\nx\nthree', 'jj', 'three\nx\nthr|ee'],
    ['|a\nb\nc\nd', '2j', 'a\nb\n|c\nd'],
  ])('%j %s goes from row to row: %j', (before, keys, after) => {
    expect(shown(typed(vimComposer(before), keys))).toBe(after);
  });
});

describe('operators', () => {
  check([
    ['|one two three', 'dw', '|two three'],
    ['|one two three', 'd2w', '|three'],
    ['|one two three', '2dw', '|three'],
    ['one |two\nthree', 'dw', 'one| \nthree'],
    ['one |two three', 'd$', 'one| '],
    ['one |two three', 'D', 'one| '],
    ['one |two three', 'd0', '|two three'],
    ['one tw|o', 'db', 'one |o'],
    ['|one two', 'de', '| two'],
    ['|one, two', 'df,', '| two'],
    ['|one, two', 'dt,', '|, two'],
    ['|f(a, b) c', 'd%', '| c'],
    ['one\n|two\nthree', 'dd', 'one\n|three'],
    ['one\ntwo\n|three', 'dd', 'one\n|two'],
    ['|one', 'dd', '|'],
    ['|one\ntwo\nthree', '2dd', '|three'],
    ['|one\ntwo\nthree', 'dj', '|three'],
    ['one\ntwo\n|three', 'dk', '|one'],
    ['one\n|two\nthree', 'dG', '|one'],
    ['one\ntwo\n|three', 'dgg', '|'],
    ['|a\nb\n\nc', 'd}', '|\nc'],
    ['|one two', 'cwsix<esc>', 'si|x two'],
    ['one|, two', 'cw;<esc>', 'one|; two'],
    ['on|e two', 'c$x<esc>', 'on|x'],
    ['|one two', 'Cx<esc>', '|x'],
    ['one\n|two\nthree', 'ccx<esc>', 'one\n|x\nthree'],
    ['|one', 'cc<esc>', '|'],
    ['|one\ntwo', '>>', '  |one\ntwo'],
    ['|one\ntwo', '>j', '  |one\n  two'],
    ['    |one', '<<', '  |one'],
    ['|\tone', '<<', '|one'],
    ['|one', '<<', '|one'],
    ['|one two', 'dx', '|one two'],
    ['|one two', 'd<esc>w', 'one |two'],
  ]);
});

describe('text objects', () => {
  check([
    ['one tw|o three', 'diw', 'one | three'],
    ['one tw|o three', 'daw', 'one |three'],
    ['one tw|o', 'daw', 'on|e'],
    ['one t.w|o x', 'diW', 'one | x'],
    ['say "he|llo" now', 'di"', 'say "|" now'],
    ['say "he|llo" now', 'da"', 'say |now'],
    ['|say "hello" now', 'ci"x<esc>', 'say "|x" now'],
    ["it '|a\\'b' c", "di'", "it '|' c"],
    ['`|a`', 'di`', '`|`'],
    ['f(a, |b) c', 'di(', 'f(|) c'],
    ['f(a, |b) c', 'da(', 'f| c'],
    ['f((a), |b) c', 'dib', 'f(|) c'],
    ['f|() c', 'di(', 'f(|) c'],
    ['{\n  a|b\n}', 'di{', '{|}'],
    ['[a |b]', 'ci[x<esc>', '[|x]'],
    ['<a |b>', 'di<', '<|>'],
    ['a\n\nb\n|c\n\nd', 'dip', 'a\n\n|\nd'],
    ['one |two', 'di"', 'one |two'],
    ['漢|字 かな', 'diw', '| かな'],
  ]);
});

describe('single keys', () => {
  check([
    ['|one', 'x', '|ne'],
    ['on|e', 'x', 'o|n'],
    ['|one', '2x', '|e'],
    ['|one\ntwo', '9x', '|\ntwo'],
    ['on|e', 'X', 'o|e'],
    ['|one', 'rx', '|xne'],
    ['|one', '2rx', 'x|xe'],
    ['|one', '4rx', '|one'],
    ['o|ne', 'r<cr>', 'o\n|e'],
    ['|one', 'sX<esc>', '|Xne'],
    ['a\n|one\nb', 'SX<esc>', 'a\n|X\nb'],
    ['|oNe', '3~', 'On|E'],
    ['|one\n  two', 'J', 'one| two'],
    ['|one\ntwo\nthree', '3J', 'one two| three'],
    ['o|ne', 'ix<esc>', 'o|xne'],
    ['o|ne', 'ax<esc>', 'on|xe'],
    ['  o|ne', 'Ix<esc>', '  |xone'],
    ['o|ne', 'Ax<esc>', 'one|x'],
    ['o|ne\ntwo', 'ox<esc>', 'one\n|x\ntwo'],
    ['one\nt|wo', 'Ox<esc>', 'one\n|x\ntwo'],
    ['|', 'iword<esc>', 'wor|d'],
    ['|a', '3ix<esc>', 'xx|xa'],
  ]);
});

describe('the register', () => {
  check([
    ['|one two', 'dwp', 'tone| wo'],
    ['one\n|two', 'yyp', 'one\ntwo\n|two'],
    ['one\n|two', 'yyP', 'one\n|two\ntwo'],
    ['|one\ntwo', 'ddp', 'two\n|one'],
    ['|ab', 'xp', 'b|a'],
    ['|one two', 'yw$p', 'one twoone| '],
    ['|one two', 'yiwwP', 'one on|etwo'],
    ['|one', 'yl3p', 'ooo|one'],
    ['|one two', 'Yjp', 'one two\n|one two'],
    ['|a', 'p', '|a'],
  ]);
});

describe('undo, redo, again', () => {
  check([
    ['|one two', 'dwu', '|one two'],
    ['|one two', 'dwu<c-r>', '|two'],
    ['|', 'ione two three<esc>u', '|'],
    ['|one', 'A two three<esc>u', '|one'],
    ['|one two three', 'cwx<esc>u', '|one two three'],
    ['|one two three four', 'dw.', '|three four'],
    ['|one two three four', 'dw2.', '|four'],
    ['|a b', 'cwx<esc>w.', 'x |x'],
    ['|abc', 'x.', '|c'],
    ['|a\nb', 'A;<esc>j.', 'a;\nb|;'],
    ['|a', 'ox<esc>.', 'a\nx\n|x'],
    ['|abc', 'rxl.', 'x|xc'],
    ['|abcd', 'xxuu', '|abcd'],
    ['|abcd', 'xxuu<c-r><c-r>', '|cd'],
    ['|abcd', 'xux<c-r>', '|bcd'],
  ]);
});

describe('visual', () => {
  check([
    ['|one two', 'vd', '|ne two'],
    ['|one two', 'vlld', '| two'],
    ['one |two', 'vbd', '|wo'],
    ['|one two', 'vey$p', 'one twoon|e'],
    ['|one\ntwo\nthree', 'Vjd', '|three'],
    ['|one two', 'viwd', '| two'],
    ['f(a|b)', 'vi(cx<esc>', 'f(|x)'],
    ['|one two', 've~', '|ONE two'],
    ['|ONE two', 'veu', '|one two'],
    ['|one two', 'veU', '|ONE two'],
    ['|one two', 'verx', '|xxx two'],
    ['|one\ntwo', 'Vj>', '  |one\n  two'],
    ['|one\ntwo', 'VjJ', 'one| two'],
    ['o|ne two', 'vlohd', '| two'],
    ['|one two', 'v<esc>x', '|ne two'],
    ['|one two', 'ywwviwp', 'one one| '],
    ['|one two', 'vvx', '|ne two'],
  ]);
});

describe('modes', () => {
  test('Esc only leaves insert mode; the next Esc does what it always does', () => {
    const outcomes = typeAll(vimComposer('', 'insert'), strokesOfKeys('ab<esc><esc>'));
    expect(outcomes.map(({ effect }) => effect)).toEqual([
      undefined,
      undefined,
      undefined,
      { type: 'intent', intent: 'escape' },
    ]);
    expect(outcomes.at(-1)?.state.vim?.mode).toBe('normal');
  });

  test('Enter sends in every mode, and the next prompt starts in insert mode', () => {
    for (const keys of ['hi<cr>', 'hi<esc><cr>', 'hi<esc>v<cr>']) {
      const last = typeAll(vimComposer('', 'insert'), strokesOfKeys(keys)).at(-1);
      expect(last?.effect).toEqual({ type: 'submit', draft: { text: 'hi', display: 'hi' } });
      expect(last?.state.vim?.mode).toBe('insert');
    }
  });

  test('/ searches earlier prompts, ? shows the keys on an empty line', () => {
    expect(typed(vimComposer('one'), '/').search).toBeDefined();
    expect(typeAll(vimComposer(''), strokesOfKeys('?')).at(-1)?.effect).toEqual({
      type: 'intent',
      intent: 'help',
    });
  });

  test('keys in one chunk are commands until one enters insert mode', () => {
    const last = typeAll(vimComposer('|one two'), [{ type: 'text', text: 'wcwthree' }]).at(-1);
    expect(last && shown(last.state)).toBe('one three|');
    expect(last?.state.vim?.mode).toBe('insert');
  });

  test('after the search, the mode applies: cursor on a character, or insert mode after sending', () => {
    const state = { ...vimComposer('|one'), sent: [] };
    const withHistory = { ...state, walk: { ...state.walk, entries: ['earlier'], position: 1 } };
    expect(shown(typed(withHistory, '/ear<right>'))).toBe('earlie|r');
    const sent = typeAll(withHistory, strokesOfKeys('/ear<cr>')).at(-1);
    expect(sent?.effect?.type).toBe('submit');
    expect(sent?.state.vim?.mode).toBe('insert');
  });

  test('Ctrl+R redoes in normal mode and searches in insert mode', () => {
    expect(typed(vimComposer('one'), '<c-r>').search).toBeUndefined();
    expect(typed(vimComposer('one', 'insert'), '<c-r>').search).toBeDefined();
  });
});

test('whatever is typed, the text consists of whole graphemes with the cursor between them', () => {
  const texts = [
    'one two.three',
    'f(a, "b c")\n\n  x = {1}',
    '漢字 かな ok',
    '👩‍👩‍👧 e\u0301x 🇩🇪🇫🇷',
    'שלום עולם',
    '',
  ];
  const key = fc.constantFrom(
    ...'hjklwbeWBE0^$gGfFtT;,%{}dcy><xXrsSDCYpPuJ~oOaAiIvV.12359i"(w\'p漢e\u0301'.split(''),
    ...['<esc>', '<esc>', '<c-r>', '<cr>', '<bs>', '<left>', '🇩🇪', '👍', '\u0301', ' ', '['],
  );
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(key, { maxLength: 60 }), (text, keys) => {
      let state = vimComposer(text);
      for (const stroke of keys.flatMap((one) => strokesOfKeys(one))) {
        state = typeAll(state, [stroke]).at(-1)?.state ?? state;
        const { units, cursor } = state.buffer;
        expect(cursor).toBeGreaterThanOrEqual(0);
        expect(cursor).toBeLessThanOrEqual(units.length);
        expect(units).toEqual(unitsOf(expand(units)));
        const { vim } = state;
        if (vim === undefined || vim.mode === 'insert' || state.search !== undefined) continue;
        expect(cursor === lineEnd(units, cursor) && cursor > lineStart(units, cursor)).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
});

test('redo restores undone changes step by step', () => {
  const key = fc.constantFrom(
    'x',
    'dw',
    'D',
    'J',
    'p',
    '~',
    'cwok<esc>',
    'Anew<esc>',
    'ox<esc>',
    '>>',
    'w',
    'b',
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 12 }), (keys) => {
      const end = typed(vimComposer('one two\nthree.four'), keys.join(''));
      const back = typed(end, 'u'.repeat(keys.length));
      expect(expand(back.buffer.units)).toBe('one two\nthree.four');
      expect(expand(typed(back, '<c-r>'.repeat(keys.length)).buffer.units)).toBe(expand(end.buffer.units));
    }),
    { numRuns: 150 },
  );
  expect(segment('👩‍👩‍👧')).toHaveLength(1);
});
