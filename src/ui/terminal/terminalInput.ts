/** The terminal's input: keys go to the screen, and the terminal's own reports to their listeners. */
import type { Background } from '../theme/theme.ts';
import { overriddenStdin } from './workarounds.ts';

export interface TerminalInput {
  /** The terminal's input stream without its replies. */
  readonly stream: NodeJS.ReadStream;
  onReply(listener: (reply: Reply) => void): () => void;
  /** Time of the last key press, on the clock of `now`. */
  lastKeyAt(): number;
  /** Sends a query that ends with DA1, which every terminal answers. */
  ask(question: string): void;
  /**
   * Waits up to half a second for outstanding replies. Otherwise they would arrive in the shell as typed text once the
   * screen has released the terminal.
   */
  answered(): Promise<void>;
  /** Enables these private modes (DECSET) while the screen reads the terminal, and disables them while it does not. */
  setModes(modes: readonly number[]): void;
  /** True while the screen reads the terminal, that is, unless another program has it. */
  isRead(): boolean;
  /** Calls the listener when `isRead` changes; for the end of reading, before the terminal is handed over. */
  onRead(listener: () => void): () => void;
}

/** Milliseconds to wait for a reply; enough for slow connections. */
const ANSWER_MS = 500;

export function createTerminalInput(
  terminal: NodeJS.ReadStream,
  write: (text: string) => void,
  now: () => number,
): TerminalInput {
  const listeners = new Set<(reply: Reply) => void>();
  const readListeners = new Set<() => void>();
  const readers = new Map<(chunk: string) => void, (chunk: string) => void>();
  let modes: readonly number[] = [];
  let isRead = false;
  let lastKeyAt = now();
  /** When the last unanswered query was sent. */
  let askedAt = Number.NEGATIVE_INFINITY;
  const switchModes = (isOn: boolean): void => {
    if (modes.length > 0) write(modes.map((mode) => `\u001B[?${mode}${isOn ? 'h' : 'l'}`).join(''));
  };
  const reading = (listener: (chunk: string) => void): ((chunk: string) => void) => {
    const known = readers.get(listener);
    if (known !== undefined) return known;
    const filter = createReplyFilter(
      (text) => {
        lastKeyAt = now();
        listener(text);
      },
      (reply) => {
        if (reply.type === 'attributes') askedAt = Number.NEGATIVE_INFINITY;
        for (const hear of [...listeners]) hear(reply);
      },
    );
    readers.set(listener, filter.push);
    return filter.push;
  };
  const own = {
    on(event: string, listener: (chunk: string) => void): NodeJS.ReadStream {
      terminal.on(event, event === 'data' ? reading(listener) : listener);
      return stream;
    },
    off(event: string, listener: (chunk: string) => void): NodeJS.ReadStream {
      terminal.off(event, event === 'data' ? reading(listener) : listener);
      return stream;
    },
    setEncoding(encoding: BufferEncoding): NodeJS.ReadStream {
      terminal.setEncoding(encoding);
      return stream;
    },
    setRawMode(isOn: boolean): NodeJS.ReadStream {
      const isNew = isRead !== isOn;
      if (isNew && !isOn) switchModes(false);
      terminal.setRawMode(isOn);
      if (isNew && isOn) switchModes(true);
      isRead = isOn;
      if (isNew) for (const hear of [...readListeners]) hear();
      return stream;
    },
  };
  const stream = overriddenStdin(terminal, own);
  return {
    stream,
    onReply(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lastKeyAt: () => lastKeyAt,
    isRead: () => isRead,
    onRead(listener) {
      readListeners.add(listener);
      return () => readListeners.delete(listener);
    },
    ask(question) {
      askedAt = now();
      write(question);
    },
    async answered() {
      const patience = askedAt + ANSWER_MS - now();
      if (patience <= 0) return;
      const ignore = (): void => undefined;
      terminal.setRawMode(true);
      own.on('data', ignore);
      terminal.resume();
      await new Promise<void>((done) => {
        const timer = setTimeout(done, patience);
        listeners.add((reply) => {
          if (reply.type !== 'attributes') return;
          clearTimeout(timer);
          done();
        });
      });
      own.off('data', ignore);
      terminal.pause();
      terminal.setRawMode(false);
    },
    setModes(next) {
      if (isRead) switchModes(false);
      modes = next;
      if (isRead) switchModes(true);
    },
  };
}

/**
 * A report from the terminal, which arrives among the keys: the reply to a query, or a change of focus. It is filtered
 * out here, even if it comes late or in pieces, so that it is never taken for typed text.
 */
type Reply =
  /** The background color (OSC 11). */
  | { readonly type: 'background'; readonly background: Background; readonly color: string }
  /** The system switched between dark and light (mode 2031). */
  | { readonly type: 'scheme'; readonly background: Background }
  /** The answer to DA1, which every terminal gives: queries sent before it that are still unanswered will stay so. */
  | { readonly type: 'attributes' }
  | { readonly type: 'focus'; readonly isFocused: boolean };

interface ReplyFilter {
  /** Takes input from the terminal and passes on everything but reports. */
  push(piece: string): void;
  /** Passes on text that was held back because it looked like the start of a report. */
  flush(): void;
}

/** Milliseconds to wait for the rest of a report: `ESC [` may be a key, `ESC ] 11 ;` cannot be. */
const KEY_MS = 30;
const REPLY_MS = 2000;

/**
 * Reports, and strings that are never typed: OSC, DCS and kitty's APC. Most of those are late replies to the program
 * that ran before.
 */
const complete =
  /\u001B\]\d{1,4}[;:]([^\u0007\u001B]{0,4096})(?:\u0007|\u001B\\)|\u001B\[[?>]([\d;]{1,60})([cn])|\u001B\[([IO])|\u001B(?:P[\d>!]|_G)[^\u0007\u001B]{0,4096}\u001B\\/g;
const begun =
  /\u001B(?:\](?:\d{1,4}(?:[;:][^\u0007\u001B]{0,4096}\u001B?)?)?|\[(?:[?>][\d;]{0,60})?|P(?:[\d>!][^\u0007\u001B]{0,4096}\u001B?)?|_(?:G[^\u0007\u001B]{0,4096}\u001B?)?)$/;
const surelyBegun = /^\u001B(?:\]\d{1,4}[;:]|\[[?>]|P[\d>!]|_G)/;

export function createReplyFilter(
  pass: (text: string) => void,
  onReply: (reply: Reply) => void,
): ReplyFilter {
  let held = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const release = (): void => {
    clearTimeout(timer);
    const text = held;
    held = '';
    if (text !== '') pass(text);
  };
  return {
    push(piece) {
      if (held === '' && !piece.includes('\u001B')) {
        pass(piece);
        return;
      }
      clearTimeout(timer);
      const replies: Reply[] = [];
      const rest = (held + piece).replace(complete, (...match) => {
        const reply = replyOf(match as readonly (string | undefined)[]);
        if (reply === undefined) return String(match[0]);
        if (reply !== 'other') replies.push(reply);
        return '';
      });
      held = begun.exec(rest)?.[0] ?? '';
      if (held !== '') timer = setTimeout(release, surelyBegun.test(held) ? REPLY_MS : KEY_MS);
      const keys = rest.slice(0, rest.length - held.length);
      if (keys !== '') pass(keys);
      for (const reply of replies) onReply(reply);
    },
    flush: release,
  };
}

/** Undefined if the text only looks like a report; `other` if it is a report meant for another program. */
function replyOf([whole = '', text, parameters, final, focus]: readonly (string | undefined)[]):
  | Reply
  | 'other'
  | undefined {
  if (focus !== undefined) return { type: 'focus', isFocused: focus === 'I' };
  if (whole.startsWith('\u001B[>')) return 'other';
  if (final === 'c') return { type: 'attributes' };
  if (final === 'n') {
    const scheme = /^997;([12])$/.exec(parameters ?? '')?.[1];
    return scheme === undefined
      ? undefined
      : { type: 'scheme', background: scheme === '1' ? 'dark' : 'light' };
  }
  if (!whole.startsWith('\u001B]11;')) return 'other';
  const color = text ?? '';
  const background = backgroundOfColor(color);
  return background === undefined ? 'other' : { type: 'background', background, color };
}

/** Parses `rgb:RRRR/GGGG/BBBB` with one to four digits each, or `#RRGGBB`, and classifies it by luminance. */
function backgroundOfColor(color: string): Background | undefined {
  const parts = hexParts(color);
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((digits) => {
    const share = Number.parseInt(digits, 16) / (16 ** digits.length - 1);
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance, black and white have the same contrast (WCAG 4.58).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? 'light' : 'dark';
}

function hexParts(color: string): readonly string[] | undefined {
  const [, ...parts] =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(color) ??
    /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color) ??
    [];
  return parts.length === 3 ? parts : undefined;
}
