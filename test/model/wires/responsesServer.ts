/**
 * A small Responses server on loopback. It checks every request against the SDK's types, and accepts a reasoning item
 * only as it sent it, for the same model.
 */
import type { ServerResponse } from 'node:http';
import type {
  ResponseCreateParamsStreaming,
  ResponseOutputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import * as z from 'zod';
import type { WireAnswer } from '../../agent/wireServer.ts';
import { eventWriter, jsonServer, sendJson } from './jsonServer.ts';

const callId = z.string().regex(/^[\w-]{1,64}$/);
const reasoningItem = z.looseObject({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  encrypted_content: z.string(),
});
const content = z.union([
  z.string(),
  z.array(
    z.union([
      z.strictObject({ type: z.literal('input_text'), text: z.string() }),
      z.strictObject({
        type: z.literal('input_image'),
        image_url: z.string().startsWith('data:image/'),
        detail: z.literal('auto'),
      }),
    ]),
  ),
]);
const item = z.union([
  z.strictObject({ role: z.enum(['user', 'system']), content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().min(1),
    phase: z.enum(['commentary', 'final_answer']).exactOptional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: callId,
    name: z.string().regex(/^[\w-]{1,64}$/),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal('function_call_output'), call_id: callId, output: z.string() }),
  reasoningItem,
]);

/** Every field that this program sends; another one fails the request, and a wrong one does not compile. */
const requestSchema = z.strictObject({
  model: z.string(),
  instructions: z.string().exactOptional(),
  input: z.array(item),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        strict: z.literal(false),
      }),
    )
    .min(1)
    .exactOptional(),
  tool_choice: z.enum(['auto', 'none']).exactOptional(),
  stream: z.literal(true),
  store: z.literal(false).exactOptional(),
  include: z.array(z.literal('reasoning.encrypted_content')).exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
      summary: z.literal('auto').exactOptional(),
    })
    .exactOptional(),
  prompt_cache_key: z.string().max(64).exactOptional(),
  max_output_tokens: z.int().min(1).exactOptional(),
  temperature: z.number().exactOptional(),
}) satisfies z.ZodType<ResponseCreateParamsStreaming>;
export type ResponsesBody = z.infer<typeof requestSchema>;

export type ResponsesAnswer = WireAnswer & {
  /** Sent instead of everything else. */
  readonly raw?: (response: ServerResponse) => void;
};

/** `answer` may throw to refuse a request. */
export async function responsesServer(
  answer: (body: ResponsesBody, index: number) => ResponsesAnswer = () => ({ text: 'ok' }),
) {
  /** Encrypted content by model, as JSON of the whole item. */
  const issued = new Map<string, string>();
  const refused: string[] = [];
  const server = await jsonServer((response, { text, path }, index) => {
    const refuse = (message: string, code = 'invalid_request_error'): void => {
      refused.push(message);
      sendJson(response, 400, { error: { message, type: 'invalid_request_error', code } });
    };
    if (path !== '/v1/responses') return sendJson(response, 404, { error: { message: `no ${path}` } });
    const parsed = requestSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return refuse(z.prettifyError(parsed.error));
    const body = parsed.data;
    // As it came: the schema orders the fields.
    const items = (JSON.parse(text) as ResponsesBody).input;
    const problem = problemIn({ ...body, input: items }, issued);
    if (problem !== undefined) return refuse(...problem);
    let given: ResponsesAnswer;
    try {
      given = answer(body, index);
    } catch (error) {
      return refuse(String(error));
    }
    if (given.raw !== undefined) return given.raw(response);
    if (given.error !== undefined) {
      const { status, ...error } = given.error;
      return sendJson(response, status, { error: { type: 'error', ...error } });
    }
    reply(response, body, given, index, issued);
  });
  return { ...server, baseUrl: `${server.origin}/v1`, refused };
}

function problemIn(
  { input, model }: ResponsesBody,
  issued: ReadonlyMap<string, string>,
): [string, string] | undefined {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const one of input) {
    if (!('type' in one)) continue;
    if (one.type === 'reasoning' && issued.get(one.encrypted_content) !== `${model} ${JSON.stringify(one)}`)
      return ['The encrypted content could not be verified.', 'invalid_encrypted_content'];
    if (one.type === 'function_call') {
      if (seen.has(one.call_id)) return [`Duplicate call_id ${one.call_id}`, 'duplicate'];
      seen.add(one.call_id);
      open.add(one.call_id);
    }
    if (one.type === 'function_call_output' && !open.delete(one.call_id))
      return [`No tool call found for ${one.call_id}`, 'no_call'];
  }
  return open.size === 0 ? undefined : [`No tool output found for ${[...open]}`, 'no_output'];
}

function reply(
  response: ServerResponse,
  { model, input }: ResponsesBody,
  given: ResponsesAnswer,
  index: number,
  issued: Map<string, string>,
): void {
  const write = eventWriter(response);
  const output: ResponseOutputItem[] = [];
  write({ type: 'response.created', response: { object: 'response', model, output } });
  if (given.reasoning !== undefined) {
    const at = output.length;
    const one: ResponseReasoningItem = {
      id: `rs_${index}`,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: given.reasoning }],
      encrypted_content: Buffer.from(`${model} ${index} "\\\u2028 é`).toString('base64'),
    };
    issued.set(one.encrypted_content ?? '', `${model} ${JSON.stringify(one)}`);
    write({ type: 'response.output_item.added', output_index: at, item: { ...one, summary: [] } });
    const part = { item_id: one.id, output_index: at, summary_index: 0, sequence_number: 0 };
    write({ type: 'response.reasoning_summary_text.delta', delta: given.reasoning, ...part });
    write({ type: 'response.output_item.done', output_index: at, item: one });
    output.push(one);
  }
  if (given.text !== undefined) {
    const [at, item_id] = [output.length, `msg_${index}`];
    const message = {
      id: item_id,
      type: 'message' as const,
      role: 'assistant' as const,
      status: 'completed' as const,
    };
    write({ type: 'response.output_item.added', output_index: at, item: { ...message, content: [] } });
    for (const delta of given.text.match(/\S+\s*|\s+/g) ?? [])
      write({ type: 'response.output_text.delta', delta, item_id, output_index: at, content_index: 0 });
    if (given.hangs === true) return;
    if (given.cut === true) return void response.socket?.destroySoon();
    const content = [{ type: 'output_text' as const, text: given.text, annotations: [] }];
    write({ type: 'response.output_item.done', output_index: at, item: { ...message, content } });
    output.push({ ...message, content } as ResponseOutputItem);
  }
  for (const [position, { name, input: wanted }] of (given.calls ?? []).entries()) {
    const at = output.length;
    const call = {
      id: `fc_${index}_${position}`,
      type: 'function_call' as const,
      call_id: `call_${index}_${position}`,
      name,
    };
    write({ type: 'response.output_item.added', output_index: at, item: { ...call, arguments: '' } });
    const json = JSON.stringify(wanted);
    const part = { item_id: call.id, output_index: at };
    for (const delta of [json.slice(0, 3), json.slice(3)])
      write({ type: 'response.function_call_arguments.delta', delta, ...part });
    write({ type: 'response.output_item.done', output_index: at, item: { ...call, arguments: json } });
    output.push({ ...call, arguments: json });
  }
  const input_tokens = Math.ceil(JSON.stringify(input).length / 4);
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: Math.floor(input_tokens / 2), cache_write_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: given.reasoning === undefined ? 0 : 12 },
    total_tokens: input_tokens + 20,
  };
  write({
    type: 'response.completed',
    response: { object: 'response', model, status: 'completed', output, usage },
  });
  response.end();
}
