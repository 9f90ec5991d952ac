/** Builds the body of a request, and learns from a server's errors what to leave out of it. Pure. */
import { createHash } from 'node:crypto';
import type { Message } from '../../../protocol/messages.ts';
import type { ModelRequest, SentRequest } from '../../../protocol/models/model.ts';
import { type ReasoningOptions, reasoningOptions } from '../../../protocol/models/wires.ts';
import { list, record } from '../../json.ts';
import { toWireMessage, toWireMessages, toWireTools } from '../../wire.ts';
import { chatEffort } from '../effort.ts';
import { type ExtraBody, withExtraBody } from '../extraBody.ts';
import { type Adaptation, adaptationFor, adaptMessages, knownAdaptation } from './adaptMessages.ts';

/** The form in which one server accepts requests for one model. */
export interface Dialect {
  /** Names of the reply limit that have not been rejected yet. The first is used; if none is left, no limit is sent. */
  readonly limitNames: readonly (typeof limitNames)[number][];
  readonly streamOptions: boolean;
  readonly temperature: boolean;
  readonly effort: boolean;
  /** Levels of effort that the model accepts; absent = not known. */
  readonly efforts?: readonly string[];
  readonly returnReasoning: boolean;
  readonly extraBody?: ExtraBody;
  /** In the order in which they were learned. */
  readonly adaptations: readonly Adaptation[];
}

/** OpenAI's own endpoint and its reasoning models require the newer name; all other servers know the older one. */
export function firstDialect(
  baseUrl: string,
  model: string,
  returnReasoning: boolean,
  efforts?: readonly string[],
): Dialect {
  const isNewer = /(?:^|\/)(?:o\d|gpt-[5-9])/i.test(model) || isOpenAI(baseUrl);
  return {
    limitNames: isNewer ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens', 'max_completion_tokens'],
    streamOptions: true,
    temperature: true,
    effort: true,
    ...(efforts === undefined ? {} : { efforts }),
    returnReasoning,
    adaptations: [],
  };
}

/** True for OpenAI itself, false for a server that is only compatible. */
export function isOpenAI(baseUrl: string): boolean {
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(?:[:/]|$)/i.test(baseUrl);
}

/**
 * The dialect to try after a rejection (of a field, of tools, of an order of roles …); undefined if the error is about
 * something else. Each step gives something up, so the retries end. Statuses other than 400 and 422 are used for all
 * kinds of errors, so only unambiguous wording is accepted there.
 */
export function learnDialect(dialect: Dialect, refusal: string, status = 400): Dialect | undefined {
  if (!REFUSALS.includes(status)) return undefined;
  const isPlain = status === 400 || status === 422;
  const adapted = (aboutFields: boolean): Dialect | undefined => {
    const next = adaptationFor(refusal, dialect.adaptations, aboutFields);
    return next === undefined ? undefined : { ...dialect, adaptations: [...dialect.adaptations, next] };
  };
  if (!isPlain) return adapted(false);
  if (/reasoning_content/.test(refusal) && /must be passed back|missing|required/i.test(refusal)) {
    return dialect.returnReasoning ? undefined : { ...dialect, returnReasoning: true };
  }
  const isUnsupported =
    /unsupported|not supported|does not support|unrecognized|unknown|unexpected|extra (?:inputs|fields)|not permitted|not allowed|invalid (?:field|param|argument)|use '?max_/i;
  if (!isUnsupported.test(refusal)) return adapted(false);
  if (/stream_options|include_usage/.test(refusal) && dialect.streamOptions) {
    return { ...dialect, streamOptions: false };
  }
  const [used, ...others] = dialect.limitNames;
  if (used !== undefined && new RegExp(`\\b${used}\\b`).test(refusal))
    return { ...dialect, limitNames: others };
  if (/temperature/.test(refusal) && dialect.temperature) return { ...dialect, temperature: false };
  if (/reasoning_effort/.test(refusal) && dialect.effort) return { ...dialect, effort: false };
  return adapted(true);
}

/** OpenRouter sends 404 if no provider supports tools; chat templates fail with 500. */
const REFUSALS: readonly number[] = [400, 404, 422, 500, 501];

/** The request as JSON, before serialization. */
export function toBody(request: ModelRequest, dialect: Dialect): Record<string, unknown> {
  const tools = toWireTools(request.tools);
  const { maxOutputTokens, temperature, toolChoice } = request;
  const [limitName] = dialect.limitNames;
  const { adaptations } = dialect;
  const offersTools = tools !== undefined && !adaptations.includes('text_tools');
  const choosesTools = offersTools && toolChoice !== undefined && !adaptations.includes('no_tool_choice');
  const body = {
    model: request.model,
    messages: adaptMessages(toWireMessages(request.messages, dialect), tools, adaptations),
    ...(offersTools ? { tools } : {}),
    ...(choosesTools ? { tool_choice: toolChoice } : {}),
    stream: true,
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(maxOutputTokens === undefined || limitName === undefined ? {} : { [limitName]: maxOutputTokens }),
    ...(temperature === undefined || !dialect.temperature ? {} : { temperature }),
    ...(dialect.effort ? chatEffort(request, dialect) : {}),
  };
  return withExtraBody(body, dialect.extraBody);
}

