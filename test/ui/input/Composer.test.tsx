import { Box, render, Text, useInput } from 'ink';
import { createRef } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { Composer, type ComposerHandle } from '../../../src/ui/input/Composer.tsx';
import type { Draft } from '../../../src/ui/input/composerState.ts';
import { ERASED } from '../../../src/ui/keys/keymap.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { createScreen, keys } from '../screen.ts';

type ComposerProps = Parameters<typeof Composer>[0];

const theme = chooseTheme('plain', { noColor: true });
const running: { unmount(): void }[] = [];
afterEach(() => {
  for (const app of running.splice(0)) app.unmount();
});

/** Another component that has the keyboard. */
function Dialog() {
  useInput(() => {});
  return <Text>dialog</Text>;
}

/** Frames are not held back, so that tests need not wait for them. */
const inkOptions = { interactive: true, exitOnCtrlC: false, patchConsole: false, maxFps: 250 };

let drawn = 0;

/** Stands in for the transcript, and counts its redraws. */
function Neighbor() {
  drawn++;
  return <Text>neighbor</Text>;
}

/** Mounts a composer below some other rows in a terminal, and records its calls to the owner. */
async function mount(
  options: Partial<ComposerProps> & {
    columns?: number;
    rows?: number;
    entries?: string[];
    above?: string[];
  } = {},
) {
  const { columns = 40, rows = 16, entries = [], above = ['above'], ...rest } = options;
  const screen = createScreen({ columns, rows, quietMs: 20 });
  const handle = createRef<ComposerHandle>();
  const sent: Draft[] = [];
  const intents: string[] = [];
  const added: string[] = [];
  const props: ComposerProps = {
    isActive: true,
    width: columns,
    maxRows: 5,
    theme,
    history: {
      load: async () => entries,
      add: async (text) => {
        added.push(text);
      },
    },
    completion: {
      commands: () => [
        { name: 'help', description: 'lists the commands' },
        { name: 'compact', description: 'makes room' },
        ...Array.from({ length: 10 }, (_, at) => ({ name: `other${at}`, description: 'another' })),
      ],
      files: async () => ['src/index.ts', 'src/my file.ts', 'README.md'],
    },
    onSubmit: (draft) => sent.push(draft),
    onIntent: (intent, { empty }) => intents.push(empty ? `${intent} empty` : intent),
    popQueued: () => undefined,
    ref: handle,
    ...rest,
  };
  const tree = (rowsAbove: string[], change: Partial<ComposerProps> = {}) => (
    <Box flexDirection="column">
      {rowsAbove.map((row) => (
        <Text key={row}>{row}</Text>
      ))}
      <Box paddingLeft={1}>
        <Composer {...props} width={columns - 1} {...change} />
      </Box>
      {change.isActive === false ? <Dialog /> : <Text>below</Text>}
    </Box>
  );
  const app = render(tree(above), { ...screen, ...inkOptions });
  running.push(app);
  await screen.settle();
  return {
    screen,
    sent,
    intents,
    added,
    text: () => handle.current?.text(),
    handle: () => {
      if (handle.current === null) throw new Error('not mounted');
      return handle.current;
    },
    /** The rows of the composer, without its surroundings. */
    rows: () => screen.text().filter((row) => !above.includes(row) && row !== 'below'),
    show: async (rowsAbove: string[], change?: Partial<ComposerProps>) => {
      app.rerender(tree(rowsAbove, change));
      await screen.settle();
    },
  };
}

const { ctrl, alt } = keys;

