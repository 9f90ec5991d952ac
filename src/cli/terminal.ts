/**
 * Leaves the terminal as it was, whatever ends the program: a normal exit, a crash, a signal. Ink restores it
 * on a clean unmount; this is the net below.
 */
import { constants } from 'node:os';
import type { ReadStream, WriteStream } from 'node:tty';

/** Cursor on, bracketed paste off, kitty keyboard off, focus and colour reports off, synchronized output ended. */
const RESTORE = '\u001B[?2026l\u001B[?25h\u001B[?2004l\u001B[<u\u001B[?1004l\u001B[?2031l';
/** Lines wrap again, the ordinary screen. Only where the other one is on: elsewhere it would move the cursor. */
const LEAVE_ALTERNATE_SCREEN = '\u001B[?7h\u001B[?1049l';

export interface TerminalGuard {
  /** Called with what ends the session cleanly: it flushes the log and resolves when that is done. */
  onEnd(close: () => Promise<void>): void;
  /** The alternate screen is in use, or no longer. */
  onAlternateScreen(isOn: boolean): void;
  /** What else puts it back: a title, progress; an empty text for nothing. */
  onRestore(text: string): void;
  /** Another program has the terminal while this runs: its Ctrl+C and Ctrl+\ are not meant for us. */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
  /** The screen is down; nothing needs restoring any more. */
  release(): void;
}

/** Milliseconds that a signal waits for the session to be flushed. */
const FLUSH_MS = 2000;

export function guardTerminal(stdin: ReadStream, stdout: WriteStream): TerminalGuard {
  let close: () => Promise<void> = () => Promise.resolve();
  let isAlternate = false;
  let also = '';
  const restore = (): void => {
    try {
      if (stdin.isRaw) stdin.setRawMode(false);
      stdout.write(also + (isAlternate ? RESTORE + LEAVE_ALTERNATE_SCREEN : RESTORE));
      isAlternate = false;
    } catch {
      // The terminal is gone (SIGHUP): there is nothing left to restore.
    }
  };
  let isLent = false;
  let ending = false;
  const end = async (code: number): Promise<void> => {
    if (ending) return;
    ending = true;
    await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
    restore();
    process.exit(code);
  };
  const signals = (['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const).map((signal) => {
    const handler = (): void => {
      if (isLent && (signal === 'SIGINT' || signal === 'SIGQUIT')) return;
      void end(128 + (constants.signals[signal] ?? 0));
    };
    // Not `once`: Ink's own handler kills the process at once where it believes that nobody else listens.
    process.on(signal, handler);
    return { signal, handler };
  });
  let crashed = false;
  const onCrash = (error: unknown): void => {
    if (crashed) return;
    crashed = true;
    // The window was closed: nobody is left to tell, and the log is all that matters.
    if (isTerminalGone(error)) {
      void end(128 + (constants.signals.SIGHUP ?? 0));
      return;
    }
    restore();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(
      `\nclawdcode crashed; the session is saved up to here (clawdcode --continue).\n${text}\n`,
    );
    void end(1);
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  stdout.on('error', onCrash);
  return {
    onEnd(next) {
      close = next;
    },
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
    release() {
      for (const { signal, handler } of signals) process.off(signal, handler);
      process.off('uncaughtException', onCrash);
      process.off('unhandledRejection', onCrash);
      stdout.off('error', onCrash);
    },
  };
}

function isTerminalGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EIO' || code === 'EPIPE' || code === 'ENOTCONN';
}
