/**
 * Secrets in code, documents and files found in a folder. Most are examples, so such files may be read, and what is found
 * in the output is redacted. It cannot be found in parts of lines, or in another form: a command line that prints one like
 * that asks, and so does one that prints an archive in another form.
 */
import { relative } from 'node:path';
import { decideFile } from '../files/fileDecision.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { isSensitive } from '../files/sensitive.ts';
import { isStored, mayHoldAny, mayHoldCredentials } from '../lookups/credentialSettings.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import type { PartVerdict } from './partDecision.ts';
import { hidingTest, isNoFile, MAX_SEARCHED, shownInTree, trackedIn, untrackedTest } from './treeDecision.ts';

interface Part {
  readonly visit?: Visit;
  readonly verdict: PartVerdict;
}

/**
 * What may not be shown, and why: the first file with a secret among those that a command line names or finds, in any of these directories, if a part of
 * the line rewrites text. `name`: as the command line names it.
 */
export function rewrittenSecret(
  parts: readonly Part[],
  directories: readonly string[],
  policy: Policy,
): { readonly name: string; readonly verdict: PartVerdict } | undefined {
  if (!parts.some(isRewriting)) return undefined;
  const uses = parts.flatMap(({ verdict: { isApproved, basis, use } }) =>
    use === undefined || use.printsNoText || isApproved || basis === 'rule' ? [] : [use],
  );
  // Text that the shell inserts holds no binary data.
  const isByProgram = uses.some(({ rewrites }) => rewrites === true);
  const file = directories
    .flatMap((directory) => uses.flatMap((use) => shownBy(use, directory, policy, isByProgram)))
    .find(({ paths }) => paths.some((path) => policy.holdsAnySecret?.(policy.realpath(path)) === true))?.name;
  const name = file ?? secretInGit(uses, directories, policy);
  if (name !== undefined) return { name, verdict: asks(name) };
  const hiding = directories.flatMap((directory) =>
    uses.flatMap((use) => untrackedSecrets(use, directory, policy)),
  );
  const [first] = hiding;
  if (first === undefined) return undefined;
  const found = relative(policy.root, first);
  return { name: found, verdict: { ...asks(found), hiding } };
}

function asks(name: string): PartVerdict {
  const reason = `${name} contains what looks like a secret, which could not be redacted in parts of lines or in another form.`;
  return { behavior: 'ask', reason, cause: { type: 'limit', reason, isSecret: true } };
}

/** The shell can take parts of the text that it inserts (`${x:0:9}`, `read -n 9`) or compare it. */
const isRewriting = ({ visit, verdict }: Part): boolean =>
  verdict.use?.rewrites === true ||
  visit?.part.runs?.some((run) => run.some(({ type }) => type === 'output')) === true;

interface ShownFiles {
  readonly name: string;
  readonly paths: readonly string[];
}

/** Files that a command finds in a folder. If it finds more, not all are searched: that would take too long. */
const MAX_FOUND = 20;
/** Then, only so many files that are no code or documents. */
const MAX_SETTINGS = 1000;

function shownBy(
  { contents, trees = [], tracked = [], repositories = [], rewrites, printsBinary }: ReadOnlyUse,
  directory: string,
  policy: Policy,
  isByProgram: boolean,
): readonly ShownFiles[] {
  const named = contents
    .filter((word) => !isNoFile(word))
    .map((name) => ({ name, paths: filesOf(locate(name, directory, policy), policy) }));
  const found = trees.map((tree) => {
    const all = shownInTree(tree, directory, policy);
    const stored = all.find(isStored);
    if (isByProgram && printsBinary && stored !== undefined) return { name: tree.path, paths: [stored] };
    return { name: tree.path, paths: searched(all.filter((path) => !isStored(path))) };
  });
  const inIndex = repositories.flatMap((place) => {
    const at = policy.realpath(locate(place, directory, policy));
    const paths = tracked.length > 0 ? (trackedIn(tracked, at, policy) ?? []) : [];
    return { name: tracked.join(' '), paths: searched(paths) };
  });
  return [...named, ...found, ...inIndex];

  function searched(paths: readonly string[]): readonly string[] {
    if (paths.length <= MAX_FOUND) return paths;
    return rewrites === true ? settingsAmong(paths) : [];
  }
}

/** Those that are no code or documents, the least deep ones first. Others by their names are judged for every search. */
function settingsAmong(paths: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split('/').length;
  return paths
    .filter((path) => mayHoldAny(path) && !mayHoldCredentials(path) && !isSensitive(path))
    .filter((path) => !/\/\.git\//.test(path))
    .sort((a, b) => depth(a) - depth(b))
    .slice(0, MAX_SETTINGS);
}

/**
 * Untracked settings with a secret that a larger search may come across, if another program then rewrites what it prints.
 * They can be hidden from it; tracked ones, which every clone has, cannot.
 */
function untrackedSecrets(
  { trees = [], rewrites }: ReadOnlyUse,
  directory: string,
  policy: Policy,
): readonly string[] {
  if (rewrites === true) return [];
  const isUntracked = untrackedTest(policy);
  const mayBeHidden = hidingTest(policy);
  return trees.flatMap((tree) => {
    const all = shownInTree(tree, directory, policy);
    if (all.length <= MAX_FOUND) return [];
    return settingsAmong(all)
      .filter(isUntracked)
      .map((path) => decideFile({ tool: 'Read', verb: 'read', path }, policy))
      .filter(mayBeHidden)
      .map(({ realPath }) => realPath);
  });
}

/**
 * What contains a secret among the files, versions of files and messages that git shows. If not all of them can be
 * searched, that counts only for a command that itself rewrites them: any other may be followed by a program that
 * prints columns of a long history.
 */
function secretInGit(
  uses: readonly ReadOnlyUse[],
  directories: readonly string[],
  policy: Policy,
): string | undefined {
  for (const { repositories = [], shown = [], rewrites, showsMessages } of uses)
    for (const place of directories.flatMap((at) => repositories.map((name) => locate(name, at, policy)))) {
      const at = policy.realpath(place);
      for (const one of shown) {
        const found = policy.gitSecrets(at, one, workspaceFolders(policy), undefined);
        if (found === undefined && rewrites) return 'Perhaps a version that could not be searched';
        if (found?.[0] !== undefined) return `Some version of ${relative(policy.root, found[0])}`;
      }
      const isFound = showsMessages ? policy.gitMessagesHoldSecret(at, workspaceFolders(policy)) : false;
      if (isFound === true) return 'A message in the history';
      if (isFound === undefined && rewrites) return 'Perhaps a message that could not be searched';
    }
  return undefined;
}

const filesOf = (path: string, policy: Policy): readonly string[] =>
  hasGlob(path) ? (policy.expandGlob(path) ?? []).slice(0, MAX_SEARCHED) : [path];
