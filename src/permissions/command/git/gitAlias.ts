/** What git aliases stand for: git-config(1), alias.*. */

import type { GitSetting } from '../../../protocol/files/gitSettings.ts';
import type { GitSettingsFound } from '../../lookups/gitSettingPrograms.ts';
import { hasSubcommand, subcommandAt } from '../../options/riskyOptions.ts';
import { readOnlyUse } from '../../readOnly/readOnly.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';

/** Git accepts longer chains unless they are loops. */
const MAX_DEPTH = 10;

/**
 * The alias from the repository's own settings behind a command, directly or through another alias; undefined if there
 * is none, or if it can only stand for commands that read and show no file content.
 */
export const ownAliasBehind = (part: CommandPart, settings: GitSettingsFound): string | undefined =>
  behind(part, settings, MAX_DEPTH);

function behind(part: CommandPart, settings: GitSettingsFound, depth: number): string | undefined {
  const at = subcommandAt(part.argv);
  const name = part.argv[at];
  if (at === 0 || name == null) return undefined;
  if (valuesOf(settings.own, name).length > 0) return onlyReads(part, settings, new Set()) ? undefined : name;
  for (const value of valuesOf(settings.user, name)) {
    // Shell commands in the user's own aliases count as approved.
    const expanded = expand(part, at, value);
    const found = expanded && depth > 0 ? behind(expanded, settings, depth - 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Git prefers its own subcommands to aliases, but older versions lack some. */
function onlyReads(part: CommandPart, settings: GitSettingsFound, seen: ReadonlySet<string>): boolean {
  const at = subcommandAt(part.argv);
  const name = part.argv[at]?.toLowerCase();
  if (at === 0 || name == null) return false;
  const values = seen.has(name) ? [] : aliasValues(settings, name);
  const isOfGit = hasSubcommand('git', name);
  if ((isOfGit || values.length === 0) && !isQuiet(part)) return false;
  return values.every((value) => {
    const expanded = expand(part, at, value);
    return (
      expanded !== undefined &&
      seen.size < MAX_DEPTH &&
      onlyReads(expanded, settings, new Set([...seen, name]))
    );
  });
}

function isQuiet(part: CommandPart): boolean {
  const use = readOnlyUse(part);
  if (use === undefined) return false;
  const { contents, trees = [], tracked = [], shown = [] } = use;
  return contents.length + trees.length + tracked.length + shown.length === 0;
}

/** All values of an alias that may apply: the repository's, or else the user's. */
export function aliasValues(settings: GitSettingsFound, name: string): readonly string[] {
  const own = valuesOf(settings.own, name);
  return own.length > 0 ? own : valuesOf(settings.user, name);
}

/** Names are case-insensitive. `[alias "x"] command` is a newer form. */
const valuesOf = (settings: readonly GitSetting[], name: string): readonly string[] =>
  settings.flatMap(({ section, subsection, key, value }) => {
    const of = subsection === undefined ? key : key === 'command' ? subsection : undefined;
    return section === 'alias' && of?.toLowerCase() === name.toLowerCase() ? [value ?? ''] : [];
  });

/**
 * The command with its subcommand replaced by the words of an alias; undefined if a shell runs it, or git rejects it.
 */
export function expand(part: CommandPart, at: number, value: string): CommandPart | undefined {
  const words = splitAlias(value);
  if (words === undefined || words.length === 0 || value.startsWith('!')) return undefined;
  const replaced = <T>(list: readonly T[], texts: readonly T[]): readonly T[] =>
    list.toSpliced(at, 1, ...texts);
  return {
    ...part,
    argv: replaced(part.argv, words),
    raw: replaced(part.raw, words),
    runs:
      part.runs?.map((run) =>
        replaced(
          run,
          words.map((text) => ({ type: 'text', text }) as const),
        ),
      ) ?? null,
  };
}

/** As git does: alias.c, split_cmdline. Undefined if a quote is not closed. */
function splitAlias(value: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < value.length; at += 1) {
    let letter = value.charAt(at);
    if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (letter === quote || (quote === '' && /['"]/.test(letter))) {
      quote = quote === '' ? letter : '';
      word ??= '';
      continue;
    }
    if (letter === '\\' && quote !== "'") {
      at += 1;
      letter = value.charAt(at);
      if (letter === '') return undefined;
    }
    word = `${word ?? ''}${letter}`;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}
