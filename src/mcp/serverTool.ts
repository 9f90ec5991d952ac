/** Wraps a server's tool as a tool of the agent. Its effects are unknown: the server's hints are not trusted. */
import type { ToolSchema } from '../protocol/messages.ts';
import type { McpToolDefinition } from '../protocol/permissions.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import type { Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import type { CallOptions } from './connect.ts';
import type { OfferedTool } from './offeredTools.ts';
import { type CallResult, outcomeOf } from './outcome.ts';

/** Milliseconds without an answer or a progress report. */
const DEFAULT_TIMEOUT_MS = 5 * 60 * 1000;
const MAX_TITLE = 120;

interface ServerToolPorts {
  /** Connects if necessary; returns why the tool cannot be called. */
  readonly problem: (signal: AbortSignal) => Promise<string | undefined>;
  readonly call: (input: unknown, options: CallOptions, ask: ToolContext['askForm']) => Promise<CallResult>;
  readonly timeoutMs: number | undefined;
  /** Where the server was defined, in Claude Code's words. */
  readonly definedIn: string;
  /** True if it is offered in every request. */
  readonly isAlwaysLoaded: boolean;
  /** What allow rules are bound to; undefined for a server of the driving program, which also provides the rules. */
  readonly definition: () => McpToolDefinition | undefined;
}

export function createServerTool(
  server: string,
  { ownName, schema }: OfferedTool,
  ports: ServerToolPorts,
): Tool {
  const { name } = schema;
  const shownName = visibleLine(ownName, 60);
  return {
    name,
    schema,
    readOnly: false,
    onDemand: !ports.isAlwaysLoaded,
    server: { name: server, source: ports.definedIn },
    prepare(input, context) {
      const mistake = mistakeIn(input, schema);
      if (mistake !== undefined) return { type: 'invalid', message: `${name}: ${mistake}` };
      const title = titleOf(input);
      const definition = ports.definition();
      return {
        type: 'ready',
        title,
        access: { type: 'unknown', ...(definition !== undefined && { definition }) },
        preview: async () => ({ type: 'text', text: previewOf(server, shownName, input) }),
        run: () => run(input, title, context),
      };
    },
  };

  async function run(input: unknown, title: string, context: ToolContext): Promise<ToolOutcome> {
    const { signal, onOutput } = context;
    const ended = (text: string): ToolOutcome => {
      const summary = signal.aborted ? 'interrupted' : 'failed';
      const status = signal.aborted ? 'partial' : 'error';
      return { status, text, kind: 'text', display: { title, summary } };
    };
    try {
      const problem = await ports.problem(signal);
      if (problem !== undefined) {
        const reason = signal.aborted
          ? 'Interrupted by the user.'
          : `The MCP server "${server}" failed: ${problem}`;
        return ended(`${reason} The tool was not called.`);
      }
      const options: CallOptions = {
        signal,
        timeoutMs: ports.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        onProgress: ({ progress, total, message }) => onOutput(progressLine(progress, total, message)),
      };
      const result = await ports.call(input, options, context.askForm);
      return outcomeOf(result, {
        title,
        name: `${server} ${shownName}`,
        seesImages: context.seesImages?.() === true,
      });
    } catch (error) {
      return ended(
        signal.aborted
          ? 'Interrupted by the user before it finished. The server was notified; it may not have stopped.'
          : `The MCP server "${server}" failed: ${visibleLine((error as Error).message, 500).replace(/(?<![.!?])$/, '.')} The call may have had an effect.`,
      );
    }
  }
}

/** Checks only what every server would reject; the rest is left to the server. */
function mistakeIn(input: unknown, { parameters }: ToolSchema): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return 'the input must be an object.';
  const { required } = parameters;
  const missing = (Array.isArray(required) ? required : []).filter(
    (key) => typeof key === 'string' && !Object.hasOwn(input, key),
  );
  return missing.length === 0 ? undefined : `missing ${missing.slice(0, 20).join(', ')}.`;
}

/** Returns the input's values, cut to one line. */
function titleOf(input: unknown): string {
  const values = Object.entries(input as Record<string, unknown>).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return visibleLine(values.join(', '), MAX_TITLE);
}

/** The input in full, since the user approves all of it. */
const previewOf = (server: string, tool: string, input: unknown): string =>
  `Tool "${tool}" of the MCP server "${server}", with:\n${JSON.stringify(input, null, 2)}`;

function progressLine(progress: number, total: number | undefined, message: string | undefined): string {
  const share = total === undefined || total <= 0 ? `${progress}` : `${progress} of ${total}`;
  return `${share}${message === undefined ? '' : `: ${visibleLine(message, 200)}`}\n`;
}
