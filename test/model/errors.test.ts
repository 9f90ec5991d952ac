import { request } from 'node:http';
import { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { badUrlError, shownUrl, toModelError } from '../../src/model/errors.ts';
import { RAW_BODY } from '../../src/model/failure.ts';

const about = { baseUrl: 'http://user:hunter2@llm.local:8080/v1?key=hunter2', model: 'm-1', hasKey: true };
const answered = (status: number | undefined, body: string, headers: Record<string, string> = {}) =>
  APIError.generate(status, { error: { [RAW_BODY]: body } }, undefined, new Headers(headers));
const inStream = (error: object) => new APIError(undefined, error, undefined, new Headers());
const connection = (code: string, message = code) => Object.assign(new Error(message), { code });
const message = (text: string, rest: object = {}) => JSON.stringify({ error: { message: text, ...rest } });

test('a server that does not know the address is quoted', () => {
  const { kind, message: text } = toModelError(answered(404, message('No route for this team')), about);
  expect(kind).toBe('bad_url');
  expect(text).toMatch(/does not answer like .*\. It said: "No route for this team"\. Check the base URL/);
});

describe('a request larger than the window is recognized, with the window if the error names it', () => {
  test.each<readonly [string, number, string, number | undefined]>([
    [
      'OpenAI',
      400,
      message(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
        { code: 'context_length_exceeded' },
      ),
      128_000,
    ],
    [
      'OpenAI, newer',
      400,
      message('Your input exceeds the context window of this model. Please adjust your input and try again.'),
      undefined,
    ],
    [
      'OpenAI, GPT-5',
      400,
      message(
        'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.',
      ),
      272_000,
    ],
    [
      'Azure',
      400,
      message(
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens (8000 in your prompt; 1000 for the completion).",
      ),
      8192,
    ],
    [
      'vLLM',
      400,
      JSON.stringify({
        object: 'error',
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
        code: 400,
      }),
      4096,
    ],
    [
      'vLLM, reply limit',
      400,
      message(
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 4096 tokens and your request has 300 input tokens",
      ),
      4096,
    ],
    [
      'vLLM, newer',
      400,
      message(
        "You passed 4097 input tokens and requested 1 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4095 tokens.",
      ),
      4096,
    ],
    [
      'vLLM, decoder',
      400,
      message('The decoder prompt (length 5000) is longer than the maximum model length of 4096.'),
      4096,
    ],
    [
      'SGLang',
      400,
      message("The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
      4096,
    ],
    [
      'llama.cpp',
      400,
      message('request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it', {
        code: 400,
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      }),
      4096,
    ],
    [
      'llama.cpp, older',
      500,
      message('the request exceeds the available context size. try increasing the context size'),
      undefined,
    ],
    [
      'LM Studio',
      400,
      JSON.stringify({
        error:
          'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.',
      }),
      8192,
    ],
    [
      'LM Studio, n_keep',
      400,
      JSON.stringify({
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length',
      }),
      4096,
    ],
    ['LM Studio, MLX', 400, JSON.stringify({ error: 'Context size has been exceeded.' }), undefined],
    ['Ollama', 400, message('the input length exceeds the context length'), undefined],
    ['Ollama, newer', 400, message('prompt too long; exceeded max context length by 120 tokens'), undefined],
    [
      'OpenRouter',
      400,
      message(
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (149000 of text input, 1000 in the output).",
        { code: 400 },
      ),
      131_072,
    ],
    ['Anthropic', 400, message('prompt is too long: 210000 tokens > 200000 maximum'), 200_000],
    [
      'Anthropic, with reply',
      400,
      message(
        'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      ),
      200_000,
    ],
    [
      'Anthropic, bytes',
      413,
      message('Request exceeds the maximum size', { type: 'request_too_large' }),
      undefined,
    ],
    ['Bedrock', 400, message('Input is too long for requested model.'), undefined],
    [
      'Gemini',
      400,
      JSON.stringify([
        {
          error: {
            code: 400,
            message:
              'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          },
        },
      ]),
      1_048_576,
    ],
    [
      'Mistral',
      400,
      message(
        'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      ),
      32_768,
    ],
    [
      'xAI',
      400,
      message("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
      131_072,
    ],
    [
      'Groq',
      400,
      message('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
      undefined,
    ],
    [
      'Cerebras',
      400,
      message(
        'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
      ),
      8192,
    ],
    [
      'Moonshot',
      400,
      message('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'),
      262_144,
    ],
    ['Copilot', 400, message('prompt token count of 70000 exceeds the limit of 64000'), 64_000],
    [
      'TGI',
      422,
      message(
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 1000 `max_new_tokens`',
      ),
      8193,
    ],
    ['DashScope', 400, message('Range of input length should be [1, 129024]'), 129_024],
    ['a proxy', 413, '<html>413 Request Entity Too Large</html>', undefined],
    [
      'a limit per minute that one request exceeds',
      429,
      message(
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.',
        { code: 'rate_limit_exceeded' },
      ),
      undefined,
    ],
  ])('%s', (_server, status, body, windowTokens) => {
    const error = toModelError(answered(status, body), about);
    expect(error).toMatchObject({ kind: 'overflow', retryable: false, status });
    expect(error.windowTokens).toBe(windowTokens);
    expect(error.message).toContain('/compact');
  });

  test.each([
    [413, '<html>413 Request Entity Too Large</html>'],
    [413, message('Request exceeds the maximum size', { type: 'request_too_large' })],
    [400, message('Request payload size exceeds the limit: 20971520 bytes.')],
  ])('%s %s is about bytes, not about the context window', (status, body) => {
    const error = toModelError(answered(status, body), about);
    expect(error).toMatchObject({ kind: 'overflow', isByteLimit: true });
    expect(error).not.toHaveProperty('windowTokens');
    expect(error.message).not.toContain('window');
  });

  test.each([
    [400, message('prompt is too long: 210000 tokens > 200000 maximum')],
    [413, message("This model's maximum context length is 8192 tokens.")],
    [413, message('Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000')],
  ])('%s %s is about the context window', (status, body) => {
    expect(toModelError(answered(status, body), about)).not.toHaveProperty('isByteLimit');
  });

  test('also recognizes an error inside the stream', () => {
    expect(
      toModelError(inStream({ message: 'prompt is too long: 9 tokens > 8 maximum' }), about),
    ).toMatchObject({ kind: 'overflow', windowTokens: 8 });
  });
});

describe('status codes', () => {
  test.each<readonly [number, string, string, boolean]>([
    [401, message('no'), 'auth', false],
    [403, '<html>forbidden</html>', 'auth', false],
    [400, message('API key not valid. Please pass a valid API key.'), 'auth', false],
    [402, message('Insufficient Balance'), 'quota', false],
    [
      429,
      message('You exceeded your current quota, please check your plan and billing details.', {
        code: 'insufficient_quota',
      }),
      'quota',
      false,
    ],
    [429, message('You exceeded your current quota. Please retry in 12.5s.'), 'rate_limit', true],
    [429, '', 'rate_limit', true],
    [413, message('Rate limit reached: tokens per minute'), 'rate_limit', true],
    [404, message('model "m-1" not found, try pulling it first'), 'model_not_found', false],
    [404, message('No endpoints found for m-1.'), 'model_not_found', false],
    [400, message('m-1 is not a valid model ID'), 'model_not_found', false],
    [400, message('Model Not Exist'), 'model_not_found', false],
    [404, '<!doctype html><title>model not found</title>', 'bad_url', false],
    [404, '404 page not found', 'bad_url', false],
    [405, '', 'bad_url', false],
    [
      400,
      message('max_tokens is too large: 99999. This model supports at most 16384 completion tokens'),
      'bad_request',
      false,
    ],
    [422, JSON.stringify({ detail: 'field required' }), 'bad_request', false],
    [500, '', 'server', true],
    [503, message('Loading model'), 'server', true],
    [529, message('Overloaded'), 'server', true],
    [408, '', 'server', true],
  ])('%i %s is %s', (status, body, kind, retryable) => {
    expect(toModelError(answered(status, body), about)).toMatchObject({ kind, retryable, status });
  });

  test("quote the server's own sentence, and never HTML", () => {
    expect(
      toModelError(
        answered(
          500,
          JSON.stringify({
            error: { message: 'Provider returned error', metadata: { raw: 'out of  memory' } },
          }),
        ),
        about,
      ).message,
    ).toContain('"Provider returned error: out of memory"');
    const mistakes = { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] };
    expect(toModelError(answered(422, JSON.stringify(mistakes)), about).message).toContain(
      'It said: "body.model: Field required".',
    );
    expect(toModelError(answered(502, '<html>secret page</html>'), about).message).not.toContain('secret');
  });

  test.each([
    [503, 'Loading model', 'is still loading'],
    [503, 'The server is overloaded', 'is overloaded'],
    [529, '', 'is overloaded'],
    [503, '', 'failed (HTTP 503)'],
    [429, 'Rate limit reached. Please try again in 20m.', 'It asks to wait 20 minutes'],
    [429, 'Rate limit reached. Please try again in 90s.', 'It asks to wait 90 seconds'],
    [429, 'Rate limit reached. Please try again in 5h.', 'It asks to wait 5 hours'],
    [429, 'Rate limit reached. Please try again in 2s.', 'Wait a little'],
  ])('%i %j becomes: %s', (status, says, words) => {
    expect(toModelError(answered(status, message(says)), about).message).toContain(words);
  });

  test('a quoted sentence ends with one period', () => {
    const quoted = (says: string) => toModelError(answered(401, message(says)), about).message;
    expect(quoted('Bad key.')).toContain('It said: "Bad key". ');
    expect(quoted('Bad key...')).toContain('It said: "Bad key...". ');
  });

  test('distinguish a missing key from a wrong one', () => {
    expect(toModelError(answered(401, ''), { ...about, hasKey: false }).message).toContain('none is set');
    expect(toModelError(answered(401, ''), about).message).toContain('rejected the API key');
  });

  test.each<readonly [Record<string, string>, string, number | undefined]>([
    [{ 'retry-after': '2.5' }, '', 2500],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:00 GMT' }, '', 50_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, '', 0],
    [{ 'retry-after': '9', 'retry-after-ms': '250' }, '', 250],
    [{ 'retry-after': 'soon' }, '', undefined],
    [{}, message('Please try again in 6m0.5s.'), 360_500],
    [{}, message('Please try again in 88ms.'), 88],
    [{}, message('Please try again in a while.'), undefined],
  ])('%j %s means a wait of %s ms', (headers, body, expected) => {
    expect(toModelError(answered(429, body, headers), about, 10_000).retryAfterMs).toBe(expected);
  });
});

describe('connections', () => {
  test.each<readonly [string, string, boolean, string]>([
    ['ECONNREFUSED', 'network', false, 'Start the server'],
    ['ENOTFOUND', 'network', false, 'spelling'],
    ['EAI_AGAIN', 'network', true, 'DNS'],
    ['ETIMEDOUT', 'network', true, 'cannot be reached'],
    ['ECONNRESET', 'network', true, 'broke'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'network', false, 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'network', false, 'NODE_EXTRA_CA_CERTS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'network', false, 'for another host'],
    ['CERT_HAS_EXPIRED', 'network', false, 'expired'],
    ['CERT_NOT_YET_VALID', 'network', false, 'clock'],
    ['Z_DATA_ERROR', 'bad_url', false, 'protocol'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'bad_url', false, 'https'],
    ['HPE_INVALID_CONSTANT', 'bad_url', false, 'http'],
    ['EWHATEVER', 'network', true, 'EWHATEVER'],
  ])('%s is %s', (code, kind, retryable, words) => {
    const error = toModelError(connection(code), about);
    expect(error).toMatchObject({ kind, retryable });
    expect(error.message).toContain(words);
  });

  test('a server that closes the connection on a plain request may require TLS', () => {
    const hint = 'must start with https';
    expect(toModelError(connection('ECONNRESET'), about).message).toContain(hint);
    expect(toModelError(connection('ECONNRESET'), { ...about, reached: true }).message).not.toContain(hint);
    const secure = { ...about, baseUrl: 'https://llm.local/v1' };
    expect(toModelError(connection('ECONNRESET'), secure).message).not.toContain(hint);
  });

  test.each([
    ['http://localhost:8080', 'should it be http://localhost:8080/v1?'],
    ['http://localhost:8080/v1/', 'usually ends in /v1'],
    ['https://host/api/v3/models', 'usually ends in /v1'],
    ['nonsense', 'usually ends in /v1'],
  ])('a page that is not an API, at %s: %s', (baseUrl, words) => {
    expect(badUrlError({ ...about, baseUrl }).message).toContain(words);
  });

  test('a refused connection is retried once the server has replied before', () => {
    expect(toModelError(connection('ECONNREFUSED'), { ...about, reached: true }).retryable).toBe(true);
  });

  test('a connection that breaks during a reply cuts the reply', () => {
    const aborted = connection('ECONNRESET', 'aborted');
    expect(toModelError(aborted, { ...about, started: true })).toMatchObject({
      kind: 'cut',
      retryable: true,
    });
    expect(toModelError(aborted, about)).toMatchObject({
      kind: 'network',
      retryable: true,
    });
  });

  test('reports the first failure of an address that was tried twice', () => {
    const both = new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]);
    expect(toModelError(both, about).message).toContain('connection refused');
  });

  test.each([undefined, null, 'text', 42, {}, new Error('')])(
    '%j is still an error with a message',
    (thrown) => {
      expect(toModelError(thrown, about)).toMatchObject({
        kind: 'network',
        message: expect.stringContaining('llm.local'),
      });
    },
  );
});

test('every message names the address, but never its secrets', () => {
  const errors = [
    answered(401, ''),
    answered(429, ''),
    answered(404, ''),
    answered(500, ''),
    answered(413, ''),
    connection('ECONNREFUSED'),
    connection('EPROTO'),
  ];
  for (const error of errors.map((one) => toModelError(one, about))) {
    expect(error.message).toContain('http://llm.local:8080/v1');
    expect(error.message).not.toContain('hunter2');
  }
});

describe('a key quoted by a server', () => {
  const key = 'sk-quoted0123456789';
  const secretive = { ...about, secrets: [key, 'short'] };

  test.each([
    ['in whole', message(`your header was Bearer ${key}`)],
    ['where the sentence is cut off', message(`${'x'.repeat(285)} ${key}`)],
    ['in text that is not JSON', `denied: ${key}`],
  ])('is removed, %s', (_where, body) => {
    const error = toModelError(answered(401, body), secretive);
    expect(error.message).toMatch(/ \*\*\*|x…/);
    expect(error.message).not.toContain('sk-');
  });

  test('is removed even with a line break in it, plain and in JSON', () => {
    const broken = 'sk-quoted\n0123456789';
    for (const error of [new Error(`no ${broken}`), answered(401, message(`no ${broken}`))])
      expect(toModelError(error, { ...about, secrets: [broken] }).message).not.toMatch(/quoted|0123/);
  });
});

/** Node's errors about a request before it is sent. */
function complaint(url: string, headers: Record<string, string> = {}): unknown {
  try {
    request(new URL(url), { headers })
      .on('error', () => {})
      .destroy();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a request that cannot be sent is not retried, and the reason is reported', () => {
  test.each([
    [
      'a line break in the key',
      () => complaint('http://h', { authorization: 'Bearer sk-\n1' }),
      'auth',
      'The API key contains',
    ],
    [
      'a key with non-ASCII letters',
      () => complaint('http://h', { authorization: 'Bearer ключ' }),
      'auth',
      'The API key contains',
    ],
    [
      'another header',
      () => complaint('http://h', { 'x-team': 'команда' }),
      'bad_request',
      'header "x-team"',
    ],
    ['an invalid header name', () => complaint('http://h', { 'a b': 'c' }), 'bad_request', 'header "a b"'],
    ['a scheme for something else', () => complaint('ftp://h/v1'), 'bad_url', 'is not a usable URL'],
    ['no address', () => complaint('nonsense'), 'bad_url', 'is not a usable URL'],
  ])('%s', (_name, complain, kind, words) => {
    const error = toModelError(complain(), about);
    expect(error).toMatchObject({ kind, retryable: false });
    expect(error.message).toContain(words);
  });
});

test.each([
  ['http://user:hunter2@host:1/v1?key=hunter2', 'http://host:1/v1'],
  ['user:hunter2@host:3128', '"host:3128"'],
  ['http://user:hunter2 #@host:3128/', '"http://host:3128/"'],
  ['not a url', '"not a url"'],
])('%s is shown without possible secrets', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
