/**
 * Sends requests to a worker thread. The thread is started with the first request, and again after it has died. It does
 * not keep the process alive while idle; pending requests reject when it dies or is closed.
 */
import type { Worker } from 'node:worker_threads';

/** Message of a thread about the request with this id. */
export type ThreadAnswer = { readonly id: number } & (
  | { readonly type: 'changed' }
  /** `isLast`: the thread should be replaced. */
  | { readonly type: 'done'; readonly result: unknown; readonly isLast?: true }
  | { readonly type: 'failed'; readonly message: string }
);

/** A request without its id, which is assigned here. */
export type WithoutId<Question> = Question extends { readonly id: number } ? Omit<Question, 'id'> : never;

interface AskOptions<Question> {
  /** Called each time that the thread sends `changed`. */
  readonly onChange?: () => void;
  /** When it aborts, `cancel` is sent with the request's id; the answer is still awaited. */
  readonly signal?: AbortSignal | undefined;
  readonly cancel?: WithoutId<Question>;
}

export interface ThreadClient<Question extends { readonly id: number }> {
  /** Resolves with the result of `done`; rejects with the thread's error message or if no thread can be started. */
  ask(question: WithoutId<Question>, options?: AskOptions<Question>): Promise<unknown>;
  close(): Promise<void>;
}

interface Waiting {
  readonly thread: Worker;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onChange: (() => void) | undefined;
}

/** `name` is for messages: "the catalogue". */
export function createThreadClient<Question extends { readonly id: number }>(
  start: () => Worker,
  name: string,
): ThreadClient<Question> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  /** Threads that get no more requests, and end when none of theirs is waiting. */
  const replaced = new Set<Worker>();
  let lastId = 0;

  const isWaiting = (of: Worker): boolean => [...waiting.values()].some((one) => one.thread === of);
  const fail = (of: Worker, error: Error): void => {
    if (of === worker) worker = undefined;
    replaced.delete(of);
    for (const [id, { thread, reject }] of waiting) {
      if (thread !== of) continue;
      waiting.delete(id);
      reject(error);
    }
  };
  const take = (of: Worker, answer: ThreadAnswer): void => {
    const one = waiting.get(answer.id);
    if (answer.type === 'changed') {
      one?.onChange?.();
      return;
    }
    waiting.delete(answer.id);
    if (answer.type === 'done' && answer.isLast && of === worker) {
      replaced.add(of);
      worker = undefined;
    }
    if (!isWaiting(of)) {
      if (replaced.delete(of)) void of.terminate();
      else of.unref();
    }
    if (answer.type === 'done') one?.resolve(answer.result);
    else one?.reject(new Error(answer.message));
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    const made = start();
    worker = made;
    made.on('message', (answer) => take(made, answer));
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
        waiting.set(id, { thread: asked, resolve, reject, onChange });
        asked.ref();
        asked.postMessage({ ...question, id });
        if (signal?.aborted === true) give();
        signal?.addEventListener('abort', give, { once: true });
      });
      return await answered.finally(() => signal?.removeEventListener('abort', give));
    },
    async close() {
      const open = [...(worker === undefined ? [] : [worker]), ...replaced];
      for (const one of open) fail(one, new Error(`${name} was closed`));
      await Promise.all(open.map((one) => one.terminate()));
    },
  };
}
