/** Every key of the keys page in a terminal: those of the composer here, the others where what they do is tested. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actions } from '../../src/ui/keys/actions.ts';
import { keys } from '../ui/screen.ts';
import { setStage } from './support/stage.ts';

const { ctrl, alt, home, end, left, right, backspace } = keys;
const ctrlLeft = '\u001B[1;5D';
const ctrlRight = '\u001B[1;5C';

/** A draft, keys, and what stands there when a bar is typed after them: it shows where the cursor is. */
const edits: readonly (readonly [
  action: string,
  draft: string,
  pressed: readonly string[],
  shown: string,
])[] = [
  ['edit:left', '漢字', [left], '漢|字'],
  ['edit:right', '👩‍👩‍👧b', [home, right], '👩‍👩‍👧|b'],
  ['edit:right', 'ab', [ctrl('a'), ctrl('f')], 'a|b'],
  ['edit:wordLeft', 'one two', [alt('b')], 'one |two'],
  ['edit:wordLeft', 'שלום עולם', [ctrlLeft], 'שלום |עולם'],
  ['edit:wordRight', 'one two', [home, alt('f')], 'one| two'],
  ['edit:wordRight', 'one two', [home, ctrlRight], 'one| two'],
  ['edit:lineStart', 'ab', [ctrl('a')], '|ab'],
  ['edit:lineEnd', 'ab', [home, ctrl('e')], 'ab|'],
  ['edit:lineEnd', 'ab', [home, end], 'ab|'],
  ['edit:start', 'ab', [alt('<')], '|ab'],
  ['edit:end', 'ab', [home, alt('>')], 'ab|'],
  ['edit:deleteBackward', 'a👩‍👩‍👧', [backspace], 'a|'],
  ['edit:deleteForward', 'ab', [home, keys.delete], '|b'],
  ['app:exit', 'ab', [home, ctrl('d')], '|b'],
  ['edit:killLineStart', 'ab', [left, ctrl('u')], '|b'],
  ['edit:killLineEnd', 'ab', [left, ctrl('k')], 'a|'],
  ['edit:killBlankWord', 'one two/three', [ctrl('w')], 'one |'],
  ['edit:killWordBackward', 'one two/three', [alt(backspace)], 'one two/|'],
  ['edit:killWordForward', 'one two', [home, alt('d')], '| two'],
  ['edit:yank', '漢字', [ctrl('w'), 'x', ctrl('y')], 'x漢字|'],
  ['edit:yankPop', 'a b', [ctrl('w'), 'x', ctrl('w'), ctrl('y'), alt('y')], 'a b|'],
  ['chat:undo', 'ab', [ctrl('u'), ctrl('_')], 'ab|'],
  ['chat:newline', 'one', [ctrl('j')], 'one\n  |'],
  ['chat:newline', 'one', [keys.altEnter], 'one\n  |'],
  ['chat:newline', 'one', [keys.shiftEnter], 'one\n  |'],
  ['history:previous', '', [ctrl('p')], 'the last prompt|'],
  ['history:previous', '', [keys.up], 'the last prompt|'],
  ['history:next', 'draft', [keys.up, ctrl('n')], 'draft|'],
  ['chat:complete', '/the', [keys.tab], '/theme |'],
  ['autocomplete:accept', '/the', [keys.tab], '/theme |'],
  ['autocomplete:next', '/re', [keys.down, keys.tab], '/resume |'],
  ['autocomplete:previous', '/re', [ctrl('n'), ctrl('p'), keys.tab], '/rewind |'],
  ['autocomplete:dismiss', '/the', [keys.escape, ' '], '/the |'],
  ['chat:stash', 'aside', [ctrl('s'), 'x', backspace, ctrl('s')], 'aside|'],
];

