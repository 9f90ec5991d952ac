/** Converts wire messages for servers that accept less than the standard. Pure; one step per adaptation. */
import { unusedTag } from '../../../protocol/text/marks.ts';
import type { WireMessage, WirePart, WireTool } from '../../wire.ts';

/** Returns the messages in the form that a server with these adaptations accepts. */
export function adaptMessages(
  messages: readonly WireMessage[],
  tools: readonly WireTool[] | undefined,
  adaptations: readonly Adaptation[],
): readonly WireMessage[] {
  const has = (one: Adaptation): boolean => adaptations.includes(one);
  let out = messages;
  if (has('text_tools')) out = withTextTools(out, tools);
  if (has('plain_content')) out = out.map(withPlainContent);
  if (has('no_system')) out = withoutSystem(out);
  if (has('alternate') || has('no_system') || has('text_tools')) out = alternating(out);
  if (has('assistant_after_tool')) out = out.flatMap(bridged);
  if (has('null_content')) out = out.map(withNullContent);
  return out;
}

function withTextTools(
  messages: readonly WireMessage[],
  tools: readonly WireTool[] | undefined,
): readonly WireMessage[] {
  const names = new Map<string, string>();
  const rewritten = messages.map((message): WireMessage => {
    if (message.role === 'tool') {
      const name = names.get(message.tool_call_id) ?? 'unknown';
      return { role: 'user', content: writeResult(name, message.content) };
    }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const { tool_calls, ...rest } = message;
    for (const call of tool_calls) names.set(call.id, call.function.name);
    const calls = tool_calls.map((call) => writeCall(call.function.name, call.function.arguments));
    return { ...rest, content: [rest.content, ...calls].filter(Boolean).join('\n') };
  });
  if (tools === undefined) return rewritten;
  const description = describeTools(tools);
  const [first, ...others] = rewritten;
  if (first?.role === 'system') return [{ ...first, content: join(first.content, description) }, ...others];
  return [{ role: 'system', content: description }, ...rewritten];
}

function withPlainContent(message: WireMessage): WireMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const texts = message.content.map((part) =>
    part.type === 'text' ? part.text : '[An image that this model cannot see.]',
  );
  return { role: 'user', content: texts.join('\n') };
}

function withoutSystem(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.map((message) =>
    message.role === 'system' ? { role: 'user', content: message.content } : message,
  );
}

/** At most one system message, at the start; then user and assistant alternate. */
function alternating(messages: readonly WireMessage[]): readonly WireMessage[] {
  const out: WireMessage[] = [];
  for (const given of messages) {
    const last = out.at(-1);
    // Servers that need this reject a second system message.
    const message: WireMessage =
      given.role === 'system' && out.length > 0 && last?.role !== 'system'
        ? { role: 'user', content: given.content }
        : given;
    const merged = last === undefined ? undefined : merge(last, message);
    if (merged !== undefined) out[out.length - 1] = merged;
    else {
      if (message.role === 'assistant' && (last === undefined || last.role === 'system')) {
        out.push({ role: 'user', content: '(The conversation continues.)' });
      }
      out.push(message);
    }
  }
  return out;
}

/** Merges two adjacent messages of the same role; undefined if they cannot be merged. */
function merge(a: WireMessage, b: WireMessage): WireMessage | undefined {
  if (a.role === 'system' && b.role === 'system')
    return { role: 'system', content: join(a.content, b.content) };
  if (a.role === 'user' && b.role === 'user') {
    const both = typeof a.content === 'string' && typeof b.content === 'string';
    return {
      role: 'user',
      content: both
        ? join(a.content as string, b.content as string)
        : [...parts(a.content), ...parts(b.content)],
    };
  }
  if (a.role === 'assistant' && b.role === 'assistant' && a.tool_calls === undefined) {
    return { ...a, ...b, content: join(a.content ?? '', b.content ?? '') };
  }
  return undefined;
}

function parts(content: string | readonly WirePart[]): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function join(a: string, b: string): string {
  return [a, b].filter(Boolean).join('\n\n');
}

function bridged(message: WireMessage, index: number, all: readonly WireMessage[]): readonly WireMessage[] {
  const isBridge = message.role === 'user' && all[index - 1]?.role === 'tool';
  return isBridge ? [{ role: 'assistant', content: 'Understood.' }, message] : [message];
}

function withNullContent(message: WireMessage): WireMessage {
  if (message.role === 'assistant') return message.content === '' ? { ...message, content: null } : message;
  if (message.role === 'tool' || message.role === 'user')
    return message.content === '' ? { ...message, content: '(nothing)' } : message;
  return message;
}

/**
 * Goes at the end of the system prompt. Uses the format of Hermes and Qwen, which many open models were trained on;
 * `textCalls` parses it along with others.
 */
