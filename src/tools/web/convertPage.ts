/** Converts a page to text in a worker thread, within limits of time and memory. */
import { Worker } from 'node:worker_threads';
import type { PageNews, PageTask } from './pageWorker.ts';

/** Maximum time for converting a page, in milliseconds; usually it takes about ten. */
const BUDGET_MS = 10_000;
/** Limits of the thread, in MB: enough for a page of 10 MB and for the nesting depth that is converted. */
const LIMITS = { maxOldGenerationSizeMb: 768, stackSizeMb: 16 };

export type ConvertedPage =
  | { readonly type: 'page'; readonly title: string; readonly text: string; readonly rough: boolean }
  | { readonly type: 'binary' }
  | { readonly type: 'failed'; readonly reason: string };

/** Transfers the bytes away from the caller. Returns `failed` when the signal aborts. */
export function convertPage(
  task: PageTask,
  signal: AbortSignal,
  budgetMs = BUDGET_MS,
): Promise<ConvertedPage> {
  return new Promise((resolve) => {
    let last: ConvertedPage | undefined;
    const worker = new Worker(workerFile(), {
      workerData: task,
      transferList: [task.bytes.buffer],
      resourceLimits: LIMITS,
      execArgv: [],
      // The thread must not access the screen or the user's keys.
      env: {},
      stdout: true,
      stderr: true,
    });
    const end = (outcome: ConvertedPage): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(outcome);
      void worker.terminate();
    };
    const giveUp = (reason: string): void => end(last ?? { type: 'failed', reason });
    const stop = (): void => end({ type: 'failed', reason: 'it was stopped' });
    const timer = setTimeout(() => giveUp('it took too long to be turned into text'), budgetMs);
    worker.on('message', (news: PageNews) => {
      if (news.type === 'page') last = news;
      else if (news.type === 'binary') end(news);
      else giveUp('nothing came out of it');
    });
    worker.on('error', () => giveUp('it is too large or too deeply nested to be turned into text'));
    worker.on('exit', () => giveUp('its conversion broke off'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}

/** Next to this module in the source, and next to every chunk in the bundle. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './pageWorker.ts' : './pageWorker.js', import.meta.url);
}
