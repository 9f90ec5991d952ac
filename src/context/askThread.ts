/**
 * Questions to a thread of our own and their answers. The thread begins with the first question, and again after it
 * has died. It does not keep the program running while nothing is asked; what is asked when it dies or is closed rejects.
 */
import type { Worker } from 'node:worker_threads';

/** What a thread says about the question of an id. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly type: 'changed' }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly message: string }
);

/** A question, without the id that it gets here. */
export type Unasked<Question> = Question extends { readonly id: number } ? Omit<Question, 'id'> : never;

export interface AskOptions<Question> {
  /** Heard each time that the thread says `changed`. */
  readonly onChange?: () => void;
  /** Once it is aborted, `cancel` is sent with the id of the question; the answer is waited for all the same. */
  readonly signal?: AbortSignal | undefined;
  readonly cancel?: Unasked<Question>;
}

export interface AskedThread<Question extends { readonly id: number }> {
  /** Resolves with the result of `done`; rejects with what the thread says, and where none can be made. */
  ask(question: Unasked<Question>, options?: AskOptions<Question>): Promise<unknown>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onChange: (() => void) | undefined;
}

/** `name` is for messages: "the catalogue". */
export function askThread<Question extends { readonly id: number }>(
  start: () => Worker,
  name: string,
): AskedThread<Question> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  const fail = (of: Worker | undefined, error: Error): void => {
    // The end of a thread that was replaced is no news.
    if (of !== worker) return;
    worker = undefined;
    const all = [...waiting.values()];
    waiting.clear();
    for (const { reject } of all) reject(error);
  };
  const take = (answer: ThreadAnswer): void => {
    const one = waiting.get(answer.id);
    if (answer.type === 'changed') {
      one?.onChange?.();
      return;
    }
    waiting.delete(answer.id);
    if (waiting.size === 0) worker?.unref();
    if (answer.type === 'done') one?.resolve(answer.result);
    else one?.reject(new Error(answer.message));
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    const made = start();
    worker = made;
    made.on('message', take);
    made.on('error', (error) => fail(made, error instanceof Error ? error : new Error(String(error))));
    made.on('exit', () => fail(made, new Error(`${name} has stopped`)));
    return made;
  };

  return {
    async ask(question, { onChange, signal, cancel } = {}) {
      const id = ++lastId;
      const asked = running();
      const give = (): void => asked.postMessage({ ...cancel, id });
      const answered = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { resolve, reject, onChange });
        asked.ref();
        asked.postMessage({ ...question, id });
        if (signal?.aborted === true) give();
        signal?.addEventListener('abort', give, { once: true });
      });
      return await answered.finally(() => signal?.removeEventListener('abort', give));
    },
    async close() {
      const closed = worker;
      fail(closed, new Error(`${name} was closed`));
      await closed?.terminate();
    },
  };
}
