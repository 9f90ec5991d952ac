/**
 * Where a subcommand prints: a terminal gets plain text and perhaps colours, a file or a program what it asked for.
 * A reader that goes away (`| head`) is no failure; a full pipe is waited for, so that memory stays bounded.
 */

import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
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

/** Everything the catalogue knows of a session; dates as ISO 8601 in UTC, unknown fields left out. */
export function sessionJson(session: SessionRecord): object {
  const { createdAt, updatedAt, ...rest } = session;
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** A place where something was said; the session by its id, so that a list of hits stays small. */
export function hitJson({ session, timestamp, ...hit }: SearchHit): object {
  const { id, title, project, root, isArchived } = session;
  return { session: { id, title, project, root, isArchived }, ...hit, timestamp: timestamp.toISOString() };
}

/** One document, indented for people who look; safe on any terminal. */
export function jsonDocument(value: unknown): string {
  return `${escaped(JSON.stringify(value, null, 2))}\n`;
}

/** One line. */
export function jsonLine(value: unknown): string {
  return `${escaped(JSON.stringify(value))}\n`;
}

/** JSON leaves some characters as they are that a terminal obeys: they are written by number instead. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
