/** A row of the tables of programs: how their options affect an open-ended rule. */
import type { KnownOptions, Place } from './knownOptions.ts';

export interface ProgramRow {
  readonly programs: string;
  /** Where the options are documented. */
  readonly manual: string;
  /**
   * How options are written: `gnu` has clusters of letters and abbreviated names, `single` names after one or two
   * dashes, `nopt` abbreviated names after any number of dashes (github.com/npm/nopt).
   */
  readonly style?: 'gnu' | 'single' | 'nopt';
  /** Letters with an attached value (`-mtext`): the text after them is not an option. */
  readonly values?: string;
  /** Whether the first word may be a cluster of options without a dash, as in `tar xf`. */
  readonly bundled?: boolean;
  /** Options, separated by spaces, that run something, load code, or name a configuration that does. */
  readonly runs?: string;
  /** Options that write to a path on the command line, or change files in place. */
  readonly writes?: string;
  /** Options that make it work in another folder, or with another repository, project or machine. */
  readonly elsewhere?: string;
  /** Like `runs`, for options before the subcommand only. */
  readonly global?: string;
  /** Like `runs`, for options of one subcommand whose letters mean something else for others. */
  readonly ofSubcommand?: Readonly<Record<string, string>>;
  /** Subcommands that run or configure something. */
  readonly subcommands?: string;
  /** All subcommands: another word is an alias, or another program. */
  readonly allSubcommands?: string;
  /** The subcommands that a rule for the program covers; absent = all except those in `subcommands`. */
  readonly covered?: string;
  /** Other words that run, write, or reach other places. */
  readonly words?: { readonly test: (word: string) => boolean };
  /** A first operand that leads to another folder. */
  readonly first?: RegExp;
  /** Words that a shell or make would expand or execute, if the program passes its arguments on unquoted. */
  readonly handedOn?: RegExp;
  /** Subcommands whose first operand may be a machine other than the configured one. */
  readonly remotes?: RegExp;
  /**
   * Subcommands that fetch code, or set where it comes from: a URL among their words is a place other than the
   * configured one, and so is anything that matches `words`.
   */
  readonly fetches?: { readonly by: RegExp; readonly words?: RegExp };
  /** Words that are harmless in such a call: its words after the program, joined by spaces. */
  readonly spares?: { readonly word: RegExp; readonly call: RegExp };
  /** Words that are harmless, although an option of the row looks like them. */
  readonly harmless?: RegExp;
  /** Options, separated by spaces, and the values with which they are harmless: as the next word, or after `=`. */
  readonly takes?: Readonly<Record<string, { readonly test: (value: string) => boolean } | Place>>;
  /** The subcommands to which `takes` applies; absent = all. */
  readonly takesIn?: RegExp;
  /** The receiver of the words after `--`, or after a script's name: a script of the project, or another program. */
  readonly passesOn?: 'script' | 'program';
  /** The options that may be passed on to a program. */
  readonly passable?: RegExp;
  /**
   * The options that neither run, load nor write anything but what the program's name says, with the kind of their
   * values (`harmlessOptions.ts`): a rule covers these, `harmless` ones and those with a value in `takes`, and no
   * others. The options above then only classify other words.
   */
  readonly options?: string;
  /** True if it starts any program that it is given: a rule covers only programs for projects. */
  readonly wraps?: boolean;
  /** The same for one subcommand, from its name on. */
  readonly optionsOf?: Readonly<Record<string, string>>;
  /** Operands of one subcommand that make it discard something, or run something. */
  readonly wordsOf?: Readonly<Record<string, RegExp>>;
  /**
   * The program expands patterns in its operands itself: with such an option only, or always. Unless it has one of the
   * options in `showsUnless`, it shows all files that it finds, in folders too.
   */
  readonly expands?: { readonly with?: RegExp; readonly showsUnless?: RegExp };
  /**
   * All options that do not change what the program's name says: an open-ended rule covers these and no others. The
   * options above then only classify other words.
   */
  readonly known?: KnownOptions;
}

/** The part that several programs share. */
export type Risks = Omit<ProgramRow, 'programs' | 'manual' | 'known'>;

/** Names of long options, separated by spaces. */
export const long = (names: string): readonly string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `--${name}`);

/**
 * Text that a shell would run inside double quotes, and that make would interpret: `$(…)`, backticks, variables, the
 * end of the quotes, an immediately expanded assignment. pnpm up to 9 and npm 6 to 8.11 pass words on in such quotes,
 * and a script may call make.
 */
export const scriptWords =
  /`|\$[({A-Za-z_]|\\["']|\n|^[\w.-]+\s*[:+?!]{1,3}=|^(?:[\w.]*SHELL(?:FLAGS)?|(?:GNU)?MAKE(?:FLAGS|FILES)?)\s*=|=-[A-Za-z-]/;
