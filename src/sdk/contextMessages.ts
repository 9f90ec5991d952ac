/** Appends the messages of another program to a context, after checking that each belongs there. */
import * as z from 'zod';
import type { ContextManager } from '../context/index.ts';
import type { ToolCall, ToolSchema } from '../protocol/messages.ts';
import { ContextError } from './errors.ts';

const count = z.int().min(0);
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z
      .array(z.strictObject({ id: z.string().min(1), name: z.string().min(1), arguments: z.string() }))
      .default([]),
    usage: z.strictObject({ inputTokens: count, outputTokens: count }).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    toolCallId: z.string().min(1),
    content: z.string(),
    isError: z.boolean().default(false),
  }),
]);

/**
 * Returns a function that appends one message. It rejects with a `ContextError` for a message that is not valid, or
 * does not belong there: the calls of a reply need their results before anything else.
 */
export function createAppender(
  manager: ContextManager,
  tools: readonly ToolSchema[],
): (given: unknown) => Promise<void> {
  /** Calls of the last reply without a result. When a session is opened, there are none. */
  const open = new Map<string, ToolCall>();
  return async (given) => {
    const data = parse(given);
    const [waiting] = open.values();
    if (data.role !== 'tool' && waiting !== undefined)
      throw misplaced(`The tool call ${waiting.id} (${waiting.name}) has no result yet.`);
    switch (data.role) {
      case 'user': {
        const { role, content } = data;
        const entry = { type: 'user', subtype: 'prompt', message: { role, content } } as const;
        await manager.appendPrompts([entry], { tools, emit: () => {} });
        return;
      }
      case 'assistant': {
        const { role, content, toolCalls, usage } = data;
        for (const call of toolCalls) checkCall(call, toolCalls);
        const finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
        const message = { role, content, toolCalls };
        await manager.appendReply({ message, finishReason, ...(usage && { usage }) });
        for (const call of toolCalls) open.set(call.id, call);
        return;
      }
      case 'tool': {
        const call = open.get(data.toolCallId);
        if (call === undefined) throw misplaced(`No tool call ${data.toolCallId} waits for a result.`);
        const status = data.isError ? 'error' : 'ok';
        const display = { title: call.name, summary: '' };
        const outcome = { status, text: data.content, kind: 'text', display } as const;
        await manager.appendToolResult({ call, outcome });
        open.delete(call.id);
      }
    }
  };
}

function parse(given: unknown): z.infer<typeof message> {
  const parsed = message.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = ['message', ...(issue?.path ?? []).map(String)].join('.');
  throw misplaced(`${path}: ${issue?.message.replace(/^Invalid input: /, '')}.`);
}

function checkCall({ id, arguments: text }: ToolCall, all: readonly ToolCall[]): void {
  if (all.filter((other) => other.id === id).length > 1) throw misplaced(`Two tool calls have the id ${id}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported like any other value that is not an object.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misplaced(`The arguments of the tool call ${id} are not the JSON text of an object.`);
}

const misplaced = (text: string): ContextError => new ContextError('message', text);
