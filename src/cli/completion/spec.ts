/** The command line as plain data for completion scripts, derived from its single definition. */
import type { Argument, Command, Option } from 'commander';

/** The possible values of a flag or argument: fixed words, sessions, or paths. */
export type Values =
  | { readonly type: 'choices'; readonly words: readonly string[] }
  | { readonly type: 'sessions' | 'files' | 'directories' | 'anything' };

export interface FlagSpec {
  /** As typed: `-p` and `--print`; either may be missing. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly values: Values | undefined;
  readonly isOptional: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagSpec[];
  readonly argument: Values | undefined;
  readonly subcommands: readonly CommandSpec[];
}

/** Returns a command's specification without hidden flags and commands. */
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

/** Returns every command with its path of names, outermost first. */
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

/** Derives the kind of value from its name in the definition. */
function valuesOf(name: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { type: 'choices', words: choices };
  if (name === 'session' || name === 'id|title') return { type: 'sessions' };
  if (name === 'file') return { type: 'files' };
  if (name === 'directory') return { type: 'directories' };
  return { type: 'anything' };
}