describe('typing', () => {
  test('shows the text with the terminal cursor at the insertion point after every key', async () => {
    const { screen, rows } = await mount();
    let cells = 0;
    for (const [key, width] of [
      ['a', 1],
      ['漢', 2],
      ['👨‍👩‍👧', 2],
      ['é', 1],
      ['🇩🇪', 2],
      [' ', 1],
      ['x', 1],
    ] as const) {
      await screen.press(key);
      cells += width;
      expect(screen.cursor()).toEqual({ x: 3 + cells, y: 1 });
    }
    expect(screen.isCursorVisible()).toBe(true);
    expect(rows()).toEqual([' ❯ a漢👨‍👩‍👧é🇩🇪 x']);
    await screen.press(keys.left, keys.left, keys.left);
    expect(screen.cursor()).toEqual({ x: 3 + 6, y: 1 });
    await screen.press(keys.backspace, keys.backspace);
    expect(rows()).toEqual([' ❯ a漢🇩🇪 x']);
    expect(screen.cursor()).toEqual({ x: 3 + 3, y: 1 });
  });

  test('keeps the cursor on the insertion point when the rows above grow', async () => {
    const { screen, show } = await mount();
    await screen.press('hi');
    await show(['above', 'and more', 'and yet more']);
    expect(screen.cursor()).toEqual({ x: 5, y: 3 });
  });

  test('wraps, scrolls within its rows, and follows the cursor', async () => {
    const { screen, rows } = await mount({ columns: 14, maxRows: 3 });
    await screen.press('0123456789'.repeat(3));
    // Eleven cells for text, the last of them kept for the cursor.
    expect(rows()).toEqual([' ❯ 0123456789', '   0123456789', '   0123456789']);
    expect(screen.cursor()).toEqual({ x: 13, y: 3 });
    await screen.press('a');
    expect(rows()).toEqual([' ❯ 0123456789', '   0123456789', '   a']);
    await screen.press(keys.up, keys.up, keys.up);
    expect(screen.cursor().y).toBe(1);
    await screen.press('X');
    expect(rows()[0]).toBe(' ❯ 0X12345678');
  });

  test('adapts to a narrower and a wider terminal', async () => {
    const { screen, show, text } = await mount({ columns: 40 });
    await screen.press('some words to wrap 漢字');
    screen.resize(16, 16);
    await show(['above'], { width: 15 });
    expect(screen.text().join('').replaceAll(' ', '')).toContain('somewordstowrap漢字');
    screen.resize(40, 16);
    await show(['above'], { width: 39 });
    expect(screen.text()).toContain(' ❯ some words to wrap 漢字');
    expect(text()).toBe('some words to wrap 漢字');
  });

  test('shows a placeholder only while empty', async () => {
    const { screen, rows } = await mount({ placeholder: 'Ask anything' });
    expect(rows()).toEqual([' ❯ Ask anything']);
    expect(screen.cursor()).toEqual({ x: 3, y: 1 });
    await screen.press('a');
    expect(rows()).toEqual([' ❯ a']);
  });
});

describe('Enter', () => {
  test('sends the draft, empties the composer and remembers what was sent', async () => {
    const { screen, sent, added, rows } = await mount();
    await screen.press('hello', keys.enter);
    expect(sent).toEqual([{ text: 'hello', display: 'hello' }]);
    expect(added).toEqual(['hello']);
    expect(rows()).toEqual([' ❯']);
    await screen.press('  ', keys.enter);
    expect(sent).toHaveLength(1);
  });

  test('sends when it arrives in one chunk with the text', async () => {
    const { screen, sent } = await mount();
    await screen.press('hello\r');
    expect(sent.map((draft) => draft.text)).toEqual(['hello']);
  });

  test.each([
    ['backslash', ['\\', keys.enter]],
    ['Ctrl+J', [ctrl('j')]],
    ['Shift+Enter', [keys.shiftEnter]],
    ['Alt+Enter', [keys.altEnter]],
  ])('%s inserts a new line instead', async (_name, newline) => {
    const { screen, sent, rows } = await mount();
    await screen.press('one', ...newline, 'two');
    expect(rows()).toEqual([' ❯ one', '   two']);
    expect(screen.cursor()).toEqual({ x: 6, y: 2 });
    await screen.press(keys.enter);
    expect(sent[0]?.text).toBe('one\ntwo');
  });
});

describe('a paste', () => {
  const long = Array.from({ length: 120 }, (_, at) => `line ${at} 漢字`).join('\n');

  test('is shown folded, sent in full, and is one cursor step', async () => {
    const { screen, sent, rows } = await mount();
    await screen.press('see ', keys.paste(long), '!');
    expect(rows()).toEqual([' ❯ see [Pasted text #1 +120 lines]!']);
    await screen.press(keys.left, keys.left);
    expect(screen.cursor().x).toBe(3 + 'see '.length);
    await screen.press(keys.enter);
    expect(sent).toEqual([{ text: `see ${long}!`, display: 'see [Pasted text #1 +120 lines]!' }]);
  });

  test('of a few words is plain text without control characters', async () => {
    const { screen, rows } = await mount();
    await screen.press(keys.paste('two\r\nli\u001B[31mnes\u0007'));
    expect(rows()).toEqual([' ❯ two', '   li[31mnes']);
  });

  test('of ten megabytes arrives in full', { tags: 'long' }, async () => {
    const { screen, sent } = await mount();
    const text = 'a line of text 漢字\n'.repeat(500_000);
    await screen.press(keys.paste(text));
    await screen.waitFor((rows) => rows.some((row) => row.includes('+500000 lines')), 15_000);
    await screen.press('.', keys.enter);
    expect(sent[0]?.text.length).toBe(text.length + 1);
  });

  test('typed by a terminal without bracketed paste is also folded', async () => {
    const { screen, rows, sent } = await mount();
    await screen.press(long.replaceAll('\n', '\r'));
    expect(rows()).toEqual([' ❯ [Pasted text #1 +120 lines]']);
    expect(sent).toEqual([]);
  });
});

