/**
 * A small Messages server on loopback. It checks every request against the SDK's types and the rules of the API, and
 * accepts a thinking block only as it sent it, for the same model.
 */
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages';
import * as z from 'zod';
import type { WireAnswer } from '../../agent/wireServer.ts';
import { eventWriter, jsonServer, sendJson } from './jsonServer.ts';

const cache_control = z.strictObject({ type: z.literal('ephemeral') }).exactOptional();
const display = z.enum(['summarized', 'omitted']).exactOptional();
const words = z.string().regex(/\S/);
const textBlock = z.strictObject({ type: z.literal('text'), text: words, cache_control });
const image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string(),
  }),
  cache_control,
});
const id = z.string().regex(/^[\w-]+$/);
const block = z.discriminatedUnion('type', [
  textBlock,
  image,
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: id,
    content: z.string().exactOptional(),
    is_error: z.boolean().exactOptional(),
    cache_control,
  }),
  z.strictObject({
    type: z.literal('tool_use'),
    id,
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    cache_control,
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
]);

/** Every field that this program sends; another one fails the request, and a wrong one does not compile. */
const requestSchema = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  system: z.array(textBlock).exactOptional(),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) }))
    .min(1),
  tools: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        input_schema: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .min(1)
    .exactOptional(),
  stream: z.literal(true),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('adaptive'), display }),
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), display }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .exactOptional(),
  output_config: z
    .strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']) })
    .exactOptional(),
}) satisfies z.ZodType<MessageCreateParamsStreaming>;
export type AnthropicBody = z.infer<typeof requestSchema>;

export type AnthropicAnswer = WireAnswer & {
  /** Sent instead of everything else. */
  readonly raw?: (response: ServerResponse) => void;
};

/** `answer` may throw to refuse a request. */
export async function anthropicServer(
  answer: (body: AnthropicBody, index: number) => AnthropicAnswer = () => ({ text: 'ok' }),
) {
  const refused: string[] = [];
  const server = await jsonServer((response, { text, path, headers }, index) => {
    const refuse = (message: string): void => {
      refused.push(message);
      sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message } });
    };
    if (path !== '/v1/messages')
      return sendJson(response, 404, { type: 'error', error: { message: `no ${path}` } });
    if (!/^20\d\d-\d\d-\d\d$/.test(String(headers['anthropic-version'])))
      return refuse('anthropic-version: header is required');
    const parsed = requestSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return refuse(z.prettifyError(parsed.error));
    const body = parsed.data;
    const problem = problemIn(body, text);
    if (problem !== undefined) return refuse(problem);
    let given: AnthropicAnswer;
    try {
      given = answer(body, index);
    } catch (error) {
      return refuse(String(error));
    }
    if (given.raw !== undefined) return given.raw(response);
    if (given.error !== undefined) {
      const { status, message, code = 'error' } = given.error;
      return sendJson(response, status, { type: 'error', error: { type: code, message } });
    }
    reply(response, body, given, index);
  });
  return { ...server, baseUrl: `${server.origin}/v1`, refused };
}

const signatureOf = (model: string, thinking: string): string =>
  createHash('sha256').update(`${model} ${thinking}`).digest('base64');

/** The rules that types do not express. */
function problemIn(
  { messages, model, max_tokens, thinking }: AnthropicBody,
  json: string,
): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if ((json.match(/"cache_control"/g) ?? []).length > 4)
    return 'A maximum of 4 blocks with cache_control may be provided.';
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= max_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`';
  const seen = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    if (messages[at + 1]?.role === role) return `messages.${at}: roles must alternate`;
    const uses = content.flatMap((one) => (one.type === 'tool_use' ? [one.id] : []));
    for (const use of uses) {
      if (seen.has(use)) return `messages.${at}: \`tool_use\` ids must be unique`;
      seen.add(use);
    }
    const next = messages[at + 1]?.content ?? [];
    const results = next.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : []));
    if (role === 'assistant' && uses.toSorted().join() !== results.toSorted().join())
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    for (const one of content)
      if (one.type === 'thinking' && one.signature !== signatureOf(model, one.thinking))
        return `messages.${at}: Invalid \`signature\` in \`thinking\` block`;
  }
  return undefined;
}

function reply(
  response: ServerResponse,
  { model }: AnthropicBody,
  given: AnthropicAnswer,
  index: number,
): void {
  const write = eventWriter(response);
  let at = 0;
  const usage = {
    input_tokens: 100,
    cache_read_input_tokens: 800,
    cache_creation_input_tokens: 60,
    output_tokens: 1,
  };
  write({
    type: 'message_start',
    message: { type: 'message', role: 'assistant', model, content: [], usage },
  });
  write({ type: 'ping' });
  const inBlock = (content_block: object, deltas: readonly object[]): void => {
    write({ type: 'content_block_start', index: at, content_block });
    for (const delta of deltas) write({ type: 'content_block_delta', index: at, delta });
    write({ type: 'content_block_stop', index: at });
    at += 1;
  };
  if (given.reasoning !== undefined) {
    const signature = signatureOf(model, given.reasoning);
    inBlock({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: given.reasoning.slice(0, 3) },
      { type: 'thinking_delta', thinking: given.reasoning.slice(3) },
      { type: 'signature_delta', signature },
    ]);
  }
  const deltas = (given.text?.match(/\S+\s*|\s+/g) ?? []).map((text) => ({ type: 'text_delta', text }));
  if (given.hangs === true || given.cut === true) {
    write({ type: 'content_block_start', index: at, content_block: { type: 'text', text: '' } } as {
      type: string;
    });
    for (const delta of deltas) write({ type: 'content_block_delta', index: at, delta });
    if (given.cut === true) response.socket?.destroySoon();
    return;
  }
  if (deltas.length > 0) inBlock({ type: 'text', text: '' }, deltas);
  for (const [position, { name, input }] of (given.calls ?? []).entries()) {
    const json = JSON.stringify(input);
    inBlock({ type: 'tool_use', id: `toolu_${index}_${position}`, name, input: {} }, [
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: json.slice(0, 3) },
      { type: 'input_json_delta', partial_json: json.slice(3) },
    ]);
  }
  const stop_reason = given.calls === undefined ? 'end_turn' : 'tool_use';
  write({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 25 } });
  write({ type: 'message_stop' });
  response.end();
}
