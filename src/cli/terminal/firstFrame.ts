/**
 * The first frame, drawn without Ink: loading React, Ink and the layout engine takes longer than everything before
 * it, and whoever starts the program wants to type. What is typed meanwhile is shown as far as that is simple, and
 * the real composer, which draws over this one, gets it all.
 */

import { setImmediate as otherWork } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import {
  type Echo,
  echoOf,
  headerText,
  PROMPT_SIGN,
  placeholderOf,
  rawKeys,
  STARTING,
} from '../../ui/firstFrame.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { chooseTheme } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { terminalColors } from './capabilities.ts';
import { guardTerminal, type TerminalGuard } from './guardTerminal.ts';

export interface FirstFrame {
  /** On guard since the first byte was written. */
  readonly terminal: TerminalGuard;
  /** Takes the frame away and returns what was typed; what is drawn next appears in its place. */
  handOver(): Echo;
}

/** Bracketed paste on: a paste into the first frame is one, too. */
const PASTE_ON = '\u001B[?2004h';
/** Shows nothing until the next frame is complete, where the terminal can; Ink ends it. */
const HOLD = '\u001B[?2026h';
const ERASE_BELOW = '\r\u001B[J';
/** What was typed before the program had the keyboard, the terminal itself has shown: it comes again in the draft. */
const ERASE_TYPED = '\r\u001B[K';

export function drawFirstFrame(place: AppPaths, stdin: ReadStream, stdout: WriteStream): FirstFrame {
  const terminal = guardTerminal(stdin, stdout);
  const theme = chooseTheme('auto', terminalColors(place));
  const sign = theme.accent(PROMPT_SIGN);
  const columns = Math.max(4, stdout.columns || 80);
  const room = columns - 3;
  const line = (text: string): string => `\r${sign} ${text}\u001B[K\r\u001B[2C`;
  const emptyLine = line(theme.dim(placeholderOf(theme).slice(0, room)));
  stdout.write(
    `${ERASE_TYPED}${headerText(theme, place.version, shownDirectory(place))}${PASTE_ON}\n${theme.dim(STARTING.slice(0, columns))}\u001B[A${emptyLine}`,
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
  // What was typed before is read in the next round of the event loop, in one piece; the check of it comes after that.
  setImmediate(() =>
    setImmediate(() => {
      isRaw = true;
    }),
  );
  return {
    terminal,
    handOver() {
      // Not lost: what comes from now on waits until somebody reads again.
      stdin.off('data', onData).pause();
      stdout.write(HOLD + ERASE_BELOW);
      return echoOf(typed);
    },
  };
}

/** The working directory as shown to people: a repository may call its folders anything. */
export function shownDirectory({ cwd, home }: Pick<AppPaths, 'cwd' | 'home'>): string {
  return sanitizeLine(cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd);
}

/**
 * Loads the screen piece by piece, with a look at the keyboard between them, so that what is typed into the first
 * frame shows up while it happens. In one piece it would hold everything up for as long as it takes.
 */
export async function loadScreen(): Promise<typeof import('../interactive.ts')> {
  await otherWork();
  await import('react');
  await otherWork();
  await import('ink');
  await otherWork();
  return import('../interactive.ts');
}
