/**
 * Small loopback servers that answer like Ollama, LM Studio, llama.cpp and vLLM, as far as they are queried before a
 * prompt is sent; with `chat` they also answer prompts. The answers follow their public documentation.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** A value is sent as JSON; a function answers by itself. */
export type Route = object | ((response: ServerResponse, asked: Asked) => void);
/** By path, such as `/v1/models`; everything else is `404`. */
export type Routes = Readonly<Record<string, Route>>;

export interface LocalServer {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** All requests, in order. */
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

/** Starts on a free loopback port, or on the given one. */
export async function startLocalServer(routes: Routes, port = 0): Promise<LocalServer> {
  const asked: Asked[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    const { method = '', url = '', headers } = incoming;
    const path = url.split('?')[0] ?? '';
    const one: Asked = { method, path, headers, body: parse(text) };
    asked.push(one);
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (typeof route === 'function') route(response, one);
    else if (route === undefined) sendJson(response, { error: 'not found' }, 404);
    else sendJson(response, route);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${bound}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    port: bound,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

export interface OllamaModel {
  readonly name: string;
  /** The maximum context length of the model. */
  readonly maxContext: number;
  /** `PARAMETER num_ctx` of its Modelfile. */
  readonly numCtx?: number;
  /** The context length with which it is running; absent = not running. */
  readonly running?: number;
  readonly capabilities?: readonly string[];
}

/** Ollama. A model that is not running is loaded by `POST /api/generate` with `defaultContext`, as by any request. */
export function ollama(
  models: readonly OllamaModel[],
  options: { readonly version?: string; readonly defaultContext?: number; readonly chat?: Route } = {},
): Routes {
  const running = new Map(
    models.flatMap(({ name, running }) => (running === undefined ? [] : [[name, running]])),
  );
  const find = (name: unknown) => models.find((one) => one.name === name || one.name === `${name}:latest`);
  return {
    '/': (response) => response.end('Ollama is running'),
    '/api/version': { version: options.version ?? '0.15.2' },
    '/api/tags': {
      models: models.map(({ name }) => ({ name, model: name, size: 1, details: { family: 'llama' } })),
    },
    '/api/ps': (response) =>
      sendJson(response, {
        models: [...running].map(([name, context_length]) => ({ name, model: name, context_length })),
      }),
    '/api/show': (response, { body }) => {
      const model = find(body.model);
      if (model === undefined) return sendJson(response, { error: `model '${body.model}' not found` }, 404);
      return sendJson(response, {
        parameters: `stop "<|end|>"${model.numCtx === undefined ? '' : `\nnum_ctx    ${model.numCtx}`}`,
        capabilities: model.capabilities ?? ['completion', 'tools'],
        model_info: { 'general.architecture': 'llama', 'llama.context_length': model.maxContext },
      });
    },
    '/api/generate': (response, { body }) => {
      const model = find(body.model);
      if (model === undefined) return sendJson(response, { error: 'not found' }, 404);
      running.set(model.name, model.numCtx ?? options.defaultContext ?? 4096);
      return sendJson(response, { model: model.name, response: '', done: true, done_reason: 'load' });
    },
    '/v1/models': {
      object: 'list',
      data: models.map(({ name }) => ({ id: name, object: 'model', owned_by: 'library' })),
    },
    ...(options.chat === undefined ? {} : { '/v1/chat/completions': options.chat }),
  };
}

export interface StudioModel {
  readonly id: string;
  readonly maxContext: number;
  readonly loaded?: number;
  readonly type?: 'llm' | 'vlm' | 'embeddings';
  readonly tools?: boolean;
}

/** LM Studio, with the newer model list (`v1`, since 0.4.0) or only the older one. */
export function lmStudio(
  models: readonly StudioModel[],
  options: { readonly api?: 'v0' | 'v1'; readonly chat?: Route } = {},
): Routes {
  const v0 = {
    object: 'list',
    data: models.map(({ id, maxContext, loaded, type = 'llm', tools }) => ({
      id,
      object: 'model',
      type,
      state: loaded === undefined ? 'not-loaded' : 'loaded',
      max_context_length: maxContext,
      ...(loaded === undefined ? {} : { loaded_context_length: loaded }),
      ...(tools === true ? { capabilities: ['tool_use'] } : {}),
    })),
  };
  const v1 = {
    models: models.map(({ id, maxContext, loaded, type = 'llm', tools }) => ({
      type: type === 'embeddings' ? 'embedding' : 'llm',
      key: id,
      loaded_instances: loaded === undefined ? [] : [{ id, config: { context_length: loaded } }],
      max_context_length: maxContext,
      ...(type === 'embeddings'
        ? {}
        : { capabilities: { vision: type === 'vlm', trained_for_tool_use: tools === true } }),
    })),
  };
  const refuse: Route = (response, { method, path }) =>
    sendJson(response, { error: `Unexpected endpoint or method. (${method} ${path})` });
  return {
    '/api/v0/models': v0,
    ...(options.api === 'v0' ? {} : { '/api/v1/models': v1 }),
    // Unknown paths return 200 with an error.
    '/api/version': refuse,
    '/api/tags': refuse,
    '/props': refuse,
    '/version': refuse,
    '/v1/models': {
      object: 'list',
      data: models.map(({ id }) => ({ id, object: 'model', owned_by: 'organization_owner' })),
    },
    ...(options.chat === undefined ? {} : { '/v1/chat/completions': options.chat }),
  };
}

/** The server of llama.cpp with one model; `context` is the length of one slot. */
export function llamaCpp(
  model: {
    readonly id: string;
    readonly context: number;
    readonly maxContext: number;
    readonly vision?: boolean;
  },
  options: { readonly chat?: Route } = {},
): Routes {
  return {
    '/props': {
      default_generation_settings: { id: 0, n_ctx: model.context, params: {} },
      total_slots: 4,
      model_path: `/models/${model.id}.gguf`,
      chat_template: '{% if tools %}{{ tools }}{% endif %}',
      modalities: { vision: model.vision === true, audio: false },
      build_info: 'b6600-abcdef',
    },
    '/health': { status: 'ok' },
    '/v1/models': {
      object: 'list',
      data: [
        { id: model.id, object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: model.maxContext } },
      ],
    },
    ...(options.chat === undefined ? {} : { '/v1/chat/completions': options.chat }),
  };
}

/** vLLM with one model and the length with which it was started. */
export function vllm(
  model: { readonly id: string; readonly maxModelLen: number },
  options: { readonly chat?: Route } = {},
): Routes {
  return {
    '/version': { version: '0.11.0' },
    '/v1/models': {
      object: 'list',
      data: [{ id: model.id, object: 'model', owned_by: 'vllm', max_model_len: model.maxModelLen }],
    },
    ...(options.chat === undefined ? {} : { '/v1/chat/completions': options.chat }),
  };
}

/** Answers every prompt with the same text, streamed. */
export function saying(text: string): Route {
  return (response, { body }) => {
    const model = typeof body.model === 'string' ? body.model : 'm';
    const event = (choice: object, rest: object = {}): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model, choices: [choice], ...rest })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ index: 0, delta: { role: 'assistant', content: text } }));
    response.write(event({ index: 0, delta: {}, finish_reason: 'stop' }));
    response.end('data: [DONE]\n\n');
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text || '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}
