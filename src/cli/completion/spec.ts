/** What a shell needs to know of the command line, taken from its one definition. Plain data. */
import type { Argument, Command, Option } from 'commander';

/** What stands in the place of a value: one of a few words, a session, or a path. */
export type Values =
  | { readonly type: 'choices'; readonly words: readonly string[] }
  | { readonly type: 'sessions' | 'files' | 'directories' | 'anything' };

export interface FlagSpec {
  /** As it is typed: `-p` and `--print`, either may be missing. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined where it takes none. */
  readonly values: Values | undefined;
  /** The value may be left out. */
  readonly isOptional: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagSpec[];
  /** What its arguments are. */
  readonly argument: Values | undefined;
  readonly subcommands: readonly CommandSpec[];
}

/** Hidden flags and commands are left out. */
export function specOf(command: Command): CommandSpec {
  const help = command.createHelp();
  return {
    name: command.name().split(' ').at(-1) ?? '',
    description: command.description(),
    flags: help.visibleOptions(command).map(flagSpec),
    argument: argumentOf(command.registeredArguments),
    subcommands: help.visibleCommands(command).map(specOf),
  };
}

/** Every command with the words that lead to it, the outermost first. */
export function commandPaths(
  spec: CommandSpec,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly spec: CommandSpec }[] {
  return [{ path, spec }, ...spec.subcommands.flatMap((below) => commandPaths(below, [...path, below.name]))];
}

function flagSpec(option: Option): FlagSpec {
  const { short, long, description, flags, argChoices, required, optional } = option;
  const takesValue = required || optional;
  return {
    names: [short, long].filter((name) => name !== undefined),
    description,
    values: takesValue ? valuesOf(/[<[](.+?)[>\]]/.exec(flags)?.[1] ?? '', argChoices) : undefined,
    isOptional: optional,
  };
}

function argumentOf([first]: readonly Argument[]): Values | undefined {
  return first === undefined ? undefined : valuesOf(first.name(), first.argChoices);
}

/** The name in the definition says what it stands for. */
function valuesOf(name: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { type: 'choices', words: choices };
  if (name === 'session' || name === 'id|title') return { type: 'sessions' };
  if (name === 'file') return { type: 'files' };
  if (name === 'directory') return { type: 'directories' };
  return { type: 'anything' };
}
