/** Resizing at a human pace: waits for the program to notice each size, however slow the machine is. */
import type { Terminal } from './terminal.ts';

/** The sequence that erases the frame; the composer's prompt ends the next one. */
const TAKEN_AWAY = '\r\u001B[J';
const END_OF_FRAME = '\u001B[?2026l';
/** Contained in every frame and in no other output. */
const COMPOSER = '❯';

/**
 * If a frame is on screen, waits until the program has noticed the size: in xterm.js, several unnoticed steps would
 * leave a row behind. A dialog or an editor need not erase anything.
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

/** Waits until the erased frame has been drawn again. */
export async function waitForFrame(terminal: Terminal): Promise<void> {
  await terminal.until(() => isDrawn(terminal), 'the frame is there again');
}

function isDrawn(terminal: Terminal): boolean {
  const bytes = terminal.bytes();
  const composer = bytes.lastIndexOf(COMPOSER);
  return composer > bytes.lastIndexOf(TAKEN_AWAY) && bytes.includes(END_OF_FRAME, composer);
}
