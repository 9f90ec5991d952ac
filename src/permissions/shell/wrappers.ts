/** Commands that only run another command: rules apply to the command they run. */

import { hasGlob } from '../files/globOverlap.ts';
import { isPlainShell } from '../options/runnerNames.ts';
import type { Argument } from './argument.ts';
import type { Assignment } from './assignments.ts';

/** Stands for the words that `xargs` adds. */
export const ADDED = '…';

/** Words of a command, each with its source; null = known only at run time. */
export interface Words {
  readonly argv: readonly (string | null)[];
  readonly raw: readonly string[];
}

/** Removes wrappers from the front, as long as all their options are understood. */
export function unwrap(words: Words): {
  readonly words: Words;
  readonly envPrefix: readonly Assignment[];
} {
  const envPrefix: Assignment[] = [];
  let current = words;
  for (let depth = 0; depth < 8; depth += 1) {
    const name = current.argv[0];
    const skip = name == null ? undefined : skipped(name, current.argv.slice(1));
    if (skip === undefined || skip >= current.argv.length - 1) break;
    if (name === 'env')
      for (let at = 1; at <= skip; at += 1)
        envPrefix.push(assignmentIn(current.argv[at] ?? '', current.raw[at] ?? ''));
    current = {
      argv: [...current.argv.slice(skip + 1), ...(name === 'xargs' ? [null] : [])],
      raw: [...current.raw.slice(skip + 1), ...(name === 'xargs' ? [ADDED] : [])],
    };
  }
  return { words: current, envPrefix };
}

/** For `env`, an assignment is a word like any other: the shell replaces a pattern in it with file names. */
function assignmentIn(word: string, raw: string): Assignment {
  const at = word.indexOf('=');
  const isQuoted = /^(?:\w+=)?(?:'[^']*'|"[^"]*")$/.test(raw);
  return { name: word.slice(0, at), value: !isQuoted && hasGlob(word) ? null : word.slice(at + 1) };
}

/** True if a wrapper remains whose words are not all known: it may run anything. */
export const hidesCommand = ({ argv }: Words): boolean =>
  /^(?:timeout|nice|stdbuf|time|env|nohup|command|builtin|xargs|exec)$/.test(argv[0] ?? '') &&
  (argv.includes(null) || (argv[0] === 'env' && argv.some((word) => word?.includes('='))));

/** The number of words after the name that belong to the wrapper; undefined = not a wrapper, or not understood. */
function skipped(name: string, args: readonly (string | null)[]): number | undefined {
  switch (name) {
    case 'timeout': {
      const flags = options(
        args,
        /^(?:--foreground|--preserve-status|-v|-[ks].+|--(?:kill-after|signal)=.+)$/,
        ['-k', '-s'],
      );
      return flags !== undefined && /^[\d.]+[smhd]?$/.test(args[flags] ?? '') ? flags + 1 : undefined;
    }
    case 'nice':
      return options(args, /^(?:-n?-?\d+|--adjustment=-?\d+)$/, ['-n']);
    case 'stdbuf':
      return options(args, /^(?:-[ioe].+|--(?:input|output|error)=.+)$/, ['-i', '-o', '-e']);
    case 'time':
      return options(args, /^-p$/, []);
    case 'env':
      return assignments(args);
    case 'nohup':
    case 'command':
    case 'builtin':
    case 'xargs':
      return options(args, /^--$/, []);
    default:
      return undefined;
  }
}

function options(
  args: readonly (string | null)[],
  known: RegExp,
  withValue: readonly string[],
): number | undefined {
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word == null) return undefined;
    if (!word.startsWith('-')) break;
    if (withValue.includes(word)) at += 1;
    else if (!known.test(word)) return undefined;
  }
  return at;
}

function assignments(args: readonly (string | null)[]): number | undefined {
  const at = args.findIndex((word) => word === null || !/^[A-Za-z_]\w*=/.test(word));
  const next = args[at];
  return next == null || next.startsWith('-') || next.includes('=') ? undefined : at;
}

/**
 * The script that `bash -c '…'` and `eval '…'` would run; null = known only at run time; undefined = not such a
 * command.
 */
export function innerScript(words: Words): string | null | undefined {
  const [name, ...args] = words.argv;
  // dash does not drop `--`, the other shells do.
  if (name === 'eval') return args.includes(null) || args[0]?.startsWith('-') ? null : args.join(' ');
  if (name == null || !isPlainShell(name.replace(/^.*\//, ''))) return undefined;
  const at = args.findIndex((word) => word === null || /^-[a-z]*c$/.test(word));
  if (at === -1) return undefined;
  if (args.slice(0, at + 1).some((word) => word === null || !/^-[ceuxl]+$/.test(word))) return null;
  return args[at + 1] ?? null;
}

/** A shell of the system, not just any file of that name: `./bash -c ls` runs a file in the current folder. */
export const isShell = (name: string): boolean =>
  isPlainShell(name.replace(/^(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/bin\//, ''));

/** The same arguments without leading wrappers; undefined if a wrapper is not understood, or adds words. */
export function unwrapRun(run: readonly Argument[]): readonly Argument[] | undefined {
  const argv = run.map((argument) => (argument.type === 'text' ? argument.text : null));
  const { words } = unwrap({ argv, raw: argv.map((_, index) => String(index)) });
  if (words.argv.length > 0 && run[0]?.type === 'text' && run[0].text === 'xargs') return run;
  return words.raw.includes(ADDED) ? undefined : run.slice(run.length - words.argv.length);
}
