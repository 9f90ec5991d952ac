/** What a decision is made from: the rules in force, the mode, and where the user works. */
import type { PermissionMode } from '../protocol/permissions.ts';
import type { ParsedCommand } from './parsedCommand.ts';
import type { SourcedRule } from './rules.ts';

export interface Policy {
  readonly mode: PermissionMode;
  readonly rules: readonly SourcedRule[];
  /** The project's root, absolute. */
  readonly root: string;
  /** Further directories that count as the workspace, absolute. */
  readonly additionalDirectories: readonly string[];
  /** The program's own directories, which may be read without asking. */
  readonly ownDirectories: readonly string[];
  readonly home: string;
  /** Resolves links of the deepest existing ancestor; never throws. */
  readonly realpath: (path: string) => string;
  readonly parseCommand: (command: string) => ParsedCommand;
  /** Absolute path of the settings file that "always" writes to. */
  readonly localSettingsFile: string;
}
