/** Tools for a model that can only write: how they are described, and how calls and results look as text. Pure. */
import type { WireTool } from './wire.ts';

/**
 * For the end of the system prompt. The form is that of Hermes and Qwen, which many open models have seen; the
 * reader of calls (textCalls) knows it among others.
 */
export function describeTools(tools: readonly WireTool[]): string {
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

Several calls stand one behind the other. Write nothing after them: the results come in the next message, inside <tool_response>. Never write a <tool_response> yourself. To answer without a tool, write plain text.`;
}

/** A call as the model would have written it. `args` is a JSON object. */
export function writeCall(name: string, args: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`;
}

/** A result, for a user message. */
export function writeResult(name: string, content: string): string {
  return `<tool_response name=${JSON.stringify(name)}>\n${content}\n</tool_response>`;
}
