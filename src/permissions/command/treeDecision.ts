/** Decides whether all files that a pattern or a folder stands for may be shown, by checking each of them. */
import { basename, dirname, join, relative } from 'node:path';
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { decideFile, type FileVerdict, inWorkspace } from '../files/fileDecision.ts';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { linkedSecret } from '../files/linkedSecret.ts';
import { locate } from '../files/locate.ts';
import { secretPlaceTest } from '../files/secretPlace.ts';
import { foldText, isSensitive } from '../files/sensitive.ts';
import {
  isCredentialSettings,
  isStored,
  mayBeKey,
  mayHoldAny,
  mayHoldCredentials,
} from '../lookups/credentialSettings.ts';
import { type FilesBelow, isMisread } from '../lookups/filesBelow.ts';
import { withinPaths } from '../lookups/gitPaths.ts';
import type { Shown } from '../lookups/gitShown.ts';
import { isPatch } from '../lookups/patches.ts';
import { gravest, type Policy, workspaceFolders } from '../policy.ts';
import type { OpenPattern, ReadOnlyUse, Tree } from '../readOnly/use.ts';
import type { Argument } from '../shell/argument.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { OUTPUT_OF_COMMAND } from '../shell/word.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { misreadName, trackedBelow } from './foundNames.ts';
import type { Touched } from './plainEdits.ts';

const allowed: PermissionDecision = {
  behavior: 'allow',
  basis: 'read-only',
  reason: 'It shows no secrets.',
};

/**
 * True for the output of another command on the line, and for `/dev/null`. Any other descriptor (`/dev/stdin`,
 * `/dev/fd/3`) may be a file that the command line opened for something else.
 */
export const isNoFile = (word: string): boolean => word === OUTPUT_OF_COMMAND || word === '/dev/null';

/** True if a command shows what is in files or in a repository. */
export const showsFiles = ({ contents, trees = [], repositories = [] }: ReadOnlyUse): boolean =>
  repositories.length > 0 ||
  contents.some((path) => !isNoFile(path)) ||
  trees.some(({ path, namesOnly }) => namesOnly !== true && !isNoFile(path));

/**
 * The command with the patterns that match no file as text: bash and dash leave these as they are (`--include=*.ts`),
 * and zsh runs nothing. Unchanged if the rest of the command may create files.
 */
export function withLiteralPatterns(visit: Visit, named: Touched, policy: Policy): CommandPart {
  const { part, directories } = visit;
  if (part.runs === null || directories === null || named?.length !== 0) return part;
  const hasNoMatch = (pattern: string): boolean =>
    directories.every((directory) => policy.expandGlob(locate(pattern, directory, policy))?.length === 0);
  const literal = (argument: Argument): Argument =>
    argument.type === 'files' && hasNoMatch(argument.pattern)
      ? { type: 'text', text: argument.pattern.replace(/\\(.)/gs, '$1') }
      : argument;
  return { ...part, runs: part.runs.map((run) => run.map(literal)) };
}

/**
 * Checks the matches of a pattern: a file name may look like an option, and one with a space may become several words.
 */
