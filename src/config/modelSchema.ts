/** The settings of endpoints and models: the default endpoint shares them with the named providers. */
import * as z from 'zod';
import { DEFAULT_PROVIDER, providerNamePattern } from '../protocol/models/modelNames.ts';
import { efforts, isReservedField, wires } from '../protocol/models/wires.ts';

/** Characters: the fields are recorded with each request. */
const MAX_EXTRA = 10_000;

export const tokens = z.int().min(1000);

export const modelSettings = z.strictObject({
  contextWindow: tokens.optional().describe('Context window of this model, in tokens.'),
  maxOutputTokens: z.int().min(1).optional().describe('Maximum length of a reply, in tokens.'),
  tokenizer: z
    .enum(['o200k_base', 'cl100k_base', 'unknown'])
    .optional()
    .describe('Tokenizer for counting its tokens; unknown means estimated.'),
  price: z
    .strictObject({
      input: z.number().min(0).describe('US dollars per million input tokens.'),
      cachedInput: z
        .number()
        .min(0)
        .optional()
        .describe(
          "US dollars per million input tokens served from the provider's cache; defaults to the input price.",
        ),
      cacheWrite: z
        .number()
        .min(0)
        .optional()
        .describe(
          "US dollars per million input tokens written to the provider's cache; defaults to the input price.",
        ),
      output: z.number().min(0).describe('US dollars per million output tokens.'),
    })
    .optional()
    .describe('US dollars per million tokens, for /cost.'),
  vision: z.boolean().optional().describe('Whether it accepts images.'),
  tools: z
    .boolean()
    .optional()
    .describe(
      'Set to false if the endpoint does not support tools with this model: they are then described in the prompt.',
    ),
  effort: z.enum(efforts).optional().describe('Its default effort; --effort and /effort override it.'),
  efforts: z
    .array(z.enum(efforts))
    .optional()
    .describe('Effort levels it accepts, if the catalogue does not know them.'),
  returnsReasoning: z
    .boolean()
    .optional()
    .describe('Whether the endpoint expects its earlier reasoning to be sent back.'),
  extraBody: z
    .record(
      z
        .string()
        .min(1)
        .refine((name) => !isReservedField(name), 'a field that the program sets itself'),
      z.unknown(),
    )
    .refine((fields) => JSON.stringify(fields).length <= MAX_EXTRA, `more than ${MAX_EXTRA} characters`)
    .optional()
    .describe(
      'Fields added to the body of each request to it, such as {"top_p": 0.9}; objects are merged. Not messages, tools or stream.',
    ),
});

/** A token; source: RFC 9110, section 5.6.2. */
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name')
  .refine((name) => !ofTheConnection.test(name), 'a header reserved for the connection');

/** Headers that the HTTP client sets itself; source: RFC 9110, section 7.6.1, and those that describe the body. */
const ofTheConnection =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|content-(?:length|type|encoding))$/i;

const headerValue = z
  .string()
  .regex(
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/,
    'expected ASCII without line breaks or surrounding spaces',
  );

export const headers = z.record(headerName, headerValue).default({});

const provider = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).describe('Base URL of the endpoint, up to and including /v1.'),
  wire: z
    .enum(wires)
    .nullable()
    .default(null)
    .describe('API of the endpoint; null means `anthropic` at anthropic.com and `chat` everywhere else.'),
  apiKey: z.string().min(1).optional().describe('Its API key.'),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not an environment variable name')
    .optional()
    .describe('Environment variable that holds its key.'),
  apiKeyHelper: z
    .string()
    .min(1)
    .optional()
    .describe('Shell command that prints its key. It runs once, and again if the key is rejected.'),
  headers: headers.describe('Headers sent to it with every request; kept secret like the key.'),
  models: z
    .record(z.string().min(1), modelSettings)
    .default({})
    .describe('Facts about its models, as in "models".'),
});

/** A named endpoint, as in the settings. */
export type ProviderSettings = z.output<typeof provider>;

export const providers = z
  .record(
    z
      .string()
      .regex(providerNamePattern, 'expected letters, digits, - and _ (at most 40)')
      .refine((name) => name !== DEFAULT_PROVIDER, 'a name reserved for the endpoint of "baseUrl"'),
    provider,
  )
  .default({});
