/** Converts wire messages for servers that accept less than the standard. Pure; one step per adaptation. */
import type { Adaptation } from './adaptations.ts';
import type { WireMessage, WirePart, WireTool } from './wire.ts';

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
  const said = messages.map((message): WireMessage => {
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
  if (tools === undefined) return said;
  const description = describeTools(tools);
  const [first, ...others] = said;
  if (first?.role === 'system') return [{ ...first, content: join(first.content, description) }, ...others];
  return [{ role: 'system', content: description }, ...said];
}

function withPlainContent(message: WireMessage): WireMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  const texts = message.content.map((part) =>
    part.type === 'text' ? part.text : '[An image, which this model cannot see.]',
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
    // Such a server rejects system messages after the first.
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

To make several calls, write them one after another. Write nothing after them: the results come in the next message, inside <tool_response>. Never write a <tool_response> yourself. To answer without a tool, write plain text.`;
}

/** A tool call as the model would have written it. `args` is a JSON object. */
function writeCall(name: string, args: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;
}

/** A tool result as the text of a user message. */
function writeResult(name: string, content: string): string {
  return `<tool_response name=${JSON.stringify(name)}>\n${content}\n</tool_response>`;
}