describe('history', () => {
  test('is entered with ↑ on the first row and left with ↓ on the last; the draft is kept', async () => {
    const { screen, text } = await mount({ entries: ['first', 'second\nlines'] });
    await screen.press('draft', keys.up);
    expect(text()).toBe('second\nlines');
    await screen.press(keys.up);
    expect(text()).toBe('second\nlines');
    await screen.press(keys.up);
    expect(text()).toBe('first');
    await screen.press(keys.down, keys.down, keys.down);
    expect(text()).toBe('draft');
  });

  test('reports edits by keys and pastes, but not that it was cleared', async () => {
    let edits = 0;
    const { screen, handle } = await mount({ onEdit: () => void edits++ });
    await screen.press('a', keys.left, keys.paste('b'));
    handle().clear();
    expect(edits).toBe(2);
  });

  test('brings back a cleared draft first, and then the newest prompt', async () => {
    const { screen, handle, text, added } = await mount({ entries: ['first', 'second'] });
    await screen.press(keys.up, keys.up, 'x');
    expect(text()).toBe('firstx');
    handle().clear();
    await screen.settle();
    expect(text()).toBe('');
    await screen.press(keys.up);
    expect(text()).toBe('firstx');
    await screen.press(keys.up);
    expect(text()).toBe('second');
    handle().clear();
    await screen.press(keys.up);
    expect(text()).toBe('firstx');
    expect(added).toEqual([]);
  });

  test('includes prompts of this run, and old commands do not open the popup', async () => {
    const { screen, text, rows } = await mount();
    await screen.press('/hel');
    await screen.waitFor((all) => all.some((row) => row.includes('› /help')));
    await screen.press(keys.tab, keys.enter);
    await screen.press('next', keys.enter);
    await screen.press(keys.up, keys.up);
    expect(text()).toBe('/help');
    expect(rows()).toEqual([' ❯ /help']);
  });

  test('comes after the queue: ↑ in an empty composer takes back the newest queued message', async () => {
    const queue = ['one', 'two'];
    const { screen, text } = await mount({ entries: ['old'], popQueued: () => queue.pop() });
    await screen.press('x', keys.up);
    expect(text()).toBe('old');
    await screen.press(keys.down, keys.backspace, keys.up);
    expect(text()).toBe('two');
    expect(queue).toEqual(['one']);
  });
});

describe('completion', () => {
  test('of commands shows at most eight; ↑ and ↓ move, Enter accepts and then sends', async () => {
    const { screen, rows, sent, text } = await mount({ maxRows: 9 });
    await screen.press('/');
    await screen.waitFor((all) => all.some((row) => row.includes('/compact')));
    expect(rows()).toHaveLength(1 + 8);
    expect(rows()[1]).toMatch(/^ +› \/help +lists the commands$/);
    await screen.press(keys.down);
    expect(rows()[2]).toContain('› /compact');
    await screen.press(keys.up, keys.up);
    expect(rows().at(-1)).toContain('› /other9');
    await screen.press(keys.down, keys.down, keys.enter);
    expect(text()).toBe('/compact ');
    expect(rows()).toEqual([' ❯ /compact']);
    await screen.press('focus', keys.enter);
    expect(sent[0]?.text).toBe('/compact focus');
  });

  test('a command typed before commands were loaded gets suggestions once they are', async () => {
    const files = async () => [];
    const { screen, rows, show } = await mount({ completion: { commands: () => [], files } });
    await screen.press('/hel');
    expect(rows()).toEqual([' ❯ /hel']);
    const commands = () => [{ name: 'help', description: 'lists the commands' }];
    await show(['above'], { completion: { commands, files } });
    await screen.waitFor((all) => all.some((row) => row.includes('› /help')));
  });

  test('the popup and a long draft share the rows, so the screen never overflows', async () => {
    const { screen, rows } = await mount({ maxRows: 6 });
    await screen.press(keys.paste('one\ntwo'), ctrl('j'), 'three', ctrl('j'), 'four', ctrl('j'), 'five @');
    await screen.waitFor((all) => all.some((row) => row.includes('› src/')));
    expect(rows().map((row) => row.trim())).toEqual(['❯ three', 'four', 'five @', '› src/', 'README.md']);
    expect(screen.cursor().y).toBe(3);
  });

  test('Enter on a complete command sends it', async () => {
    const { screen, sent } = await mount();
    await screen.press(...'/help');
    await screen.waitFor((all) => all.some((row) => row.includes('› /help')));
    await screen.press(keys.enter);
    expect(sent[0]?.text).toBe('/help');
  });

  test('of files: folder by folder, quoted where needed', async () => {
    const { screen, rows, text } = await mount();
    await screen.press('read @');
    await screen.waitFor((all) => all.some((row) => row.includes('› src/')));
    await screen.press(keys.tab);
    expect(text()).toBe('read @src/');
    expect(
      rows()
        .slice(1)
        .map((row) => row.trim()),
    ).toEqual(['› src/index.ts', 'src/my file.ts']);
    await screen.press(keys.down, keys.tab);
    expect(text()).toBe('read @"src/my file.ts" ');
    expect(rows()).toHaveLength(1);
  });

  test('Esc first closes the popup, and only then reaches the owner', async () => {
    const { screen, rows, intents, text } = await mount();
    await screen.press('/');
    await screen.waitFor((all) => all.some((row) => row.includes('/compact')));
    await screen.press(keys.escape, 'c');
    expect(rows()).toEqual([' ❯ /c']);
    expect(intents).toEqual([]);
    await screen.press(keys.escape);
    expect(intents).toEqual(['escape']);
    expect(text()).toBe('/c');
  });
});

