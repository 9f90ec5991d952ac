import type { Argument } from '../shell/wordValues.ts';
import { eachUse, readFind } from './find.ts';
import type { ReadOnlyUse } from './use.ts';

/**
 * `find … | xargs wc -l`: the words that are added are the names of files that can be looked at beforehand. With `-0` they
 * are taken as they are; without it, only if no name holds blanks, quotes or backslashes.
 */
export function xargsUse(
  args: readonly string[],
  input: readonly Argument[] | undefined,
): ReadOnlyUse | undefined {
  const [first, ...source] = (input ?? []).map((word) => (word.type === 'text' ? word.text : undefined));
  if (first !== 'find' || source.includes(undefined)) return undefined;
  const found = readFind(source.map((word) => word ?? ''));
  if (found === undefined) return undefined;
  // What it prints has to be the names and nothing else.
  const prints = source.filter((word) => /^-(?:print.*|ls)$/.test(word ?? ''));
  if (found.commands.length > 0 || prints.length > 1 || prints.includes('-printf') || prints.includes('-ls'))
    return undefined;
  let at = 0;
  let byNul = false;
  for (; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-0|--null)$/.test(word)) byNul = true;
    else if (/^-[nP]$/.test(word) && /^\d+$/.test(args[at + 1] ?? '')) at += 1;
    else if (!/^(?:-r|--no-run-if-empty|-[nP]\d+)$/.test(word)) break;
  }
  const command = args.slice(at);
  if (command.length === 0 || byNul !== found.files.byNul || command.includes('{}')) return undefined;
  if (command[0]?.startsWith('-') === true) return undefined;
  return eachUse([...command, '{}'], found.files, { isSplit: !byNul, mayBeNone: true });
}
