import { WriteStream } from 'node:tty';
import { Box, render, Text, useCursor } from 'ink';
import { useSyncExternalStore } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { createTerminalWindow, type TerminalWindow } from '../../../src/ui/terminal/terminalWindow.ts';
import { createScreen } from '../screen.ts';

/** Two lines as wide as the terminal, with the cursor in the first, like an idle composer and its status line. */
function Frame({ window }: { readonly window: TerminalWindow }) {
  useCursor().setCursorPosition({ x: 2, y: 0 });
  const { columns } = useSyncExternalStore(window.subscribe, window.size);
  return (
    <Box flexDirection="column" width={columns}>
      <Text>{'a'.repeat(columns)}</Text>
      <Text>{'b'.repeat(columns)}</Text>
    </Box>
  );
}

/** The frame on a screen of 80 columns, in VS Code's terminal. */
async function frameIn80() {
  // Longer than the wait for more resizes.
  const screen = createScreen({ columns: 80, rows: 20, quietMs: 160 });
  const window = createTerminalWindow(screen.stdout, 'xterm_js');
  const ink = render(<Frame window={window} />, {
    stdout: window.stdout,
    stdin: screen.stdin,
    interactive: true,
    patchConsole: false,
    incrementalRendering: true,
  });
  const unfollow = window.follow(ink);
  onTestFinished(() => {
    unfollow();
    ink.unmount();
  });
  await screen.settle();
  return { screen, window, ink };
}

test('after a resize, no written line is wider than the terminal', { tags: 'long' }, async () => {
  const { screen } = await frameIn80();
  for (const columns of [60, 30, 20, 41, 80, 20]) {
    const before = screen.output().length;
    screen.resize(columns, 20);
    await screen.settle();
    const widest = Math.max(
      ...(screen.output().slice(before).match(/a+|b+/g) ?? []).map((run) => run.length),
    );
    expect(widest).toBe(columns);
    // Nothing else: the pieces of the old frame are gone.
    expect(screen.scrollback()).toEqual(['a'.repeat(columns), 'b'.repeat(columns)]);
  }
});

test('text printed between a resize and its signal appears above the new frame', {
  tags: 'long',
}, async () => {
  const { screen, window } = await frameIn80();
  window.print('printed before\n');
  await screen.settle();
  for (const columns of [30, 61]) {
    screen.resizeUnheard(columns, 20);
    window.print(`printed at ${columns}\n`);
    await screen.settle();
    expect(screen.scrollback().slice(-2)).toEqual(['a'.repeat(columns), 'b'.repeat(columns)]);
  }
  expect(screen.scrollback().slice(0, -2)).toEqual(['printed before', 'printed at 30', 'printed at 61']);
});

test('after another program had the terminal between a resize and its signal, no part of the frame remains', async () => {
  const { screen, window, ink } = await frameIn80();
  screen.resizeUnheard(30, 20);
  await window.lend(async () => {
    ink.clear();
    screen.stdout.write('somebody else\n');
    await screen.settle();
  });
  await screen.settle();
  expect(screen.scrollback()).toEqual(['somebody else', 'a'.repeat(30), 'b'.repeat(30)]);
});

test('Node updates its idea of the terminal’s size with the method used here', () => {
  expect(WriteStream.prototype).toHaveProperty('_refreshSize', expect.any(Function));
});

test('resizes are reported once at the end, and not after closing', async () => {
  const screen = createScreen({ columns: 80, rows: 20 });
  const window = createTerminalWindow(screen.stdout);
  const told: number[] = [];
  window.subscribe(() => told.push(window.size().columns));
  const unfollow = window.follow({ clear: () => undefined, waitUntilRenderFlush: () => Promise.resolve() });
  screen.resize(60, 20);
  screen.resize(50, 20);
  expect(told).toEqual([]);
  await new Promise((done) => setTimeout(done, 160));
  unfollow();
  screen.resize(70, 20);
  await new Promise((done) => setTimeout(done, 160));
  expect(told).toEqual([50]);
});

test('printed text appears above the frame, which is drawn once below it in its latest state', async () => {
  const screen = createScreen({ columns: 40, rows: 10 });
  const window = createTerminalWindow(screen.stdout);
  const news = createNews('before');
  const ink = render(<News news={news} />, {
    stdout: window.stdout,
    stdin: screen.stdin,
    interactive: true,
    patchConsole: false,
    incrementalRendering: true,
  });
  window.print('early\n');
  const unfollow = window.follow(ink);
  onTestFinished(() => {
    unfollow();
    ink.unmount();
  });
  await screen.settle();
  expect(screen.text()).toEqual(['early', 'frame: before', 'status']);
  const before = screen.output().length;
  news.set('after');
  window.print('printed\n');
  await screen.settle();
  expect(screen.text()).toEqual(['early', 'printed', 'frame: after', 'status']);
  const drawn = screen.output().slice(before);
  // Ink's own `useStdout().write` draws the old frame as well, and this line can go once it no longer does.
  expect(drawn.match(/frame: /g)).toHaveLength(1);
  window.print('again\n');
  await screen.settle();
  expect(screen.text()).toEqual(['early', 'printed', 'again', 'frame: after', 'status']);
});

function News({ news }: { readonly news: ReturnType<typeof createNews> }) {
  const text = useSyncExternalStore(news.subscribe, news.get);
  return (
    <Box flexDirection="column">
      <Text>frame: {text}</Text>
      <Text>status</Text>
    </Box>
  );
}

function createNews(first: string) {
  const listeners = new Set<() => void>();
  let text = first;
  return {
    get: () => text,
    set(next: string) {
      text = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
