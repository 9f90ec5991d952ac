/**
 * Commands that only look: they need no permission of their own, and what they look at is checked as a read.
 * Lists what is known to be harmless; everything else, and every unknown option, is not read-only.
 */
import { hasSafeEnvironment } from './commandRule.ts';
import { hasGlob } from './globOverlap.ts';
import { readOptions } from './options.ts';
import type { CommandPart } from './parsedCommand.ts';
import { commands, versions } from './readOnlyCommands.ts';
import { findUse } from './readOnlyFind.ts';
import { gitUse } from './readOnlyGit.ts';
import { searchUse } from './readOnlySearch.ts';
import { sedUse } from './readOnlySed.ts';

/** What a read-only command looks at; null = known only at run time. */
export interface ReadOnlyUse {
  /** Files whose content it shows; may be patterns. */
  readonly contents: readonly (string | null)[];
  /** Files of which it shows that they exist, or their size and dates. */
  readonly names: readonly (string | null)[];
  /** It would show everything below a directory: none of `contents` may be one. */
  readonly onlyFiles?: boolean;
}

/**
 * undefined = not known to be read-only. A word that only the shell can know may be anything, an option included: it is
 * a file that has to be asked about, or the command is not understood. The same goes for a pattern without quotes, which
 * may become several words.
 */
export function readOnlyUse(part: CommandPart): ReadOnlyUse | undefined {
  const use = lookedAt(part);
  // To dash `$'x'` is a dollar sign and a word in quotes.
  if (use === undefined || part.fullRaw.some((raw) => raw.includes("$'"))) return undefined;
  const prints = part.argv[0] === 'echo' || part.argv[0] === 'printf';
  const files = [...use.contents, ...use.names];
  const isKnown = part.argv.slice(1).every((word, index) => {
    const first = index === 0 && part.argv[0] === 'printf';
    if (word === null) return (prints && !first) || files.includes(null);
    return !isOpenGlob(part.raw[index + 1] ?? '') || (prints && !first) || files.includes(word);
  });
  return isKnown ? use : undefined;
}

/** Whether the shell puts the names of files in the place of this word, if there are any. */
function isOpenGlob(raw: string): boolean {
  return hasGlob(raw.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, ''));
}

function lookedAt(part: CommandPart): ReadOnlyUse | undefined {
  if (!hasSafeEnvironment(part)) return undefined;
  const [name, ...args] = part.argv;
  if (name == null || part.carrier) return undefined;
  if (name === '[' || name === '[[' || name === 'test') return testUse(part);
  if (name === 'echo' || name === 'printf') return printUse(part);
  // Only asks where a command is; without an option it would run it.
  if (name === 'command') return /^-[vV]$/.test(args[0] ?? '') ? nothing : undefined;
  // A name that starts with a wildcard may turn into an option.
  const afterDashes = args.indexOf('--');
  const wild = part.raw.slice(1).findIndex((word) => /^[*?[]/.test(word));
  const loose = wild !== -1 && (afterDashes === -1 || wild < afterDashes);
  if (name === 'git') return loose ? undefined : gitUse(args);
  if (name === 'find') return loose ? undefined : findUse(args);
  if (name === 'sed') return loose ? undefined : sedUse(args);
  if (/^(?:[ef]?grep|rg)$/.test(name)) return loose ? undefined : searchUse(name, args);
  if (args.length === 1 && versions[name]?.includes(args[0] ?? '')) return nothing;

  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || (loose && !command.anyOption)) return undefined;
  const read = readOptions(args, command);
  if (read === undefined || read.operands.length > (command.most ?? Number.POSITIVE_INFINITY))
    return undefined;
  if (command.most !== undefined && part.raw.some(isOpenGlob)) return undefined;
  if (command.only && !read.operands.every((word) => command.only?.test(word ?? ''))) return undefined;
  const files = read.operands.filter((word) => word !== '-');
  if (command.operands === 'contents') return { contents: files, names: [], onlyFiles: name === 'diff' };
  if (command.operands === 'names') return { contents: [], names: files };
  return nothing;
}

const nothing: ReadOnlyUse = { contents: [], names: [] };

/** Printing is harmless unless it prints variables, which may hold secrets. */
function printUse(part: CommandPart): ReadOnlyUse | undefined {
  if (part.variables || (part.argv[0] === 'printf' && part.argv[1]?.startsWith('-'))) return undefined;
  return nothing;
}

/** `-v` and the arithmetic comparisons evaluate array subscripts, which can run commands. */
function testUse(part: CommandPart): ReadOnlyUse | undefined {
  const words = part.argv.slice(1).filter((word) => word !== ']' && word !== ']]');
  const risky = words.some((word) => word !== null && /^-(?:v|R|eq|ne|lt|le|gt|ge|o)$/.test(word));
  const plain = words.every((word) => word !== null && /^(?:-\w+|\d+|!|\(|\))$/.test(word));
  if (risky && !plain) return undefined;
  if (words.some((word) => word === null)) return undefined;
  return { contents: [], names: words.filter((word) => word?.includes('/') || (word && hasGlob(word))) };
}