export function decidePattern(
  { pattern, bare }: OpenPattern,
  directory: string,
  named: Touched,
  policy: Policy,
): PermissionDecision {
  const mayBeOption = /^[*?[]/.test(pattern);
  if (!mayBeOption && !bare) return allowed;
  if (named?.length !== 0)
    return {
      behavior: 'ask',
      reason: `${pattern} may match a file that the same command creates, with a name like an option.`,
    };
  const files = policy.expandGlob(locate(pattern, directory, policy));
  if (files === undefined)
    return { behavior: 'ask', reason: `${pattern} matches files that cannot all be checked.` };
  const names = files.map((file) => relative(directory, file));
  const option = mayBeOption ? names.find((name) => name.startsWith('-')) : undefined;
  if (option !== undefined) return { behavior: 'ask', reason: `A file is named ${option}, like an option.` };
  const split = bare ? names.find((name) => !/^[\w@%+=:,./-]+$/.test(name)) : undefined;
  if (split === undefined) return allowed;
  return { behavior: 'ask', reason: `${split} is split into several words or matches another file.` };
}

/**
 * Decides whether every file in a folder may be shown. Another program could add a file between this check and the
 * command; a program that can do that can also read it. `named`: see `Around`.
 */
export function decideTree(
  tree: Tree,
  directory: string,
  what: string,
  policy: Policy,
  named: Touched = [],
): PermissionDecision {
  if (isNoFile(tree.path)) return allowed;
  if (tree.words !== undefined && named?.length !== 0)
    return { behavior: 'ask', reason: `${what} may get the name of a file that the same command creates.` };
  const place = locate(tree.path, directory, policy);
  const places = hasGlob(tree.path) ? policy.expandGlob(place) : [place];
  if (places === undefined)
    return { behavior: 'ask', reason: `${tree.path} matches files that cannot all be checked.` };
  for (const at of [place, ...places]) {
    const { behavior, cause, reason } = decideFile(
      { tool: 'Read', verb: 'read', path: at },
      policy,
      at === place,
    );
    // Each match of a pattern is judged separately; if only a folder's name suggests secrets, its files are judged.
    const isName = at === place && (hasGlob(tree.path) || (tree.only !== undefined && cause === 'secret'));
    if (behavior !== 'allow' && !(isName && behavior === 'ask')) return { behavior, reason };
  }
  const mustCheck = needsCheck(policy);
  /** Files that the sandbox can hide, and why one of them may not be shown. */
  const hiding: string[] = [];
  const mayBeHidden = hidingTest(policy);
  let secret: PermissionDecision | undefined;
  for (const at of places) {
    const found = foundIn(tree, at, policy);
    if (found === undefined)
      return { behavior: 'ask', reason: `${what} reads files that cannot all be checked.` };
    const { files, links, folders } = found;
    const named = new Set(
      tree.isNamed ? files.filter((path) => isOpenTo(tree, path)).slice(0, MAX_SEARCHED) : [],
    );
    const real = policy.realpath(at);
    // Limits do not apply to a file that is itself the place.
    const printed = [...files, ...links, ...folders].filter((path) => path === real || mayMatch(tree, path));
    const misread = tree.words && misreadName(printed, tree, tree.words, real);
    if (misread !== undefined) return { behavior: 'ask', reason: misread };
    const [folder] = tree.tracked !== undefined && tree.entersFolders ? folders : [];
    if (folder !== undefined)
      return { behavior: 'ask', reason: `${folder} is a folder with files of its own.` };
    for (const path of files) {
      if (tree.namesOnly || !mayMatch(tree, path) || !(mustCheck(path) || named.has(path))) continue;
      const verdict = decideFile({ tool: 'Read', verb: 'read', path }, policy);
      if (verdict.behavior === 'allow' || (path !== at && isUnsearchable(verdict))) continue;
      const reason = `${what} shows ${relative(policy.root, path)}: ${verdict.reason}`;
      const found = { behavior: verdict.behavior, reason };
      if (path === at || !mayBeHidden(verdict)) return found;
      hiding.push(verdict.realPath);
      secret = gravest([...(secret ? [secret] : []), found]);
    }
    for (const path of tree.follows ? links : []) {
      if (tree.only !== undefined && !mayMatch(tree, path)) continue;
      const target = policy.realpath(path);
      const { behavior, cause, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
      const isNamed = tree.namesOnly && cause === 'secret' && inWorkspace(target, policy);
      if (behavior !== 'allow' && !isNamed) return { behavior, reason };
      if (tree.namesOnly) continue;
      const isSkipped = tree.only !== undefined || (tree.tracked !== undefined && !tree.entersFolders);
      if (policy.isDirectory(target) && !(inWorkspace(target, policy) && isSkipped))
        return { behavior: 'ask', reason: `${path} leads to another folder.` };
    }
  }
  return secret === undefined ? allowed : { ...secret, hiding };
}

/** Matches of a pattern, or of a search whose files are printed, that are searched for keys and tokens. */
export const MAX_SEARCHED = 100;

/** True for a file of a search that may hold credentials: neither code nor a document. */
const isOpenTo = (tree: Tree, path: string): boolean => mayMatch(tree, path) && mayHoldAny(path);

/** The files that a command finds in a folder and shows; empty if unknown. */
export function shownInTree(tree: Tree, directory: string, policy: Policy): readonly string[] {
  if (tree.namesOnly === true || isNoFile(tree.path)) return [];
  const place = locate(tree.path, directory, policy);
  const places = hasGlob(tree.path) ? (policy.expandGlob(place) ?? []) : [place];
  return places.flatMap(
    (at) => foundIn(tree, at, policy)?.files.filter((path) => mayMatch(tree, path)) ?? [],
  );
}

const foundIn = (tree: Tree, at: string, policy: Policy): FilesBelow | undefined =>
  tree.tracked === undefined
    ? policy.filesBelow(policy.realpath(at), tree)
    : trackedBelow(tree.tracked, at, policy);

/** What version control stores is compressed: a search does not find its content. */
const isUnsearchable = ({ cause, realPath }: FileVerdict): boolean =>
  cause === 'secret' && isStored(realPath);

/**
 * The files that must be hidden so that nothing in several decisions needs approval; undefined if that is not enough.
 */
export function hidingOf(decisions: readonly PermissionDecision[]): readonly string[] | undefined {
  const open = decisions.filter(({ behavior }) => behavior !== 'allow');
  const hiding = [...new Set(open.flatMap((one) => one.hiding ?? []))];
  const isEnough = open.length > 0 && open.every((one) => one.hiding) && hiding.length <= MAX_HIDING;
  return isEnough ? hiding : undefined;
}

/** Maximum hidden files, each of which is a mount. */
const MAX_HIDING = 50;

/**
 * Returns a test for secrets, and files that a rule denies reading, that the sandbox can hide from a search without
 * changing its other results: git would report a tracked file as changed, and needs its own. A name that is not UTF-8
 * cannot be passed to the sandbox, and a file with another name would be visible there.
 */
export function hidingTest(policy: Policy): (verdict: FileVerdict) => boolean {
  const isUntracked = untrackedTest(policy);
  return ({ behavior, cause, realPath }) => {
    const isWithheld = behavior === 'ask' ? cause === 'secret' : behavior === 'deny' && cause === 'rule';
    if (
      !isWithheld ||
      policy.linkId(realPath) !== undefined ||
      isMisread(realPath) ||
      /\/\.git(?:\/|$)/i.test(realPath)
    )
      return false;
    return isUntracked(realPath);
  };
}

/** Returns a test for files that git certainly does not track, by their real paths. */
export function untrackedTest(policy: Policy): (realPath: string) => boolean {
  const indexes = new Map<string, ReadonlySet<string> | undefined>();
  return (realPath) => {
    const folder = dirname(realPath);
    const top = policy.repositoryTop(folder) ?? folder;
    if (!indexes.has(top)) {
      const files = policy.trackedFiles(top);
      indexes.set(top, files && new Set(files));
    }
    return indexes.get(top)?.has(realPath) === false;
  };
}

/** The first secret in a folder that may not be read without approval; `unknown` if not all files can be checked. */
export function secretBelow(tree: Tree, directory: string, policy: Policy): string | undefined {
  if (isNoFile(tree.path)) return undefined;
  const place = locate(tree.path, directory, policy);
  const mustCheck = needsCheck(policy);
  const isSecret = secretTest(policy);
  for (const at of hasGlob(tree.path) ? (policy.expandGlob(place) ?? []) : [place]) {
    const found = foundIn(tree, at, policy);
    if (found === undefined) return 'unknown';
    const secret = found.files.find((path) => {
      if (!mayMatch(tree, path) || !mustCheck(path)) return false;
      const verdict = decideFile({ tool: 'Read', verb: 'read', path }, policy);
      if (verdict.behavior === 'allow' || (path !== at && isUnsearchable(verdict))) return false;
      return verdict.cause === 'secret' || isSecret(path);
    });
    if (secret !== undefined) return secret;
  }
  return undefined;
}

/**
 * The folders as they may be searched once the rest of the command has run: if the rest may change ignore files,
 * nothing in them counts as hidden or ignored. `others`: the paths that the rest touches.
 */
export function openedBy(others: Touched, part: CommandPart, use: ReadOnlyUse, policy: Policy): ReadOnlyUse {
  if (use.trees === undefined) return use;
  const isChanged = others?.some((path) => mayChangeIgnored(path, policy)) === true;
  return {
    ...use,
    trees: use.trees.map((tree) => {
      // Without a path, it searches its input.
      const isInput = part.isPiped === true && !part.argv.includes(tree.path);
      return isChanged || (others === null && !isInput) ? { ...tree, hidden: true, ignores: false } : tree;
    }),
  };
}

/** Ignore files, and files that tell git where to find its own. */
const ignoring = /ignore|exclude|(?:^|\/)(?:\.git|gitdir|commondir)(?:\/|$)/i;

/** True for such a file, or a folder, which may contain one. */
const mayChangeIgnored = (path: string, policy: Policy): boolean =>
  [path, policy.realpath(path)].some((one) => ignoring.test(foldText(one))) || policy.isDirectory(path);

/**
 * The decisions about the files that a git command shows without naming them. Its words are relative to the folder that
 * `-C` names, and that git enters as the system does, through links.
 */
export function decideGitContents(
  { tracked = [], shown = [], repositories = [] }: ReadOnlyUse,
  directory: string,
  what: string,
  policy: Policy,
): readonly PermissionDecision[] {
  const places = repositories.map((place) => policy.realpath(locate(place, directory, policy)));
  return places.flatMap((place) => [
    ...(tracked.length > 0 ? [decideTracked(tracked, place, what, policy)] : []),
    ...shown.map((one) => decideShown(one, place, what, policy)),
  ]);
}

/** Decides whether the files that git tracks in some places, which may be patterns, may be shown. */
export function decideTracked(
  tracked: readonly string[],
  directory: string,
  what: string,
  policy: Policy,
): PermissionDecision {
  const files = trackedIn(tracked, directory, policy);
  if (files === undefined) return { behavior: 'ask', reason: `It is unknown what ${what} searches.` };
  const mustCheck = needsCheck(policy);
  for (const path of files) {
    if (!mustCheck(path)) continue;
    const { behavior, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
    if (behavior !== 'allow')
      return { behavior, reason: `${what} shows ${relative(policy.root, path)}: ${reason}` };
  }
  return allowed;
}

/** The files that git tracks in some places; undefined if unknown. */
export function trackedIn(
  tracked: readonly string[],
  directory: string,
  policy: Policy,
): readonly string[] | undefined {
  const at = policy.realpath(directory);
  const top = policy.repositoryTop(at);
  // Without a repository git may search every file.
  if (top === undefined) return undefined;
  const { has } = withinPaths(tracked, { worktree: top, prefix: relative(top, at) });
  return policy.trackedFiles(at)?.filter((path) => has(relative(top, path)));
}

/** True for a file of which every version is searched. */
const isHeld = (path: string): boolean => isCredentialSettings(path) || mayBeKey(path) || isPatch(path);

/** Decides whether the files whose content git shows may be shown, including formerly tracked and deleted ones. */
export function decideShown(shown: Shown, place: string, what: string, policy: Policy): PermissionDecision {
  const hasRules = policy.rules.some(({ behavior }) => behavior !== 'allow');
  const isSecret = secretTest(policy);
  const held = (path: string): PermissionDecision | undefined => {
    if (!hasRules && !isHeld(path) && !isSecret(path)) return undefined;
    const decision = decideFile({ tool: 'Read', verb: 'read', path }, policy);
    return decision.behavior === 'allow' ? undefined : decision;
  };
  const blocked = blockedReason(what, place, policy);
  const files = blocked === undefined ? policy.gitShows(place, shown, workspaceFolders(policy)) : undefined;
  if (files === undefined)
    return { behavior: 'ask', reason: blocked ?? unknownFiles(`${what} shows`, policy) };
  for (const path of files) {
    const found = held(path);
    if (found)
      return {
        behavior: found.behavior,
        reason: `${what} shows ${relative(policy.root, path)}: ${found.reason}`,
      };
  }
  const secret = secretShown(files, shown, place, policy);
  if (secret !== undefined)
    return {
      behavior: 'ask',
      reason: `${what} shows ${versionOf(secret, policy)}${becauseOfGit(policy)}`,
    };
  const settings = files.filter(
    (path) => isHeld(path) && decideFile({ tool: 'Read', verb: 'read', path }, policy).rule === undefined,
  );
  const [first] = settings;
  if (first !== undefined && policy.gitHeldCredentials(place, settings, shown, workspaceFolders(policy)))
    return {
      behavior: 'ask',
      reason: `${what} shows ${settings.map((path) => relative(policy.root, path)).join(', ')}: some version may hold a password, token or private key${becauseOfGit(policy)}`,
    };
  return allowed;
}

/** The first file that the words of a git command name of which it shows a version with a secret. */
function secretShown(
  files: readonly string[],
  shown: Shown,
  place: string,
  policy: Policy,
): string | undefined {
  const { objects, named = [] } = shown;
  const top = policy.repositoryTop(place) ?? place;
  const paths = new Set(named.flatMap((word) => pathsNamed(word, [place, top])));
  const among = files.filter((path) => paths.has(path) && mayHoldAny(path));
  if (among.length === 0 && objects.every((word) => certainCommit.test(word))) return undefined;
  const found = policy.gitSecrets(place, shown, workspaceFolders(policy), among);
  if (found === undefined) return 'unknown';
  return found.find((path) => decideFile({ tool: 'Read', verb: 'read', path }, policy).rule === undefined);
}

const versionOf = (secret: string, { root }: Policy): string =>
  secret === 'unknown'
    ? 'versions of files that cannot all be searched'
    : `a version of ${relative(root, secret)} that may hold a password, token or private key`;

/** Words that are no files, so that git need not be asked what they are: `HEAD~2..HEAD`. */
const certainCommit = /^(?:(?:HEAD|@)(?:[~^]\d*)*|\.{2,3})+$/;

/** The paths that a word of a git command may stand for: `a:b` may be a file, or `b` in a commit. */
const pathsNamed = (word: string, folders: readonly string[]): readonly string[] =>
  word
    .split(':')
    .map((_, at, parts) =>
      parts
        .slice(at)
        .join(':')
        .replace(/^\([^)]*\)/, ''),
    )
    .flatMap((path) => [path, ...folders.map((folder) => join(folder, path))]);

/** Why git cannot be asked about a directory, if a file would block it there. */
export function blockedReason(what: string, place: string, policy: Policy): string | undefined {
  const file = policy.blocksGit(place);
  return file && `${what} would read ${quotedName(file)}, which is a pipe, a device or a huge file.`;
}

/** The reason if git does not say which files it would show or write. `does`: "git log shows". */
export function unknownFiles(does: string, policy: Policy): string {
  return `It is unknown which files ${does}${becauseOfGit(policy)}`;
}

/** The end of a sentence: why git could not be asked, and what to do. */
function becauseOfGit({ gitProblem }: Policy): string {
  const problem = gitProblem?.();
  return problem === undefined ? '.' : `: ${problem}`;
}

const mayMatch = ({ only }: Tree, path: string): boolean =>
  only === undefined ||
  only.some((pattern) => globsOverlap(pattern, basename(path).replace(/[*?[\]{}()\\]/g, '?')));

/**
 * Returns a quick test by name and rules: false for files that need no further check. Keys and tokens under other names are
 * found only in files that a command names.
 */
export function needsCheck(policy: Policy): (path: string) => boolean {
  const hasRules = policy.rules.some(({ behavior }) => behavior !== 'allow');
  const isSecret = secretTest(policy);
  return (path) =>
    hasRules || isSecret(path) || mayHoldCredentials(path) || linkedSecret(path, policy) !== undefined;
}

function secretTest(policy: Policy): (path: string) => boolean {
  const inSecretPlace = secretPlaceTest(policy);
  return (path) => isSensitive(path) || inSecretPlace(path);
}
