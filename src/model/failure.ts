/** Turns any thrown value (an error of the SDK, a proxy, a socket) into plain data. Pure. */

import { parseJson } from '../protocol/json.ts';
import { record, text } from './json.ts';

/** The facts about a failed request that a thrown value contains. */
export interface Failure {
  /** HTTP status; absent if there was no answer, or if the failure occurred inside the stream. */
  readonly status?: number;
  /** The body of the answer, or the error event, as text; empty if there was none. */
  readonly body: string;
  /** True if the body exceeded the read limit: no error message needs that much. */
  readonly isEndless: boolean;
  /** The server's own error message, if the body contains one. */
  readonly sentence?: string;
  /** The `code`s of the error and its causes: `ECONNREFUSED`, `HPE_INVALID_CONSTANT`… */
  readonly codes: readonly string[];
  /** Messages of the error and its causes, joined. */
  readonly message: string;
  readonly header: (name: string) => string | undefined;
}

/** The key under which replyChunks.ts passes the body of a failed answer through the SDK's error. */
export const RAW_BODY = 'raw_body';

/** The key of a flag next to it: the body exceeded the read limit. */
export const IS_ENDLESS = 'is_endless';

/** Maximum characters read from a response body or an error message: servers may send errors of any size. */
const MAX_READ = 64 * 1024;

/** Follows `cause` and reads the SDK's fields. Removes `secrets`, since servers and Node quote keys in their errors. */
export function readFailure(error: unknown, secrets: readonly string[] = []): Failure {
  const chain = causes(error);
  const top = record(error);
  const payload = record(top.error);
  const written = text(payload[RAW_BODY]) ?? (Object.keys(payload).length > 0 ? JSON.stringify(payload) : '');
  const body = withoutSecrets(written.slice(0, MAX_READ), secrets);
  const status = numeric(top.status) ?? numeric(payload.code) ?? numeric(payload.status_code);
  const sentence = findSentence(body);
  return {
    ...(status === undefined ? {} : { status }),
    body,
    isEndless: payload[IS_ENDLESS] === true,
    ...(sentence === undefined ? {} : { sentence }),
    codes: chain.flatMap((cause) => text(record(cause).code) ?? []),
    message: withoutSecrets(
      chain.map((cause) => (text(record(cause).message) ?? '').slice(0, MAX_READ)).join('; '),
      secrets,
    ),
    header: (name) => headerOf(top.headers, name),
  };
}

/** Replaces each secret with `***`, plain or JSON-escaped. Secrets of fewer than 6 characters are left in place. */
export function withoutSecrets(line: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), line);
}

/**
 * Milliseconds, from `retry-after-ms`, from `retry-after` (seconds or a date), or from "try again in 1.2s" in the body.
 */
export function readRetryAfter(failure: Failure, now: number): number | undefined {
  const ms = Number(failure.header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  const header = failure.header('retry-after');
  if (header !== undefined) {
    const seconds = Number(header);
    const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
    if (Number.isFinite(wait)) return Math.max(0, Math.round(wait));
  }
  const words = /(?:try again|retry) in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)(m?s))?/i.exec(failure.body);
  if (words === null) return undefined;
  const [, hours, minutes, rest, unit] = words;
  if (hours === undefined && minutes === undefined && rest === undefined) return undefined;
  const scale = unit === 'ms' ? 1 : 1000;
  return Math.round(
    Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + Number(rest ?? 0) * scale,
  );
}

/** Reads `Headers` of the SDK's errors as well as a plain object of headers. */
function headerOf(headers: unknown, name: string): string | undefined {
  const { get } = record(headers);
  return text(typeof get === 'function' ? get.call(headers, name) : record(headers)[name]);
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < 6; at = record(at).cause) {
    chain.push(at);
    // Happy Eyeballs: one error per address that was tried
    const first: unknown = at instanceof AggregateError ? at.errors[0] : undefined;
    if (first !== undefined) chain.push(first);
  }
  return chain;
}

function numeric(value: unknown): number | undefined {
  const status = typeof value === 'string' ? Number(value) : value;
  return typeof status === 'number' && status >= 100 && status < 600 ? status : undefined;
}

/** The message in `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`, `{detail: [{msg}]}`, `{msg}` or an array of them. */
function findSentence(body: string): string | undefined {
  if (/^\s*<(?:!doctype|html|head|body|\?xml)/i.test(body)) return undefined;
  const parsed = parseJson(body);
  if (parsed === undefined) return clip(body);
  const top = record(Array.isArray(parsed) ? parsed[0] : parsed);
  const inner = record(top.error);
  // FastAPI: a list of mistakes
  const [mistake] = Array.isArray(top.detail) ? top.detail : [];
  const { loc, msg } = record(mistake);
  const where = Array.isArray(loc) && text(msg) ? `${loc.join('.')}: ` : '';
  const found = [inner.message, top.error, top.message, top.detail, top.msg].map(text).find(Boolean);
  const reported = found ?? (text(msg) && `${where}${text(msg)}`);
  const upstream = text(record(inner.metadata ?? top.metadata).raw); // OpenRouter: the provider's own error
  return clip([reported, upstream].filter(Boolean).join(': '));
}

/** One line of at most 300 characters. */
function clip(sentence: string): string | undefined {
  const line = sentence.replace(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
