/** What a word of a command becomes when the command runs, as far as that is known. */

export type Argument =
  /** `~/x` is in the home directory; a file called `~` is `./~`. */
  | { readonly type: 'text'; readonly text: string }
  /** The matching files, or the pattern itself if there are none. Quoted characters are escaped with a backslash. */
  | {
      readonly type: 'files';
      readonly pattern: string;
      /** In a loop: one name at a time. */
      readonly single: boolean;
      /** Without quotes: it is one word only if no name contains spaces or wildcards. */
      readonly bare: boolean;
      /** How often the command had changed directory when the pattern was expanded. */
      readonly moves: number;
    }
  /**
   * Any text. `loose`: it may become several words, or files. `plain`: it never does, not even as the value of a
   * variable. `names`: patterns that match names in it.
   */
  | {
      readonly type: 'output';
      readonly loose: boolean;
      readonly plain?: boolean;
      readonly names?: readonly string[];
      readonly printed?: Printed;
    }
  /** May be a secret of the environment. `cut`: a part of it, so that even its length reveals something. */
  | { readonly type: 'secret'; readonly loose: boolean; readonly cut?: boolean };

/** The arguments of each command of a pipeline, names first; empty = not known. */
export type Pipeline = readonly (readonly Argument[])[];

/** Text that a command or pipeline prints. */
export interface Printed {
  readonly by: Pipeline;
  /** Constant text after it. */
  readonly after: string;
  /** `word`: a loop takes one word, or one line, of it at a time. `kept`: a variable holds all of it; zsh does not split it. */
  readonly use: 'direct' | 'word' | 'kept';
  /** How often the command line had changed directory then. */
  readonly moves: number;
}
