/** Events between a session, which produces them, and one reader, which may be slower. */
import { ClawdCodeError } from './errors.ts';

interface EventQueue<T> extends AsyncIterableIterator<T, undefined> {
  push(event: T): void;
  /** What was pushed before can still be read. */
  end(): void;
  fail(error: unknown): void;
}

/** No reader that still reads falls this far behind; each event is a line of at most a few megabytes. */
const MAX_WAITING = 100_000;

interface Reader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** `onReturn`: called once if the reader leaves before the end. */
export function createEventQueue<T>(onReturn: () => Promise<void> = async () => {}): EventQueue<T> {
  const waiting: T[] = [];
  let read = 0;
  const readers: Reader<T>[] = [];
  let end: { readonly error?: unknown } | undefined;
  const close = (how: { readonly error?: unknown }): void => {
    if (end !== undefined) return;
    end = how;
    // The first of several readers gets the error.
    for (const reader of readers.splice(0)) settle(reader);
  };
  const settle = ({ resolve, reject }: Reader<T>): void => {
    if (end === undefined || !('error' in end)) {
      resolve({ done: true, value: undefined });
      return;
    }
    const { error } = end;
    end = {};
    reject(error);
  };
  const queue: EventQueue<T> = {
    push(event) {
      if (end !== undefined) return;
      const reader = readers.shift();
      if (reader !== undefined) {
        reader.resolve({ done: false, value: event });
        return;
      }
      waiting.push(event);
      if (waiting.length - read > MAX_WAITING)
        close({ error: new ClawdCodeError('ended', `More than ${MAX_WAITING} events were not read.`) });
    },
    end: () => close({}),
    fail: (error) => close({ error }),
    next() {
      if (read < waiting.length) {
        const value = waiting[read++] as T;
        // In blocks: removing the first element of a long array moves all the others.
        if (read >= 1000) {
          waiting.splice(0, read);
          read = 0;
        }
        return Promise.resolve({ done: false, value });
      }
      return new Promise((resolve, reject) => {
        if (end === undefined) readers.push({ resolve, reject });
        else settle({ resolve, reject });
      });
    },
    async return() {
      const isEarly = end === undefined;
      close({});
      waiting.splice(0);
      read = 0;
      if (isEarly) await onReturn();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
}
