/**
 * Converts any failure of a request into a `ModelError`: its kind, whether a retry is worthwhile, and a message that
 * says what happened and what to do next. The message never contains the key.
 */
import type { ModelError, ModelErrorKind } from '../protocol/models/model.ts';
import { type Failure, readFailure, readRetryAfter } from './failure.ts';
import { readNetworkFailure } from './network.ts';

export interface RequestFacts {
  readonly baseUrl: string;
  /** Empty if the request was not about one model. */
  readonly model: string;
  readonly hasKey: boolean;
  /** The named provider that was asked, and where its key comes from; absent = the default endpoint. */
  readonly provider?: { readonly name: string; readonly keySource: string | undefined };
  /** The key and the values of the user's own headers: removed from every message, even if the server quotes them. */
  readonly secrets?: readonly string[];
  /** True once this server has answered anything: a refused connection is then not a typo, and worth a retry. */
  readonly reached?: boolean;
  /** True if part of the reply had arrived. */
  readonly started?: boolean;
  /** The API that was expected; absent = an OpenAI-compatible one. */
  readonly api?: string;
}

/** Classifies a thrown value. `now` (ms since the epoch) is only needed for a `retry-after` date. */
export function toModelError(error: unknown, about: RequestFacts, now: number = Date.now()): ModelError {
  const failure = readFailure(error, about.secrets);
  const overflow = readOverflow(failure.body);
  if (overflow !== undefined && ![401, 403, 404, 429].includes(failure.status ?? 0)) {
    return overflowError(failure, about, overflow);
  }
  const retryAfterMs = readRetryAfter(failure, now);
  const modelError =
    failure.status !== undefined || failure.body !== ''
      ? answerError(failure, about, retryAfterMs)
      : connectionError(failure, about);
  const withDelay =
    modelError.retryable && retryAfterMs !== undefined ? { ...modelError, retryAfterMs } : modelError;
  if (!failure.isEndless) return withDelay;
  return {
    ...withDelay,
    message: `${withDelay.message} Its error message has more than 64 KB.`,
    isExcessive: true,
  };
}

/** A stream that ended without a finish reason. */
export function cutError(about: RequestFacts): ModelError {
  const what = `The reply from ${where(about)} ended early.`;
  return {
    ...{ kind: 'cut', retryable: true },
    ...advised(what, "Try again; if it keeps happening, check the server's log."),
  };
}

/** Nothing arrived for `idleMs`. */
export function stalledError(about: RequestFacts, idleMs: number): ModelError {
  const seconds = Math.round(idleMs / 1000);
  const what = `${where(about)} sent nothing for ${seconds} s.`;
  return {
    ...{ kind: 'stalled', retryable: true },
    ...advised(what, 'Try again; a local server may need a smaller context or a smaller model.'),
  };
}

/** The connection was kept alive for `waitedMs`, but the reply did not grow. */
export function noProgressError(about: RequestFacts, waitedMs: number): ModelError {
  const minutes = Math.round(waitedMs / 60_000);
  const what = `${where(about)} kept the connection alive for ${minutes} min without adding to its reply.`;
  return {
    ...{ kind: 'stalled', retryable: true },
    ...advised(what, "Try again; if it keeps happening, check the server's log or choose another model."),
  };
}

/** A message with advice that is left out while the request is retried. */
function advised(what: string, advice: string): Pick<ModelError, 'message' | 'advice'> {
  return { message: `${what} ${advice}`, advice };
}

/** A response that is not of the expected API. */
export function badUrlError(about: RequestFacts, status?: number, said = ''): ModelError {
  return {
    kind: 'bad_url',
    retryable: false,
    ...(status === undefined ? {} : { status }),
    message: `${shownUrl(about.baseUrl)} does not answer like ${about.api ?? 'an OpenAI-compatible API'}.${said} ${checkUrl(about.baseUrl)}`,
  };
}

/** Most wrong base URLs lack the path at the end. */
function checkUrl(baseUrl: string): string {
  const shown = shownUrl(baseUrl);
  const hint = 'Check the base URL (--base-url, OPENAI_BASE_URL or "baseUrl")';
  return /\/v\d+\w*(?:\/|$)/.test(shown) || !URL.canParse(baseUrl)
    ? `${hint}; it usually ends in /v1.`
    : `${hint}: should it be ${shown}/v1?`;
}

