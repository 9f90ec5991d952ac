/**
 * The host's functions as an MCP server, which the session reaches through the control protocol. It needs only four
 * methods of MCP; a library for all of it would be larger than the rest of the SDK.
 */
import * as z from 'zod';
import type { CheckedTool } from './checkOptions.ts';
import { messageOf } from './errors.ts';

/** The server's name: the model calls its tools `mcp__sdk__…`. */
export const TOOL_SERVER = 'sdk';

interface ToolServer {
  /** Answers one JSON-RPC message; undefined for those that have no answer. Never rejects. */
  handle(message: unknown, signal: AbortSignal): Promise<object | undefined>;
}

const request = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
const greeting = z.looseObject({ protocolVersion: z.string() });
const call = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });
const returned = z.union([
  z.string().transform((text) => ({ content: [{ type: 'text' as const, text }], isError: false })),
  z.object({
    content: z.array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
      ]),
    ),
    isError: z.boolean().default(false),
  }),
]);

/** JSON-RPC's codes. */
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

export function createToolServer(tools: readonly CheckedTool[], version: string): ToolServer {
  const listed = tools.map(({ name, description, schema }) => ({
    ...{ name, description },
    inputSchema: schema.json,
  }));
  return {
    async handle(message, signal) {
      const parsed = request.safeParse(message);
      // Notifications: an abandoned call is known from `signal`.
      if (!parsed.success) return undefined;
      const { id, method, params } = parsed.data;
      const reply = (result: object): object => ({ jsonrpc: '2.0', id, result });
      const failure = (code: number, text: string): object => ({
        ...{ jsonrpc: '2.0', id },
        error: { code, message: text },
      });
      switch (method) {
        case 'initialize': {
          const { protocolVersion } = greeting.safeParse(params).data ?? { protocolVersion: '2025-06-18' };
          const serverInfo = { name: TOOL_SERVER, version };
          return reply({ protocolVersion, capabilities: { tools: {} }, serverInfo });
        }
        case 'ping':
          return reply({});
        case 'tools/list':
          return reply({ tools: listed });
        case 'tools/call': {
          const asked = call.safeParse(params).data;
          const tool = tools.find(({ name }) => name === asked?.name);
          if (tool === undefined) return failure(INVALID_PARAMS, `There is no tool "${asked?.name ?? ''}".`);
          return reply(await runTool(tool, asked?.arguments ?? {}, signal));
        }
        default:
          return failure(METHOD_NOT_FOUND, `There is no method "${method}".`);
      }
    },
  };
}

async function runTool(
  { name, schema, run }: CheckedTool,
  input: object,
  signal: AbortSignal,
): Promise<object> {
  const failed = (text: string): object => ({ content: [{ type: 'text', text }], isError: true });
  try {
    const parsed = await schema.parse(input);
    if (!parsed.ok) return failed(`The input does not fit the schema: ${parsed.message}.`);
    const result = returned.safeParse(await run(parsed.value, { signal }));
    if (result.success) return result.data;
    return failed(`The tool ${name} returned neither text nor { content }.`);
  } catch (error) {
    return failed(messageOf(error));
  }
}
