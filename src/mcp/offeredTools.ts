/** Turns a server's lists into tools and prompts to offer, limited in size and with unique names. Pure. */

import { createHash } from 'node:crypto';
import type { McpPromptInfo } from '../protocol/extensions/mcp.ts';
import { isRecord } from '../protocol/json.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import { shortened, visibleLine, visibleText } from '../protocol/text/visible.ts';

/** A tool as listed by a server. Nothing in it can be trusted, least of all its hints. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** A prompt as listed by a server. */
export interface ListedPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly { readonly name: string; readonly required?: boolean | undefined }[]
    | undefined;
}

/** Remembers what one server listed, from session to session. Its methods never reject. */
export interface ListMemory {
  read(): Promise<RememberedLists | undefined>;
  /** `undefined` forgets them. */
  write(lists: RememberedLists | undefined): Promise<void>;
}

/** A server's lists within our limits, which are applied again when they are read. */
export interface RememberedLists {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly resources: readonly string[];
}

export interface OfferedTool {
  /** The server's own name for the tool. */
  readonly ownName: string;
  readonly schema: ToolSchema;
  readonly title?: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Maximum characters of a description; most hosted endpoints accept at least 1,024. */
const MAX_DESCRIPTION = 2048;
/** Maximum characters of a schema as JSON. */
const MAX_SCHEMA = 32_000;
const MAX_DEPTH = 30;
/** Maximum characters of a title. */
const MAX_TITLE = 200;
/** Maximum characters of annotations as JSON. */
const MAX_ANNOTATIONS = 4000;

/** Returns the tools that can be offered, and a sentence for each one that cannot. */
export function offeredTools(
  server: string,
  listed: readonly ListedTool[],
): { readonly tools: readonly OfferedTool[]; readonly problems: readonly string[] } {
  const tools = new Map<string, OfferedTool>();
  const problems: string[] = [];
  for (const { name: ownName, title, description = '', inputSchema, annotations } of listed) {
    const name = toolNameOf(server, ownName);
    const parameters = parametersOf(inputSchema);
    if (tools.has(name)) problems.push(`Left out: another tool is also called ${name}.`);
    else if (parameters === undefined) problems.push(`Left out: the schema of ${name} is too large.`);
    else
      tools.set(name, {
        ownName,
        schema: { name, description: shortened(visibleText(description), MAX_DESCRIPTION), parameters },
        ...(title !== undefined && { title: visibleLine(title, MAX_TITLE) }),
        ...(annotations !== undefined && { annotations: annotationsOf(annotations) }),
      });
  }
  return { tools: [...tools.values()], problems: bounded(problems) };
}

/** Returns the prompts that can be offered as commands; if two have the same name, the first one wins. */
export function offeredPrompts(server: string, listed: readonly ListedPrompt[]): readonly McpPromptInfo[] {
  const prompts = new Map<string, McpPromptInfo>();
  for (const { name: ownName, description = '', arguments: given = [] } of listed) {
    const command = toolNameOf(server, ownName).toLowerCase();
    if (prompts.has(command)) continue;
    const names = given.slice(0, MAX_ARGUMENTS);
    prompts.set(command, {
      ...{ server, ownName, command, description: visibleLine(description, 200) },
      arguments: names.map(({ name, required = false }) => ({ name, isRequired: required })),
    });
  }
  return [...prompts.values()];
}

const MAX_ARGUMENTS = 20;
const MAX_PROBLEMS = 5;

function bounded(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS;
  return more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `Left out: ${more} more.`];
}

/** Returns the schema in the form that endpoints accept: an object, without `$schema`. Undefined if it is too large. */
function parametersOf(schema: Readonly<Record<string, unknown>>): ToolSchema['parameters'] | undefined {
  if (depthOf(schema) > MAX_DEPTH) return undefined;
  const { $schema: _, ...rest } = withVisibleText(schema);
  const properties = isRecord(rest.properties) ? rest.properties : {};
  const parameters = { ...rest, type: 'object', properties };
  return JSON.stringify(parameters).length > MAX_SCHEMA ? undefined : parameters;
}

function withVisibleText(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    typeof one === 'string' ? visibleText(one) : one,
  );
}

/** Marks invisible characters. Returns only a digest of annotations that are too large. */
function annotationsOf(annotations: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = depthOf(annotations) > MAX_DEPTH ? '' : JSON.stringify(annotations);
  if (text === '' || text.length > MAX_ANNOTATIONS)
    return { digest: createHash('sha256').update(text).digest('hex') };
  return withVisibleText(annotations);
}

/** Counts nesting levels iteratively, since a deeply nested value would overflow the stack. */
function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value];
  let depth = 0;
  for (; depth <= MAX_DEPTH; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) break;
  }
  return depth;
}

// Makes the names of a server's tools safe to offer: a server may use any. Pure.

/** Maximum length of a function name; source: the OpenAI API. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;

/**
 * Returns the name of a server's tool for the model and for permission rules. Two tools of a server may get the same
 * name.
 */
export function toolNameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}_${hash}`;
}
