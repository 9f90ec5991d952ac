/** Plugins: folders that bring skills, commands, subagents, hooks and MCP servers. */
import type { HookDefinition } from './hooks.ts';
import type { McpServerDefinition } from './mcp.ts';
import type { AgentDefinition } from './subagents.ts';

/** What a plugin's folder contains. */
export interface PluginContents {
  /** Lower-case letters, digits and hyphens; in front of the names of what it brings. */
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
  /** What it brings that has no effect here, and mistakes in it; one sentence each. */
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
  /** Identifies the content that is described here: what an approval is for. */
  readonly hash: string;
}
