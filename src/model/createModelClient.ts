/** Creates the client for an endpoint, by the API that it speaks. */
import type { ModelClient } from '../protocol/model.ts';
import type { Wire } from '../protocol/wires.ts';
import { createOpenAIClient, type OpenAIClientOptions } from './openai.ts';

/** What every wire needs: address, key, headers, connection, timeouts, and facts about models. */
export type ModelClientOptions = OpenAIClientOptions;

/** Creates a client for one endpoint. */
export function createModelClient(wire: Wire, options: ModelClientOptions): ModelClient {
  switch (wire) {
    case 'chat':
      return createOpenAIClient(options);
    case 'responses':
    case 'anthropic':
      return unavailable(wire);
  }
}

function unavailable(wire: Wire): ModelClient {
  const message = `This version has no client for the wire ${JSON.stringify(wire)}. Set "wire" to "chat".`;
  return {
    async *stream() {
      yield { type: 'failed', error: { kind: 'bad_request', message, retryable: false } };
    },
  };
}
