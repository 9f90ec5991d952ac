/** Plugins: folders with skills, commands, subagents, hooks and MCP servers. */
import type { HookDefinition } from './hooks.ts';
import type { McpServerDefinition } from './mcp.ts';
import type { AgentDefinition } from './subagents.ts';

/** What a plugin's folder contains. */
export interface PluginContents {
  /** Lower-case letters, digits and hyphens; the prefix of the names of its contents. */
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Names as they are used: `plugin:skill`. */
  readonly skills: readonly string[];
  readonly commands: readonly string[];
  /** Named `plugin:agent`. */
  readonly agents: readonly AgentDefinition[];
  readonly hooks: readonly HookDefinition[];
  readonly servers: readonly { readonly name: string; readonly definition: McpServerDefinition }[];
  /** Contents without effect here, and mistakes; one sentence each. */
  readonly problems: readonly string[];
}

/** An installed plugin. */
export interface PluginInfo {
  readonly name: string;
  /** Where it was installed from, as the user typed it. */
  readonly source: string;
  readonly state:
    | { readonly type: 'enabled' | 'disabled' }
    /** `why`: one sentence. */
    | { readonly type: 'unusable'; readonly why: string };
  readonly contents: PluginContents | undefined;
  /** Identifies the described content: an approval is for exactly that. */
  readonly hash: string;
}