describe('the owner', () => {
  test('gets its own keys', async () => {
    const { screen, intents } = await mount();
    await screen.press(ctrl('c'), ctrl('d'), 'ab', ctrl('c'), keys.shiftTab, ctrl('l'), ctrl('a'), ctrl('d'));
    expect(intents).toEqual(['clear_or_exit empty', 'eof empty', 'clear_or_exit', 'cycle_mode', 'redraw']);
  });

  test('can take the keyboard for a dialog without losing characters', async () => {
    const { screen, show, text, rows } = await mount();
    await screen.press('draft', keys.paste('a\nb\nc'));
    await show(['above'], { isActive: false });
    expect(screen.isCursorVisible()).toBe(false);
    await screen.press('y', keys.enter);
    expect(rows()).toContain(' ❯ draft[Pasted text #1 +3 lines]');
    await show(['above']);
    await screen.press('!');
    expect(text()).toBe('drafta\nb\nc!');
  });

  test('can set, precede and clear the draft, and undo restores it', async () => {
    const { screen, handle, text } = await mount({ initialText: 'first' });
    expect(text()).toBe('first');
    handle().prependText('queued');
    expect(text()).toBe('queued\nfirst');
    handle().prependText('!ls');
    // In the shell, the draft would be part of the command.
    expect(text()).toBe(' !ls\nqueued\nfirst');
    handle().setText('queued\nfirst');
    handle().clear();
    expect(text()).toBe('');
    await screen.press(ctrl('_'));
    expect(text()).toBe('queued\nfirst');
    handle().setText('other');
    expect(text()).toBe('other');
  });

  test('continues a draft with what was typed elsewhere, Backspace included', async () => {
    const { handle, text } = await mount({ initialText: 'fix' });
    for (const typed of [' ', 'i', 'r', ERASED, 't']) handle().typeOn?.(typed);
    expect(text()).toBe('fix it');
    handle().clear();
    // A key alone may have been meant for the dialog.
    handle().typeOn?.('y');
    expect(text()).toBe('');
  });

  test('is not redrawn by a key', async () => {
    drawn = 0;
    const screen = createScreen({ columns: 40, rows: 8, quietMs: 20 });
    const props: ComposerProps = {
      isActive: true,
      width: 40,
      maxRows: 4,
      theme,
      history: { load: async () => [], add: async () => {} },
      completion: { commands: () => [], files: async () => [] },
      onSubmit: () => {},
      onIntent: () => {},
      popQueued: () => undefined,
    };
    const app = render(
      <Box flexDirection="column">
        <Neighbor />
        <Composer {...props} />
      </Box>,
      { ...screen, ...inkOptions },
    );
    running.push(app);
    await screen.press('a', 'b');
    expect(screen.text()).toEqual(['neighbor', '❯ ab']);
    expect(drawn).toBe(1);
  });
});

test('readline keys edit the line', async () => {
  const { screen, text } = await mount();
  await screen.press('one two three', ctrl('w'), ctrl('a'), ctrl('y'), alt('b'), ctrl('k'));
  expect(text()).toBe('');
  await screen.press(ctrl('_'));
  expect(text()).toBe('threeone two ');
  await screen.press(ctrl('e'), ctrl('u'), ctrl('y'));
  expect(text()).toBe('threeone two ');
});

test.each([
  ['!ls', '❯ !ls'],
  ['/x', '❯ /x'],
])('%j shows what Enter will do', async (typed, shown) => {
  const { screen, rows } = await mount();
  await screen.press(typed);
  expect(rows()[0]?.trim()).toBe(shown);
});
