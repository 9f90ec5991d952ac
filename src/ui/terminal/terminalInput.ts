/** The terminal's keyboard side: keys go on to the screen, what the terminal says by itself to whoever listens. */
import type { Background } from '../theme/theme.ts';

export interface TerminalInput {
  /** Stands for the terminal's stream: the same, without replies. */
  readonly stream: NodeJS.ReadStream;
  onReply(listener: (reply: Reply) => void): () => void;
  /** Milliseconds as `now` counts them; when the last key came in. */
  lastKeyAt(): number;
  /** Sends a question that every terminal answers in the end with its attributes (DA1). */
  ask(question: string): void;
  /**
   * Waits, for a moment at most, for what was asked and is not answered yet: when the screen has let go of the
   * terminal, the answer would be typed into the shell.
   */
  answered(): Promise<void>;
  /** Switches these private modes (DECSET) on as long as the screen reads the terminal, and off whenever it does not. */
  setModes(modes: readonly number[]): void;
  /** Whether the screen reads the terminal; while somebody else has it, it does not. */
  isRead(): boolean;
  /** Told when that changes; as it stops, before the terminal is given away. */
  onRead(listener: () => void): () => void;
}

/** Milliseconds within which a terminal answers, slow lines included. */
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
  /** When something was asked that is not answered yet. */
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
    on(event: string, listener: (chunk: string) => void) {
      terminal.on(event, event === 'data' ? reading(listener) : listener);
      return stream;
    },
    off(event: string, listener: (chunk: string) => void) {
      terminal.off(event, event === 'data' ? reading(listener) : listener);
      return stream;
    },
    setEncoding(encoding: BufferEncoding) {
      terminal.setEncoding(encoding);
      return stream;
    },
    setRawMode(isOn: boolean) {
      const isNew = isRead !== isOn;
      if (isNew && !isOn) switchModes(false);
      terminal.setRawMode(isOn);
      if (isNew && isOn) switchModes(true);
      isRead = isOn;
      if (isNew) for (const hear of [...readListeners]) hear();
      return stream;
    },
  };
  const stream: NodeJS.ReadStream = new Proxy(terminal, {
    get(target, key) {
      if (key in own) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
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
 * What a terminal says by itself arrives among the keys: answers to questions, and whether its window has the
 * focus. It is taken out here, also when it comes late or in pieces, so that it is never taken for typed text.
 */
export type Reply =
  /** The background's colour (OSC 11). */
  | { readonly type: 'background'; readonly background: Background; readonly color: string }
  /** The system has gone dark or light (mode 2031). */
  | { readonly type: 'scheme'; readonly background: Background }
  /** Every terminal answers this one (DA1): what was asked before it and is not answered yet will not be. */
  | { readonly type: 'attributes' }
  | { readonly type: 'focus'; readonly isFocused: boolean };

interface ReplyFilter {
  /** Takes what the terminal sends; passes on what is not a reply. */
  push(piece: string): void;
  /** What was held back and is no reply after all goes on. */
  flush(): void;
}

/** Milliseconds that the beginning of a reply waits for the rest: `ESC [` may be a key, `ESC ] 11 ;` cannot. */
const KEY_MS = 30;
const REPLY_MS = 2000;

/**
 * Strings for whoever asked: OSC, DCS and kitty's APC. Most of them were asked for by the program before this one, and
 * come late.
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

/** Undefined for what only looks like one and belongs to somebody else. */
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

/** `rgb:RRRR/GGGG/BBBB` with one to four digits each, or `#RRGGBB`: dark or light by its luminance. */
export function backgroundOfColor(color: string): Background | undefined {
  const parts = hexParts(color);
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map((digits) => {
    const share = Number.parseInt(digits, 16) / (16 ** digits.length - 1);
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  // At this luminance black and white are equally far (WCAG contrast 4.58 to both).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? 'light' : 'dark';
}

function hexParts(color: string): readonly string[] | undefined {
  const [, ...parts] =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/i.exec(color) ??
    /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color) ??
    [];
  return parts.length === 3 ? parts : undefined;
}