/** The base URL without credentials and query. */
export function shownUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // "user:password@host" also parses as a URL, with "user" as its scheme.
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return JSON.stringify(baseUrl.replace(/^([a-z]+:\/\/)?.*@/is, '$1').replace(/\?.*/s, ''));
  return `${url.origin}${url.pathname}`.replace(/\/$/, '');
}

function where(about: RequestFacts): string {
  const url = shownUrl(about.baseUrl);
  return about.model === '' ? url : `${about.model} at ${url}`;
}

/** The window in tokens, if an overflow error names it. */
type NamedWindow = Pick<ModelError, 'windowTokens'>;

/** A request that is larger than one that this server rejected, and was not sent. */
export function knownTooLargeError(about: RequestFacts): ModelError {
  return {
    kind: 'overflow',
    retryable: false,
    message: `The request is larger than ${where(about)} accepts. ${AFTER_BYTE_LIMIT}`,
    isByteLimit: true,
  };
}

const AFTER_BYTE_LIMIT = 'Compact the conversation (/compact), or leave out large files and images.';

function overflowError(failure: Failure, about: RequestFacts, named: NamedWindow = {}): ModelError {
  // Some servers answer 413 to a request with more tokens than an account may send in a minute.
  const isByteLimit =
    named.windowTokens === undefined &&
    (BYTE_LIMIT.test(failure.body) || (failure.status === 413 && !/\btokens?\b/i.test(failure.body)));
  const [problem, next] = isByteLimit
    ? [`The request is larger than ${where(about)} accepts.`, AFTER_BYTE_LIMIT]
    : [
        `The request is larger than the context window of ${where(about)}.`,
        'Compact the conversation (/compact), or set the window with --context-window.',
      ];
  return {
    ...statusOf(failure),
    kind: 'overflow',
    retryable: false,
    message: `${problem}${serverSentence(failure)} ${next}`,
    ...named,
    ...(isByteLimit ? { isByteLimit } : {}),
  };
}

function answerError(failure: Failure, about: RequestFacts, retryAfterMs: number | undefined): ModelError {
  const { status = 0, body } = failure;
  const make = (kind: ModelErrorKind, retryable: boolean, what: string, next: string): ModelError => ({
    ...statusOf(failure),
    kind,
    retryable,
    message: `${what}${serverSentence(failure)} ${next}`,
  });
  /** With advice that the retries follow already. */
  const temporary = (kind: ModelErrorKind, what: string, advice: string): ModelError => ({
    ...make(kind, true, what, advice),
    advice,
  });
  if (
    /api[_ ]key[_ ](?:not valid|invalid)|invalid[_ ]api[_ ]key/i.test(body) ||
    status === 401 ||
    status === 403
  ) {
    if (about.provider !== undefined) return make('auth', false, ...providerRefusal(about, about.provider));
    return about.hasKey
      ? make(
          'auth',
          false,
          `${where(about)} rejected the API key.`,
          'Check the key (OPENAI_API_KEY or "apiKey") and whether it may use this model.',
        )
      : make(
          'auth',
          false,
          `${where(about)} needs an API key, and none is set.`,
          'Set OPENAI_API_KEY, or "apiKey" in ~/.clawdcode/config.json.',
        );
  }
  if (status === 402 || isQuota(body, retryAfterMs)) {
    return make(
      'quota',
      false,
      `The account at ${shownUrl(about.baseUrl)} has no credit or quota left.`,
      'Check plan and billing at the provider, or use another key.',
    );
  }
  if (status === 429 || status === 413) {
    if (/request too large|must be reduced|reduce your/i.test(body)) return overflowError(failure, about);
    if (status === 413 && !/rate.?limit/i.test(body)) return overflowError(failure, about);
  }
  if (status === 429 || /rate_limit|rate limit|too many requests/i.test(body)) {
    const what = `${where(about)} is rate limiting requests.`;
    if (retryAfterMs === undefined || retryAfterMs < 60_000)
      return temporary('rate_limit', what, 'Wait a little; a smaller context uses up the limit more slowly.');
    const wait = `It asks to wait ${waitText(retryAfterMs)}; another model or key may work now.`;
    return make('rate_limit', true, what, wait);
  }
  if (isUnknownModel(status, body)) {
    return make(
      'model_not_found',
      false,
      `The model ${about.model} was not found at ${shownUrl(about.baseUrl)}.`,
      'Choose another one (--model, OPENAI_MODEL or /model); a local server must have it installed.',
    );
  }
  if (status === 404 || status === 405) return badUrlError(about, status, serverSentence(failure));
  if (status === 503 && /loading|warming up|starting up|not ready/i.test(body)) {
    return make(
      'server',
      true,
      `${where(about)} is still loading on the server.`,
      'A large model takes minutes the first time.',
    );
  }
  if (status === 529 || (status >= 500 && /overloaded|at capacity|too busy/i.test(body))) {
    return make(
      'server',
      true,
      `${where(about)} is overloaded.`,
      'If this persists, choose another model (/model, --model).',
    );
  }
  if (status >= 500 || status === 408 || status === 409 || status === 0) {
    const what = `${where(about)} failed${status > 0 ? ` (HTTP ${status})` : ''}.`;
    return temporary('server', what, 'Try again in a moment.');
  }
  if (status < 400) return badUrlError(about, status);
  return make(
    'bad_request',
    false,
    `${where(about)} rejected the request (HTTP ${status}).`,
    'Another model or base URL may work; --debug records the details.',
  );
}

