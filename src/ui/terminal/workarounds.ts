/**
 * Where Ink and Node are used beyond their public interface, because it does not offer what is needed. Each entry says
 * what is missing; when it is there, the entry goes. No upstream issue is known for any of them. (Ink 8.0, Node 22-24)
 */
import type { Interface } from 'node:readline';

/**
 * Missing in Node: a public way to read the terminal's size now. `columns`, `rows` and `getWindowSize()` give what was
 * heard last, and the signal of a resize waits until the event loop comes round; what is written until then is drawn for
 * a size that is gone. `_refreshSize` is what Node calls on the signal: it asks the terminal and emits `resize`. Where
 * it is gone, the signal has to do.
 */
export function refreshSize(terminal: NodeJS.WriteStream): void {
  (terminal as { readonly _refreshSize?: () => void })._refreshSize?.();
}

export interface StdoutOverrides {
  readonly write: (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Gets what would listen to the terminal's `resize`. */
  readonly resizes: NodeJS.EventEmitter;
}

/**
 * Missing in Ink: a way to hold back drawing while the terminal is resized, to erase the last frame by the rows that it
 * takes after the terminal has broken its lines, and to print above the frame without drawing the frame twice. So Ink
 * gets a stand-in for `stdout` whose writing, size and resizes are ours; everything else is the terminal's.
 */
export function overriddenStdout(
  terminal: NodeJS.WriteStream,
  { write, size, resizes }: StdoutOverrides,
): NodeJS.WriteStream {
  const stdout: NodeJS.WriteStream = new Proxy(terminal, {
    get(target, key) {
      if (key === 'on' || key === 'off') {
        return (event: string, listener: () => void) => {
          (event === 'resize' ? resizes : target)[key](event, listener);
          return stdout;
        };
      }
      if (key === 'write') return write;
      if (key === 'columns' || key === 'rows') return size()[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return stdout;
}

/** Where Ink says what arrived. Not in its typings. */
export interface RawInput {
  on(event: 'input', listener: (data: string) => void): void;
  removeListener(event: 'input', listener: (data: string) => void): void;
}

/**
 * Missing in Ink: `useInput` does not say which function key was pressed, nor gives the sequence that arrived. The
 * emitter behind it, part of what `useStdin` gives, does. Without it function keys are not told apart.
 */
export function rawInput(stdin: object): RawInput | undefined {
  return (stdin as { readonly internal_eventEmitter?: RawInput }).internal_eventEmitter;
}

/**
 * Missing in Node: a way to empty the line of a `readline` interface without writing to its output. `line` and `cursor`
 * are public, but only for reading.
 */
export function emptyLine(reader: Interface): void {
  const writable = reader as unknown as { line: string; cursor: number };
  writable.line = '';
  writable.cursor = 0;
}
