import { Box, render, Text, useCursor, useInput } from 'ink';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { createScreen, keys } from './screen.ts';

function Echo() {
  const [text, setText] = useState('');
  useInput((input) => setText((before) => before + input));
  useCursor().setCursorPosition({ x: 2, y: 1 });
  return (
    <Box flexDirection="column">
      <Text>family 👨‍👩‍👧 漢字</Text>
      <Text>{`> ${text}`}</Text>
    </Box>
  );
}

test('the screen shows what Ink drew, takes keys, and reports the cursor', async () => {
  const screen = createScreen({ columns: 30, rows: 6 });
  const app = render(<Echo />, { ...screen, interactive: true, exitOnCtrlC: false, patchConsole: false });
  await screen.settle();
  expect(screen.text()).toEqual(['family 👨‍👩‍👧 漢字', '>']);
  await screen.press('h', 'i');
  expect(screen.text()).toEqual(['family 👨‍👩‍👧 漢字', '> hi']);
  expect(screen.cursor()).toEqual({ x: 2, y: 1 });
  expect(screen.isRaw()).toBe(true);
  expect(screen.isCursorVisible()).toBe(true);
  screen.resize(8, 6);
  await screen.waitFor((rows) => rows.some((row) => row.startsWith('family')));
  app.unmount();
  await app.waitUntilExit();
  expect(screen.isRaw()).toBe(false);
});

test('keys are the bytes of a real keyboard', () => {
  expect([keys.ctrl('c'), keys.ctrl('_'), keys.ctrl('j')]).toEqual(['\u0003', '\u001F', '\n']);
});
