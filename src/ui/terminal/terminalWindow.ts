/**
 * The terminal's size, and the `stdout` that Ink gets. When the terminal becomes narrower it breaks the lines of the
 * frame anew, Ink counts them as one row each, and what it does not erase stays as ruins. And while somebody drags
 * the window, whatever is written for one size arrives in another. So nothing is written from the first resize until
 * it has been quiet for a moment; then the rows that the old frame takes by now are erased, what was printed meanwhile
 * is printed, and Ink draws anew.
 */
import { EventEmitter } from 'node:events';
import { createFrameTracker, type Reflow } from './frameTracker.ts';
import { overriddenStdout, refreshSize } from './workarounds.ts';

interface WindowSize {
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

export function createTerminalWindow(
  terminal: NodeJS.WriteStream,
  reflow: Reflow = 'unknown',
): TerminalWindow {
  const resizes = new EventEmitter();
  const listeners = new Set<() => void>();
  let erase: (() => void) | undefined;
  /** Printed before there was a frame to print above. */
  let early = '';
  let hasEnded = false;
  let size = sizeOf(terminal);
  let isLent = false;
  const shadow = createFrameTracker();
  /** Set from a resize until it has been quiet for a moment. */
  let settling: ReturnType<typeof setTimeout> | undefined;
  /** Printed in between. */
  let held = '';
  let isMuted = false;
  /** The frame was taken away already, at the first of several resizes. */
  let isErased = false;
  /** Rows printed above the frame, as far as it matters: whether the screen is full. */
  let printedRows = 0;
  let settle = (): void => undefined;

  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (!isMuted && !isModeSwitch(text)) refreshSize(terminal);
    if (isMuted || (settling !== undefined && !isModeSwitch(text))) {
      const done = rest.at(-1);
      if (typeof done === 'function') queueMicrotask(() => done());
      return true;
    }
    shadow.write(text);
    return Reflect.apply(terminal.write, terminal, [chunk, ...rest]) as boolean;
  };
  const stdout = overriddenStdout(terminal, { write, size: () => size, resizes });
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
      refreshSize(terminal);
      if (printedRows < MANY_ROWS) printedRows += text.split('\n').length - 1;
      if (erase === undefined) {
        early += text;
        return;
      }
      if (settling !== undefined) {
        held += text;
        return;
      }
      terminal.cork();
      terminal.write(BEGIN_UPDATE);
      erase();
      // The frame is where nobody knows since a moment ago: it is taken away first.
      if (settling !== undefined) {
        held += text;
        terminal.uncork();
        return;
      }
      terminal.write(text);
      queueMicrotask(() => {
        if (!hasEnded) resizes.emit('resize');
        terminal.write(END_UPDATE);
        terminal.uncork();
      });
    },
    async lend(run) {
      refreshSize(terminal);
      if (settling !== undefined) settle();
      const before = size;
      isLent = true;
      try {
        return await run();
      } finally {
        refreshSize(terminal);
        isLent = false;
        if (size !== before) resizes.emit('resize');
      }
    },
    follow(ink) {
      erase = ink.clear;
      if (early !== '') this.print(early);
      const tell = (): void => {
        size = sizeOf(terminal);
        for (const listener of [...listeners]) listener();
      };
      /** Takes the frame away, wherever its rows are by now. */
      const eraseFrame = (next: WindowSize): void => {
        if (isErased) return;
        isErased = true;
        const isFull = printedRows + shadow.height() >= size.rows;
        const dropped = isFull ? Math.min(shadow.rowsBelow(), Math.max(0, size.rows - next.rows)) : 0;
        const up = shadow.rowsAbove(next.columns, reflow, dropped);
        terminal.write(`${up > 0 ? `\u001B[${up}A` : ''}\r\u001B[J`);
      };
      settle = () => {
        refreshSize(terminal);
        clearTimeout(settling);
        settling = undefined;
        terminal.write(BEGIN_UPDATE);
        eraseFrame(sizeOf(terminal));
        isErased = false;
        terminal.write(held);
        held = '';
        // Ink forgets what it drew, and what it believes to have drawn since.
        isMuted = true;
        ink.clear();
        isMuted = false;
        shadow.reset();
        tell();
        void ink.waitUntilRenderFlush().then(() => {
          if (!hasEnded && !isLent && settling === undefined) resizes.emit('resize');
          terminal.write(END_UPDATE);
        });
      };
      const onResize = (): void => {
        if (isLent) {
          tell();
          return;
        }
        // One step can be told from its size; where several may have moved the cursor, the first is the last chance.
        if (reflow === 'xterm_js' && shadow.rowsBelow() > 0) eraseFrame(sizeOf(terminal));
        clearTimeout(settling);
        settling = setTimeout(settle, QUIET_MS);
      };
      terminal.on('resize', onResize);
      return () => {
        if (settling !== undefined) settle();
        hasEnded = true;
        terminal.off('resize', onResize);
      };
    },
  };
}

/** Milliseconds without a resize after which the size is taken for the one that stays. */
const QUIET_MS = 80;

/** No screen has more. */
const MANY_ROWS = 1000;

/** Modes of keyboard and paste are no drawing: they are switched at any time. */
function isModeSwitch(text: string): boolean {
  return modeSwitch.test(text);
}

const modeSwitch = /^(?:\u001b\[(?:\?(?!2026)[\d;]*[hlu]|[<>=][\d;]*u))+$/;

/** A terminal that knows these draws what is between them at once. */
const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

/** A terminal that does not know its size is taken for the classic one. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): WindowSize {
  return { columns: columns || 80, rows: rows || 24 };
}