type Provider = NonNullable<RequestFacts['provider']>;

/** What a provider says about its key, and what to do next. */
function providerRefusal({ baseUrl }: RequestFacts, { name, keySource }: Provider): [string, string] {
  const where = `The provider "${name}" (${shownUrl(baseUrl)})`;
  return keySource === undefined
    ? [
        `${where} needs a key, and none is set.`,
        `Run clawdcode auth login ${name}, or add "apiKey", "apiKeyEnv" or "apiKeyHelper" to it in ~/.clawdcode/config.json.`,
      ]
    : [`${where} rejected the key from ${keySource}.`, 'Check the key, and whether it may use this model.'];
}

function connectionError(failure: Failure, about: RequestFacts): ModelError {
  const signs = `${failure.codes.join(' ')} ${failure.message}`;
  const known = readNetworkFailure(signs);
  const url = shownUrl(about.baseUrl);
  if (known === undefined) {
    const header = /ERR_INVALID_(?:CHAR|HTTP_TOKEN)\b.*\["([^"]*)"\]/s.exec(signs)?.[1];
    if (header !== undefined && header !== 'authorization')
      return {
        kind: 'bad_request',
        retryable: false,
        message: `The header ${JSON.stringify(header)} of the request to ${url} cannot be sent: its name or its value contains a character that headers do not allow. Correct it where it is set.`,
      };
    if (header !== undefined)
      return {
        kind: 'auth',
        retryable: false,
        message: `The API key contains characters that no key has: a line break, a space, or a non-ASCII letter. Copy it again (${about.provider?.keySource ?? 'OPENAI_API_KEY or "apiKey"'}).`,
      };
    return {
      kind: 'network',
      retryable: true,
      message: `The request to ${url} failed: ${failure.message || 'no reason given'}. Check the network connection and the base URL.`,
    };
  }
  if (about.started === true && known.kind === 'network' && known.retry !== 'never') return cutError(about);
  const other = /<([^<>]{1,200})>/.exec(failure.message)?.[1] ?? 'elsewhere';
  // A server that expects TLS closes a plain connection without an answer.
  const wantsTls =
    known.retry === 'always' && about.reached !== true && isHangUp(signs) && /^http:/i.test(url);
  return {
    kind: known.kind,
    retryable: known.retry === 'always' || (known.retry === 'later' && about.reached === true),
    message: `${known.what.replace('{url}', url).replace('{other}', other)} ${wantsTls ? TRY_HTTPS : known.next}`,
  };
}

function isHangUp(signs: string): boolean {
  return /ECONNRESET/.test(signs);
}

const TRY_HTTPS =
  'Check the server and the network; if the server speaks https, the base URL must start with https.';

/** "90 seconds", "20 minutes", "3 hours". */
function waitText(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} seconds`;
  return ms < 7_200_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 3_600_000)} hours`;
}

