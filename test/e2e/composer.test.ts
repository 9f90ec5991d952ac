/** Writing a prompt: all scripts, several lines, pastes, history, completion, the queue. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { resizeDrawn } from './support/resizing.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const slow = { latency: 60, chunkSize: 6 } as const;
const story = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
const PROMPT_WIDTH = 2;
/** Without attachments. */
const lastPrompt = ({ server }: TestProgram): string =>
  (server.requests().at(-1)?.messages ?? [])
    .map(textOf)
    .findLast((text) => !text.startsWith('<system-note')) ?? '';

const scripts = [
  { script: 'mixed', text: 'a漢b字c😀d' },
  { script: 'Chinese', text: '请解释这个函数的作用。' },
  { script: 'Japanese', text: 'このファイルを直して、テスト' },
  { script: 'Korean', text: '이 함수를 고쳐 주세요' },
  { script: 'emoji', text: 'ok 👍 👩‍👩‍👧 🇩🇪 ❤️ x' },
  { script: 'combining marks', text: 'cafe\u0301 naïve' },
];
for (const row of scripts)
  test(`${row.script}: the cursor is at the insertion point after every key`, long, async () => {
    const { text } = row;
    const setup = await setUpProgram();
    setup.server.script({ text: 'Understood.' });
    const terminal = await setup.ready();
    const segments = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
    let typed = '';
    for (const { segment } of segments) {
      typed += segment;
      await terminal.press(segment);
      await expectCursor(terminal, stringWidth(typed));
    }
    expect(terminal.screen()).toContain(`❯ ${text}`);
    for (const { segment } of segments.slice(-3).reverse()) {
      typed = typed.slice(0, -segment.length);
      await terminal.press(keys.left);
      await expectCursor(terminal, stringWidth(typed));
    }
    await terminal.press(keys.end, keys.enter);
    await terminal.waitFor('Understood.');
    expect(lastPrompt(setup)).toBe(text);
    expect(terminal.screen()).toContain(`> ${text}`);
  });

test('wide text wraps at the edge, and the cursor follows', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Understood.' });
  const terminal = await setup.ready([], { columns: 40 });
  const text = '漢字'.repeat(25);
  await terminal.press(keys.paste(text));
  await terminal.waitFor('漢字');
  const rows = terminal
    .screen()
    .split('\n')
    .filter((row) => row.includes('漢'));
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(40);
  expect(rows.map((row) => row.replace(/^❯/, '').trim()).join('')).toBe(text);
  const { x, y } = terminal.cursor();
  expect(terminal.screen().split('\n')[y]?.trimEnd()).toBe(rows.at(-1)?.trimEnd());
  expect(x).toBe(stringWidth(rows.at(-1)?.trimEnd() ?? ''));
  await terminal.press(keys.enter);
  await terminal.waitFor('Understood.');
  expect(lastPrompt(setup)).toBe(text);
});

test('backslash and Enter, Ctrl+J and Alt+Enter insert a new line', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Four lines.' });
  const terminal = await setup.ready();
  // Each key separately: in one chunk, text with an Enter in it is a paste.
  await terminal.type('one\\');
  await terminal.waitFor('❯ one\\');
  await terminal.press(keys.enter);
  await terminal.waitFor(/❯ one$/m);
  await terminal.type('two');
  await terminal.waitFor('two');
  await terminal.press(keys.ctrl('j'));
  await terminal.type('three');
  await terminal.waitFor('three');
  await terminal.press(keys.altEnter);
  await terminal.type('four');
  await terminal.waitFor('four');
  expect(setup.server.requests()).toHaveLength(0);
  await terminal.press(keys.enter);
  await terminal.waitFor('Four lines.');
  expect(lastPrompt(setup)).toBe('one\ntwo\nthree\nfour');
  expectTried(terminal, 'chat:submit');
});

test('a large paste is shown folded and sent in full', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Long.' });
  const terminal = await setup.ready();
  const pasted = Array.from({ length: 3000 }, (_, line) => `line ${line}: 漢字 and \t tabs 😀`).join('\n');
  await terminal.type('Look: ');
  await terminal.press(keys.paste(pasted));
  await terminal.waitFor('[Pasted text #1 +3000 lines]');
  expect(terminal.screen()).not.toContain('line 2999');
  await terminal.type(' — well?');
  await terminal.press(keys.enter);
  await terminal.waitFor('Long.');
  const sent = lastPrompt(setup);
  expect(sent.startsWith('Look: line 0: 漢字')).toBe(true);
  expect(sent.endsWith('line 2999: 漢字 and \t tabs 😀 — well?')).toBe(true);
  expect(sent).toBe(`Look: ${pasted} — well?`);
  expect(terminal.everything()).toContain('> Look: [Pasted text #1 +3000 lines] — well?');
  expect(terminal.everything()).not.toContain('line 2999');
});

test('↑ recalls earlier prompts, in the next session too', long, async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(() => ({ text: 'Yes.' }));
  const first = await setup.ready();
  await first.submit('the first prompt');
  await first.waitFor('Yes.');
  await first.waitForIdle();
  await first.submit('the second prompt');
  await first.until(() => first.everything().split('Yes.').length === 3, 'two answers');
  await first.waitForIdle();
  await first.press(keys.up);
  await first.waitFor('❯ the second prompt');
  await first.press(keys.up);
  await first.waitFor('❯ the first prompt');
  await first.press(keys.down, keys.down);
  await first.waitForGone('❯ the');
  await first.submit('/exit');
  await first.exited;
  const second = await setup.ready();
  // The history is read after the start; the oldest prompt stays if there is none before it.
  for (let many = 0; many < 60 && !second.screen().includes('❯ the first prompt'); many++)
    await second.press(keys.up);
  await second.waitFor('❯ the first prompt');
});

