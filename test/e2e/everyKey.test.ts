/** Every key of the keys page in a terminal: the composer's here, the others where their actions are tested. */
import { expect, test } from 'vitest';
import { actions } from '../../src/ui/keys/actions.ts';
import { keys } from '../ui/screen.ts';
import { actionsTried, expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

const { ctrl, alt, home, end, left, right, backspace, pageUp, pageDown } = keys;
const ctrlLeft = '\u001B[1;5D';
const ctrlRight = '\u001B[1;5C';

/** A draft, keys, and the text after a bar is typed: the bar shows where the cursor is. */
const edits: readonly (readonly [
  action: string,
  draft: string,
  pressed: readonly string[],
  shown: string,
])[] = [
  // First: ↑ also brings back drafts that were cleared, here that of the first row.
  ['history:previous', '', [ctrl('p')], 'the last prompt|'],
  ['history:previous', '', [keys.up, keys.up], 'the last prompt|'],
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
  ['history:next', 'draft', [keys.up, ctrl('n')], 'draft|'],
  ['chat:complete', '/the', [keys.tab], '/theme |'],
  ['autocomplete:accept', '/the', [keys.tab], '/theme |'],
  ['autocomplete:next', '/re', [keys.down, keys.tab], '/resume |'],
  ['autocomplete:previous', '/re', [ctrl('n'), ctrl('p'), keys.tab], '/rewind |'],
  ['autocomplete:dismiss', '/the', [keys.escape, ' '], '/the |'],
  ['chat:stash', 'aside', [ctrl('s'), 'x', backspace, ctrl('s')], 'aside|'],
];

test('every key of the keys page is pressed in a terminal, and its effect is seen', () => {
  const tried = new Set([...edits.map(([action]) => action), ...actionsTried()]);
  expect(edits.filter(([action]) => !actions.some(({ name }) => name === action))).toEqual([]);
  const withKeys = actions.filter(({ keys }) => keys.length > 0).map(({ name }) => name);
  expect(withKeys.filter((name) => !tried.has(name))).toEqual([]);
});

test('the keys of the composer, with text in several scripts', long, async () => {
  const { server, ready } = await setUpProgram();
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
  expectTried(terminal, 'chat:modelPicker', 'chat:thinkingToggle');
});

test('the keys of the history search', long, async () => {
  const { server, ready } = await setUpProgram();
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
  // Leave, cancel: the draft is unchanged. The scope cycles.
  await search(ctrl('c'));
  await become('kept');
  await search(ctrl('s'));
  await terminal.waitFor('search all projects');
  await terminal.press(ctrl('g'));
  await become('kept');
  // Execute.
  await search(ctrl('r'), keys.enter);
  await terminal.until(() => server.requests().length === 3, 'the prompt');
  expectTried(
    terminal,
    'historySearch:next',
    'historySearch:previous',
    'historySearch:accept',
    'historySearch:dismiss',
    'historySearch:leave',
    'historySearch:scope',
    'historySearch:cancel',
    'historySearch:execute',
  );
});

test('the keys of the transcript', long, async () => {
  const { server, ready } = await setUpProgram();
  const rows = Array.from({ length: 200 }, (_, row) => `row ${row}.`);
  server.script({ text: `\`\`\`\n${rows.join('\n')}\n\`\`\`` });
  const terminal = await ready([], { columns: 80, rows: 20 });
  await terminal.submit('count');
  await terminal.waitForPrinted('row 199.');
  await terminal.waitForIdle();
  await terminal.press(ctrl('o'));
  await terminal.waitFor('q back');
  await terminal.waitFor('row 199.');
  const firstRow = (): number => Number(/row (\d+)\./.exec(terminal.screen())?.[1]);
  const moves = async (key: string, by: number): Promise<void> => {
    const wanted = firstRow() + by;
    await terminal.press(key);
    await terminal.until(() => firstRow() === wanted, `${JSON.stringify(key)} moves by ${by}`);
  };
  for (const key of [pageUp, 'b', ctrl('b')]) await moves(key, -18);
  for (const key of [keys.up, 'k', ctrl('p')]) await moves(key, -1);
  for (const key of [keys.down, 'j', keys.enter]) await moves(key, 1);
  for (const key of ['u', ctrl('u')]) await moves(key, -9);
  for (const key of ['d', ctrl('d')]) await moves(key, 9);
  for (const key of [pageDown, ' ', 'f']) await moves(key, 18);
  await terminal.press('/');
  await terminal.type('row 15');
  await terminal.waitFor(/^\/row 15$/m);
  await terminal.press(keys.enter);
  await terminal.waitFor(/match \d+ of 11/);
  const at = (): number => Number(/match (\d+) of 11/.exec(terminal.screen())?.[1]);
  const first = at();
  await terminal.press('N');
  await terminal.until(() => at() === first - 1, 'previous match');
  await terminal.press('n');
  await terminal.until(() => at() === first, 'the next match');
  await terminal.press('{');
  await terminal.waitFor(/^> count/m);
  await terminal.press(ctrl('c'));
  await terminal.waitFor('❯ Ask for');
  expectTried(
    terminal,
    'scroll:pageUp',
    'scroll:lineUp',
    'scroll:lineDown',
    'scroll:halfPageUp',
    'scroll:halfPageDown',
    'scroll:pageDown',
    'transcript:search',
    'transcript:searchPrevious',
    'transcript:searchNext',
    'transcript:previousPrompt',
  );
});

test('the keys of a question', long, async () => {
  const { server, work, ready } = await setUpProgram();
  const content = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  const write = { name: 'Write', input: { file_path: 'new.txt', content } };
  server.script({ calls: [write] }, { calls: [write] });
  const terminal = await ready([], { columns: 80, rows: 24 });
  await terminal.submit('write it');
  await terminal.waitFor('lines 1–');
  await terminal.press(pageDown);
  await terminal.waitForGone('lines 1–');
  await terminal.press(pageUp);
  await terminal.waitFor('lines 1–');
  await terminal.answer(keys.down);
  await terminal.waitFor('❯ 2. ');
  await terminal.press(keys.up);
  await terminal.waitFor('❯ 1. Yes');
  await terminal.press('n');
  const stops = (): number => terminal.everything().split('Interrupted.').length - 1;
  await terminal.until(() => stops() === 1, 'no');
  await terminal.waitForIdle();
  await terminal.submit('once more');
  await terminal.waitFor('lines 1–');
  await terminal.press(keys.escape);
  await terminal.until(() => stops() === 2, 'no again');
  await expect(work.read('new.txt')).rejects.toThrow();
  expectTried(
    terminal,
    'confirm:pageDown',
    'confirm:pageUp',
    'confirm:next',
    'confirm:previous',
    'confirm:no',
    'confirm:cancel',
  );
});

test('the keys of the background tasks', long, async () => {
  const { ready } = await setUpProgram();
  const terminal = await ready([], { columns: 80 });
  await terminal.submit('!echo läuft; exec sleep 300');
  await terminal.waitFor(/^(?!.*echo).*läuft$/m);
  await terminal.waitFor('esc to interrupt');
  await terminal.press(ctrl('b'));
  await terminal.waitForIdle();
  await terminal.submit('/tasks');
  await terminal.waitFor(/❯ b1 /);
  await terminal.press(right);
  await terminal.waitFor('Esc back to the list');
  await terminal.press(left);
  await terminal.waitFor('Enter shows its output');
  await terminal.press('q');
  await terminal.waitForGone('Background tasks');
  expectTried(terminal, 'tasks:open', 'tasks:back', 'tasks:close');
});

test('the keys of the list of sessions', long, async () => {
  const { server, ready } = await setUpProgram();
  server.otherwise(() => ({ text: 'Heard.' }));
  const terminal = await ready([], { columns: 100 });
  await terminal.submit('the first session');
  await terminal.waitForPrinted('Heard.');
  await terminal.waitForIdle();
  await terminal.submit('/clear');
  await terminal.waitForPrinted('New session.');
  await terminal.submit('the second session');
  await terminal.until(() => terminal.everything().split('Heard.').length === 3, 'the second answer');
  await terminal.waitForIdle();
  await terminal.submit('/resume');
  await terminal.waitFor(/1 \/ 2/);
  await terminal.press(end);
  await terminal.waitFor(/2 \/ 2/);
  await terminal.press(pageUp);
  await terminal.waitFor(/1 \/ 2/);
  await terminal.press('?');
  await terminal.waitFor('Press any key to go back');
  await terminal.press('x');
  await terminal.waitForGone('Press any key to go back');
  await terminal.press('/');
  await terminal.waitFor('Search:');
  await terminal.press(ctrl('f'));
  await terminal.waitFor('Filter:');
  await terminal.press(end);
  await terminal.waitFor(/2 \/ 2/);
  await terminal.press(ctrl('g'));
  await terminal.waitForGone('Filter:');
  await terminal.waitForPrinted(/the first session[\s\S]*the second session[\s\S]*the first session/);
  expectTried(terminal, 'select:pageUp', 'sessions:help', 'sessions:search', 'sessions:fork');
});

test('the keys of a form', long, async () => {
  const { work, open } = await setUpProgram();
  const terminal = open([], { env: work.env({ CLAWDCODE_LOCAL_SERVERS: 'none' }) });
  await terminal.waitFor('Paste a key');
  await terminal.answer('k');
  await terminal.waitFor('Model:');
  const fieldAt = (name: string): boolean =>
    terminal.screen().split('\n')[terminal.cursor().y]?.startsWith(name) === true;
  for (const [key, name] of [
    [keys.tab, 'Endpoint:'],
    [keys.down, 'Model:'],
    [keys.shiftTab, 'Endpoint:'],
    [keys.up, 'Key:'],
  ] as const) {
    await terminal.press(key);
    await terminal.until(() => fieldAt(name), name);
  }
  await terminal.press(keys.escape);
  await terminal.waitFor('Paste a key');
  expectTried(terminal, 'form:next', 'form:previous', 'form:cancel');
});
