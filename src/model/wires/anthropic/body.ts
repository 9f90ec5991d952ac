/** Builds a request for Anthropic's Messages API, whose current version has no temperature. Pure. */
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { AssistantMessage, ContentPart, Message } from '../../../protocol/messages.ts';
import type { ModelRequest } from '../../../protocol/models/model.ts';
import { count, wellFormed } from '../../json.ts';
import { toWireArguments, toWireName } from '../../wire.ts';
import { createCallIds } from '../callIds.ts';
import type { SentDetails } from '../createWireClient.ts';
import { type AnthropicThinking, anthropicThinking } from '../effort.ts';
import { withExtraBody } from '../extraBody.ts';
import type { OptionalPart } from '../form.ts';
import { sealedItems } from '../seal.ts';

export const anthropicParts: readonly OptionalPart[] = [
  ['earlier thinking', /signature|(?:thinking|redacted_thinking)\W{0,3} blocks?|blocks? .{0,40}thinking/i],
  ['display', /thinking\.(?:\w+\.)?display|\bdisplay\b/i],
  ['effort', /output_config|\beffort\b/i],
  ['thinking', /thinking/i],
  ['cache', /cache_control/],
];

/** Tokens. For a shorter reply without tools, such as a title, thinking is off. */
const WORTH_THINKING = 4096;

const cached = { cache_control: { type: 'ephemeral' } } as const;

export function anthropicBody(request: ModelRequest, details: SentDetails): MessageCreateParamsStreaming {
  return withExtraBody(plainBody(request, details), details.extraBody);
}

function plainBody(request: ModelRequest, details: SentDetails): MessageCreateParamsStreaming {
  const { leftOut, limit = Number.POSITIVE_INFINITY } = details.form;
  const has = (name: string): boolean => !leftOut.includes(name);
  const [first, ...others] = request.messages;
  const system = first?.role === 'system' ? wellFormed(first.content) : '';
  const { tools } = request;
  const longest = Math.min(details.maxTokens, limit);
  const maxTokens = Math.min(request.maxOutputTokens ?? longest, longest);
  const breakpoints = has('cache') ? cacheBreakpoints(request) : [];
  const skipped = system === '' ? 0 : 1;
  const messages = toMessages(
    skipped === 1 ? others : request.messages,
    has('earlier thinking') ? details.origin : undefined,
    new Set(breakpoints.map((at) => at - skipped)),
  );
  const isBackground = tools.length === 0 && maxTokens < WORTH_THINKING;
  const options = isBackground ? {} : thinkingOf(request, details, longest);
  const budget = options.thinking?.type === 'enabled' ? options.thinking.budget_tokens : 0;
  return {
    model: request.model,
    max_tokens: Math.min(longest, maxTokens + budget),
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...(has('cache') ? cached : {}) }] }),
    messages,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description: wellFormed(description),
            input_schema: { ...parameters, type: 'object' },
          })),
        }),
    // No `tool_choice`: with it, a summary request would miss the conversation's cache. Its text forbids tool calls.
    stream: true,
    ...options,
  };
}

/**
 * The same for all requests of a conversation, since a change would miss its cache. Leaves out what the server rejected;
 * a turn that started without thinking cannot turn it on midway.
 */
function thinkingOf(
  request: ModelRequest,
  { origin, form, ...facts }: SentDetails,
  maxTokens: number,
): AnthropicThinking {
  const has = (name: string): boolean => !form.leftOut.includes(name);
  const { messages } = request;
  const { thinking, output_config } = anthropicThinking(request, facts, maxTokens);
  const reply = messages.findLast((one) => one.role === 'assistant');
  const isMidTurn = messages.at(-1)?.role === 'tool' && reply !== undefined;
  const hasNoThinking = isMidTurn && (!has('earlier thinking') || sealedItems(reply, origin) === undefined);
  const canThink =
    thinking !== undefined && has('thinking') && !(hasNoThinking && thinking.type === 'enabled');
  return {
    ...(canThink ? { thinking: has('display') ? thinking : withoutDisplay(thinking) } : {}),
    ...(output_config === undefined || !has('effort') ? {} : { output_config }),
  };
}

type ThinkingParam = NonNullable<AnthropicThinking['thinking']>;

