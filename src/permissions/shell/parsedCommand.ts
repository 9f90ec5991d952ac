/** A shell command taken apart: every simple command in it, wherever it hides, and every redirection. */
import type { Argument } from './wordValues.ts';

export interface CommandPart {
  /** The simple command as written, with its assignments, without its redirections. */
  readonly text: string;
  /** Its words after quotes and wrappers (`timeout 5`, `env A=b`) are gone; null = known only at run time. */
  readonly argv: readonly (string | null)[];
  /** The source of each word in `argv`. */
  readonly raw: readonly string[];
  /** The words before wrappers were taken off. */
  readonly full: readonly (string | null)[];
  readonly fullRaw: readonly string[];
  /**
   * Every list of arguments that it may be started with, name first and wrappers taken off; null = some word is not known,
   * or the shells differ about it.
   */
  readonly runs: readonly (readonly Argument[])[] | null;
  /** Of a pipeline: the arguments of the command whose output it reads, if that is one command and known. */
  readonly input?: readonly Argument[];
  /** Names of the variables that are set for this command only. */
  readonly envPrefix: readonly string[];
  /** Whether the value of one of these may be a path that leads out of where it is looked for, or is not known. */
  readonly envLeadsOut?: boolean;
  /** `bash -c '…'` and `eval '…'`: what it runs follows as separate parts. */
  readonly carrier: boolean;
  /** Whether a word takes its value from a variable. */
  readonly variables: boolean;
  /** Whether it runs exactly once whenever the next part is reached: an element of a top-level `&&` chain. */
  readonly certain: boolean;
  /** Whether it runs whenever the shell gets there: a separate statement, or the first of a chain. */
  readonly isReached: boolean;
  /** Whether it may run more than once: in a loop or a function. */
  readonly repeats: boolean;
}

export type ParsedCommand =
  | {
      readonly ok: false;
      /** Arguments, name first, of commands in it whose name, or script, only a variable or braces say. */
      readonly known?: readonly (readonly Argument[])[];
    }
  | {
      readonly ok: true;
      readonly parts: readonly CommandPart[];
      /** Targets of redirections; null = known only at run time. */
      readonly writes: readonly (string | null)[];
      readonly reads: readonly (string | null)[];
      /** Words that become the value of a variable, and so perhaps a file name later. */
      readonly mentions: readonly string[];
    };
