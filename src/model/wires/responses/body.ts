/** Builds a request for OpenAI's Responses API: the entire conversation each time, nothing stored on the server. Pure. */
import { createHash } from 'node:crypto';
import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { AssistantMessage, ContentPart, Message } from '../../../protocol/messages.ts';
import type { ModelRequest } from '../../../protocol/models/model.ts';
import { count, text, wellFormed } from '../../json.ts';
import { toWireArguments, toWireName } from '../../wire.ts';
import { createCallIds } from '../callIds.ts';
import { responsesReasoning } from '../effort.ts';
import type { WireFacts } from '../exchange.ts';
import { withExtraBody } from '../extraBody.ts';
import type { Form, OptionalPart } from '../form.ts';
import { sealedItems } from '../seal.ts';

/** Everything, besides the request, that the body depends on. */
interface ResponsesFacts extends Pick<WireFacts, 'efforts' | 'extraBody'> {
  readonly form: Form;
  /** As in `originOf`. */
  readonly origin: string;
}

export const responsesParts: readonly OptionalPart[] = [
  [
    'earlier reasoning',
    /invalid_encrypted_content|encrypted content .*(?:verified|decrypt)|reasoning.? item|item of type .?reasoning/i,
  ],
  ['include', /\binclude\b|encrypted content is not supported|reasoning\.encrypted_content/i],
  ['summary', /reasoning\.summary|generate reasoning summaries/i],
  ['reasoning', /reasoning[._]effort|'?"?reasoning'?"?/i],
  ['cache key', /prompt_cache_key/],
  ['temperature', /temperature/],
  ['limit', /max_output_tokens/],
  ['store', /\bstore\b/],
  ['tool choice', /tool_choice/],
];

export function responsesBody(request: ModelRequest, facts: ResponsesFacts): ResponseCreateParamsStreaming {
  return withExtraBody(plainBody(request, facts), facts.extraBody);
}

function plainBody(request: ModelRequest, facts: ResponsesFacts): ResponseCreateParamsStreaming {
  const [first, ...others] = request.messages;
  const instructions = first?.role === 'system' ? wellFormed(first.content) : undefined;
  const { leftOut, limit } = facts.form;
  const has = (name: string): boolean => !leftOut.includes(name);
  const { maxOutputTokens = limit, temperature, toolChoice, tools } = request;
  const { summary, effort } = responsesReasoning(request, facts);
  return {
    model: request.model,
    ...(instructions === undefined ? {} : { instructions }),
    input: toInput(instructions === undefined ? request.messages : others, facts),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description: wellFormed(description),
            parameters: { ...parameters },
            strict: false,
          })),
        }),
    ...(tools.length === 0 || toolChoice === undefined || !has('tool choice')
      ? {}
      : { tool_choice: toolChoice }),
    stream: true,
    ...(has('store') ? { store: false } : {}),
    ...(has('include') ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(has('reasoning')
      ? {
          reasoning: {
            ...(effort === undefined ? {} : { effort }),
            ...(summary === undefined || !has('summary') ? {} : { summary }),
          },
        }
      : {}),
    ...(has('cache key') ? { prompt_cache_key: cacheKey(instructions ?? '') } : {}),
    ...(maxOutputTokens === undefined || !has('limit')
      ? {}
      : { max_output_tokens: Math.min(maxOutputTokens, limit ?? maxOutputTokens) }),
    ...(temperature === undefined || !has('temperature') ? {} : { temperature }),
  };
}

/** Routes requests with the same system prompt to a machine that has it cached. */
function cacheKey(instructions: string): string {
  return `clawdcode-${createHash('sha256').update(instructions).digest('hex').slice(0, 32)}`;
}

function toInput(messages: readonly Message[], facts: ResponsesFacts): ResponseInputItem[] {
  const ids = createCallIds();
  return messages.flatMap((message) => toItems(message, ids, facts));
}

function toItems(
  message: Message,
  ids: ReturnType<typeof createCallIds>,
  facts: ResponsesFacts,
): ResponseInputItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: wellFormed(message.content) }];
    case 'user':
      return [{ role: 'user', content: toContent(message.content) }];
    case 'tool':
      return [
        {
          type: 'function_call_output',
          call_id: ids.ofResult(message.toolCallId),
          output: wellFormed(message.content),
        },
      ];
    case 'assistant':
      return fromAssistant(message, ids.next(message), facts);
  }
}

function toContent(content: string | readonly ContentPart[]): EasyInputMessage['content'] {
  if (typeof content === 'string') return wellFormed(content);
  return content.map(
    (part): ResponseInputContent =>
      part.type === 'text'
        ? { type: 'input_text', text: wellFormed(part.text) }
        : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' },
  );
}

/** The parts in their original order, reasoning unchanged; if the seal is broken, only text and calls. */
function fromAssistant(
  message: AssistantMessage,
  ids: readonly string[],
  { origin, form }: ResponsesFacts,
): ResponseInputItem[] {
  const calls = message.toolCalls.map(
    (call, at): ResponseInputItem => ({
      type: 'function_call',
      call_id: ids[at] ?? call.id,
      name: toWireName(call.name),
      arguments: toWireArguments(call.arguments),
    }),
  );
  const items = form.leftOut.includes('earlier reasoning') ? undefined : sealedItems(message, origin);
  if (items === undefined) return [...textItems(message.content), ...calls];
  const lengths = items.reduce((sum, item) => sum + (count(item.length) ?? 0), 0);
  const isWhole = lengths === message.content.length;
  let [at, rest] = [0, message.content];
  const input = items.flatMap((item): readonly ResponseInputItem[] => {
    if (item.type === 'reasoning') return [item as unknown as ResponseReasoningItem];
    if (item.type === 'function_call') return calls.slice(at, ++at);
    const words = isWhole ? rest.slice(0, count(item.length) ?? 0) : rest;
    rest = rest.slice(words.length);
    return textItems(words, text(item.phase));
  });
  return [...input, ...textItems(rest), ...calls.slice(at)];
}

function textItems(words: string, phase?: string): ResponseInputItem[] {
  if (words === '') return [];
  const known = phase === 'commentary' || phase === 'final_answer' ? { phase } : {};
  return [{ role: 'assistant', content: wellFormed(words), ...known } as EasyInputMessage];
}