function withoutDisplay(thinking: ThinkingParam): ThinkingParam {
  if (thinking.type === 'disabled') return thinking;
  const { display: _, ...others } = thinking;
  return others;
}

/** Merges adjacent messages of the same role: results must come in the message right after their calls. */
function toMessages(
  messages: readonly Message[],
  origin: string | undefined,
  breakpoints: ReadonlySet<number>,
): MessageParam[] {
  const ids = createCallIds();
  const out: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const [at, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message, ids, origin);
    const last = blocks.at(-1);
    if (last === undefined) continue;
    if (breakpoints.has(at) && last.type !== 'thinking' && last.type !== 'redacted_thinking')
      blocks[blocks.length - 1] = { ...last, ...cached } as ContentBlockParam;
    if (out.length === 0 && role === 'assistant') out.push({ role: 'user', content: textBlocks(CONTINUES) });
    const before = out.at(-1);
    if (before?.role === role) before.content.push(...blocks);
    else out.push({ role, content: blocks });
  }
  return out;
}

/** A conversation must begin with the user. */
const CONTINUES = '(The conversation continues.)';

function toBlocks(
  message: Message,
  ids: ReturnType<typeof createCallIds>,
  origin: string | undefined,
): ContentBlockParam[] {
  switch (message.role) {
    case 'system':
      return textBlocks(message.content);
    case 'user':
      return typeof message.content === 'string'
        ? textBlocks(message.content)
        : message.content.flatMap(toPart);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: ids.ofResult(message.toolCallId),
          ...(message.content === '' ? {} : { content: wellFormed(message.content) }),
          ...(message.isError ? { is_error: true } : {}),
        },
      ];
    case 'assistant':
      return fromAssistant(message, ids.next(message), origin);
  }
}

/** Blank text is rejected. */
function textBlocks(words: string): TextBlockParam[] {
  return words.trim() === '' ? [] : [{ type: 'text', text: wellFormed(words) }];
}

function toPart(part: ContentPart): ContentBlockParam[] {
  if (part.type === 'text') return textBlocks(part.text);
  const media_type = part.mediaType as 'image/png';
  return [{ type: 'image', source: { type: 'base64', media_type, data: part.data } }];
}

/** The parts in their original order, thinking unchanged; if the seal is broken, only text and calls. */
function fromAssistant(
  message: AssistantMessage,
  ids: readonly string[],
  origin: string | undefined,
): ContentBlockParam[] {
  const calls = message.toolCalls.map(
    ({ id, name, arguments: given }, at): ToolUseBlockParam => ({
      type: 'tool_use',
      id: ids[at] ?? id,
      name: toWireName(name),
      input: JSON.parse(toWireArguments(given)) as unknown,
    }),
  );
  const items = origin === undefined ? undefined : sealedItems(message, origin);
  if (items === undefined) return [...textBlocks(message.content), ...calls];
  const lengths = items.reduce((sum, item) => sum + (count(item.length) ?? 0), 0);
  const isWhole = lengths === message.content.length;
  let [at, rest] = [0, message.content];
  const blocks = items.flatMap((item): readonly ContentBlockParam[] => {
    if (isThinking(item)) return [item as unknown as ThinkingBlockParam];
    if (item.type === 'tool_use') return calls.slice(at, ++at);
    const words = isWhole ? rest.slice(0, count(item.length) ?? 0) : rest;
    rest = rest.slice(words.length);
    return textBlocks(words);
  });
  return [...blocks, ...textBlocks(rest), ...calls.slice(at)];
}

export function isThinking({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/**
 * Indices of the messages after which the prompt is cached, in addition to tools and system prompt; at most three,
 * ascending:
 *
 * - the end of the part that only a compaction changes, so that a rewind or a shortened result costs no more;
 * - the end of the previous request, since a cache is only searched for some twenty blocks back;
 * - the end of this request, for the next one.
 */
export function cacheBreakpoints({ messages, stableMessages = 0 }: ModelRequest): readonly number[] {
  const last = messages.length - 1;
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  const wanted = [stableMessages - 1, reply - 1, last];
  return [...new Set(wanted)].filter((at) => at >= 0 && messages[at]?.role !== 'system');
}
