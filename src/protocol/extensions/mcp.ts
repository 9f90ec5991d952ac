/** MCP servers: their definitions in settings and `.mcp.json`, and their state at run time. */
import * as z from 'zod';
import type { ImagePart } from '../files/images.ts';
import type { CallTool } from './hooks.ts';

const text = z.string().min(1);
const texts = z.record(text, z.string());

/** The fields of a definition, with the names and meanings established by Claude Code. */
const fields = {
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'])
    .optional()
    .describe('Transport; default: stdio with a command, http with a url.'),
  command: text.optional().describe('Program to start, for stdio.'),
  args: z.array(z.string()).optional().describe('Arguments of the program.'),
  env: texts.optional().describe('Environment variables of the program.'),
  cwd: text
    .optional()
    .describe(
      'Working directory of the program, relative to the project. Default: the project if its files define the server, otherwise an empty folder.',
    ),
  url: text.optional().describe('URL of the server, for http and sse.'),
  headers: texts.optional().describe('Headers sent with every request.'),
  timeout: z
    .int()
    .min(1000)
    .optional()
    .describe('How long a call waits for a result or a progress report, in milliseconds.'),
  alwaysLoad: z.boolean().optional().describe('Keep its tools in every request, however large they are.'),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

/** Returns why a definition cannot be used; undefined if it can. */
function mistakeIn({ type, command, url }: Fields): string | undefined {
  const isStdio = type === undefined ? url === undefined : type === 'stdio';
  if (isStdio && command === undefined) return 'it needs a "command", or a "url"';
  if (!isStdio && url === undefined) return `a server of type ${type ?? 'http'} needs a "url"`;
  if (command !== undefined && url !== undefined) return 'it has both a "command" and a "url"';
  return undefined;
}

function refined<S extends z.ZodType<Fields>>(schema: S): S {
  return schema.superRefine((value, context) => {
    const message = mistakeIn(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** A definition in our own settings: unknown fields are errors. */
export const mcpServerSchema = refined(z.strictObject(fields));

/** A definition in a file shared with other programs: unknown fields are ignored. */
export const sharedMcpServerSchema = refined(z.object(fields));

/** A server's definition; variables are not yet expanded. */
export type McpServerDefinition = z.output<typeof mcpServerSchema>;

/**
 * Valid server names; a name is part of its tools' names, and so of permission rules. Without `__`, and without `_` at
 * either end, `mcp__server__tool` can be parsed in only one way.
 */
export const mcpServerNamePattern = /^(?!_)(?!.*__)[A-Za-z0-9_-]{1,40}(?<!_)$/;

export const mcpScopes = ['user', 'project', 'local', 'flag', 'managed'] as const;

/** Where a server is defined: in the user's settings, the folder's, on the command line, or in managed settings. */
export type McpScope = (typeof mcpScopes)[number];

/** A server's definition and its source. */
export interface McpServerSource {
  /** The plugin that contains it. */
  readonly plugin?: string;
  readonly name: string;
  readonly definition: McpServerDefinition;
  readonly scope: McpScope;
  /** The file or flag, in display form. */
  readonly source: string;
  /** It is part of the program that drives this one; its definition has no command and no address. */
  readonly isHosted?: true;
}

/** The way to a server inside the driving program. */
export interface HostChannel {
  /**
   * Passes a message on. Resolves to the server's reply, unchecked; rejects if there is none. An abort withdraws the
   * message.
   */
  send(message: object, signal: AbortSignal): Promise<unknown>;
  /** Sets the listener for messages that the server sends unasked. */
  receive(listener: ((message: unknown) => void) | undefined): void;
}

export type OpenHostChannel = (server: string) => HostChannel;

export type McpServerState =
  /** Not connected yet, because nothing has needed it. */
  | { readonly type: 'pending' }
  | { readonly type: 'connecting' }
  | { readonly type: 'connected' }
  /** `reason` is ready to show. */
  | { readonly type: 'failed'; readonly reason: string }
  /** The server requires a login. */
  | { readonly type: 'needs-auth' }
  /** Switched off in this session. */
  | { readonly type: 'disabled' };

interface McpToolInfo {
  /** The name for the model and for permission rules. */
  readonly name: string;
  /** The server's own name for the tool. */
  readonly ownName: string;
  readonly description: string;
}

/** The status of one server, for `/mcp`. */
export interface McpServerStatus {
  readonly name: string;
  readonly scope: McpScope;
  readonly source: string;
  readonly transport: 'stdio' | 'http' | 'sse' | 'host';
  /** The command line or URL; variables are not expanded. */
  readonly target: string;
  readonly state: McpServerState;
  readonly tools: readonly McpToolInfo[];
  /** Parts of the server that cannot be used, one sentence each. */
  readonly problems: readonly string[];
  /** The end of its standard error output, or of its errors. */
  readonly log: string;
}

/** A prompt of a server, available as a slash command. */
export interface McpPromptInfo {
  readonly server: string;
  /** The server's own name for the prompt. */
  readonly ownName: string;
  /** `mcp__server__prompt`, in lower case like all commands. */
  readonly command: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** The content of a prompt or resource; `problem` is ready to show. */
export type McpContent =
  | {
      readonly text: string;
      readonly images: readonly { readonly path: string; readonly image: ImagePart }[];
    }
  | { readonly problem: string };

/** The MCP servers of a session, for commands and the first line of stream-json. */
export interface McpPort {
  status(): readonly McpServerStatus[];
  /** Resolves when all tools are known that the first request should have, at most five seconds after the start. */
  settle(signal: AbortSignal): Promise<void>;
  /** Connects to every server. Resolves when each has connected or failed, at most after `timeoutMs`. */
  connectAll(signal: AbortSignal, timeoutMs?: number): Promise<void>;
  /** Returns the known prompts; the same array until one is added or removed. */
  prompts(): readonly McpPromptInfo[];
  /** `input`: argument values by name. Never rejects. */
  getPrompt(prompt: McpPromptInfo, input: Readonly<Record<string, string>>): Promise<McpContent>;
  /** Returns the known resources in the form used in prompts: `server:uri`. */
  resources(): readonly string[];
  /** Reconnects a server. Resolves to its new state; undefined if there is no such server. */
  reconnect(name: string): Promise<McpServerState | undefined>;
  /**
   * Switches a server off, which closes its connection and removes its tools, or on again. Resolves to its new state;
   * undefined if there is no such server.
   */
  setEnabled(name: string, isEnabled: boolean): Promise<McpServerState | undefined>;
  /** Calls a tool for the program itself, not for the model, by the names that the server gives. Never rejects. */
  callTool: CallTool;
}

/** Formats a server's command line or URL, with variables not expanded. */
export function mcpTarget({ command, args = [], url }: McpServerDefinition): string {
  if (url !== undefined) return url;
  return [command ?? '', ...args]
    .map((part) => (/^[\w@%+=:,./${}-]+$/.test(part) ? part : JSON.stringify(part)))
    .join(' ');
}

export function mcpTransport({ type, url }: McpServerDefinition): 'stdio' | 'http' | 'sse' {
  if (type === 'sse') return 'sse';
  return url === undefined ? 'stdio' : 'http';
}
