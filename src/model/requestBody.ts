/** The body of a request, and what a server has taught us to leave out of it. Pure. */
import { createHash } from 'node:crypto';
import type { ModelRequest, SentRequest } from '../protocol/model.ts';
import { toWireMessages, toWireTools } from './wire.ts';

/** How one server wants requests for one model. */
export interface Dialect {
  /** Names of the reply limit that were not refused yet; the first is used, none left means no limit. */
  readonly limitNames: readonly ('max_tokens' | 'max_completion_tokens')[];
  readonly streamOptions: boolean;
  readonly temperature: boolean;
  readonly returnReasoning: boolean;
}

/** OpenAI's own endpoint and its reasoning models want the newer name; everyone else knows the older one. */
export function firstDialect(baseUrl: string, model: string, returnReasoning: boolean): Dialect {
  const isNewer = /(?:^|\/)(?:o\d|gpt-[5-9])/i.test(model) || isOpenAI(baseUrl);
  return {
    limitNames: isNewer ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens', 'max_completion_tokens'],
    streamOptions: true,
    temperature: true,
    returnReasoning,
  };
}

/** Is this OpenAI itself, or a server that only speaks like it? */
export function isOpenAI(baseUrl: string): boolean {
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(?:[:/]|$)/i.test(baseUrl);
}

/**
 * The dialect to try after a refusal that names one of our fields; undefined when the refusal is about
 * something else. Every step gives something up, so that this ends.
 */
export function learnDialect(dialect: Dialect, refusal: string): Dialect | undefined {
  if (/reasoning_content/.test(refusal) && /must be passed back|missing|required/i.test(refusal)) {
    return dialect.returnReasoning ? undefined : { ...dialect, returnReasoning: true };
  }
  const isUnsupported =
    /unsupported|not supported|does not support|unrecognized|unknown|unexpected|extra (?:inputs|fields)|not permitted|not allowed|invalid (?:field|param|argument)|use '?max_/i;
  if (!isUnsupported.test(refusal)) return undefined;
  if (/stream_options|include_usage/.test(refusal) && dialect.streamOptions) {
    return { ...dialect, streamOptions: false };
  }
  const [used, ...others] = dialect.limitNames;
  if (used !== undefined && new RegExp(`\\b${used}\\b`).test(refusal))
    return { ...dialect, limitNames: others };
  if (/temperature/.test(refusal) && dialect.temperature) return { ...dialect, temperature: false };
  return undefined;
}

/** The JSON that is sent. */
export function toBody(request: ModelRequest, dialect: Dialect): Record<string, unknown> {
  const tools = toWireTools(request.tools);
  const { maxOutputTokens, temperature, toolChoice } = request;
  const [limitName] = dialect.limitNames;
  return {
    model: request.model,
    messages: toWireMessages(request.messages, dialect),
    ...(tools === undefined ? {} : { tools }),
    ...(tools === undefined || toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    stream: true,
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(maxOutputTokens === undefined || limitName === undefined ? {} : { [limitName]: maxOutputTokens }),
    ...(temperature === undefined || !dialect.temperature ? {} : { temperature }),
  };
}

/** What has to be known besides the request to build the same body again. */
export function sentAs(body: string, request: ModelRequest, dialect: Dialect): SentRequest {
  const [limitName] = dialect.limitNames;
  return {
    hash: bodyHash(body),
    ...(request.maxOutputTokens === undefined || limitName === undefined ? {} : { limitName }),
    ...(dialect.streamOptions ? {} : { withoutUsage: true }),
    ...(dialect.returnReasoning ? { withReasoning: true } : {}),
    ...(dialect.temperature ? {} : { withoutTemperature: true }),
  };
}

/** The body of a request that was sent once, as it went over the wire. */
export function bodyAgain(request: ModelRequest, sent: SentRequest): string {
  const { limitName, withoutUsage, withReasoning, withoutTemperature } = sent;
  const body = toBody(request, {
    limitNames: limitName === undefined ? [] : [limitName],
    streamOptions: withoutUsage !== true,
    returnReasoning: withReasoning === true,
    temperature: withoutTemperature !== true,
  });
  return JSON.stringify(body);
}

/** Tells bodies apart: 64 bits of SHA-256, in hex. */
export function bodyHash(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
}
