import type { SessionEvent } from './api/events.ts';
import type { SessionOptions, UserMessage } from './api/options.ts';
import type { Query } from './api/sdk.ts';
import { checkOptions, checkPrompt } from './checkOptions.ts';
import { ClawdCodeError } from './errors.ts';
import { createEventQueue } from './eventQueue.ts';
import { type Host, openRun, type Run } from './run.ts';

/** Prompts that are sent before the result of the first of them: faster input waits at its source. */
const MAX_AHEAD = 100;

/** See `query` in `api/sdk.ts`. */
export function startQuery(
  request: {
    readonly prompt: string | AsyncIterable<string | UserMessage>;
    readonly options?: SessionOptions;
  },
  host: Host,
): Query {
  const { prompt, options, ...more }: Partial<typeof request> = request ?? {};
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw new ClawdCodeError('options', `There is no "${unknown}" in a query: put it into "options".`);
  if (typeof prompt !== 'string' && !isAsyncIterable(prompt))
    throw new ClawdCodeError('options', 'prompt: expected text, or an async iterable of prompts.');
  const checked = checkOptions(options);
  const run = openRun(checked, host);
  const events = createEventQueue<SessionEvent>(() => run.close());
  run.listen({
    onEvent: events.push,
    onEnd: (error) => (error === undefined ? events.end() : events.fail(error)),
  });
  void feed(run, typeof prompt === 'string' ? only(prompt) : prompt).catch((error) => {
    events.fail(error);
    return run.close();
  });
  const { interrupt, setModel, setPermissionMode, contextUsage, rewindFiles, close } = run;
  return {
    ...{ interrupt, setModel, setPermissionMode, contextUsage, rewindFiles, close },
    get sessionId() {
      return run.sessionId;
    },
    [Symbol.asyncIterator]: () => events,
  };
}

/** Sends the prompts; closes the input after the last result, since until then the program may ask its host. */
async function feed(run: Run, prompts: AsyncIterable<string | UserMessage>): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for await (const prompt of prompts) {
    const sent: Promise<unknown> = run
      .send(checkPrompt(prompt))
      // The reader of the events gets an error.
      .catch(() => undefined)
      .finally(() => open.delete(sent));
    open.add(sent);
    if (open.size >= MAX_AHEAD) await Promise.race(open);
  }
  await Promise.all(open);
  run.endInput();
}

async function* only(prompt: string): AsyncGenerator<string> {
  yield prompt;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<string | UserMessage> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
