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
  /** Any text. `loose`: it may become several words, or files. `names`: patterns that match names in it. */
  | {
      readonly type: 'output';
      readonly loose: boolean;
      readonly ofUser?: boolean;
      readonly names?: readonly string[];
      readonly printed?: Printed;
    }
  /** May be a secret of the environment. `cut`: a part of it, so that even its length reveals something. */
  | { readonly type: 'secret'; readonly loose: boolean; readonly cut?: boolean };

/** Text that a single command prints. */
export interface Printed {
  /** The words of the command, name first. */
  readonly by: readonly Argument[];
  /** Constant text after it. */
  readonly after: string;
  /** `word`: a loop takes one word of it at a time. `kept`: a variable contains all of it, which zsh does not split. */
  readonly use: 'direct' | 'word' | 'kept';
  /** How often the command line had changed directory then. */
  readonly moves: number;
}