/** The file that tests what the others do, and how they stand in it. */
const elsewhere: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'app:interrupt': ['interrupt', "ctrl('c')"],
  'app:help': ['keys', "press('?')"],
  'app:suspend': ['keys', "ctrl('z')"],
  'app:toggleTodos': ['tasks', "ctrl('t')"],
  'app:toggleTranscript': ['transcript', "ctrl('o')"],
  'app:redraw': ['screensBytes', "ctrl('l')"],
  'history:search': ['keys', "ctrl('r')"],
  'chat:cancel': ['interrupt', 'keys.escape'],
  'chat:submit': ['composer', 'keys.enter'],
  'chat:cycleMode': ['composer', 'keys.shiftTab'],
  'chat:externalEditor': ['keys', "ctrl('g')"],
  'task:background': ['tasks', "ctrl('b')"],
  'chat:imagePaste': ['images', "ctrl('v')"],
  'chat:vimToggle': ['keys', '/vim'],
};

/** Done below, in dialogs of their own. */
const below = ['chat:modelPicker', 'chat:thinkingToggle'];

test('every action of the keys page is tried in a terminal', async () => {
  const tried = new Set([...edits.map(([action]) => action), ...Object.keys(elsewhere), ...below]);
  const names = actions.map(({ name }) => name);
  expect(names.filter((name) => !tried.has(name) && !name.startsWith('historySearch:'))).toEqual([]);
  expect([...tried].filter((name) => !names.includes(name))).toEqual([]);
  for (const [name, [file, text]] of Object.entries(elsewhere)) {
    const source = await readFile(join(import.meta.dirname, `${file}.test.ts`), 'utf8');
    expect({ name, isThere: source.includes(text) }).toEqual({ name, isThere: true });
  }
});

test('the keys of the composer, with text of several scripts', async () => {
  const { server, ready } = await setStage();
  server.script({ text: 'Heard.' });
  const terminal = await ready();
  await terminal.submit('the last prompt');
  await terminal.waitFor('Heard.');
  await terminal.waitForIdle();
  for (const [action, draft, pressed, shown] of edits) {
    if (draft.startsWith('/')) {
      await terminal.press(draft);
      await terminal.waitFor(/^ {2}› /m);
      await terminal.press(...pressed, '|');
    } else await terminal.press(...(draft === '' ? [] : [draft]), ...pressed, '|');
    await terminal.until(
      () => terminal.screen().includes(`\n❯ ${shown}\n`),
      `${action} makes ${JSON.stringify(draft)} ${JSON.stringify(shown)}`,
    );
    await terminal.press(ctrl('c'));
    await terminal.waitFor('❯ Ask for');
  }
  await terminal.press(alt('t'));
  await terminal.waitFor(/reasoning/i);
  await terminal.press(alt('p'));
  await terminal.waitFor('─ Model');
});

test('the keys of the history search', async () => {
  const { server, ready } = await setStage();
  server.otherwise(() => ({ text: 'Heard.' }));
  const terminal = await ready();
  for (const prompt of ['older 漢字', 'newer 漢字']) {
    await terminal.submit(prompt);
    await terminal.waitFor(`> ${prompt}\n\nHeard.`);
    await terminal.waitForIdle();
  }
  const search = async (...pressed: string[]): Promise<void> => {
    await terminal.press('kept', ctrl('r'), '漢字');
    await terminal.waitFor('1/2');
    await terminal.press(...pressed);
  };
  const become = async (draft: string): Promise<void> => {
    await terminal.waitFor(`\n❯ ${draft}\n`);
    await terminal.press(ctrl('c'));
    await terminal.waitFor('❯ Ask for');
  };
  // Next, previous, accept, dismiss.
  await search(ctrl('r'), keys.tab);
  await become('older 漢字');
  await search(keys.up, keys.down, right);
  await become('newer 漢字');
  await search(keys.escape);
  await become('newer 漢字');
  // Leave, cancel: the draft as it was. The scope goes round.
  await search(ctrl('c'));
  await become('kept');
  await search(ctrl('s'));
  await terminal.waitFor('search all projects');
  await terminal.press(ctrl('g'));
  await become('kept');
  // Execute.
  await search(ctrl('r'), keys.enter);
  await terminal.until(() => server.requests().length === 3, 'the prompt');
});
