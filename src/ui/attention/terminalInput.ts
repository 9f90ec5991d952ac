/** The terminal's keyboard side: keys go on to the screen, what the terminal says by itself to whoever listens. */
import { createReplyFilter, type Reply } from './replies.ts';

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
