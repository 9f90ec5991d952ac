/** The client for Anthropic's Messages API. Loads the SDK; imported with the first request only. */
import { Anthropic } from '@anthropic-ai/sdk/client';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelClient } from '../../../protocol/models/model.ts';
import { createWireClient } from '../createWireClient.ts';
import type { ModelClientOptions } from '../exchange.ts';
import { silentLogger } from '../sdkFetch.ts';
import { anthropicBody, anthropicParts, isThinking } from './body.ts';
import { createAnthropicTranslator } from './events.ts';

export function createAnthropicClient(options: ModelClientOptions): ModelClient {
  // The SDK adds `/v1` itself; most other tools want it in the base URL.
  const baseURL = options.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  return createWireClient<MessageCreateParamsStreaming>(
    {
      wire: 'anthropic',
      api: "Anthropic's Messages API",
      field: 'thinking_blocks',
      parts: anthropicParts,
      isReasoning: isThinking,
      translator: createAnthropicTranslator,
      body: anthropicBody,
      keyHeader: (key) => ({ 'x-api-key': key }),
      async ask(params, fetch, signal) {
        // Explicit values: the SDK would read variables and credential files that are not settings of this program.
        const client = new Anthropic({
          apiKey: 'set by our own headers',
          webhookKey: null,
          baseURL,
          maxRetries: 0,
          timeout: LONGEST_MS,
          logger: silentLogger,
          logLevel: 'off',
          openTelemetry: false,
          fetch,
        });
        // `messages.create` warns about models on the console, which belongs to the screen.
        const request = { body: params, stream: true, signal, timeout: LONGEST_MS };
        return client.post<AsyncIterable<object>>('/v1/messages', request);
      },
    },
    options,
  );
}

/** Our own timeouts apply. */
const LONGEST_MS = 2 ** 31 - 1;