function describeTools(tools: readonly WireTool[]): string {
  const list = tools.map(({ function: { name, description, parameters } }) =>
    JSON.stringify({ name, description, parameters }),
  );
  return `# Tools

You work by calling these tools, each described by one line of JSON:

<tools>
${list.join('\n')}
</tools>

To call one, end your message with:

<tool_call>
{"name": "the tool's name", "arguments": {"argument": "value"}}
</tool_call>

To make several calls, write them one after another. Write nothing after them: the results come in the next message, inside <tool_response>, or with a number (<tool_response-2>) if they contain such a tag. Never write a <tool_response> yourself. To answer without a tool, write plain text.`;
}

/** A tool call as the model would have written it. `args` is a JSON object. */
function writeCall(name: string, args: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;
}

/** A tool result as the text of a user message. It cannot contain its own end, and what follows it is the user's. */
function writeResult(name: string, content: string): string {
  const tag = unusedTag('tool_response', content);
  return `<${tag} name=${JSON.stringify(name)}>\n${content}\n</${tag}>`;
}

/** Each adaptation covers one way in which a server deviates from the standard. */
export type Adaptation =
  /** The server rejects tools: they are described in the system prompt, and calls and results are sent as text. */
  | 'text_tools'
  /** The server accepts tools, but not `tool_choice`. */
  | 'no_tool_choice'
  /** User and assistant messages must alternate, after at most one system message. */
  | 'alternate'
  /** System messages are not supported. */
  | 'no_system'
  /** A user message may not directly follow a tool result. */
  | 'assistant_after_tool'
  /** Content must be a string, so images are left out. */
  | 'plain_content'
  /** Empty content is rejected in a message with tool calls. */
  | 'null_content';

/** The errors with which servers reject a request. The first match that is not in use yet is tried next. */
const refusals: readonly (readonly [Adaptation, RegExp])[] = [
  ['assistant_after_tool', /unexpected role .{0,3}user.{0,3} after role .{0,3}tool/i], // Mistral
  [
    'no_system', // Gemma's template; Mistral's oldest
    /system role (?:is )?not supported|(?:does not|doesn't|not) support.{0,24}system (?:role|message|prompt)|role .{0,3}system.{0,3} (?:is )?not supported/i,
  ],
  [
    'alternate', // chat templates of Mistral, Gemma, Llama 2; vLLM and llama.cpp pass the error on
    /roles? must alternate|must alternate between|alternat\w+ (?:between )?(?:user|roles)|system message must be (?:at the )?(?:first|beginning)|only (?:the )?first message can (?:be|have)[^.]{0,20}system/i,
  ],
  [
    'text_tools', // Ollama, OpenRouter, vLLM, llama.cpp, TGI, and servers without any tool support
    /not support (?:the use of )?(?:tools?\b|tool (?:use|calling|calls)|function)|support tool use|tool(?:s| use| calling| calls)? (?:is|are) not (?:supported|enabled|available)|--enable-auto-tool-choice|--tool-call-parser|requires? --jinja|role.{0,12}\btool\b.{0,40}(?:not (?:supported|allowed)|invalid|unknown|unrecognized)|(?:invalid|unknown|unexpected|unsupported|unrecognized)(?: message)? role.{0,12}\btool\b/i,
  ],
  [
    'plain_content',
    /content.{0,60}(?:must be a (?:valid )?string|should be a (?:valid )?string|expected (?:a )?string|invalid type: sequence)|(?:image|image_url|image input|vision|multimodal).{0,30}not supported|not support.{0,24}(?:image|vision|multimodal)|is not a (?:multimodal|vision) model/i,
  ],
  [
    'null_content',
    /content.{0,60}(?:non-?empty|(?:must not|cannot|can't|may not) be (?:empty|blank)|at least 1 char)/i,
  ],
];

/** Errors that name a field; without its name the wording would be too general. */
const refusedFields: readonly (readonly [Adaptation, RegExp])[] = [
  ['no_tool_choice', /\btool_choice\b/],
  ['text_tools', /\b(?:tools|functions)\b/],
];

/**
 * The next adaptation to try after this error message; undefined if none fits. With `aboutFields`, rejections of a
 * named field are recognized too.
 */
export function adaptationFor(
  refusal: string,
  inUse: readonly Adaptation[],
  aboutFields: boolean,
): Adaptation | undefined {
  const candidates = aboutFields ? [...refusals, ...refusedFields] : refusals;
  return candidates.find(([adaptation, words]) => !inUse.includes(adaptation) && words.test(refusal))?.[0];
}

const names: ReadonlySet<Adaptation> = new Set([...refusals, ...refusedFields].map(([name]) => name));

/** The adaptation with this name; undefined for anything else, such as an adaptation of a later version. */
export function knownAdaptation(name: unknown): Adaptation | undefined {
  return [...names].find((one) => one === name);
}

/** Warnings for adaptations that lose something; `{model}` stands for the model and its server. */
export const adaptationNotices: Partial<Record<Adaptation, string>> = {
  text_tools:
    '{model} does not support tools. They are described in the prompt instead, and calls are read from its text; a model trained for tool calls works better.',
  plain_content: '{model} does not support images: they are left out.',
};
