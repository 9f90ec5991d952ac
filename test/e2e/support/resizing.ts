/** Resizing as people do it: the program has the time to hear of it, however slow the machine is. */
import type { Terminal } from './terminal.ts';

/** How the frame is taken away, and what ends the drawing of the next one. */
const TAKEN_AWAY = '\r\u001B[J';
const END_OF_FRAME = '\u001B[?2026l';
/** In every frame, and in nothing else that is printed. */
const COMPOSER = '❯';

/**
 * Where a frame is on screen, the program hears of the size before this resolves: in xterm.js several steps that it
 * has not heard of leave a row. Whoever has the screen instead (a dialog, an editor) need not take anything away.
 */
export async function resizeHeard(terminal: Terminal, columns: number, rows: number): Promise<void> {
  await terminal.resize(columns, rows);
  const sent = terminal.bytes().length;
  if (!isDrawn(terminal)) return;
  for (let ms = 0; ms < 1000 && !terminal.bytes().includes(TAKEN_AWAY, sent); ms += 5)
    await terminal.pause(5);
}

/** Waits until the program has drawn for this size. */
export async function resizeDrawn(terminal: Terminal, columns: number, rows: number): Promise<void> {
  await terminal.resize(columns, rows);
  const sent = terminal.bytes().length;
  await terminal.until(() => {
    const taken = terminal.bytes().indexOf(TAKEN_AWAY, sent);
    return taken !== -1 && terminal.bytes().includes(END_OF_FRAME, taken);
  }, 'it is drawn anew');
}

/** Waits until the frame that was taken away is there again. */
export async function waitForFrame(terminal: Terminal): Promise<void> {
  await terminal.until(() => isDrawn(terminal), 'the frame is there again');
}

function isDrawn(terminal: Terminal): boolean {
  const bytes = terminal.bytes();
  const composer = bytes.lastIndexOf(COMPOSER);
  return composer > bytes.lastIndexOf(TAKEN_AWAY) && bytes.includes(END_OF_FRAME, composer);
}
