/** A parsed shell command: every simple command in it, at any nesting, and every redirection. */

import type { Argument, Pipeline } from './argument.ts';
import type { Assignment } from './assignments.ts';
import type { Statement } from './sequence.ts';

export interface CommandPart {
  /** The simple command as written, with its assignments, without its redirections. */
  readonly text: string;
  /** Its words without quotes and wrappers (`timeout 5`, `env A=b`); null = known only at run time. */
  readonly argv: readonly (string | null)[];
  /** The source of each word in `argv`. */
  readonly raw: readonly string[];
  /** The words with wrappers. */
  readonly full: readonly (string | null)[];
  readonly fullRaw: readonly string[];
  /**
   * All argument lists with which it may be started, name first and without wrappers; null = some word is unknown, or
   * the shells interpret it differently.
   */
  readonly runs: readonly (readonly Argument[])[] | null;
  /** The commands whose output it reads. */
  readonly input?: Pipeline;
  /** The variables that are set for this command only, or by an assignment without a command. */
  readonly envPrefix: readonly Assignment[];
  /** `bash -c '…'` and `eval '…'`: the commands it runs follow as separate parts. */
  readonly carrier: boolean;
  /** True if a word takes its value from a variable. */
  readonly variables: boolean;
  /** True if it runs exactly once whenever the next part is reached: an element of a top-level `&&` chain. */
  readonly certain: boolean;
  /** True if it runs whenever the shell gets there: a separate statement, or the first of a chain. */
  readonly isReached: boolean;
  /** True if it may run more than once: in a loop or a function. */
  readonly repeats: boolean;
  /** True if the command line may supply its standard input: a pipe, a here-document, a file. */
  readonly hasInput: boolean;
  /** The text of the here-document or here-string that it reads, if known. */
  readonly inputText?: string;
  /** Targets of redirections that take what it prints; null = known only at run time. */
  readonly writesTo?: readonly (string | null)[];
  /** True if its standard input is certainly a pipe. */
  readonly isPiped?: boolean;
}

export type ParsedCommand =
  | {
      readonly ok: false;
      /**
       * Argument lists, name first, of commands in it whose name or script is determined only by a variable or braces.
       */
      readonly known?: readonly (readonly Argument[])[];
    }
  | {
      readonly ok: true;
      readonly parts: readonly CommandPart[];
      /** Targets of redirections; null = known only at run time. */
      readonly writes: readonly (string | null)[];
      readonly reads: readonly (string | null)[];
      /** Words that become the value of a variable, and so may be a file name later. */
      readonly mentions: readonly string[];
      /** See `statementsOf`. */
      readonly statements?: readonly Statement[];
    };
