/** Escape sequences that change nothing on screen. What goes into them is made harmless here, and nowhere else. */
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';

const ESC = '\u001B';
const ST = `${ESC}\\`;
const BEL = '\u0007';

/** Keeps the title that there was (XTPUSHTITLE); terminals that cannot, ignore it. */
export const PUSH_TITLE = `${ESC}[22;2t`;
/** An empty title is the terminal's own; where the old one was kept, it comes back. */
export const POP_TITLE = `${ESC}]2;${ST}${ESC}[23;2t`;

/** Columns of a title, and of a notification: more is cut by what shows them. */
const TITLE_COLUMNS = 80;
const MESSAGE_COLUMNS = 200;

export function titleSequence(title: string): string {
  return `${ESC}]2;${truncate(harmless(title), TITLE_COLUMNS)}${ST}`;
}

/** ConEmu's progress: 3 is without an end, 0 takes it away. Ended by BEL, as Windows Terminal documents it. */
export function progressSequence(isWorking: boolean): string {
  return `${ESC}]9;4;${isWorking ? 3 : 0};0${BEL}`;
}

export function notificationSequence(
  channel: NotificationChannel,
  title: string,
  message: string,
  multiplexer: Attention['multiplexer'],
): string {
  const head = truncate(harmless(title), MESSAGE_COLUMNS).replaceAll(';', ',');
  const body = truncate(harmless(message), MESSAGE_COLUMNS).replaceAll(';', ',');
  switch (channel) {
    case 'bell':
      return BEL;
    case 'osc9':
      // iTerm2. Begun with a word: OSC 9 with a number in front is ConEmu's.
      return wrapped(`${ESC}]9;${head}: ${body}${BEL}`, multiplexer);
    case 'osc777':
      // rxvt-unicode's notify.
      return wrapped(`${ESC}]777;notify;${head};${body}${BEL}`, multiplexer);
    case 'osc99':
      // kitty, in two parts; shown only while the window has not got the focus.
      return wrapped(
        `${ESC}]99;i=clawdcode:d=0:o=unfocused;${head}${ST}${ESC}]99;i=clawdcode:p=body;${body}${ST}`,
        multiplexer,
      );
  }
}

/** In tmux and screen, with the bell beside it: whether they let such things through is theirs to say. */
function wrapped(sequence: string, multiplexer: Attention['multiplexer']): string {
  if (multiplexer === 'tmux') return `${BEL}${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ST}`;
  // Screen ends its string at the first ST, so each sequence is ended by BEL.
  if (multiplexer === 'screen') return `${BEL}${ESC}P${sequence.replaceAll(ST, BEL)}${ST}`;
  return sequence;
}

/** One line of printable text; a title that a model or a stranger's repository gave may hold anything. */
function harmless(text: string): string {
  return sanitizeLine(text)
    .replace(/[\u0000-\u001F\u007F-\u009F]/g, '')
    .trim();
}

/** How the screen calls for attention outside of its own rows: what the terminal takes, and what the user wants. */
export type NotificationChannel = 'bell' | 'osc9' | 'osc777' | 'osc99';

export interface Attention {
  /** Whether the title names the session. */
  readonly title: boolean;
  /** Whether the terminal shows progress (OSC 9;4) and the user wants it. */
  readonly progress: boolean;
  readonly notifications: NotificationChannel | 'off';
  /** What stands between here and the terminal and passes on only what is wrapped for it. */
  readonly multiplexer?: 'tmux' | 'screen' | undefined;
  /** A program of the user's own, instead of the terminal's notification. */
  readonly notify?: ((message: string, session: string) => void) | undefined;
}

/**
 * True for consoles that print what they do not know: a question or a title would stand on the screen as text. By
 * `TERM`: the kernels' own consoles, hardware terminals, and the ones inside of Emacs.
 */
export function isPlainConsole(term: string | undefined): boolean {
  return /^(?:$|(?:dumb|linux|cons25|emacs|eterm|vt\d))/.test(term ?? '');
}
