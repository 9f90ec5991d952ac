/**
 * Where a subcommand prints: a terminal gets plain text and perhaps colours, a file or a program what it asked for.
 * A reader that goes away (`| head`) is no failure; a full pipe is waited for, so that memory stays bounded.
 */
import type { Theme } from '../../ui/theme/theme.ts';

export interface Output {
  /** Waits until there is room; false when nobody reads any more. */
  write(text: string): Promise<boolean>;
  /** What was done, on a line of its own. */
  line(text: string): Promise<boolean>;
  /** A problem, on standard error. */
  say(text: string): void;
  /** What one could do next, on standard error. */
  hint(text: string): void;
  /** Columns to fill. */
  readonly width: number;
  readonly isTerminal: boolean;
  /** Plain where there is no terminal and with NO_COLOR. */
  readonly theme: Theme;
}

/** The part of a stream that is needed here; `process.stdout` is one. */
export interface OutputStream {
  write(text: string): boolean;
  once(event: 'drain' | 'error' | 'close', listener: (error?: unknown) => void): unknown;
  off(event: 'drain' | 'error' | 'close', listener: (error?: unknown) => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly writable: boolean;
}

/** A writer to a stream that may be a pipe; it never throws for a reader that has gone. */
export function pipeWriter(stream: OutputStream): (text: string) => Promise<boolean> {
  let isClosed = false;
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    isClosed = true;
    if (error.code !== 'EPIPE') failure = error;
  });
  return async (text) => {
    if (failure !== undefined) throw failure;
    if (isClosed || !stream.writable) return false;
    if (text !== '' && !stream.write(text)) await roomIn(stream);
    if (failure !== undefined) throw failure;
    return !isClosed;
  };
}

function roomIn(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close'] as const;
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.once(event, done);
  });
}
