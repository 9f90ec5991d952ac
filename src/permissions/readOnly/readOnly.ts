/**
 * Commands that only read: they need no approval, and everything they access is checked as a read. An allowlist: any
 * other command, and any unknown option, is not read-only.
 */
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Argument } from '../shell/wordValues.ts';
import { findUse, xargsUse } from './find.ts';
import { printUse, testUse } from './print.ts';
import { programUse } from './programs.ts';
import { mergeUses, type OpenPattern, type ReadOnlyUse } from './use.ts';

/**
 * undefined = not known to be read-only. Every word must be known exactly, except for patterns in place of files, and
 * for text that is only printed or compared.
 */
export function readOnlyUse(part: CommandPart): ReadOnlyUse | undefined {
  if (part.runs === null || part.runs.length === 0 || part.carrier || !hasSafeEnvironment(part))
    return undefined;
  const uses = part.runs.map((run) => useOf(run, part));
  if (uses.some((use) => use === undefined)) return undefined;
  return mergeUses(uses.filter((use) => use !== undefined));
}

/** Prefix of placeholder names that no file has, for words that the shell will insert. */
const MARK = '\u0001';

function useOf(run: readonly Argument[], part: CommandPart): ReadOnlyUse | undefined {
  const [first] = run;
  if (first?.type !== 'text') return undefined;
  if (/^(?:echo|printf|:|true|false)$/.test(first.text)) return printUse(first.text, run.slice(1));
  if (/^(?:\[\[?|test)$/.test(first.text)) return testUse(run);
  const argv: string[] = [];
  const open = new Map<string, OpenPattern>();
  for (const [index, argument] of run.entries()) {
    if (argument.type === 'text') argv.push(argument.text);
    else if (argument.type === 'files') {
      // As two words, because it may expand to several.
      const words = argument.single ? [`${MARK}${index}`] : [`${MARK}${index}`, `${MARK}${index}+`];
      argv.push(...words);
      for (const word of words) open.set(word, argument);
    } else return undefined;
  }
  const use = readBy(argv, part);
  return use && fillIn(use, open);
}

/** A pattern is allowed only where nothing but a file is expected. */
function fillIn(use: ReadOnlyUse, open: ReadonlyMap<string, OpenPattern>): ReadOnlyUse | undefined {
  if (open.size === 0) return use;
  const files = [...use.contents, ...use.names, ...(use.trees ?? []).map(({ path }) => path)];
  if (![...open.keys()].every((word) => files.includes(word))) return undefined;
  const filled = (words: readonly string[]): readonly string[] => [
    ...new Set(words.map((word) => open.get(word)?.pattern ?? word)),
  ];
  const isMeant = (words: readonly string[]): boolean =>
    words.every((word) => open.has(word) || !word.includes(MARK));
  if (!isMeant(files)) return undefined;
  return {
    ...use,
    contents: filled(use.contents),
    names: filled(use.names),
    trees: (use.trees ?? []).map((tree) => ({ ...tree, path: open.get(tree.path)?.pattern ?? tree.path })),
    patterns: [...open.values()],
  };
}

function readBy(argv: readonly string[], { input }: CommandPart): ReadOnlyUse | undefined {
  const [name, ...args] = argv;
  if (name === 'find') return findUse(args);
  if (name === 'xargs') return xargsUse(args, input);
  return programUse(argv);
}
