/** The search, stashed drafts, chords, the user's own keys and vim keys, on a screen. */
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';
import { keys } from '../screen.ts';
import { mountComposer } from './composerScreen.tsx';

const { ctrl, alt } = keys;
const entries = ['fix the parser', 'run\nall tests', 'fix the lexer', '検索 する'];

describe('the history search', () => {
  test('searches while typing, finds older matches with Ctrl+R, and sends with Enter', async () => {
    const { screen, rows, sent } = await mountComposer({ entries });
    await screen.press('draft', ctrl('r'), 'fix');
    expect(rows()[0]).toContain('fix the lexer');
    expect(rows()[1]).toContain('search this project: fix  1/2');
    await screen.press(ctrl('r'));
    expect(rows()[0]).toContain('fix the parser');
    await screen.press(keys.enter);
    expect(sent).toEqual(['fix the parser']);
    expect(rows()).toEqual([' ❯'].map((row) => row.trim()));
  });

  test.each([
    ['Tab', keys.tab],
    ['→', keys.right],
    ['Esc', keys.escape],
  ])('%s puts the match into the composer, and undo restores the draft', async (_name, key) => {
    const { screen, sent, text } = await mountComposer({ entries });
    await screen.press('draft', ctrl('r'), 'tests', key);
    expect(text()).toBe('run\nall tests');
    await screen.press(ctrl('_'));
    expect(text()).toBe('draft');
    expect(sent).toEqual([]);
  });

  test.each([
    ['Ctrl+C', ctrl('c')],
    ['Ctrl+G', ctrl('g')],
  ])('%s cancels and keeps the draft', async (_name, key) => {
    const { screen, intents, rows, text } = await mountComposer({ entries });
    await screen.press('draft', ctrl('r'), 'fix', key);
    expect(text()).toBe('draft');
    expect(rows()).toEqual(['❯ draft']);
    expect(intents).toEqual([]);
  });

  test('continues with all projects, then with this session only', async () => {
    const { screen, rows, sent } = await mountComposer({
      entries,
      everywhere: ['from elsewhere', ...entries],
    });
    await screen.press('mine', keys.enter, ctrl('r'), ctrl('s'), 'else');
    await screen.waitFor((all) => all.some((row) => row.includes('from elsewhere')));
    expect(rows()[1]).toContain('all projects');
    await screen.press(ctrl('s'));
    expect(rows()[1]).toContain('this session: else  nothing found');
    await screen.press(keys.enter);
    expect(sent).toEqual(['mine']);
    await screen.press(ctrl('u'));
    expect(rows()[0]).toContain('mine');
  });

  test('the cursor is in the query after every key, in any script, even at 20 columns', {
    tags: 'long',
  }, async () => {
    for (const columns of [20, 60]) {
      const { screen, rows } = await mountComposer({ entries, columns });
      await screen.press(ctrl('r'));
      const label = columns === 20 ? '? ' : 'search this project: ';
      let query = '';
      for (const grapheme of ['検', '索', ' ', '👩‍👩‍👧', 'e\u0301', 'x']) {
        query += grapheme;
        await screen.press(grapheme);
        const { x, y } = screen.cursor();
        expect(rows()[y - 1]).toContain(label.trim());
        if (columns === 60) expect(x).toBe(2 + label.length + stringWidth(query));
        for (const row of rows()) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('a long prompt is readable within the available rows', async () => {
    const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    const { screen, rows } = await mountComposer({ entries: [long], maxRows: 5 });
    await screen.press(ctrl('r'), 'line 20');
    expect(rows().map((row) => row.trim().replace('❯ ', ''))).toEqual([
      'line 19',
      'line 20',
      'line 21',
      'line 22',
      expect.stringContaining('line 20  1/1'),
    ]);
  });

  test('a paste becomes a query on one line', async () => {
    const { screen, rows } = await mountComposer({ entries: ['a b c'] });
    await screen.press(ctrl('r'), keys.paste('a\nb'));
    expect(rows()[1]).toContain(': a b  1/1');
  });
});

describe('a stashed draft', () => {
  test('returns with the same key on an empty line, newest first', async () => {
    const { screen, rows, text } = await mountComposer({ placeholder: 'Ask' });
    await screen.press('one', ctrl('s'), 'two', ctrl('s'));
    expect(text()).toBe('');
    expect(rows()).toEqual(['❯ 2 drafts stashed; Ctrl+S restores it']);
    await screen.press(ctrl('s'));
    expect(text()).toBe('two');
    await screen.press(ctrl('u'), ctrl('s'));
    expect(text()).toBe('one');
    await screen.press(ctrl('u'));
    expect(rows()).toEqual(['❯ Ask']);
  });

  test('returns automatically after the next prompt, folds included', async () => {
    const { screen, sent, rows, text } = await mountComposer();
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    await screen.press('see ', keys.paste(long), ctrl('s'), 'first this', keys.enter);
    expect(sent).toEqual(['first this']);
    expect(rows()).toEqual(['❯ see [Pasted text #1 +40 lines]']);
    expect(text()).toBe(`see ${long}`);
  });

  test('is kept while a dialog is open', async () => {
    const { screen, change, text } = await mountComposer();
    await screen.press('draft', ctrl('s'));
    await change({ isActive: false });
    await change({ isActive: true });
    await screen.press(ctrl('s'));
    expect(text()).toBe('draft');
  });
});

describe('a chord', () => {
  test('shows the possible next keys and runs the action', async () => {
    const { screen, rows, intents } = await mountComposer();
    await screen.press('x', ctrl('x'));
    expect(rows()[1]).toContain('Ctrl+X …  Ctrl+E edit the prompt in $EDITOR');
    await screen.press(ctrl('e'));
    expect(intents).toEqual(['edit_draft']);
    expect(rows()).toEqual(['❯ x']);
  });

  test('times out, and the next key has its usual meaning', { tags: 'long' }, async () => {
    const { screen, rows, intents, text } = await mountComposer();
    await screen.press('x', ctrl('x'));
    await screen.waitFor((all) => !all.some((row) => row.includes('Ctrl+X')));
    await screen.press(ctrl('e'), 'y');
    expect(intents).toEqual([]);
    expect(text()).toBe('xy');
    expect(rows()).toEqual(['❯ xy']);
  });
});

describe('custom keys', () => {
  test('work, function keys included, and removed built-in keys do not', async () => {
    const { keymap, problems } = userKeys({
      Chat: { f5: 'chat:stash', 'ctrl+s': null, 'alt+z': 'chat:undo', 'ctrl+x ctrl+r': 'history:search' },
    });
    expect(problems).toEqual([]);
    const { screen, text, rows } = await mountComposer({ keymap, entries });
    await screen.press('draft', ctrl('s'));
    expect(text()).toBe('draft');
    await screen.press('\u001B[15~');
    expect(text()).toBe('');
    await screen.press('\u001B[15~', alt('z'));
    expect(text()).toBe('');
    await screen.press(ctrl('x'), ctrl('r'), 'lex');
    expect(rows()[0]).toContain('fix the lexer');
  });

  test('a terminal with the kitty protocol sends the same key', async () => {
    const { keymap } = userKeys({ Chat: { 'alt+z': 'chat:stash', f6: 'chat:stash' } });
    const { screen, text } = await mountComposer({ keymap });
    await screen.press('draft', '\u001B[122;3u');
    expect(text()).toBe('');
    await screen.press('\u001B[17;1:1~');
    expect(text()).toBe('draft');
  });
});

test('? shows the keys on an empty line and is text elsewhere', async () => {
  const { screen, intents, text } = await mountComposer();
  await screen.press('?', 'why', '?');
  expect(intents).toEqual(['help']);
  expect(text()).toBe('why?');
});

describe('vim keys', () => {
  test('the symbol shows the mode, the cursor is on a character, and Esc interrupts only in normal mode', async () => {
    const { screen, rows, intents, change } = await mountComposer({ vim: true });
    await screen.press('one 漢字');
    expect(rows()).toEqual(['❯ one 漢字']);
    await screen.press(keys.escape);
    expect(rows()).toEqual(['N one 漢字']);
    expect(screen.cursor()).toEqual({ x: 2 + 6, y: 1 });
    expect(intents).toEqual([]);
    await screen.press('b', 'v');
    expect(rows()).toEqual(['v one 漢字']);
    await screen.press('d', keys.escape);
    expect(intents).toEqual(['escape']);
    expect(rows()).toEqual(['N one 字']);
    await change({ vim: false });
    expect(rows()).toEqual(['❯ one 字']);
    await change({ vim: true });
    await screen.press('x');
    expect(rows()).toEqual(['❯ one x字']);
  });
});
