/** Commands whose words are the names that another command prints: `… | xargs wc -l` and `wc -l $(…)`. */
import type { Argument, Pipeline, Printed } from '../shell/argument.ts';
import { eachUse } from './eachFile.ts';
import { printedByFind } from './find.ts';
import { printedByGit } from './git.ts';
import { keepsLines } from './lineFilters.ts';
import { printedBySearch } from './search.ts';
import type { FoundFiles, ReadOnlyUse } from './use.ts';

/** The files of whose names a pipeline prints all or some; undefined if it may print anything else. */
function printedBy(pipeline: Pipeline): FoundFiles | undefined {
  const commands = pipeline.map(wordsOf);
  const at = commands.findLastIndex((words) => !keepsLines(words));
  const found = listedBy(commands[at] ?? []);
  if (found === undefined || at === commands.length - 1) return found;
  return found.byNul ? undefined : { ...found, isFiltered: true };
}

/** Empty if not all of them are known. */
function wordsOf(run: readonly Argument[]): readonly string[] {
  const words = run.flatMap((word) => (word.type === 'text' ? [word.text] : []));
  return words.length === run.length ? words : [];
}

function listedBy([name, ...args]: readonly string[]): FoundFiles | undefined {
  switch (name) {
    case 'find':
      return printedByFind(args);
    case 'git':
      return printedByGit(args);
    case 'grep':
    case 'rg':
      return printedBySearch(name, args);
    default:
      return undefined;
  }
}

/**
 * `find … | xargs wc -l`: the added words are names of files that can be checked in advance. With `-0` they are used
 * verbatim; without it, only if no name contains spaces, quotes or backslashes; behind a filter, which may take other
 * names for binary data, only if all are plain.
 */
export function xargsUse(args: readonly string[], input: Pipeline | undefined): ReadOnlyUse | undefined {
  const found = input && printedBy(input);
  if (found === undefined) return undefined;
  let at = 0;
  let byNul = false;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-0|--null)$/.test(word)) byNul = true;
    else if (/^-[nP]$/.test(word) && /^\d+$/.test(args[at + 1] ?? '')) at += 1;
    else if (!/^(?:-r|--no-run-if-empty|-[nP]\d+)$/.test(word)) break;
  }
  const command = args.slice(at);
  if (command.length === 0 || byNul !== found.byNul || command.includes('{}')) return undefined;
  if (command[0]?.startsWith('-') === true) return undefined;
  const split = byNul ? 'never' : found.isFiltered ? 'shell' : 'xargs';
  return eachUse([...command, '{}'], found, { split, mayBeNone: true });
}

/** `wc -l $(git ls-files)`, and `wc -l "$f"` in a loop over these names. */
export function substitutedUse(run: readonly Argument[]): ReadOnlyUse | undefined {
  const command: string[] = [];
  let printed: Printed | undefined;
  for (const word of run) {
    if (word.type === 'text' && word.text !== '{}') command.push(word.text);
    else if (word.type !== 'output' || word.printed === undefined) return undefined;
    else {
      // Only names from the same command.
      if (printed !== undefined && JSON.stringify(printed) !== JSON.stringify(word.printed)) return undefined;
      printed = word.printed;
      // In quotes all names are one word.
      if (printed.use === 'direct' && !word.loose) return undefined;
      command.push('{}');
    }
  }
  if (printed === undefined || printed.use === 'kept' || printed.after !== '') return undefined;
  const found = printedBy(printed.by);
  if (found === undefined || found.byNul) return undefined;
  const isOne = printed.use === 'word';
  return eachUse(command, found, { split: 'shell', mayBeNone: !isOne, isOne });
}
