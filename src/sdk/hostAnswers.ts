/**
 * Answers the program's requests to its host: approvals, hooks and tools. Each is answered exactly once, even if the
 * host's code fails.
 */
import * as z from 'zod';
import type { CheckedOptions } from './checkOptions.ts';
import { messageOf } from './errors.ts';
import { hooksById } from './launch.ts';
import { createToolServer } from './toolServer.ts';

interface HostAnswers {
  /** Resolves to the `response` of the answer; rejects with the message for the program. */
  answer(request: unknown, signal: AbortSignal): Promise<object>;
}

const fields = z.looseObject({});
const request = z.discriminatedUnion('subtype', [
  z.looseObject({
    subtype: z.literal('can_use_tool'),
    tool_name: z.string(),
    input: fields,
    tool_use_id: z.string().optional(),
    decision_reason: z.string().default(''),
    description: z.string().default(''),
    permission_suggestions: z.array(z.unknown()).default([]),
    agent_id: z.string().optional(),
  }),
  z.looseObject({
    subtype: z.literal('hook_callback'),
    callback_id: z.string(),
    input: fields,
    tool_use_id: z.string().optional(),
  }),
  z.looseObject({ subtype: z.literal('mcp_message'), message: z.unknown() }),
]);

/** The answer to notifications, which nothing reads. */
const ACKNOWLEDGED = { jsonrpc: '2.0', id: 0, result: {} };

export function createHostAnswers(
  { canUseTool, hooks, tools }: Pick<CheckedOptions, 'canUseTool' | 'hooks' | 'tools'>,
  version: string,
): HostAnswers {
  const byId = hooksById(hooks);
  const server = createToolServer(tools, version);
  return {
    async answer(given, signal) {
      const parsed = request.safeParse(given);
      if (!parsed.success) throw new Error('The host does not know this request.');
      const { data } = parsed;
      switch (data.subtype) {
        case 'can_use_tool': {
          if (canUseTool === undefined) throw new Error('The host answers no questions.');
          const question = {
            tool: data.tool_name,
            input: data.input,
            toolUseId: data.tool_use_id,
            title: data.description,
            reason: data.decision_reason,
            suggestions: data.permission_suggestions,
            agent: data.agent_id,
          };
          // Anything that is not an answer denies the call: the program checks it.
          return { ...(await canUseTool(question, { signal })) };
        }
        case 'hook_callback': {
          const hook = byId.get(data.callback_id);
          if (hook === undefined) throw new Error('There is no such hook.');
          return { ...(await hook(data.input, { signal, toolUseId: data.tool_use_id })) };
        }
        case 'mcp_message':
          return { mcp_response: (await server.handle(data.message, signal)) ?? ACKNOWLEDGED };
      }
    },
  };
}

/** Answers one `control_request`. `send` writes a message to the program. */
export async function answerRequest(
  {
    id,
    request: asked,
    signal,
  }: { readonly id: string; readonly request: unknown; readonly signal: AbortSignal },
  { answer }: HostAnswers,
  send: (message: object) => void,
): Promise<void> {
  const respond = (response: object): void =>
    send({ type: 'control_response', response: { request_id: id, ...response } });
  try {
    const response = await answer(asked, signal);
    // A value that JSON cannot represent is a mistake of the host like any other.
    respond({ subtype: 'success', response: JSON.parse(JSON.stringify(response)) });
  } catch (error) {
    respond({ subtype: 'error', error: messageOf(error) });
  }
}
