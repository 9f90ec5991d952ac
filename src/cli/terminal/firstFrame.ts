/**
 * Draws the first frame without Ink: loading React, Ink and the layout engine takes longer than everything before it,
 * and users want to type at once. Simple typing is echoed; the real composer, which replaces this frame, receives all
 * of it.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import {
  displayDirectory,
  type Echo,
  echoOf,
  headerSpans,
  PROMPT_SIGN,
  placeholderOf,
  rawKeys,
  STARTING,
} from '../../ui/firstFrame.ts';
import { chooseTheme } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { guardSession, type SessionGuard } from '../process/guardSession.ts';
import { terminalColors } from './capabilities.ts';

export interface FirstFrame {
  /** Active since the first byte was written. */
  readonly terminal: TerminalGuard;
  /** Removes the frame and returns what was typed; the next frame is drawn in the same place. */
  handOver(): Echo;
}

/** Enables bracketed paste, so that a paste into the first frame is recognized. */
const PASTE_ON = '\u001B[?2004h';
/** Hides updates until the next frame is complete, if the terminal supports it; Ink ends it. */
const HOLD = '\u001B[?2026h';
const ERASE_BELOW = '\r\u001B[J';
/** Erases the terminal's own echo of text typed before raw mode; that text appears in the draft instead. */
const ERASE_TYPED = '\r\u001B[K';

export function drawFirstFrame(place: AppPaths, stdin: ReadStream, stdout: WriteStream): FirstFrame {
  const terminal = guardTerminal(stdin, stdout);
  const theme = chooseTheme('auto', terminalColors(place));
  const sign = theme.accent(PROMPT_SIGN);
  const columns = Math.max(4, stdout.columns || 80);
  const room = columns - 3;
  const line = (text: string): string => `\r${sign} ${text}\u001B[K\r\u001B[2C`;
  const emptyLine = line(theme.dim(placeholderOf(theme).slice(0, room)));
  const header = headerSpans(theme, place.version, displayDirectory(place.cwd, place.home))
    .map(({ text, paint }) => paint?.(text) ?? text)
    .join('');
  stdout.write(
    `${ERASE_TYPED}${header}\n\n${PASTE_ON}\n${theme.dim(STARTING.slice(0, columns))}\u001B[A${emptyLine}`,
  );

  let typed = '';
  let isRaw = false;
  const onData = (chunk: string): void => {
    typed += isRaw ? chunk : rawKeys(chunk);
    const draft = echoOf(typed).draft.slice(0, room);
    stdout.write(draft === '' ? emptyLine : `${line(draft)}\u001B[${draft.length}C`);
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').on('data', onData);
  // Text typed earlier arrives in one chunk in the next turn of the event loop; the flag is set after that.
  setImmediate(() =>
    setImmediate(() => {
      isRaw = true;
    }),
  );
  return {
    terminal,
    handOver() {
      // Paused, so that further input waits for the next reader and is not lost.
      stdin.off('data', onData).pause();
      stdout.write(HOLD + ERASE_BELOW);
      return echoOf(typed);
    },
  };
}

/**
 * Loads the screen in parts and handles keyboard input in between, so that typing into the first frame is echoed
 * immediately. Loading it all at once would block for the whole time.
 */
export async function loadScreen(): Promise<typeof import('../interactive.ts')> {
  await otherWork();
  await import('react');
  await otherWork();
  await import('ink');
  await otherWork();
  return import('../interactive.ts');
}

// Restores the terminal no matter how the program ends: a normal exit, a crash, a signal. Ink restores it on a clean
// unmount; this handles all other cases.

/**
 * Shows the cursor; disables bracketed paste, the kitty keyboard, focus and color reports; ends synchronized output.
 */
const RESTORE = '\u001B[?2026l\u001B[?25h\u001B[?2004l\u001B[<u\u001B[?1004l\u001B[?2031l';
/**
 * Enables line wrapping and leaves the alternate screen. Only used if that is active: otherwise it would move the
 * cursor.
 */
const LEAVE_ALTERNATE_SCREEN = '\u001B[?7h\u001B[?1049l';

/** `release`: call when the screen is closed and nothing needs restoring any more. */
interface TerminalGuard extends SessionGuard {
  /** Call when the alternate screen is entered or left. */
  onAlternateScreen(isOn: boolean): void;
  /** Sets additional output for restoring (title, progress); an empty text for none. */
  onRestore(text: string): void;
  /** Another program uses the terminal while `run` runs: its Ctrl+C and Ctrl+\ must not end this program. */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
}

function guardTerminal(stdin: ReadStream, stdout: WriteStream): TerminalGuard {
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
        // The terminal has disconnected (SIGHUP): there is nothing to restore.
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
