/**
 * Secrets in the index and the history, for git commands, or commands around them, that are not fully understood:
 * `git -c a.b=c log -p`, `xargs -n1 git show`, `bash <<< 'git log -p'`.
 */
import { mayShowAny } from '../../lookups/gitShown.ts';
import { programName } from '../../options/programTable.ts';
import { hasSubcommand, subcommandAt } from '../../options/riskyOptions.ts';
import { isRunner } from '../../options/runnerNames.ts';
import type { Policy } from '../../policy.ts';
import { type GitChange, shownAfter } from '../../rules/gitChanges.ts';
import { mayShow, showing } from '../../rules/gitScope.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import { readsFound, takesNames } from '../namedPaths.ts';
import { textWordsOf } from '../textPaths.ts';
import { decideShown } from '../treeDecision.ts';
import { gitPlaceOf, textWords } from '../words.ts';
import { aliasValues } from './gitAlias.ts';

/** Why such a command may show a secret; undefined if it shows none. `what`: how the reason names the command. */
export function hiddenInGit(
  part: CommandPart,
  directory: string,
  change: GitChange,
  what: string,
  policy: Policy,
): string | undefined {
  const text = textWords(part);
  const words = part.argv.map((word, at) => (text.has(at) ? '' : word));
  const place = placeOf(words, part, directory, policy);
  const isShowing = runsGit(part, words, place ?? directory, policy) || mentionsGit(part, words);
  if (!isShowing) return undefined;
  if (place === undefined) return `${what} shows a repository that is known only at run time.`;
  const known = words.filter((word) => word !== null && word !== '') as readonly string[];
  for (const query of shownAfter([mayShowAny(known)], change)) {
    const found = decideShown(query, policy.realpath(place), what, policy);
    if (found.behavior !== 'allow') return found.reason;
  }
  return undefined;
}

/** Programs that show the history of git repositories. */
const gits = /^(?:git(?:-(?!lfs$)[a-z-]+)?|hub|gt|jj|tig)$/;
const isGit = (word: string | null | undefined): boolean => word != null && gits.test(programName(word));

/** Where git works; undefined if an option names the git folder. */
function placeOf(
  words: CommandPart['argv'],
  part: CommandPart,
  directory: string,
  policy: Policy,
): string | undefined {
  const isElsewhere = /^--(?:git-dir|work-tree)|^GIT_/;
  if ([...words, ...part.envPrefix.map(({ name }) => name)].some((word) => isElsewhere.test(word ?? '')))
    return undefined;
  if (!isGit(words[0])) return directory;
  const argv = ['git', ...part.argv.slice(1)];
  return gitPlaceOf({ ...part, argv }, subcommandAt(argv), directory, policy);
}

/** True if the words run git, directly or through another program, and it may show file content. */
function runsGit(part: CommandPart, words: CommandPart['argv'], directory: string, policy: Policy): boolean {
  const runsWords = takesNames(part) || readsFound(part) || isRunner(programName(words[0]));
  return words.some((word, at) => {
    if (!isGit(word)) return false;
    // Otherwise `git` may be any word: `npm install git`.
    if (at > 0 && !runsWords && !showing.test(words[at + 1] ?? '')) return false;
    const own = /^git-(.+)/.exec(programName(word))?.[1];
    const argv = ['git', ...(own === undefined ? [] : [own]), ...words.slice(at + 1)];
    return programName(word) === 'jj' || showsContent(argv, directory, policy, 0);
  });
}

/** An alias may stand for another. */
const MAX_DEPTH = 5;

function showsContent(argv: CommandPart['argv'], directory: string, policy: Policy, depth: number): boolean {
  const at = subcommandAt(argv);
  const name = argv[at] ?? '';
  // Only an option, or a word that is known only at run time.
  if (at === 0) return argv.includes(null) || argv.length > 2;
  const args = argv.slice(at + 1);
  if (hasSubcommand('git', name))
    return (
      mayShow(
        { argv },
        args.filter((word) => word !== null),
      ) || runsOthers.test(`${name} ${args[0]}`)
    );
  const values = depth > MAX_DEPTH ? [] : aliasValues(policy.gitSettings(directory, policy.home), name);
  return (
    values.length === 0 ||
    values.some(
      (value) =>
        value.startsWith('!') ||
        showsContent(['git', ...value.trim().split(/\s+/), ...args], directory, policy, depth + 1),
    )
  );
}

/** Subcommands that may run a command given as their words. */
const runsOthers = /^(?:bisect run|submodule foreach|(?:filter-branch|for-each-repo) .*)$/;

/** True if the input, or a word that is code, mentions git and something that shows content. */
function mentionsGit({ inputText = '' }: CommandPart, words: CommandPart['argv']): boolean {
  const code = [inputText, ...words.filter((word) => /[\s;|&'"]/.test(word ?? ''))];
  return code.some((text) => {
    const found = textWordsOf(text ?? '');
    return found.some(isGit) && found.some((word) => showing.test(word) || /[$`]/.test(word));
  });
}
