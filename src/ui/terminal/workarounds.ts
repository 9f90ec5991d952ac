/**
 * Uses of Ink and Node beyond their public interfaces. Each comment names what is missing; once it is available, remove
 * the workaround. No upstream issue is known for any of them. (Ink 8.0, Node 22-24)
 */
import type { Interface } from 'node:readline';

/**
 * Missing in Node: a public way to read the terminal's current size. `columns`, `rows` and `getWindowSize()` return the
 * last reported one, and the resize signal waits for the event loop; output until then is drawn for the old size. Node
 * calls `_refreshSize` on that signal: it queries the terminal and emits `resize`. If it is gone, only the signal
 * remains.
 */
export function refreshSize(terminal: NodeJS.WriteStream): void {
  (terminal as { readonly _refreshSize?: () => void })._refreshSize?.();
}

interface StdoutOverrides {
  readonly write: (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Receives the listeners for the terminal's `resize`. */
  readonly resizes: NodeJS.EventEmitter;
}

/**
 * Missing in Ink: ways to pause drawing during a resize, to erase the last frame by the rows that it takes after the
 * terminal has rewrapped it, and to print above the frame without drawing it twice. So Ink gets a proxy of `stdout`
 * with our own write, size and resize events; everything else is the terminal's.
 */
export function overriddenStdout(
  terminal: NodeJS.WriteStream,
  { write, size, resizes }: StdoutOverrides,
): NodeJS.WriteStream {
  const forward =
    (method: 'on' | 'off') =>
    (event: string, listener: () => void): NodeJS.WriteStream => {
      (event === 'resize' ? resizes : terminal)[method](event, listener);
      return stdout;
    };
  const stdout = overriding(terminal, {
    ...{ on: forward('on'), off: forward('off'), write },
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
  });
  return stdout;
}

type StdinOverrides = Pick<NodeJS.ReadStream, 'setEncoding' | 'setRawMode'> & {
  readonly on: (event: string, listener: (chunk: string) => void) => NodeJS.ReadStream;
  readonly off: (event: string, listener: (chunk: string) => void) => NodeJS.ReadStream;
};

/**
 * Missing in Ink: ways to filter the terminal's own reports out of the input, and to follow raw mode. So Ink gets a
 * proxy of `stdin` with our own listeners and `setRawMode`; everything else is the terminal's.
 */
export function overriddenStdin(terminal: NodeJS.ReadStream, overrides: StdinOverrides): NodeJS.ReadStream {
  return overriding(terminal, overrides);
}

/** The stream, with some members replaced. */
function overriding<Stream extends object>(stream: Stream, overrides: object): Stream {
  return new Proxy(stream, {
    get(target, key) {
      if (Object.hasOwn(overrides, key)) return Reflect.get(overrides, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The emitter through which Ink reports raw input. Not in its typings. */
interface RawInput {
  on(event: 'input', listener: (data: string) => void): void;
  removeListener(event: 'input', listener: (data: string) => void): void;
}

/**
 * Missing in Ink: `useInput` reports neither function keys nor the raw sequence. The emitter behind it, which
 * `useStdin` returns, does. Without it, function keys cannot be distinguished.
 */
export function rawInput(stdin: object): RawInput | undefined {
  return (stdin as { readonly internal_eventEmitter?: RawInput }).internal_eventEmitter;
}

/**
 * Missing in Node: a way to clear the line of a `readline` interface without writing to its output. `line` and `cursor`
 * are public but read-only.
 */
export function emptyLine(reader: Interface): void {
  const writable = reader as unknown as { line: string; cursor: number };
  writable.line = '';
  writable.cursor = 0;
}
