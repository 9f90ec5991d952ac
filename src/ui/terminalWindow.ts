/**
 * The terminal's size, and the `stdout` that Ink gets. When the terminal is resized, Ink would at once draw the
 * old frame in the new width: its lines wrap, Ink counts them as one row each, and the rest stays as ruins. So
 * Ink hears of a resize only after the frame has been erased and drawn anew for the new size.
 */
import { EventEmitter } from 'node:events';

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalWindow {
  /** For Ink's `stdout` option: the terminal, but for when it tells of a resize. */
  readonly stdout: NodeJS.WriteStream;
  size(): WindowSize;
  subscribe(listener: () => void): () => void;
  /** Writes above the frame, which is drawn once behind it, with whatever has changed meanwhile. */
  print(text: string): void;
  /** Somebody else has the terminal while this runs: a resize is told to Ink when it is back. */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Follows the terminal from now on; returns what stops it. */
  follow(ink: { clear(): void; waitUntilRenderFlush(): Promise<unknown> }): () => void;
}

export function createTerminalWindow(terminal: NodeJS.WriteStream): TerminalWindow {
  const resizes = new EventEmitter();
  const listeners = new Set<() => void>();
  let erase: (() => void) | undefined;
  /** Printed before there was a frame to print above. */
  let early = '';
  let hasEnded = false;
  let size = sizeOf(terminal);
  let isLent = false;
  const stdout: NodeJS.WriteStream = new Proxy(terminal, {
    get(target, key) {
      if (key === 'on' || key === 'off') {
        return (event: string, listener: () => void) => {
          (event === 'resize' ? resizes : target)[key](event, listener);
          return stdout;
        };
      }
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    stdout,
    size: () => size,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /**
     * Ink's own way draws the old frame behind the text and the new one a moment later: twice the bytes, and long
     * lines of it on slow connections. Here React commits first (its microtask is older); a resize that changes no
     * size is what makes Ink draw at once, and draws nothing where Ink already has.
     */
    print(text) {
      if (hasEnded) return;
      if (erase === undefined) {
        early += text;
        return;
      }
      terminal.cork();
      terminal.write(BEGIN_UPDATE);
      erase();
      terminal.write(text);
      queueMicrotask(() => {
        if (!hasEnded) resizes.emit('resize');
        terminal.write(END_UPDATE);
        terminal.uncork();
      });
    },
    async lend(run) {
      const before = size;
      isLent = true;
      try {
        return await run();
      } finally {
        isLent = false;
        if (size !== before) resizes.emit('resize');
      }
    },
    follow(ink) {
      erase = ink.clear;
      if (early !== '') this.print(early);
      const onResize = (): void => {
        const before = size;
        size = sizeOf(terminal);
        if (size.columns < before.columns && !isLent) ink.clear();
        for (const listener of [...listeners]) listener();
        if (isLent) return;
        void ink.waitUntilRenderFlush().then(() => resizes.emit('resize'));
      };
      terminal.on('resize', onResize);
      return () => {
        hasEnded = true;
        terminal.off('resize', onResize);
      };
    },
  };
}

/** A terminal that knows these draws what is between them at once. */
const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

/** A terminal that does not know its size is taken for the classic one. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): WindowSize {
  return { columns: columns || 80, rows: rows || 24 };
}
