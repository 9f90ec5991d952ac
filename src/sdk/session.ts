import type { SessionEvent } from './api/events.ts';
import type { SessionOptions } from './api/options.ts';
import type { Session } from './api/sdk.ts';
import { checkOptions, checkPrompt } from './checkOptions.ts';
import { createEventQueue } from './eventQueue.ts';
import { type Host, openRun } from './run.ts';

/** See `createSession` in `api/sdk.ts`. */
export function startSession(options: SessionOptions | undefined, host: Host): Session {
  const run = openRun(checkOptions(options), host);
  const { interrupt, setModel, setPermissionMode, contextUsage, rewindFiles, close } = run;
  return {
    ...{ interrupt, setModel, setPermissionMode, contextUsage, rewindFiles, close },
    get sessionId() {
      return run.sessionId;
    },
    send: (prompt) => run.send(checkPrompt(prompt)),
    compact: (focus = '') => run.send({ content: `/compact ${focus}`.trim() }),
    events: {
      [Symbol.asyncIterator]() {
        const events = createEventQueue<SessionEvent>(async () => leave());
        const leave = run.listen({
          onEvent: events.push,
          onEnd: (error) => (error === undefined ? events.end() : events.fail(error)),
        });
        return events;
      },
    },
  };
}
