/** Escape sequences that change nothing on screen. Text that goes into them is sanitized here, and only here. */
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';

const ESC = '\u001B';
const ST = `${ESC}\\`;
const BEL = '\u0007';

/** Saves the current title (XTPUSHTITLE); terminals without support ignore it. */
export const PUSH_TITLE = `${ESC}[22;2t`;
/** Resets the title to the terminal's default, then restores the saved one if there is one. */
export const POP_TITLE = `${ESC}]2;${ST}${ESC}[23;2t`;

/** Maximum columns of a title and of a notification; more would be cut by the terminal. */
const TITLE_COLUMNS = 80;
const MESSAGE_COLUMNS = 200;

export function titleSequence(title: string): string {
  return `${ESC}]2;${truncate(harmless(title), TITLE_COLUMNS)}${ST}`;
}

/**
 * ConEmu's progress sequence: state 3 is indeterminate, 0 removes it. Ends with BEL, as Windows Terminal documents it.
 */
export function progressSequence(isWorking: boolean): string {
  return `${ESC}]9;4;${isWorking ? 3 : 0};0${BEL}`;
}

export function notificationSequence(
  channel: NotificationChannel,
  message: string,
  multiplexer: Attention['multiplexer'],
): string {
  const body = truncate(harmless(message), MESSAGE_COLUMNS).replaceAll(';', ',');
  switch (channel) {
    case 'bell':
      return BEL;
    case 'osc9':
      // iTerm2. Must start with a word: OSC 9 followed by a number is ConEmu's.
      return wrapped(`${ESC}]9;ClawdCode: ${body}${BEL}`, multiplexer);
    case 'osc777':
      // rxvt-unicode's notify.
      return wrapped(`${ESC}]777;notify;ClawdCode;${body}${BEL}`, multiplexer);
    case 'osc99':
      // kitty, in two parts; shown only while the window is not focused.
      return wrapped(
        `${ESC}]99;i=clawdcode:d=0:o=unfocused;ClawdCode${ST}${ESC}]99;i=clawdcode:p=body;${body}${ST}`,
        multiplexer,
      );
  }
}

/** Wraps the sequence for tmux or screen. Adds a bell, since their settings decide whether they pass it through. */
function wrapped(sequence: string, multiplexer: Attention['multiplexer']): string {
  if (multiplexer === 'tmux') return `${BEL}${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ST}`;
  // Screen ends its string at the first ST, so each sequence inside ends with BEL.
  if (multiplexer === 'screen') return `${BEL}${ESC}P${sequence.replaceAll(ST, BEL)}${ST}`;
  return sequence;
}

/** Reduces text to one printable line: a title may come from a model or a hostile repository. */
function harmless(text: string): string {
  return sanitizeLine(text)
    .replace(/[\u0000-\u001F\u007F-\u009F]/g, '')
    .trim();
}

/** How to notify the user outside the screen's own rows. */
export type NotificationChannel = 'bell' | 'osc9' | 'osc777' | 'osc99';

export interface Attention {
  /** True if the title names the session. */
  readonly title: boolean;
  /** True if the terminal shows progress (OSC 9;4) and the user wants it. */
  readonly progress: boolean;
  readonly notifications: NotificationChannel | 'off';
  /** The multiplexer in front of the terminal; it passes on only sequences that are wrapped for it. */
  readonly multiplexer?: 'tmux' | 'screen' | undefined;
  /** Runs the user's own program instead of the terminal's notification. */
  readonly notify?: ((message: string, session: string) => void) | undefined;
}

/**
 * True for consoles that print unknown sequences, so that a query or a title would appear as text on the screen.
 * Decided by `TERM`: kernel consoles, hardware terminals, and those inside Emacs.
 */
export function isPlainConsole(term: string | undefined): boolean {
  return /^(?:$|(?:dumb|linux|cons25|emacs|eterm|vt\d))/.test(term ?? '');
}
