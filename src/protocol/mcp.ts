/** MCP servers as settings and `.mcp.json` define them, and what is known of one while the program runs. */
import * as z from 'zod';
import type { ImagePart } from './files/images.ts';

const text = z.string().min(1);
const texts = z.record(text, z.string());

/** The fields of a definition; names and meanings as Claude Code made them known. */
const fields = {
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'])
    .optional()
    .describe('How to reach it; absent means stdio with a command, http with a url.'),
  command: text.optional().describe('Program to start, for stdio.'),
  args: z.array(z.string()).optional().describe('Arguments of the program.'),
  env: texts.optional().describe('Environment variables of the program.'),
  cwd: text
    .optional()
    .describe('Folder that the program starts in; relative to the project, which is the default.'),
  url: text.optional().describe('Address of the server, for http and sse.'),
  headers: texts.optional().describe('Headers sent with every request.'),
  timeout: z
    .int()
    .min(1000)
    .optional()
    .describe('Longest wait for an answer or a sign of progress, in milliseconds.'),
  alwaysLoad: z.boolean().optional().describe('Offer its tools in every request, however large they are.'),
};

type Fields = z.output<z.ZodObject<typeof fields>>;

/** Why a definition cannot be used; undefined for one that can. */
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

/** A definition in our own settings: a misspelt field is a mistake. */
export const mcpServerSchema = refined(z.strictObject(fields));

/** A definition in a file that other programs read too: fields that only they know are left out. */
export const sharedMcpServerSchema = refined(z.object(fields));

/** A server as it is written down; variables are not filled in yet. */
export type McpServerDefinition = z.output<typeof mcpServerSchema>;

/**
 * What a server may be called: part of the names of its tools, and so of permission rules. Without `__` and without `_`
 * at either end, `mcp__server__tool` can be read in one way only.
 */
export const mcpServerNamePattern = /^(?!_)(?!.*__)[A-Za-z0-9_-]{1,40}(?<!_)$/;

export const mcpScopes = ['user', 'project', 'local', 'flag', 'managed'] as const;

/** Whose word a server is there on: the user's settings, the folder's, the command line, or the machine's administrator. */
export type McpScope = (typeof mcpScopes)[number];

/** A server and where it was defined. */
export interface McpServerSource {
  readonly name: string;
  readonly definition: McpServerDefinition;
  readonly scope: McpScope;
  /** The file or the flag, as shown to people. */
  readonly source: string;
}

export type McpServerState =
  /** Not needed yet. */
  | { readonly type: 'pending' }
  | { readonly type: 'connecting' }
  | { readonly type: 'connected' }
  /** Why, ready to show. */
  | { readonly type: 'failed'; readonly reason: string }
  /** It wants to know who the user is. */
  | { readonly type: 'needs-auth' };

export interface McpToolInfo {
  /** As the model and permission rules know it. */
  readonly name: string;
  /** As the server calls it. */
  readonly ownName: string;
  readonly description: string;
}

/** One server, as `/mcp` shows it. */
export interface McpServerStatus {
  readonly name: string;
  readonly scope: McpScope;
  readonly source: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  /** The command line or the address; no variables filled in. */
  readonly target: string;
  readonly state: McpServerState;
  readonly tools: readonly McpToolInfo[];
  /** What of it is not used, a sentence each. */
  readonly problems: readonly string[];
  /** The end of what it wrote to standard error, or of what went wrong. */
  readonly log: string;
}

/** A prompt that a server offers, run as a slash command. */
export interface McpPromptInfo {
  readonly server: string;
  /** As the server calls it. */
  readonly ownName: string;
  /** `mcp__server__prompt`, in lower case as all commands are. */
  readonly command: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** What a prompt or a resource holds, or why it cannot be had: ready to show. */
export type McpContent =
  | {
      readonly text: string;
      readonly images: readonly { readonly path: string; readonly image: ImagePart }[];
    }
  | { readonly problem: string };

/** The MCP servers of a session, for commands and for the first line of stream-json. */
export interface McpPort {
  status(): readonly McpServerStatus[];
  /** Resolves when every server is connected or has failed, at the latest `timeoutMs` after they were started. */
  settle(signal: AbortSignal, timeoutMs?: number): Promise<void>;
  /** The prompts that are known at this moment; the same array until one appears or goes. */
  prompts(): readonly McpPromptInfo[];
  /** `input`: values by the names of its arguments. Never rejects. */
  getPrompt(prompt: McpPromptInfo, input: Readonly<Record<string, string>>): Promise<McpContent>;
  /** The resources that are known at this moment, as a prompt names them: `server:uri`. */
  resources(): readonly string[];
  /** Ends a connection and opens it again; the state that comes of it, undefined where there is no such server. */
  reconnect(name: string): Promise<McpServerState | undefined>;
}

/** The command line or the address of a server, as it is written down. */
export function mcpTarget({ command, args = [], url }: McpServerDefinition): string {
  if (url !== undefined) return url;
  return [command ?? '', ...args]
    .map((part) => (/^[\w@%+=:,./${}-]+$/.test(part) ? part : JSON.stringify(part)))
    .join(' ');
}

export function mcpTransport({ type, url }: McpServerDefinition): McpServerStatus['transport'] {
  if (type === 'sse') return 'sse';
  return url === undefined ? 'stdio' : 'http';
}
