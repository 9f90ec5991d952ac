import type { ToolCall } from '../../src/protocol/messages.ts';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
  Reply,
  SentRequest,
} from '../../src/protocol/models/model.ts';

/** One answer of the model: a list of events, or a function that produces them (to wait, or to watch the signal). */
export type Answer =
  | readonly ModelEvent[]
  | ((
      request: ModelRequest,
      signal: AbortSignal,
      onSent?: (sent: SentRequest) => void,
    ) => AsyncIterable<ModelEvent>);

/**
 * A model that plays a script. It stores a clone of each request, so a request may contain only plain data. Throws on
 * an unexpected request; `unused` returns answers that were not requested.
 */
export class ScriptedModel implements ModelClient {
  readonly requests: ModelRequest[] = [];
  readonly unexpected: ModelRequest[] = [];
  readonly #answers: Answer[];

  constructor(answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  get unused(): number {
    return this.#answers.length;
  }

  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncGenerator<ModelEvent> {
    const sent = structuredClone(request) as ModelRequest;
    const answer = this.#answers.shift();
    if (answer === undefined) {
      this.unexpected.push(sent);
      throw new Error('The script has no answer for this request.');
    }
    this.requests.push(sent);
    if (typeof answer === 'function') yield* answer(sent, signal, onSent);
    else
      for (const event of answer) {
        if (signal.aborted) return;
        yield event;
      }
  }
}

/** A whole reply in one delta. */
export function says(text: string, extra: Partial<Reply> = {}): ModelEvent[] {
  return [
    { type: 'text_delta', text },
    {
      type: 'done',
      reply: { message: { role: 'assistant', content: text, toolCalls: [] }, finishReason: 'stop', ...extra },
    },
  ];
}

/** A reply with tool calls, each given as `['id', 'Tool', { input }]`. */
export function calls(
  ...wanted: readonly (readonly [id: string, name: string, input?: unknown, extra?: Partial<ToolCall>])[]
): ModelEvent[] {
  const toolCalls = wanted.map(
    ([id, name, input = {}, extra]): ToolCall => ({ id, name, arguments: JSON.stringify(input), ...extra }),
  );
  const message = { role: 'assistant' as const, content: '', toolCalls };
  return [{ type: 'done', reply: { message, finishReason: 'tool_calls' } }];
}

/** A stream that fails after the given deltas. */
export function fails(error: Partial<ModelError> = {}, before: readonly ModelEvent[] = []): ModelEvent[] {
  const whole: ModelError = {
    kind: 'server',
    message: 'The server answered 500.',
    retryable: true,
    ...error,
  };
  return [...before, { type: 'failed', error: whole }];
}

/** Sends the deltas, then nothing until it is aborted; then ends without a final event, as the port allows. */
export function hangsAfter(...before: readonly ModelEvent[]): Answer {
  return async function* (_request, signal) {
    yield* before;
    await aborted(signal);
  };
}

export function delta(text: string): ModelEvent {
  return { type: 'text_delta', text };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A promise that the test resolves. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
