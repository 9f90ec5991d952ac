/**
 * Secrets that a command may show without naming them: in a folder that it searches or copies, or through names known
 * only to the shell. Rules for single programs do not cover such words; this is for the rule `Bash`, and for commands
 * that would otherwise run without approval in the sandbox.
 */
import { relative } from 'node:path';
import { decideFile } from '../files/fileDecision.ts';
import { locate } from '../files/locate.ts';
import { mayShowAny } from '../lookups/gitShown.ts';
import { programName } from '../options/programTable.ts';
import { isRunner, isShellName } from '../options/runnerNames.ts';
import { gravest, type Policy } from '../policy.ts';
import { programUse } from '../readOnly/programs.ts';
import type { Tree } from '../readOnly/use.ts';
import { addedFiles } from '../rules/gitAdds.ts';
import { filesToAdd, followsGit, type GitChange } from '../rules/gitChanges.ts';
import { showing, shownByGit } from '../rules/gitScope.ts';
import type { ScopeInput } from '../rules/ruleScope.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { hiddenInGit } from './git/hiddenInGit.ts';
import { foldersOf, namesUnknown, packs, readsFound, takesNames, traverses } from './namedPaths.ts';
import { MAX_JUDGED, textWordsOf, withoutQuotes } from './textPaths.ts';
import { decideGitContents, decideShown, needsCheck, secretBelow } from './treeDecision.ts';

/**
 * Why a command may show a secret that it does not name; undefined if it shows none. `what`: how the reason names the
 * command, on one line.
 */
export function hiddenSecret({ visit, use, policy, change }: ScopeInput, what: string): string | undefined {
  const { part, directories } = visit;
  for (const directory of directories ?? [policy.root]) {
    const trees = use === undefined ? treesOf(part, directory, change, policy) : (use.trees ?? []);
    for (const tree of trees) {
      const found = tree.namesOnly === true ? undefined : secretBelow(tree, directory, policy);
      if (found === 'unknown') return `${what} reads files that cannot all be checked.`;
      if (found !== undefined) return `${what} may show ${relative(policy.root, found)}.`;
    }
    const inGit = use && gravest(decideGitContents(use, directory, what, policy));
    if (inGit !== undefined && inGit.behavior !== 'allow') return inGit.reason;
    const hidden = use === undefined ? hiddenInGit(part, directory, change, what, policy) : undefined;
    if (hidden !== undefined) return hidden;
    const added = addedFiles(part, directory, policy);
    if (added === undefined) return `Which files ${what} adds to the repository is not known.`;
    const secret = added
      .filter(needsCheck(policy))
      .find((path) => decideFile({ tool: 'Read', verb: 'read', path }, policy).behavior !== 'allow');
    if (secret !== undefined) return `${what} adds ${relative(policy.root, secret)} to the repository.`;
  }
  return undefined;
}

/** Characters that the shell may expand in unquoted text. */
const unknownName = /[$`*?[{~]|<\(/;

/**
 * Why a command that was not understood may show a secret: it names one, or a program that prints files gets names that
 * are not in its text.
 */
export function secretInText(command: string, cwd: string, policy: Policy): string | undefined {
  if (command.length > MAX_JUDGED) return 'It is too long to check what it shows.';
  const words = textWordsOf(command);
  const named = words.find(
    (word) =>
      decideFile({ tool: 'Read', verb: 'read', path: locate(word, cwd, policy) }, policy, true).cause ===
      'secret',
  );
  if (named !== undefined) return `It may show ${named}.`;
  if (words.some(isGit) && words.some((word) => showing.test(word))) {
    const inGit = decideShown(mayShowAny(words), policy.realpath(cwd), 'git', policy);
    if (inGit.behavior !== 'allow') return inGit.reason;
  }
  const isOpen =
    unknownName.test(withoutQuotes(command)) ||
    words.some(
      (word) => /^(?:cd|pushd)$|xargs$|^parallel$|^--files/.test(word) || traverses(programName(word)),
    );
  if (!isOpen || !(words.some(isReader) || /<(?![<(])/.test(command.replace(/\(\([^()]*\)\)/g, ''))))
    return undefined;
  const place = { path: cwd, hidden: true, follows: false, without: foreign } as const;
  const found = secretBelow(place, cwd, policy);
  return found === undefined ? undefined : `It may show ${found === 'unknown' ? 'any file' : found}.`;
}

const isGit = (word: string): boolean => programName(word) === 'git';

/** Not the project's own files. */
const foreign = ['.git', 'node_modules'];

/** The folders whose files may be shown by a command that is not known to be read-only. */
function treesOf(part: CommandPart, directory: string, change: GitChange, policy: Policy): readonly Tree[] {
  const isGit = programName(part.argv[0]) === 'git';
  if (followsGit(change) && isGit && shownByGit(part, undefined, directory, change, policy)?.length !== 0)
    return [filesToAdd(directory, policy)];
  const everything = { hidden: true, follows: false } as const;
  const anywhere = [{ ...everything, path: directory, without: foreign }];
  if (takesNames(part)) return part.argv.some((word) => isReader(word) || isShell(word)) ? anywhere : [];
  // Behind a wrapper that was not understood, the program can be any word.
  const programs = isRunner(programName(part.argv[0])) ? part.argv : part.argv.slice(0, 1);
  if (namesUnknown(part)) return programs.some(isReader) ? anywhere : [];
  const shows = readsFound(part)
    ? part.argv.some((word) => isReader(word) || isShell(word))
    : packs(part) || programs.some((word) => traverses(programName(word)));
  return shows
    ? foldersOf(part, directory, policy).map((path) => ({ ...everything, path, without: ['.git'] }))
    : [];
}

const isShell = (word: string | null): boolean => isShellName(programName(word));

/** True for the name of a program that prints or copies the files it is given. */
function isReader(word: string | null): boolean {
  const name = programName(word);
  return (
    traverses(name) || /^(?:dd|install|curl)$/.test(name) || (/^[a-z][\w.+-]*$/i.test(name) && prints(name))
  );
}

const PROBE = './probe';

/** True if the table of read-only programs lists some usual form of it as doing so. */
const prints = (name: string): boolean =>
  [[PROBE], ['.', PROBE], ['-n', 'p', PROBE], ['1', PROBE]].some((args) => {
    const use = programUse([name, ...args]);
    return [...(use?.contents ?? []), ...(use?.trees ?? []).map(({ path }) => path)].includes(PROBE);
  });
