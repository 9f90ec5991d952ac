/** Which words of a command are text and nothing else: no option, no file, no program. */

import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

/** An option that takes the next word as text, whatever that looks like, with the subcommands in which it does. */
interface TextOption {
  readonly within: RegExp;
  readonly option: RegExp;
}

/** git-commit(1), git-tag(1), git-merge(1), git-log(1); cli.github.com/manual. */
const options: Readonly<Record<string, readonly TextOption[]>> = {
  git: [
    { within: /^(?:commit|tag|merge)$/, option: /^(?:-[aesnqv]*m|--message)$/ },
    { within: /^(?:log|shortlog|rev-list)$/, option: /^--(?:grep|author)$/ },
  ],
  gh: [{ within: /^(?:pr|issue|release)$/, option: /^--(?:title|body|notes)$/ }],
};

/** The same with the text in the word itself. */
const glued: Readonly<Record<string, RegExp>> = {
  git: /^--(?:message|grep|author|date|format|pretty)=/,
  gh: /^--(?:title|body|notes)=/,
};

/**
 * The places of words that are only text: messages, titles, what is printed. A word that only the shell knows is one
 * of them where quotes keep it one word.
 */
export function textWords(part: CommandPart): ReadonlySet<number> {
  const name = programName(part.argv[0]);
  const own = (options[name] ?? []).filter(({ within }) =>
    within.test(part.argv[subcommandAt(part.argv)] ?? ''),
  );
  const found = new Set<number>();
  for (const [at, word] of part.argv.entries()) {
    const before = part.argv[at - 1];
    const raw = part.raw[at] ?? '';
    if (at === 0 || (word === null && !isOneWord(raw))) continue;
    if (name === 'echo' || (name === 'printf' && at > 1)) found.add(at);
    else if (glued[name]?.test(word ?? raw)) found.add(at);
    else if (before != null && own.some(({ option }) => option.test(before))) found.add(at);
  }
  return found;
}

const isOneWord = (raw: string): boolean => /^[\w=-]*"[\s\S]*"$/.test(raw);