/** Gemini also reports "exceeded your current quota" for a per-minute limit, but then says when to retry. */
function isQuota(body: string, retryAfterMs: number | undefined): boolean {
  if (
    /insufficient_quota|insufficient.balance|credit balance|billing_hard_limit|billing_not_active/i.test(body)
  )
    return true;
  return retryAfterMs === undefined && /exceeded your current quota/i.test(body);
}

function isUnknownModel(status: number, body: string): boolean {
  if (/^\s*</.test(body)) return false;
  if (
    /"message": ?"model: |model_?not_?found|not a valid model|unknown model|invalid model|model not exist|no endpoints found/i.test(
      body,
    )
  )
    return true;
  const unknownModel =
    /model\b.{0,120}?(?:does not exist|do not exist|not found|not supported|isn't available|is not available|not loaded)/i;
  return (status === 404 || status === 400) && unknownModel.test(body);
}

function statusOf(failure: Failure): { readonly status?: number } {
  return failure.status === undefined ? {} : { status: failure.status };
}

function serverSentence(failure: Failure): string {
  if (failure.sentence === undefined) return '';
  return ` It said: ${JSON.stringify(failure.sentence.replace(/(?<=[^.])\.$/, ''))}.`;
}

/** How Anthropic and Gemini say that a request has too many bytes. */
const BYTE_LIMIT = /request_too_large|request exceeds the maximum size|payload size exceeds the limit/i;

/**
 * How servers say that a request is larger than the context window. A first group, if any, is the window in tokens.
 */
const wordings: readonly RegExp[] = [
  BYTE_LIMIT,
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang, Fireworks
  /maximum context length(?: is|:| of)? ?(\d[\d,]*)/i,
  // vLLM since 0.11: "the model's context length is only 4096 tokens"
  /context length is (?:only )?(\d[\d,]*) tokens/i,
  /longer than the (?:maximum )?model(?:'s)? (?:context )?length(?: of)? ?\(?(\d[\d,]*)/i,
  // OpenAI, newer
  /input tokens exceed the configured limit of (\d[\d,]*)/i,
  /exceeds? the context window/i,
  /context_length_exceeded|context length exceeded|context_window_exceeded/i,
  // llama.cpp: the field is more reliable than the sentence
  /"n_ctx": ?(\d+)/,
  /exceeds the available context size(?: \((\d+) tokens\))?/i,
  /exceed_context_size/i,
  // LM Studio
  /context length of (?:only )?(\d[\d,]*) tokens/i,
  /n_keep: \d+ >= n_ctx: (\d+)/i,
  /greater than the context length/i,
  /context size has been exceeded/i,
  // Ollama
  /prompt too long; exceeded max context length/i,
  /input (?:length )?exceeds (?:the )?(?:maximum )?context length/i,
  // Anthropic and servers that imitate it; Bedrock
  /prompt is too long: \d+ tokens > (\d+)/i,
  /exceed context limit: \d+ \+ \d+ > (\d+)/i,
  /(?:prompt|input) is too long/i,
  // Gemini
  /input token count.{0,30}exceeds the maximum number of tokens allowed[^\d]{0,3}(\d+)?/i,
  // Mistral, xAI, Cerebras, Moonshot, GitHub Copilot, Together, TGI, DashScope, Zhipu, MiniMax
  /too large for model with (\d+) maximum context length/i,
  /maximum prompt length is (\d+)/i,
  /current length is \d+ while limit is (\d+)/i,
  /exceeded model token limit: (\d+)/i,
  /prompt token count of \d+ exceeds the limit of (\d+)/i,
  /max_new_tokens`? must be <= (\d+)/i,
  /range of input length should be \[\d+, (\d+)\]/i,
  /prompt exceeds max length/i,
  /context window exceeds limit/i,
  // Groq, and a fallback for several others
  /reduce the length of the (?:messages|input|prompt)/i,
  /shorten (?:your|the) (?:prompt|input|messages)/i,
];

/**
 * Reads an overflow error: undefined if the failure is a different one, otherwise the window in tokens if the text
 * contains it.
 */
function readOverflow(body: string): NamedWindow | undefined {
  let found = false;
  for (const wording of wordings) {
    const match = wording.exec(body);
    if (match === null) continue;
    found = true;
    const windowTokens = Number(match[1]?.replaceAll(',', ''));
    if (Number.isSafeInteger(windowTokens) && windowTokens > 0) return { windowTokens };
  }
  return found ? {} : undefined;
}
