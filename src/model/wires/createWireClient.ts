/** Implements the model port for a wire with an SDK: learns from rejections, and seals reasoning that is sent back. */
import type { ModelClient, ModelEvent, ModelRequest, SentRequest } from '../../protocol/models/model.ts';
import { reasoningOptions, type Wire } from '../../protocol/models/wires.ts';
import { lookupModel } from '../catalogue.ts';
import { hasAuthorization } from '../http/customHeaders.ts';
import type { HttpSend } from '../http/types.ts';
import { record, text } from '../json.ts';
import { bodyHash } from './chat/body.ts';
import { createExchanges, createFormRetries, type ModelClientOptions, type WireFacts } from './exchange.ts';
import { type Form, fullForm, learnForm, type OptionalPart } from './form.ts';
import { createItemAccumulator, type EventTranslator } from './itemAccumulator.ts';
import type { AnswerTrace, ReplyCallbacks } from './replyChunks.ts';
import { sdkFetch } from './sdkFetch.ts';
import { originOf } from './seal.ts';

/** What distinguishes one wire from another. */
interface WireDefinition<Params> {
  readonly wire: Exclude<Wire, 'chat'>;
  /** Completes "does not answer like …". */
  readonly api: string;
  /** The `field` of reasoning in our messages. */
  readonly field: string;
  readonly parts: readonly OptionalPart[];
  readonly isReasoning: (item: Readonly<Record<string, unknown>>) => boolean;
  readonly translator: () => EventTranslator;
  readonly body: (request: ModelRequest, details: SentDetails) => Params;
  /** The header with the key. */
  readonly keyHeader: (key: string) => Readonly<Record<string, string>>;
  /** Sends the request through the SDK. */
  readonly ask: (
    params: Params,
    fetch: typeof globalThis.fetch,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<object>>;
}

/** Everything, besides the request, that a body depends on; recorded, so that the body can be rebuilt. */
export interface SentDetails extends Pick<WireFacts, 'efforts' | 'thinking' | 'extraBody'> {
  readonly origin: string;
  readonly form: Form;
  /** Longest reply of the model, in tokens. */
  readonly maxTokens: number;
}

/** Maximum reply of a model that is not in the catalogue, in tokens. */
const UNKNOWN_MAX = 8192;

export function createWireClient<Params>(
  definition: WireDefinition<Params>,
  options: ModelClientOptions & { readonly extraHeaders?: Readonly<Record<string, string>> },
): ModelClient {
  const { wire, translator: newTranslator } = definition;
  const { exchange, debug, baseUrl, apiKey, headers } = createExchanges(options, definition.api);

  const retry = createFormRetries(
    () => fullForm,
    debug,
    ({ isForOne }: Form) => isForOne !== true,
  );

  function stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncGenerator<ModelEvent> {
    return retry(request.model, signal, (form) =>
      attempt(request, detailsOf(request.model, form), signal, onSent),
    );
  }

  function detailsOf(model: string, form: Form): SentDetails {
    const known = lookupModel(model, { unknownWindow: 4 * UNKNOWN_MAX });
    const {
      efforts = known.efforts,
      thinking = known.thinking,
      maxOutputTokens = known.maxOutputTokens,
      extraBody,
    } = options.factsOf?.(model) ?? {};
    return {
      origin: originOf(wire, baseUrl, model),
      form,
      maxTokens: maxOutputTokens,
      ...(efforts === undefined ? {} : { efforts }),
      ...(thinking === undefined ? {} : { thinking }),
      ...(extraBody === undefined ? {} : { extraBody }),
    };
  }

  function attempt(
    request: ModelRequest,
    details: SentDetails,
    signal: AbortSignal,
    onSent: ((sent: SentRequest) => void) | undefined,
  ): AsyncGenerator<ModelEvent, Form | undefined> {
    const { parts, isReasoning, field } = definition;
    const { origin, form } = details;
    const tools = request.toolChoice === 'none' ? [] : request.tools;
    const translator = newTranslator();
    const onBody = (body: string): void => onSent?.(sentAs(body, request, details));
    return exchange(
      {
        model: request.model,
        accumulator: createItemAccumulator({ tools, translator, field, origin }, isReasoning),
        ask: (send, signal, trace, callbacks) =>
          ask(
            definition.body(request, details),
            send,
            signal,
            trace,
            { ...callbacks, isOver: translator.isOver },
            onBody,
          ),
        isPart: (event) => text(record(event).type) !== undefined || record(event).object === 'response',
        learn: (refusal, status) => learnForm(form, parts, refusal, status),
      },
      signal,
    );
  }

  async function* ask(
    params: Params,
    send: HttpSend,
    signal: AbortSignal,
    trace: AnswerTrace,
    callbacks: ReplyCallbacks,
    onBody: (body: string) => void,
  ): AsyncGenerator<object> {
    const own = {
      ...(apiKey === undefined || apiKey === '' || hasAuthorization(headers)
        ? {}
        : definition.keyHeader(apiKey)),
      'User-Agent': 'clawdcode',
      ...options.extraHeaders,
      ...headers,
    };
    const fetch = sdkFetch({ send, headers: own, signal, trace, callbacks, onBody });
    yield* await definition.ask(params, fetch, signal);
  }

  function sentAs(body: string, request: ModelRequest, details: SentDetails) {
    const { stableMessages, maxOutputTokens, temperature } = request;
    return {
      hash: bodyHash(body),
      wire,
      ...details,
      ...reasoningOptions(request),
      ...(stableMessages === undefined ? {} : { stableMessages }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    };
  }

  return { stream };
}
