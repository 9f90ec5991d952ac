/**
 * The tools, prompts and resources of one server. Those that it listed in an earlier session are offered until it is
 * connected.
 */
import type { McpPromptInfo, McpServerSource } from '../protocol/extensions/mcp.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import type { Tool } from '../protocol/tools.ts';
import {
  type ListedPrompt,
  type ListedTool,
  type ListMemory,
  type OfferedTool,
  offeredPrompts,
  offeredTools,
} from './offeredTools.ts';
import { createServerTool } from './serverTool.ts';

/** Resources with longer URIs, or with invisible characters in them, are not offered. */
const MAX_URI = 500;

interface KnownTool {
  readonly offered: OfferedTool;
  readonly tool: Tool;
}

export class ServerLists {
  tools: readonly KnownTool[] = [];
  problems: readonly string[] = [];
  prompts: readonly McpPromptInfo[] = [];
  /** URIs exactly as listed by the server. */
  resources: readonly string[] = [];
  /** Whether they were listed in an earlier session, or have been read from the server in this one. */
  known: 'no' | 'remembered' | 'read' = 'no';
  readonly #source: McpServerSource;
  readonly #memory: ListMemory | undefined;
  readonly #portsOf: (offered: OfferedTool) => Parameters<typeof createServerTool>[2];

  constructor(
    source: McpServerSource,
    memory: ListMemory | undefined,
    portsOf: (offered: OfferedTool) => Parameters<typeof createServerTool>[2],
  ) {
    this.#source = source;
    this.#memory = memory;
    this.#portsOf = portsOf;
  }

  /** Offers what the server listed in an earlier session. Never rejects. */
  async recall(): Promise<void> {
    const lists = await this.#memory?.read();
    if (lists === undefined || this.known !== 'no') return;
    this.takeTools(lists.tools, 'remembered');
    this.takeOthers(lists.prompts, lists.resources);
  }

  /** Keeps the lists for later sessions. */
  remember(): void {
    const tools = this.tools.map(({ offered: { ownName, schema, title, annotations } }) => ({
      ...{ name: ownName, title, description: schema.description, inputSchema: schema.parameters },
      ...{ annotations },
    }));
    const prompts = this.prompts.map(({ ownName, description, arguments: given }) => ({
      ...{ name: ownName, description },
      arguments: given.map(({ name, isRequired }) => ({ name, required: isRequired })),
    }));
    void this.#memory?.write({ tools, prompts, resources: this.resources });
  }

  /** Called if the server cannot be reached: drops everything from an earlier session. */
  forgetRemembered(): void {
    if (this.known !== 'remembered') return;
    this.known = 'no';
    [this.tools, this.problems, this.prompts, this.resources] = [[], [], [], []];
    void this.#memory?.write(undefined);
  }

  /**
   * Updates the tools. An unchanged tool stays the same object, since tools come first in requests and providers cache
   * unchanged prefixes.
   */
  takeTools(listed: readonly ListedTool[], known: ServerLists['known'] = 'read'): void {
    const { name } = this.#source;
    const { tools, problems } = offeredTools(name, listed);
    const before = new Map(this.tools.map((one) => [JSON.stringify(one.offered), one]));
    this.tools = tools.map(
      (offered) =>
        before.get(JSON.stringify(offered)) ?? {
          offered,
          tool: createServerTool(name, offered, this.#portsOf(offered)),
        },
    );
    this.problems = problems;
    this.known = known;
  }

  takeOthers(prompts: readonly ListedPrompt[], resources: readonly string[]): void {
    this.prompts = offeredPrompts(this.#source.name, prompts);
    this.resources = resources.filter((uri) => uri !== '' && visibleLine(uri, MAX_URI) === uri);
  }
}
