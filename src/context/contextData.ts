/** All data of a session in five layers. Derived from the log. */
import { release, type } from 'node:os';
import * as z from 'zod';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { Message } from '../protocol/messages.ts';

export interface ContextData {
  readonly layers: {
    readonly system: {
      readonly osType: string;
      readonly osVersion: string;
      readonly nodeVersion: string;
      readonly cwd: string;
    };
    readonly session: {
      readonly sessionId: string;
      readonly userId?: string;
      readonly preferences: Readonly<Record<string, unknown>>;
      readonly configuration: Readonly<Record<string, unknown>>;
      /** Milliseconds since the epoch. */
      readonly startTime: number;
    };
    readonly conversation: { readonly messages: readonly Message[]; readonly lastActivity: number };
    readonly tool: {
      readonly recentCalls: readonly {
        readonly toolName: string;
        readonly timestamp: number;
        readonly success: boolean;
      }[];
    };
    readonly workspace: {
      readonly projectPath: string;
      readonly gitBranch?: string;
      readonly gitRemote?: string;
      /** Name and version of the project's own package, if it has one. */
      readonly package?: { readonly name?: string; readonly version?: string };
    };
  };
  readonly metadata: { readonly totalTokens: number; readonly lastUpdated: number };
}

const RECENT_CALLS = 20;

/** Builds the layers from a log that is not empty. */
export function contextDataOf(
  entries: readonly JSONLEntry[],
  messages: readonly Message[],
  root: string,
  totalTokens: number,
): ContextData {
  const last = entries.at(-1);
  const header = entries.find((entry) => entry.subtype === 'session_start')?.data ?? {};
  const lastUpdated = timeOf(last);
  const branch = entries.findLast((entry) => entry.gitBranch !== undefined)?.gitBranch;
  return {
    layers: {
      system: { osType: type(), osVersion: release(), nodeVersion: process.version, cwd: last?.cwd ?? root },
      session: {
        sessionId: last?.sessionId ?? '',
        ...(typeof header.userId === 'string' ? { userId: header.userId } : {}),
        preferences: recordOf(header.preferences),
        configuration: recordOf(header.configuration),
        startTime: timeOf(entries[0]),
      },
      conversation: { messages, lastActivity: lastUpdated },
      tool: { recentCalls: recentCalls(entries) },
      workspace: {
        projectPath: root,
        ...(branch === undefined ? {} : { gitBranch: branch }),
        ...workspaceOf(header.environment),
      },
    },
    metadata: { totalTokens, lastUpdated },
  };
}

function recentCalls(entries: readonly JSONLEntry[]): ContextData['layers']['tool']['recentCalls'] {
  return entries
    .filter((entry) => entry.type === 'tool_result')
    .slice(-RECENT_CALLS)
    .map((entry) => ({
      toolName: entry.toolResult?.name ?? '',
      timestamp: timeOf(entry),
      success: entry.toolResult?.status === 'ok' || entry.toolResult?.status === 'partial',
    }));
}

const workspaceSchema = z.object({
  gitRemote: z.string().exactOptional(),
  package: z
    .object({ name: z.string().exactOptional(), version: z.string().exactOptional() })
    .exactOptional(),
});

/** Project facts that were collected when the session began. */
function workspaceOf(environment: unknown): z.infer<typeof workspaceSchema> {
  return workspaceSchema.safeParse(environment).data ?? {};
}

function timeOf(entry: JSONLEntry | undefined): number {
  const time = Date.parse(entry?.timestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
