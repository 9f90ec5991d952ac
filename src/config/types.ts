/** The types of the settings. */

import type { HookSource } from '../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { AddedDirectories } from './addedDirectories.ts';
import type { Settings } from './schema.ts';

/** One thing that needs the user's approval. Two grants are equal if all three fields are. */
export interface Grant {
  /** The dotted path of the setting. */
  readonly kind: string;
  /**
   * The approved value in full: a rule, `NAME=value`, a path (`x → /y` if a link leads it there), or the value (as JSON
   * unless it is text).
   */
  readonly text: string;
  /** The file that contains it, as displayed. */
  readonly source: string;
}

/** Where a value came from; later ones override earlier ones. */
export type Layer = 'user' | 'project' | 'local' | 'environment' | 'flag' | 'managed';

/** Something that the user should correct; everything else still applies. */
export interface Problem {
  readonly layer: Layer;
  /** The source to display: a file, a variable or a flag. */
  readonly file: string;
  /** Dotted path of the setting; absent if the entire file is meant. */
  readonly key?: string;
  /** The setting that an unknown name was probably meant for. */
  readonly meant?: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
  /** The mistake and how to fix it; names file and key. */
  readonly message: string;
  /** Not a mistake, but something that Claude Code supports and this version does not; headless runs continue. */
  readonly isLeftOut?: true;
}

/** A permission rule and where it was written; the same shape as in `permissions`. */
export interface SettingsRule {
  readonly text: string;
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly source: string;
  /** From managed settings: nothing overrides it. */
  readonly managed?: true;
  /** The directory that "/x" in a file pattern is relative to. */
  readonly base: string;
}

/** Something a file of the folder would do that the user has not approved; ignored until then. */
export interface UntrustedSetting {
  readonly file: string;
  readonly key: string;
  /** The value, or the part that waits for approval, short enough to display. */
  readonly value: string;
  /** One sentence for the approval prompt: what trusting it would allow. */
  readonly effect: string;
  /** Number of rules, folders, variables … in the value. */
  readonly count: number;
}

/** A settings file, whether it exists or not. */
export interface SettingsFile {
  readonly layer: Layer;
  readonly path: string;
  /** As displayed: relative to the project, or with `~`. */
  readonly name: string;
  readonly state: 'loaded' | 'missing' | 'broken';
  /** A file of another program, of which only part applies here. */
  readonly isForeign?: true;
}

/** The settings of another program's file that have no effect here, for the notice about them. */
export interface UnsupportedSettings {
  /** As displayed. */
  readonly file: string;
  readonly path: string;
  /** Identifies the file's content. */
  readonly hash: string;
  /** Names of settings, and allow rules. */
  readonly names: readonly string[];
}

/** A file of the project that something approved runs, as it was then and as it is now. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to the project. */
  readonly name: string;
  /** What runs it, for display. */
  readonly users: readonly string[];
  readonly before: FileState | undefined;
  readonly now: FileState;
  /** For a build result: the command that runs it, which the user may except. */
  readonly builtFor?: string;
}

/** What a file is at some time. */
export interface FileState {
  /** Size, inode and times: while these stay, the content does. */
  readonly stamp: string;
  /** Of the content; empty if there is no file. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Absent if it is long or no text. */
  readonly content?: string | undefined;
  /** Digests of contents that were approved before, newest first. */
  readonly earlier?: readonly string[] | undefined;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** All rules, in the order of the layers. */
  readonly rules: readonly SettingsRule[];
  readonly problems: readonly Problem[];
  /** Dotted key → the file, variable or flag that set it; absent for defaults. */
  readonly sources: Readonly<Record<string, string>>;
  readonly files: readonly SettingsFile[];
  readonly untrusted: readonly UntrustedSetting[];
  /** Everything in the folder's files that needs the user's approval, whether approved or not. */
  readonly grants: readonly Grant[];
  /** The MCP servers that may apply: those of the folder also need the user's approval. See `candidateServers`. */
  readonly servers: readonly McpServerSource[];
  /** Names of servers in `.mcp.json` that the user has enabled in their own `~/.claude/settings.json`. */
  readonly enabledServers: readonly string[];
  readonly unsupported: readonly UnsupportedSettings[];
  /** Models that the user's own or managed settings name; patterns with `*` name none. */
  readonly ownModels: readonly string[];
  /** The entries of `sandbox.excludedCommands` that apply from the user's own or managed settings. */
  readonly ownExcludedCommands: readonly string[];
  /** Names of the folder's servers that do not apply because the folder is not trusted. */
  readonly heldServers: readonly string[];
  /** Absolute paths that managed settings hide from commands: nothing makes them visible again. */
  readonly managedDenyRead: readonly string[];
  /** All hooks, those that do not run included, in the order of the layers. */
  readonly hooks: readonly HookSource[];
  /** Unavailable modes, each with a displayable sentence on why. */
  readonly refusedModes: Readonly<Partial<Record<PermissionMode, string>>>;
  /** The mistake that hides the intended endpoint, if none is set; absent otherwise. */
  readonly misread?: Problem;
  /** Files that have changed since the user approved the settings that run them; those are left out. Absent = none. */
  readonly changedFiles?: readonly ChangedFile[];
  /** Begins with the directories in `settings`. */
  readonly added: AddedDirectories;
  /** Providers that a mistake leaves out: their models must not be taken for those of the default endpoint. */
  readonly invalidProviders: readonly string[];
}

/** The checked values of one layer, as written, without defaults. */
export type Values = Record<string, unknown>;