const limitNames = ['max_tokens', 'max_completion_tokens'] as const;

/** How a body differs from what the request alone would produce; absent = no difference. */
interface SentDetails extends ReasoningOptions {
  /** The name under which the reply limit was sent; absent = the request has none, or the server accepts none. */
  readonly limitName?: (typeof limitNames)[number];
  /** The limit itself, which the settings may have lowered. */
  readonly maxOutputTokens?: number;
  /** Token usage was not requested: the server rejects that field. */
  readonly withoutUsage?: true;
  /** Earlier reasoning was sent back. */
  readonly withReasoning?: true;
  /** The temperature was left out: the server rejects it. */
  readonly withoutTemperature?: true;
  /** The levels of effort of the model, if one was asked for and they are known. */
  readonly efforts?: readonly string[];
  readonly extraBody?: ExtraBody;
  readonly adaptations?: readonly Adaptation[];
}

/** The facts needed, in addition to the request, to rebuild the same body later. */
export function sentAs(hash: string, request: ModelRequest, dialect: Dialect): SentRequest & SentDetails {
  const [limitName] = dialect.limitNames;
  return {
    hash,
    ...(request.maxOutputTokens === undefined || limitName === undefined
      ? {}
      : { limitName, maxOutputTokens: request.maxOutputTokens }),
    ...(dialect.streamOptions ? {} : { withoutUsage: true }),
    ...(dialect.returnReasoning ? { withReasoning: true } : {}),
    ...(dialect.temperature ? {} : { withoutTemperature: true }),
    ...(dialect.effort ? reasoningSent(request, dialect) : {}),
    ...(dialect.extraBody === undefined ? {} : { extraBody: dialect.extraBody }),
    ...(dialect.adaptations.length === 0 ? {} : { adaptations: dialect.adaptations }),
  };
}

function reasoningSent(
  request: ModelRequest,
  { efforts }: Dialect,
): Pick<SentDetails, keyof ReasoningOptions> {
  const options = reasoningOptions(request);
  return Object.keys(options).length === 0 ? {} : { ...options, ...(efforts && { efforts }) };
}

/** Rebuilds the body of an earlier request exactly as it was sent. */
export function rebuildChatBody(request: ModelRequest, sent: SentRequest): string {
  // A log may come from a later version or another client: unknown details are ignored.
  const { withoutUsage, withReasoning, withoutTemperature } = sent;
  const limitName = limitNames.find((name) => name === sent.limitName);
  const adaptations = list(sent.adaptations).flatMap((one) => knownAdaptation(one) ?? []);
  const body = toBody(request, {
    limitNames: limitName === undefined ? [] : [limitName],
    streamOptions: withoutUsage !== true,
    returnReasoning: withReasoning === true,
    temperature: withoutTemperature !== true,
    effort: sent.effort !== undefined || sent.thinkingBudget !== undefined,
    ...(sent.efforts === undefined
      ? {}
      : { efforts: list(sent.efforts).filter((one) => typeof one === 'string') }),
    ...(sent.extraBody === undefined ? {} : { extraBody: record(sent.extraBody) }),
    adaptations,
  });
  return JSON.stringify(body);
}

/** Identifies a body: 64 bits of SHA-256, in hex. */
export function bodyHash(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
}

export interface WrittenBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As in `SentRequest.hash`. */
  readonly hash: string;
}

type BodyWriter = (request: ModelRequest, dialect: Dialect) => WrittenBody;

/**
 * Creates a writer for `JSON.stringify(toBody(…))`, byte for byte. Each step sends the whole conversation again, so the
 * bytes of each message are cached: for a body of 1.2 MB this takes 5 ms instead of 25.
 */
export function createBodyWriter(): BodyWriter {
  const written = new WeakMap<Message, { readonly withReasoning: boolean; readonly json: Buffer }>();

  /** Empty for a message that is left out. */
  const jsonOf = (message: Message, withReasoning: boolean): Buffer => {
    const found = written.get(message);
    if (found?.withReasoning === withReasoning) return found.json;
    const wire = toWireMessage(message, withReasoning);
    const json = Buffer.from(wire === undefined ? '' : JSON.stringify(wire));
    written.set(message, { withReasoning, json });
    return json;
  };

  return (request, dialect) => {
    const bytes = Buffer.concat(dialect.adaptations.length > 0 ? whole() : inPieces());
    return { bytes, hash: bodyHash(bytes) };

    function whole(): Buffer[] {
      return [Buffer.from(JSON.stringify(toBody(request, dialect)))];
    }

    /**
     * Builds the body without messages and inserts them. `start` cannot occur inside a string, where its quotes would
     * be escaped.
     */
    function inPieces(): Buffer[] {
      const start = '"messages":[';
      const empty = JSON.stringify(toBody({ ...request, messages: [] }, dialect));
      const at = empty.indexOf(start) + start.length;
      const messages = request.messages
        .map((message) => jsonOf(message, dialect.returnReasoning))
        .filter(({ length }) => length > 0)
        .flatMap((json, index) => (index === 0 ? [json] : [COMMA, json]));
      return [Buffer.from(empty.slice(0, at)), ...messages, Buffer.from(empty.slice(at))];
    }
  };
}

const COMMA = Buffer.from(',');
