/**
 * Leaves the terminal as it was, whatever ends the program: a normal exit, a crash, a signal. Ink restores it
 * on a clean unmount; this is the net below.
 */
import type { ReadStream, WriteStream } from 'node:tty';
import { guardSession, type SessionGuard } from '../process/guardSession.ts';

/** Cursor on, bracketed paste off, kitty keyboard off, focus and colour reports off, synchronized output ended. */
const RESTORE = '\u001B[?2026l\u001B[?25h\u001B[?2004l\u001B[<u\u001B[?1004l\u001B[?2031l';
/** Lines wrap again, the ordinary screen. Only where the other one is on: elsewhere it would move the cursor. */
const LEAVE_ALTERNATE_SCREEN = '\u001B[?7h\u001B[?1049l';

/** `release`: the screen is down, and nothing needs restoring any more. */
export interface TerminalGuard extends SessionGuard {
  /** The alternate screen is in use, or no longer. */
  onAlternateScreen(isOn: boolean): void;
  /** What else puts it back: a title, progress; an empty text for nothing. */
  onRestore(text: string): void;
  /** Another program has the terminal while this runs: its Ctrl+C and Ctrl+\ are not meant for us. */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
}

export function guardTerminal(stdin: ReadStream, stdout: WriteStream): TerminalGuard {
  let isAlternate = false;
  let isLent = false;
  let also = '';
  const guard = guardSession({
    stdout,
    signals: ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'],
    isPassedOver: (signal) => isLent && (signal === 'SIGINT' || signal === 'SIGQUIT'),
    restore() {
      try {
        if (stdin.isRaw) stdin.setRawMode(false);
        stdout.write(also + (isAlternate ? RESTORE + LEAVE_ALTERNATE_SCREEN : RESTORE));
        isAlternate = false;
      } catch {
        // The terminal is gone (SIGHUP): there is nothing left to restore.
      }
    },
  });
  return {
    ...guard,
    onAlternateScreen(isOn) {
      isAlternate = isOn;
    },
    onRestore(text) {
      also = text;
    },
    async lend(run) {
      isLent = true;
      try {
        return await run();
      } finally {
        isLent = false;
      }
    },
  };
}
