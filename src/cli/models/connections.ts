/**
 * The connections to all endpoints. Each gets its own client and key with its first request, so that no endpoint ever
 * sees another's key.
 */

import { modelAdvice } from '../../commands/model.ts';
import type { ModelList } from '../../commands/types.ts';
import { createModelClient } from '../../model/createModelClient.ts';
import { estimateUsage } from '../../model/estimateUsage.ts';
import type { HttpSend } from '../../model/http/types.ts';
import type { ModelSettings } from '../../model/modelSettings.ts';
import { createServedModels, type ServedModels } from '../../model/servers/servedModels.ts';
import type { ModelClient, ModelError, ModelEvent, ModelRequest } from '../../protocol/models/model.ts';
import { type Endpoint, type Endpoints, providerFacts } from './endpoints.ts';
import { openKnownServers } from './knownServers.ts';
import { type LearnedWindows, openLearnedWindows } from './learnedWindows.ts';
import { listModels } from './modelChoice.ts';
import { openRequestLimit } from './requestLimits.ts';

interface ConnectionOptions {
  readonly endpoints: Endpoints;
  readonly dataRoot: string;
  readonly send: HttpSend;
  readonly now: () => number;
  readonly userAgent: string;
  /** Headers sent to OpenAI itself only. */
  readonly account: Readonly<Record<string, string>>;
  readonly debug: (line: string) => void;
  readonly onError: (error: unknown) => void;
}

interface Connections {
  /** Sends each request to the endpoint of its model. */
  readonly client: ModelClient;
  /** What the endpoints report, by the full names of models. */
  readonly served: ServedModels;
  openWindows(): Promise<LearnedWindows>;
}

interface Connection {
  readonly key: string | undefined;
  readonly client: ModelClient;
  readonly served: ServedModels;
}

export function createConnections(options: ConnectionOptions): Connections {
  const { endpoints } = options;
  const open = new Map<Endpoint, Connection>();
  const connect = (endpoint: Endpoint, key: string | undefined): Connection => {
    const before = open.get(endpoint);
    if (before?.key === key && before !== undefined) return before;
    const connection = connectionTo(endpoint, key, options);
    open.set(endpoint, connection);
    return connection;
  };
  /** Each notice about an endpoint is shown once, even if its key, and with it its client, is renewed. */
  const told = new Set<string>();
  const isRepeated = (event: ModelEvent, { name = '' }: Endpoint): boolean => {
    if (event.type !== 'notice') return false;
    const notice = `${name} ${event.text}`;
    return told.has(notice) || !told.add(notice);
  };
  const [standard] = endpoints.all;
  if (standard !== undefined) connect(standard, standard.key.known);

  async function* stream(...[request, signal, onSent]: Parameters<ModelClient['stream']>) {
    const { endpoint, id } = endpoints.find(request.model);
    let key = await endpoint.key.get();
    for (let isRenewed = false; ; isRenewed = true) {
      if (signal.aborted) return;
      if ('problem' in key) {
        yield failed({ kind: 'auth', message: key.problem, retryable: false });
        return;
      }
      const named = { ...withOwnLimit(request, endpoint.factsOf(id)), model: id };
      const sent = id === request.model ? onSent : onSent && withId(onSent, id);
      let rejected: ModelError | undefined;
      for await (const event of connect(endpoint, key.key).client.stream(named, signal, sent)) {
        if (event.type === 'failed' && event.error.kind === 'auth') rejected = event.error;
        else if (!isRepeated(event, endpoint))
          yield event.type === 'done' ? withUsage(withFullName(event, endpoint, endpoints), request) : event;
      }
      if (rejected === undefined) return;
      const renewed = isRenewed ? undefined : await endpoint.key.renew?.(key.key);
      if (renewed === undefined || ('key' in renewed && renewed.key === key.key)) {
        yield failed(rejected);
        return;
      }
      key = renewed;
    }
  }

  return {
    client: { stream },
    served: servedByAll(endpoints, (endpoint) => open.get(endpoint), connect),
    openWindows: () => windowsOfAll(options),
  };
}

/** The longest reply that the user's settings allow this model; without one, the server's default applies. */
function withOwnLimit(request: ModelRequest, { maxOutputTokens: own }: ModelSettings): ModelRequest {
  if (own === undefined) return request;
  return { ...request, maxOutputTokens: Math.min(own, request.maxOutputTokens ?? own) };
}

const failed = (error: ModelError): ModelEvent => ({ type: 'failed', error });

type OnSent = NonNullable<Parameters<ModelClient['stream']>[2]>;

/** The body names the model differently from the session. */
const withId =
  (onSent: OnSent, model: string): OnSent =>
  (sent) =>
    onSent({ ...sent, model });

type Done = Extract<ModelEvent, { type: 'done' }>;

