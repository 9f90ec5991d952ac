/** Creates the client for an endpoint, by the API that it speaks. */
import type { ModelClient } from '../protocol/models/model.ts';
import type { Wire } from '../protocol/models/wires.ts';
import { createOpenAIClient } from './wires/chat/client.ts';
import type { ModelClientOptions } from './wires/exchange.ts';

/** Creates a client for one endpoint. */
export function createModelClient(wire: Wire, options: ModelClientOptions): ModelClient {
  switch (wire) {
    case 'chat':
      return createOpenAIClient(options);
    case 'responses':
      return onFirstRequest(async () =>
        (await import('./wires/responses/client.ts')).createResponsesClient(options),
      );
    case 'anthropic':
      return onFirstRequest(async () =>
        (await import('./wires/anthropic/client.ts')).createAnthropicClient(options),
      );
  }
}

/** A client whose code is loaded with its first request. */
function onFirstRequest(load: () => Promise<ModelClient>): ModelClient {
  let loaded: Promise<ModelClient> | undefined;
  return {
    async *stream(request, signal, onSent) {
      loaded ??= load();
      yield* (await loaded).stream(request, signal, onSent);
    },
  };
}
