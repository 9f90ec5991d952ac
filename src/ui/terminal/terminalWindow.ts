/**
 * The terminal's size, and the `stdout` that Ink gets. A terminal that becomes narrower rewraps the lines of the frame,
 * but Ink counts each as one row and leaves remains on screen. During a drag, output for one size arrives at another.
 * So nothing is written from the first resize until the size has been stable for a moment; then the rows of the old
 * frame are erased, held output is printed, and Ink draws again.
 */
import { EventEmitter } from 'node:events';
import { createFrameTracker, type Reflow } from './frameTracker.ts';
import { overriddenStdout, refreshSize } from './workarounds.ts';

interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalWindow {
  /** For Ink's `stdout` option: the terminal, except that resizes are reported later. */
  readonly stdout: NodeJS.WriteStream;
  size(): WindowSize;
  subscribe(listener: () => void): () => void;
  /** Writes above the frame, which is then drawn once below the text in its latest state. */
  print(text: string): void;
  /** Another program has the terminal while `run` runs; Ink learns of a resize afterwards. */
  lend<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Follows the terminal from now on; returns a function that stops it. */
  follow(ink: { clear(): void; waitUntilRenderFlush(): Promise<unknown> }): () => void;
}

export function createTerminalWindow(
  terminal: NodeJS.WriteStream,
  reflow: Reflow = 'unknown',
): TerminalWindow {
  const resizes = new EventEmitter();
  const listeners = new Set<() => void>();
  let erase: (() => void) | undefined;
  /** Text printed before there was a frame. */
  let early = '';
  let hasEnded = false;
  let size = sizeOf(terminal);
  let isLent = false;
  const frame = createFrameTracker();
  /** Set from a resize until the size is stable. */
  let resizeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Text printed in between. */
  let held = '';
  let isMuted = false;
  /** True if the frame was already erased at the first of several resizes. */
  let isErased = false;
  /** Rows printed above the frame, counted only as far as needed to know whether the screen is full. */
  let printedRows = 0;
  let finishResize = (): void => undefined;

  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (!isMuted && !isModeSwitch(text)) refreshSize(terminal);
    if (isMuted || (resizeTimer !== undefined && !isModeSwitch(text))) {
      const done = rest.at(-1);
      if (typeof done === 'function') queueMicrotask(() => done());
      return true;
    }
    frame.write(text);
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
     * Ink itself would draw the old frame below the text and the new one a moment later: twice the bytes, and long
     * lines on slow connections. Here React commits first, because its microtask is older; then a resize event without
     * a new size makes Ink draw at once, or not at all if it already has.
     */
    print(text) {
      if (hasEnded) return;
      refreshSize(terminal);
      if (printedRows < MANY_ROWS) printedRows += text.split('\n').length - 1;
      if (erase === undefined) {
        early += text;
        return;
      }
      if (resizeTimer !== undefined) {
        held += text;
        return;
      }
      terminal.cork();
      terminal.write(BEGIN_UPDATE);
      erase();
      // The size has just changed, so the position of the frame is uncertain: it is erased first.
      if (resizeTimer !== undefined) {
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
      if (resizeTimer !== undefined) finishResize();
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
      /** Erases the frame, wherever its rows are now. */
      const eraseFrame = (next: WindowSize): void => {
        if (isErased) return;
        isErased = true;
        const isFull = printedRows + frame.height() >= size.rows;
        const dropped = isFull ? Math.min(frame.rowsBelow(), Math.max(0, size.rows - next.rows)) : 0;
        const up = frame.rowsAbove(next.columns, reflow, dropped);
        terminal.write(`${up > 0 ? `\u001B[${up}A` : ''}\r\u001B[J`);
      };
      finishResize = () => {
        refreshSize(terminal);
        clearTimeout(resizeTimer);
        resizeTimer = undefined;
        terminal.write(BEGIN_UPDATE);
        eraseFrame(sizeOf(terminal));
        isErased = false;
        terminal.write(held);
        held = '';
        // Makes Ink forget what it has drawn, and what it assumes it has drawn since.
        isMuted = true;
        ink.clear();
        isMuted = false;
        frame.reset();
        tell();
        void ink.waitUntilRenderFlush().then(() => {
          if (!hasEnded && !isLent && resizeTimer === undefined) resizes.emit('resize');
          terminal.write(END_UPDATE);
        });
      };
      const onResize = (): void => {
        if (isLent) {
          tell();
          return;
        }
        // The cursor can be computed after one resize, but not after several: this is the last chance to erase.
        if (reflow === 'xterm_js' && frame.rowsBelow() > 0) eraseFrame(sizeOf(terminal));
        clearTimeout(resizeTimer);
        resizeTimer = setTimeout(finishResize, QUIET_MS);
      };
      terminal.on('resize', onResize);
      return () => {
        if (resizeTimer !== undefined) finishResize();
        hasEnded = true;
        terminal.off('resize', onResize);
      };
    },
  };
}

/** Milliseconds without a resize after which the size is considered final. */
const QUIET_MS = 80;

/** More rows than any screen has. */
const MANY_ROWS = 1000;

/** Keyboard and paste modes draw nothing, so they may be switched at any time. */
function isModeSwitch(text: string): boolean {
  return modeSwitch.test(text);
}

const modeSwitch = /^(?:\u001b\[(?:\?(?!2026)[\d;]*[hlu]|[<>=][\d;]*u))+$/;

/** Synchronized output: terminals that support it show everything in between at once. */
const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';

/** Falls back to 80 × 24. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): WindowSize {
  return { columns: columns || 80, rows: rows || 24 };
}