/** A request counts even if the server does not report its tokens. */
function withUsage(event: Done, request: ModelRequest): ModelEvent {
  const { reply } = event;
  return reply.usage === undefined
    ? { ...event, reply: { ...reply, usage: estimateUsage(request, reply) } }
    : event;
}

/** The session's entries and costs use the full name. */
function withFullName(event: Done, endpoint: Endpoint, { nameOf }: Endpoints): Done {
  const { model } = event.reply;
  if (model === undefined || endpoint.name === undefined) return event;
  return { ...event, reply: { ...event.reply, model: nameOf(endpoint, model) } };
}

function connectionTo(endpoint: Endpoint, key: string | undefined, options: ConnectionOptions): Connection {
  const { baseUrl, wire, headers, factsOf } = endpoint;
  const { send, now, debug, dataRoot, onError } = options;
  const memory = openKnownServers({ dataRoot, baseUrl, now, onError });
  const served = createServedModels({ baseUrl, apiKey: key, headers, now, send, memory });
  const client = createModelClient(wire, {
    ...{ apiKey: key, baseUrl, account: options.account, debug, send },
    ...providerFacts(endpoint),
    requestLimit: openRequestLimit({ dataRoot, baseUrl, now, onError }),
    headers: { 'User-Agent': options.userAgent, ...headers },
    factsOf: (id) => {
      const { tools = served.get(id)?.tools, ...own } = factsOf(id);
      const { returnsReasoning, efforts, maxOutputTokens, extraBody } = own;
      return {
        ...(tools === undefined ? {} : { callsTools: tools }),
        ...(returnsReasoning === undefined ? {} : { returnsReasoning }),
        ...(efforts === undefined ? {} : { efforts }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
        ...(extraBody === undefined ? {} : { extraBody }),
      };
    },
  });
  const list = () => listModels(baseUrl, key, { send, headers });
  return { key, served, client: withNearestModels(client, list) };
}

function servedByAll(
  endpoints: Endpoints,
  connectionOf: (endpoint: Endpoint) => Connection | undefined,
  connect: (endpoint: Endpoint, key: string | undefined) => Connection,
): ServedModels {
  const known = (model: string): readonly [ServedModels | undefined, string] => {
    const { endpoint, id } = endpoints.find(model);
    return [connectionOf(endpoint)?.served, id];
  };
  const reached = async (model: string): Promise<readonly [ServedModels | undefined, string]> => {
    const { endpoint, id } = endpoints.find(model);
    const found = connectionOf(endpoint);
    if (found !== undefined) return [found.served, id];
    const key = await endpoint.key.get();
    return ['key' in key ? connect(endpoint, key.key).served : undefined, id];
  };
  return {
    get(model) {
      const [served, id] = known(model);
      return served?.get(id);
    },
    awaitsLoad(model) {
      const [served, id] = known(model);
      return served?.awaitsLoad(id) === true;
    },
    async ask(model) {
      const [served, id] = await reached(model);
      await served?.ask(id);
    },
    async waitForFacts(model, signal, fitsAnyWindow) {
      const [served, id] = await reached(model);
      if (!signal.aborted) await served?.waitForFacts(id, signal, fitsAnyWindow);
    },
  };
}

async function windowsOfAll({
  endpoints,
  dataRoot,
  now,
  onError,
}: ConnectionOptions): Promise<LearnedWindows> {
  const windows = new Map(
    await Promise.all(
      endpoints.all.map(
        async (endpoint) =>
          [
            endpoint,
            await openLearnedWindows({ dataRoot, baseUrl: endpoint.baseUrl, now, onError }),
          ] as const,
      ),
    ),
  );
  return {
    get(model) {
      const { endpoint, id } = endpoints.find(model);
      return windows.get(endpoint)?.get(id);
    },
    async remember(model, tokens) {
      const { endpoint, id } = endpoints.find(model);
      await windows.get(endpoint)?.remember(id, tokens);
    },
    isReported(model) {
      const { endpoint, id } = endpoints.find(model);
      return windows.get(endpoint)?.isReported(id) === true;
    },
    async reported(model) {
      const { endpoint, id } = endpoints.find(model);
      await windows.get(endpoint)?.reported(id);
    },
  };
}

/** Wraps a client: if the server does not know the model, the error suggests similar names. */
export function withNearestModels(client: ModelClient, listModels: () => Promise<ModelList>): ModelClient {
  async function* stream(
    ...[request, signal, onSent]: Parameters<ModelClient['stream']>
  ): AsyncGenerator<ModelEvent> {
    for await (const event of client.stream(request, signal, onSent)) {
      if (event.type !== 'failed' || event.error.kind !== 'model_not_found') {
        yield event;
        continue;
      }
      const { ids } = await listModels();
      if (signal.aborted) return;
      const message = `${event.error.message}${modelAdvice(request.model, ids)}`;
      yield { ...event, error: { ...event.error, message } };
    }
  }
  return { stream };
}
