/** The client for OpenAI's Responses API. Loads the SDK; imported with the first request only. */
import { OpenAI } from 'openai/client';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ModelClient } from '../../../protocol/models/model.ts';
import { isOpenAI } from '../chat/body.ts';
import { createWireClient } from '../createWireClient.ts';
import type { ModelClientOptions } from '../exchange.ts';
import { silentLogger } from '../sdkFetch.ts';
import { responsesBody, responsesParts } from './body.ts';
import { createResponsesTranslator } from './events.ts';

export function createResponsesClient(options: ModelClientOptions): ModelClient {
  const { baseUrl } = options;
  return createWireClient<ResponseCreateParamsStreaming>(
    {
      wire: 'responses',
      api: "OpenAI's Responses API",
      field: 'reasoning_items',
      parts: responsesParts,
      isReasoning: ({ type }) => type === 'reasoning',
      translator: createResponsesTranslator,
      body: responsesBody,
      keyHeader: (key) => ({ authorization: `Bearer ${key}` }),
      async ask(params, fetch, signal) {
        // Explicit values: the SDK would read variables that are not settings of this program.
        const client = new OpenAI({
          apiKey: 'set by our own headers',
          baseURL: baseUrl.replace(/\/+$/, ''),
          organization: null,
          project: null,
          adminAPIKey: null,
          webhookSecret: null,
          maxRetries: 0,
          timeout: LONGEST_MS,
          logger: silentLogger,
          logLevel: 'off',
          fetch,
        });
        return client.responses.create(params, { signal }) as Promise<AsyncIterable<object>>;
      },
    },
    { ...options, ...(isOpenAI(baseUrl) && options.account ? { extraHeaders: options.account } : {}) },
  );
}

/** Our own timeouts apply. */
const LONGEST_MS = 2 ** 31 - 1;