test('@ completes files, / completes commands', async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Read it.' });
  const terminal = await setup.ready();
  await terminal.type('look at @picomat');
  await terminal.waitFor('lib/picomatch.js');
  await terminal.press(keys.tab);
  await terminal.waitFor(/❯ look at @lib\/picomatch\.js/);
  await terminal.press(keys.enter);
  await terminal.waitFor('Read it.');
  expect(lastPrompt(setup).trim()).toBe('look at @lib/picomatch.js');
  await terminal.waitForIdle();

  await terminal.type('/co');
  await terminal.waitFor('/compact');
  await terminal.waitFor('/context');
  await terminal.waitFor('/cost');
  await terminal.type('nt');
  await terminal.press(keys.tab);
  await terminal.waitFor('❯ /context');
  await terminal.press(keys.enter);
  await terminal.waitForPrinted('free until compaction');
});

test(
  'text typed during a turn is queued, can be recalled with ↑, and is delivered before the next request',
  long,
  async () => {
    const setup = await setUpProgram();
    const { server } = setup;
    // The first step takes as long as this test likes.
    const command = 'while [ ! -e ../go ]; do sleep 0.05; done';
    server.script(
      { text: story.slice(0, 400), calls: [{ name: 'Bash', input: { command } }], ...slow },
      { text: 'Both at once.' },
    );
    const terminal = await setup.ready(['--permission-mode', 'bypassPermissions']);
    await terminal.submit('begin');
    await terminal.waitFor('word3');
    await terminal.submit('and use tabs');
    await terminal.waitFor('⧗ and use tabs');
    await terminal.submit('or not');
    await terminal.waitFor('⧗ or not');
    await terminal.press(keys.up);
    await terminal.waitFor('❯ or not');
    await terminal.waitForGone('⧗ or not');
    expect(server.requests()).toHaveLength(1);
    await setup.work.write('../go', '');
    await terminal.waitFor('Both at once.');
    await terminal.waitForIdle();
    const second = server.requests()[1]?.messages ?? [];
    expect(second.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(second.at(-1)).toEqual({ role: 'user', content: 'and use tabs' });
    expect(terminal.screen()).toContain('❯ or not');
  },
);

test('after Esc, queued messages are back in the composer, unsent', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: story, ...slow });
  const terminal = await setup.ready();
  await terminal.submit('begin');
  await terminal.waitFor('word3');
  await terminal.submit('something else');
  await terminal.waitFor('⧗ something else');
  await terminal.press(keys.escape);
  await terminal.waitFor('❯ something else');
  await terminal.waitForIdle();
  await terminal.pause(300);
  expect(setup.server.requests()).toHaveLength(1);
});

test('Shift+Tab cycles through the modes, and the model is told', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Planned.' });
  const terminal = await setup.ready();
  await terminal.waitFor(/mock-1 · (?:no sandbox · )?context/);
  await terminal.press(keys.shiftTab);
  await terminal.waitFor('accept edits mode');
  await terminal.press(keys.shiftTab);
  await terminal.waitFor('plan mode');
  await terminal.submit('go');
  await terminal.waitFor('Planned.');
  const [request] = setup.server.requests();
  expect(textOf(request?.messages[0])).not.toContain('Plan mode is on');
  expect(JSON.stringify(request?.messages.slice(1))).toContain('Plan mode is on');
  await terminal.waitForIdle();
  await terminal.press(keys.shiftTab);
  await terminal.waitFor(/mock-1 · (?:no sandbox · )?context/);
  expectTried(terminal, 'chat:cycleMode');
});

test('resizing while a reply streams leaves no remains and loses nothing', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: story, latency: 15, chunkSize: 10 });
  const terminal = await setup.ready([], { columns: 100, rows: 30 });
  await terminal.submit('begin');
  await terminal.waitFor('word10');
  await terminal.type('my draft');
  for (const [columns, rows] of [
    [60, 24],
    [34, 20],
    [120, 40],
    [80, 30],
  ] as const) {
    await resizeDrawn(terminal, columns, rows);
  }
  await terminal.waitForPrinted('word199');
  await terminal.waitForIdle();
  await terminal.waitFor('❯ my draft');
  await terminal.pause(300);
  const rows = terminal.screen().split('\n');
  expect(rows.filter((row) => row.includes('❯ '))).toHaveLength(1);
  expect(rows.filter((row) => /mock-1 · (?:no sandbox · )?context/.test(row))).toHaveLength(1);
  expect(rows.some((row) => row.includes('esc to interrupt'))).toBe(false);
  // Rows printed before the terminal became narrower may be broken within a word.
  const unbroken = (text: string): string => text.replace(/\s+/g, '');
  expect(unbroken(terminal.everything())).toContain(unbroken(story));
});

/** In the composer's first row, this many cells after its prompt. */
async function expectCursor(terminal: Terminal, cells: number): Promise<void> {
  await terminal.until(
    () => {
      const { x, y } = terminal.cursor();
      return x === PROMPT_WIDTH + cells && (terminal.screen().split('\n')[y] ?? '').startsWith('❯');
    },
    `the cursor ${cells} cells behind the prompt (it is at ${JSON.stringify(terminal.cursor())})`,
  );
}

test('text after an end mark inside a paste is pasted, not typed', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const terminal = await setup.ready();
  await terminal.press('\u001B[200~see\u001B[201~!touch made\r\u001B[201~');
  await terminal.waitFor('see!touch made');
  await terminal.press(' it');
  await terminal.waitFor(/ it/);
  expect(existsSync(join(setup.work.repository, 'made'))).toBe(false);
  expect(setup.server.requests()).toHaveLength(0);
});
