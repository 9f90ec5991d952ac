/**
 * Implements the model port for OpenAI-compatible chat completions. Owns what was learned from a server's errors; wire
 * format, folding and error handling are pure and live in the files next to this one.
 */
import type { ModelClient, ModelEvent, ModelRequest, SentRequest } from '../../../protocol/models/model.ts';
import { isClosedModel, lookupModel } from '../../catalogue.ts';
import { shownUrl } from '../../errors.ts';
import { stayOnHost } from '../../http/sameHost.ts';
import type { HttpSend } from '../../http/types.ts';
import { record } from '../../json.ts';
import { createExchanges, createFormRetries, type ModelClientOptions } from '../exchange.ts';
import { newCallId } from '../itemAccumulator.ts';
import { type AnswerTrace, type ReplyCallbacks, replyChunks } from '../replyChunks.ts';
import { createAccumulator } from './accumulate.ts';
import { adaptationNotices } from './adaptMessages.ts';
import {
  createBodyWriter,
  type Dialect,
  firstDialect,
  isOpenAI,
  learnDialect,
  sentAs,
  type WrittenBody,
} from './body.ts';

/** Creates a client for one server. It remembers for each model which fields the server rejected. */
export function createOpenAIClient(options: ModelClientOptions): ModelClient {
  const { exchange, debug, baseUrl, apiKey, headers } = createExchanges(options);
  const writeBody = createBodyWriter();
  const reported = new Set<string>();
  /** Models that have made a native tool call in this session. */
  const nativeCallers = new Set<string>();

  const retry = createFormRetries(initialDialect, debug);

  function stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncGenerator<ModelEvent> {
    return retry(request.model, signal, (dialect) => attempt(request, dialect, signal, onSent));
  }

  function initialDialect(model: string): Dialect {
    const known = lookupModel(model, { unknownWindow: 0 });
    const {
      callsTools,
      returnsReasoning = known.returnsReasoning,
      efforts = known.efforts,
      extraBody,
    } = options.factsOf?.(model) ?? {};
    const first = {
      ...firstDialect(baseUrl, model, returnsReasoning === true, efforts),
      ...(extraBody && { extraBody }),
    };
    return callsTools === false ? { ...first, adaptations: ['text_tools'] } : first;
  }

  /**
   * True if this model is known to make native tool calls and this server to parse them. Claimed tool support is no proof:
   * servers pass on calls as text if they fail to parse them.
   */
  function makesNativeCalls(model: string, { adaptations }: Dialect): boolean {
    return !adaptations.includes('text_tools') && (nativeCallers.has(model) || isClosedModel(model));
  }

  /** Reports what an adaptation loses, once per model, and only if it matters for this request. */
  function* reportLosses({ model, tools }: ModelRequest, { adaptations }: Dialect): Generator<ModelEvent> {
    for (const one of adaptations) {
      const notice = adaptationNotices[one];
      const key = `${one} ${model}`;
      if (notice === undefined || reported.has(key) || (one === 'text_tools' && tools.length === 0)) continue;
      reported.add(key);
      const text = notice.replace('{model}', `${model} at ${shownUrl(baseUrl)}`);
      yield { type: 'notice', level: 'warning', text };
    }
  }

  /** Sends one HTTP request. Returns the dialect to retry with, or nothing once the last event was sent. */
  async function* attempt(
    request: ModelRequest,
    dialect: Dialect,
    signal: AbortSignal,
    onSent: ((sent: SentRequest) => void) | undefined,
  ): AsyncGenerator<ModelEvent, Dialect | undefined> {
    const { model } = request;
    yield* reportLosses(request, dialect);
    const offered = request.toolChoice === 'none' ? [] : request.tools;
    return yield* exchange(
      {
        model,
        accumulator: createAccumulator(newCallId, offered, makesNativeCalls(model, dialect)),
        ask(send, signal, trace, callbacks) {
          const { bytes, hash } = writeBody(request, dialect);
          onSent?.(sentAs(hash, request, dialect));
          return ask(bytes, send, signal, trace, callbacks);
        },
        isPart: (event) => Array.isArray(record(event).choices),
        learn: (refusal, status) => learnDialect(dialect, refusal, status),
        onReply({ message, callsAsText }) {
          if (message.toolCalls.length > 0 && callsAsText !== true) nativeCallers.add(model);
        },
      },
      signal,
    );
  }

  async function* ask(
    body: WrittenBody['bytes'],
    send: HttpSend,
    signal: AbortSignal,
    trace: AnswerTrace,
    callbacks: ReplyCallbacks,
  ): AsyncGenerator<object> {
    const answer = await stayOnHost(send)(`${baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        'User-Agent': 'clawdcode',
        ...(isOpenAI(baseUrl) ? options.account : {}),
        ...headers,
      },
      body,
      signal,
    });
    yield* replyChunks(answer, trace, callbacks);
  }

  return { stream };
}
