/**
 * Resizing: after any series of sizes the live area appears once, at the bottom, and nothing printed is lost.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { long } from './support/long.ts';
import { resizeDrawn, resizeHeard, waitForFrame } from './support/resizing.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

/** A small random number generator; the same seed gives the same numbers. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

/** The terminal of these tests is xterm.js, and says so. */
async function setResizable() {
  const setup = await setUpProgram();
  return { ...setup, env: setup.work.env({ ...setup.access, TERM_PROGRAM: 'vscode' }) };
}

/** Bursts of sizes, with pauses between them. */
async function storm(
  terminal: Terminal,
  seed: number,
  { bursts = 3, least = 10, leastRows = 5 } = {},
): Promise<void> {
  const next = random(seed);
  for (let burst = 0; burst < bursts; burst++) {
    for (let step = 0; step < 8; step++) {
      await resizeHeard(terminal, least + next(241 - least), leastRows + next(61 - leastRows));
      await terminal.pause(next(12));
    }
    await waitForFrame(terminal);
    await terminal.pause(next(200));
  }
}

const said = Array.from(
  { length: 30 },
  (_, line) => `Row ${line} of what was said, which is wider than narrow screens.`,
);

/** One composer, one status line, and every printed row: exactly once, unless remains of a frame are possible. */
function expectWhole(terminal: Terminal, { isOnce = true } = {}): void {
  const text = terminal.everything();
  const lines = text.split('\n');
  const flat = text.replace(/\n/g, ' ').replace(/ +/g, ' ');
  expect({ composers: lines.filter((line) => line.startsWith('❯')).length, text }).toEqual({
    composers: 1,
    text,
  });
  expect({ statuses: lines.filter((line) => /~\d+%/.test(line)).length, text }).toEqual({
    statuses: 1,
    text,
  });
  for (const row of said) {
    const found = flat.split(row).length - 1;
    expect({ row, isThere: isOnce ? found === 1 : found > 0, text }).toEqual({ row, isThere: true, text });
  }
}

test('idle, on screens down to 10 columns and 5 rows', async () => {
  const { server, ready, env } = await setResizable();
  server.script({ text: said.join('\n\n') });
  const terminal = await ready([], { columns: 100, rows: 30, env });
  await terminal.submit('talk');
  await terminal.waitForPrinted('Row 29 of');
  await terminal.waitForIdle();
  await storm(terminal, 1);
  await resizeDrawn(terminal, 100, 30);
  await terminal.waitFor(/context ~?\d+%/);
  expectWhole(terminal);
});

test.each([
  { seed: 3, least: 26, isOnce: true },
  // On a screen lower than the frame, the terminal pushes out part of it before the program can react.
  { seed: 4, least: 5, isOnce: false },
])('while a reply streams, on screens of $least rows and more', long, async ({ seed, least, isOnce }) => {
  const { server, ready, env } = await setResizable();
  server.script({ text: said.join('\n\n'), chunkSize: 12, latency: 5 });
  const terminal = await ready([], { columns: 100, rows: 30, env });
  await terminal.submit('talk');
  await terminal.waitForPrinted('Row 2 of');
  await storm(terminal, seed, { least: 70, leastRows: least });
  await resizeDrawn(terminal, 100, 30);
  await terminal.waitForPrinted('Row 29 of');
  await terminal.waitForIdle();
  await terminal.waitFor('❯ Ask for');
  expectWhole(terminal, { isOnce });
});

test('with the popup and a long draft, and with a dialog', long, async () => {
  const { server, ready, env } = await setResizable();
  server.script({ text: 'Hello there.' });
  const terminal = await ready([], { columns: 100, rows: 30, env });
  await terminal.submit('hello');
  await terminal.waitFor('Hello there.');
  await terminal.waitForIdle();
  await terminal.type('a draft that is long enough to be broken into several rows on a narrow screen, @');
  await terminal.waitFor('package.json');
  for (const [columns, rows] of [
    [40, 20],
    [20, 12],
    [100, 30],
  ] as const) {
    await resizeDrawn(terminal, columns, rows);
  }
  await terminal.waitFor('package.json');
  expect(terminal.screen().match(/^❯/gm)).toHaveLength(1);
  await terminal.press(keys.escape, keys.escape, keys.escape);
  await terminal.waitFor('❯ Ask for');
  await terminal.submit('/resume');
  await terminal.waitFor('Sessions of this project');
  for (const [columns, rows] of [
    [90, 30],
    [40, 30],
    [100, 30],
  ] as const) {
    await resizeDrawn(terminal, columns, rows);
    await terminal.waitFor(/^Filter:/m);
    expect(terminal.screen().match(/^Filter:/gm)).toHaveLength(1);
  }
  await terminal.press(keys.escape);
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.pause(300);
  expect(terminal.screen().match(/^❯ Ask/gm)).toHaveLength(1);
  expect(terminal.everything()).toContain('> hello\n\nHello there.');
  // Smaller than the dialog: rows pushed out of the screen stay, and the dialog continues.
  await terminal.submit('/resume');
  await terminal.waitFor('Sessions of this project');
  await resizeDrawn(terminal, 10, 5);
  await terminal.waitFor(/^Filt/m);
  await terminal.press(keys.escape);
  await resizeDrawn(terminal, 100, 30);
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.type('still here');
  await terminal.waitFor('❯ still here');
});
