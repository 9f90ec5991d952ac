/** The transcript view on a terminal, and its behavior after it has handed the terminal back. */
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { openTranscript } from '../../../src/ui/transcript/openTranscript.ts';
import { createScreen, keys } from '../screen.ts';
import { prompt } from './entries.ts';

/** The view over a session that does nothing. */
function open(
  entries: readonly JSONLEntry[],
  { keymap = defaultKeymap, page = async () => [] as readonly JSONLEntry[] } = {},
) {
  const screen = createScreen({ columns: 40, rows: 6 });
  const agent = {
    state: () => ({ busy: false, questions: [] }),
    entries: () => [],
    page,
    subscribe: () => () => undefined,
  } as unknown as Agent;
  const left = openTranscript({
    stdin: screen.stdin,
    stdout: screen.stdout,
    agent,
    entries,
    theme: chooseTheme('plain', { noColor: true }),
    markdown: plainMarkdown,
    reply: () => ({ text: '', reasoning: '' }),
    tools: () => [],
    readBlob: () => Promise.resolve(undefined),
    now: () => performance.now(),
    keymap: () => keymap,
  });
  return { screen, left };
}

test.each([
  ['while it jumps to the start', 'g'],
  ['during a search', '/nothing like it\r'],
])('after closing %s, it draws nothing more', async (_, begin) => {
  let bringOlder: (entries: readonly JSONLEntry[]) => void = () => undefined;
  const older = new Promise<readonly JSONLEntry[]>((resolve) => {
    bringOlder = resolve;
  });
  const { screen, left } = open([prompt(7, 'the last of many')], { page: () => older });
  await screen.press(begin);
  await screen.press('q');
  await left;
  screen.stdout.write('the ordinary screen');
  await screen.settle();
  const written = screen.output();
  bringOlder([prompt(6, 'one before it')]);
  await screen.settle();
  expect(screen.output()).toBe(written);
  expect(screen.text()).toEqual(['the ordinary screen']);
});

test('it uses the configured keys, Alt and function keys included, and its status row names them', {
  tags: 'long',
}, async () => {
  const { keymap, problems } = userKeys({
    Global: { 'ctrl+o': null, f8: 'app:toggleTranscript' },
    Transcript: {
      q: null,
      f10: 'transcript:exit',
      'alt+k': 'scroll:lineUp',
      up: null,
      'ctrl+p': null,
      k: null,
      'ctrl+up': 'scroll:top',
      'ctrl+j': 'scroll:bottom',
      '/': null,
      'ctrl+s': 'transcript:search',
    },
  });
  expect(problems).toEqual([]);
  const text = Array.from({ length: 30 }, (_, row) => `row ${row}`).join('\n');
  const { screen, left } = open([prompt(0, text)], { keymap });
  const last = (): string => screen.text().at(-1) ?? '';
  await screen.settle();
  expect(last()).toMatch(/^F10 back · Alt\+K ↓ PgUp/);
  const end = screen.text();
  await screen.press('q', 'k', keys.up, keys.ctrl('o'), '/');
  expect(screen.text()).toEqual(end);
  await screen.press(keys.alt('k'), keys.alt('k'));
  expect(screen.text()[0]).toMatch(/row 24/);
  await screen.press('\u001B[1;5A');
  expect(screen.text()[0]).toMatch(/row 0/);
  // A key that is not bound is read without its modifiers.
  await screen.press('\u001B[1;5B');
  expect(screen.text()[0]).toMatch(/row 1/);
  await screen.press('\n');
  expect(screen.text()).toEqual(end);
  await screen.press(keys.ctrl('s'), 'row 12', '\r');
  expect(screen.text().join('\n')).toMatch(/row 12/);
  // Esc and a letter in one chunk are both, if Alt with it has no meaning.
  await screen.press('\u001Bx');
  await left;
  expect(screen.isRaw()).toBe(false);

  const again = open([prompt(0, text)], { keymap });
  await again.screen.press('\u001B[19~');
  await again.left;
});
