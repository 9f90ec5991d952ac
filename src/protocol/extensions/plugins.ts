/** Plugins: folders that bring skills, commands and MCP servers. */
import type { McpServerDefinition } from './mcp.ts';

/** What a plugin's folder contains. */
export interface PluginContents {
  /** Lower-case letters, digits and hyphens; in front of its skills and servers. */
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Names as they are used: `plugin:skill`. */
  readonly skills: readonly string[];
  readonly commands: readonly string[];
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
}
