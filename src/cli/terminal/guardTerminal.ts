/**
 * Restores the terminal no matter how the program ends: a normal exit, a crash, a signal. Ink restores it on a clean
 * unmount; this handles all other cases.
 */
import type { ReadStream, WriteStream } from 'node:tty';
import { guardSession, type SessionGuard } from '../process/guardSession.ts';

/**
 * Shows the cursor; disables bracketed paste, the kitty keyboard, focus and colour reports; ends synchronized output.
 */
const RESTORE = '\u001B[?2026l\u001B[?25h\u001B[?2004l\u001B[<u\u001B[?1004l\u001B[?2031l';
/**
 * Enables line wrapping and leaves the alternate screen. Only used if that is active: otherwise it would move the
 * cursor.
 */
const LEAVE_ALTERNATE_SCREEN = '\u001B[?7h\u001B[?1049l';

/** `release`: call when the screen is closed and nothing needs restoring any more. */
export interface TerminalGuard extends SessionGuard {
  /** Call when the alternate screen is entered or left. */
  onAlternateScreen(isOn: boolean): void;
  /** Sets additional output for restoring (title, progress); an empty text for none. */
  onRestore(text: string): void;
  /** Another program uses the terminal while `run` runs: its Ctrl+C and Ctrl+\ must not end this program. */
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
        // The terminal is gone (SIGHUP): there is nothing to restore.
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
