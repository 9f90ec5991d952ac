/** A row of the tables of programs: what their options do to a rule with an open end. */
import type { KnownOptions, Place } from './knownOptions.ts';

export interface ProgramRow {
  readonly programs: string;
  /** Where the meaning of the options is written down. */
  readonly manual: string;
  /**
   * How options are written: `gnu` has clusters of letters and abbreviated names, `single` names behind one dash or two,
   * `nopt` abbreviated names behind any number of dashes (github.com/npm/nopt).
   */
  readonly style?: 'gnu' | 'single' | 'nopt';
  /** Letters whose value may follow at once (`-mtext`): what comes behind them is no option. */
  readonly values?: string;
  /** Whether the first word may be a cluster of options without a dash, as in `tar xf`. */
  readonly bundled?: boolean;
  /** Options, separated by blanks, that run something, load code, or name a configuration that does. */
  readonly runs?: string;
  /** Options that write where the command line says, or change files in place. */
  readonly writes?: string;
  /** Options that make it work in another folder or with another repository, project or machine. */
  readonly elsewhere?: string;
  /** The same as `runs` for options in front of the subcommand only. */
  readonly global?: string;
  /** The same as `runs` for options of one subcommand, whose letters mean something else to others. */
  readonly ofSubcommand?: Readonly<Record<string, string>>;
  /** Subcommands that run or configure something. */
  readonly subcommands?: string;
  /** The subcommands that there are: another word is an alias, or another program. */
  readonly allSubcommands?: string;
  /** Of these, the ones that a rule for the program covers; absent = all but those of `subcommands`. */
  readonly covered?: string;
  /** Other words that run, write or reach elsewhere. */
  readonly words?: RegExp;
  /** What makes the first operand one of another folder. */
  readonly first?: RegExp;
  /** Words that a shell or make would expand or obey, where the program hands on what it is given as it is. */
  readonly handedOn?: RegExp;
  /** Subcommands whose first operand may be another machine than the configured one. */
  readonly remotes?: RegExp;
  /**
   * Subcommands that get code, or say where it comes from: an address among their words is another place than the
   * configured one, as is what else looks like `words`.
   */
  readonly fetches?: { readonly by: RegExp; readonly words?: RegExp };
  /** Words that do no harm in such a call: its words behind the program, with a blank between them. */
  readonly spares?: { readonly word: RegExp; readonly call: RegExp };
  /** Words that do no harm, though an option of the row looks like them. */
  readonly harmless?: RegExp;
  /** Options, separated by blanks, and the values with which they do no harm: as the next word, or after `=`. */
  readonly takes?: Readonly<Record<string, { readonly test: (value: string) => boolean } | Place>>;
  /** The subcommands with which `takes` holds; absent = all. */
  readonly takesIn?: RegExp;
  /** What follows `--`, or a script's name, goes to a script of the project, or to another program. */
  readonly passesOn?: 'script' | 'program';
  /** The options that may be passed on to a program. */
  readonly passable?: RegExp;
  /**
   * All options that leave the program what its name says: a rule with an open end covers these and no others. The options
   * above then only tell what others would do.
   */
  readonly known?: KnownOptions;
}

/** What several programs have in common. */
export type Risks = Omit<ProgramRow, 'programs' | 'manual' | 'known'>;

/** Names of long options, separated by blanks. */
export const long = (names: string): readonly string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `--${name}`);
