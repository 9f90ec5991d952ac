/** Decides whether one simple command may run in its possible directories. */
import { basename, dirname, join, resolve } from 'node:path';
import type { AskCause, PermissionDecision } from '../../protocol/permissions.ts';
import { causeOf, decideFile, type FileVerdict, inWorkspace } from '../files/fileDecision.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { secretPlaceTest } from '../files/secretPlace.ts';
import { couldBeSensitive, isPublic, isSensitive } from '../files/sensitive.ts';
import { FILE_SETTINGS } from '../lookups/gitPrograms.ts';
import { holdsToken, nameOf } from '../lookups/gitRemotes.ts';
import { mayDecrypt } from '../lookups/gitSettingPrograms.ts';
import { dependsOnProcess } from '../lookups/realpathForAll.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import { gravest, type Policy, workspaceFolders } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import { type Coverage, coverage, hasSafeEnvironment } from '../rules/commandRule.ts';
import { afterChange, type GitChange } from '../rules/gitChanges.ts';
import { outOfScope, type ScopeInput } from '../rules/ruleScope.ts';
import type { SourcedRule } from '../rules/rules.ts';
import { isPlainVariable, isUnreadVariable } from '../shell/assignments.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { changesDirectory, type Visit } from '../shell/workingDirectory.ts';
import { withGitPatterns } from './git/gitPatterns.ts';
import { hiddenSecret } from './hiddenSecrets.ts';
import { localWork } from './localWork.ts';
import { type Around, decideEdits } from './plainEdits.ts';
import { versionFileFor } from './programOrigin.ts';
import {
  blockedReason,
  decideGitContents,
  decidePattern,
  decideTree,
  hidingOf,
  isNoFile,
  MAX_SEARCHED,
  openedBy,
  withLiteralPatterns,
} from './treeDecision.ts';
import { possibleWords, shortText, textWords } from './words.ts';

export interface PartVerdict extends PermissionDecision {
  /** With `ask`: what a judge may decide about; absent = a limit. */
  readonly cause?: AskCause | undefined;
  /** With `ask`: the command that a saved rule could allow, and the limits of such a rule. */
  readonly unruled?: ScopeInput;
  /** Rules that name the command but do not cover it, with the reason. */
  readonly stopped?: readonly StoppedRule[];
  /** The row of a built-in table that allowed or stopped it. */
  readonly row?: string;
  /** A rule for commands allows it, so the command runs in the user's own environment. */
  readonly isApproved?: true;
  /** With `allow`: it is a read-only command, even if a rule opens a file that it reads. */
  readonly reads?: true;
  /** What it accesses, if it is known to be read-only. */
  readonly use?: ReadOnlyUse;
  /** With `ask`: the directory outside the workspace that a rule could make readable. */
  readonly outside?: string;
}

/** A rule that names a command but does not cover this call. */
interface StoppedRule {
  readonly text: string;
  readonly source: string;
  readonly reason: string;
  readonly row?: string;
}

/**
 * Decides what is allowed; deny and ask rules have already been applied. `around`: the rest of the command. `change`: what
 * that may have changed before.
 */
export function decidePart(visit: Visit, around: Around, change: GitChange, policy: Policy): PartVerdict {
  const { part } = visit;
  const { touched, named } = around;
  const known = readOnlyUse(part) ?? readOnlyUse(withLiteralPatterns(visit, named, policy));
  const opened = known && openedBy(touched, part, withGitPatterns(known, visit, named, policy), policy);
  const use = opened && afterChange(opened, change, visit.directories, policy);
  const input: ScopeInput = {
    visit,
    policy,
    use,
    edits: decideEdits(visit, touched, { ...policy, mode: 'acceptEdits' }),
    isFirst: touched !== null,
    named,
    change,
  };
  const rules = rulesFor(input);
  const { exact, stopped } = rules;
  if (exact) return allowedBy(exact);
  const decided = part.argv.length === 0 || part.carrier ? decideEnvironment(part) : decideCall(input, rules);
  const verdict = { ...decided, ...(use && { use }) };
  if (verdict.behavior === 'allow' || stopped.length === 0) return verdict;
  const [{ text, reason }] = stopped as [StoppedRule];
  const isOpen = verdict.unruled !== undefined;
  return { ...verdict, ...(isOpen && { reason: `${text} does not cover ${reason}.` }), stopped };
}

function decideCall(input: ScopeInput, { open, every }: Pick<MatchedRules, 'open' | 'every'>): PartVerdict {
  const secret = findSecret(input.visit, input.use, input.policy);
  if (secret) return secret;
  if (open) return allowedBy(open);
  const verdict = every ? allowedBy(every) : decideUnruled(input);
  const isOpen = every !== undefined || (verdict.behavior === 'ask' && verdict.cause?.type !== 'limit');
  const reason = isOpen ? hiddenSecret(input, shortText(input.visit.part.text)) : undefined;
  if (reason === undefined) return verdict;
  return {
    ...(every ? { behavior: 'ask', row: secretFiles, reason } : verdict),
    cause: { type: 'limit', reason, isSecret: true },
  };
}

function decideUnruled(input: ScopeInput): PartVerdict {
  const { visit, policy, use, edits } = input;
  const { part } = visit;
  if (changesDirectory(part)) return decideMove(visit, policy);
  if (use) return { row: readOnlyRow(part), ...decideUse(input, use) };
  if (policy.mode === 'acceptEdits' && edits)
    return { row: `commands that edit files: ${part.argv[0]}`, ...edits };
  const cause = localWork(input);
  return { behavior: 'ask', reason: `${shortText(part.text)} needs your approval.`, cause, unruled: input };
}

/** The first rule of each kind that covers a call, and those that do not. */
interface MatchedRules {
  readonly exact?: SourcedRule;
  readonly open?: SourcedRule;
  readonly every?: SourcedRule;
  readonly stopped: readonly StoppedRule[];
}

function rulesFor(input: ScopeInput): MatchedRules {
  const stopped: StoppedRule[] = [];
  const found: { -readonly [type in Coverage['type']]?: SourcedRule } = {};
  for (const rule of input.policy.rules) {
    const covers = coverage(rule, input.visit.part);
    if (covers === undefined) continue;
    const beyond = outOfScope(rule, covers, input);
    if (beyond) stopped.push({ text: rule.text, source: rule.source, ...beyond });
    else found[covers.type] ??= rule;
  }
  return { ...found, stopped };
}

const allowedBy = ({ text, source }: { text: string; source: string }): PartVerdict => ({
  behavior: 'allow',
  basis: 'rule',
  isApproved: true,
  reason: `Rule ${text} (${source}).`,
  rule: { text, source },
});

function decideEnvironment(part: CommandPart): PartVerdict {
  // Without a command the variable is the shell's own: `LC_ALL=C` changes which files `?` matches.
  const isHarmless = part.carrier
    ? hasSafeEnvironment(part)
    : part.envPrefix.every(({ name }) => isPlainVariable(name) || isUnreadVariable(name));
  if (isHarmless) return { behavior: 'allow', basis: 'read-only', reason: 'Sets only harmless variables.' };
  return { behavior: 'ask', reason: `${shortText(part.text)} sets variables that may change what runs.` };
}

const secretFiles = 'files that may hold secrets';

/** A secret file that the command may read or pass on: a general rule for the command does not cover that. */
function findSecret(visit: Visit, use: ReadOnlyUse | undefined, policy: Policy): PartVerdict | undefined {
  const known = use && [...use.contents, ...(use.trees ?? []).map(({ path }) => path)];
  const words = known?.map((path) => ({ path, wild: true })) ?? possibleWords(withoutText(visit.part));
  const inSecretPlace = secretPlaceTest(policy);
  for (const directory of visit.directories ?? [policy.root]) {
    for (const { path: word, wild } of words) {
      // `eslint *` is not an attempt to read a key; `cat *` would show one.
      if (known === undefined && wild && /^[*?]/.test(basename(word))) continue;
      const path = locate(word, directory, policy);
      const isSecret = wild ? couldBeSensitive : isSensitive;
      const real = policy.realpath(path);
      const isHidden = dependsOnProcess(real) && !isNoFile(word);
      const hasToken = policy.holdsCredentials?.(real) === true;
      const isKept = [path, real].some((one) => isSecret(one) || inSecretPlace(one));
      if (!isKept && !isHidden && !hasToken) continue;
      const verdict =
        known === undefined
          ? decideFile({ tool: 'Read', verb: 'read', path }, policy, wild)
          : decidePaths(path, policy);
      if (verdict.behavior !== 'allow')
        return {
          behavior: verdict.behavior,
          reason: verdict.reason,
          ...(verdict.cause === 'secret' && { row: secretFiles }),
          cause: { type: 'limit', reason: verdict.reason, isSecret: true },
        };
    }
  }
  return undefined;
}

/** Removes text arguments: a message may mention a secret file. */
function withoutText(part: CommandPart): CommandPart {
  const text = textWords(part);
  const kept = <T>(words: readonly T[]): readonly T[] => words.filter((_, at) => !text.has(at));
  return { ...part, argv: kept(part.argv), raw: kept(part.raw) };
}

function decideMove({ goesTo }: Visit, policy: Policy): PartVerdict {
  if (goesTo === null)
    return { behavior: 'ask', reason: 'Changes to a directory that is known only at run time.' };
  const outside = goesTo.find((directory) => !inWorkspace(policy.realpath(directory), policy));
  if (outside === undefined)
    return { behavior: 'allow', basis: 'read-only', reason: 'Stays inside the workspace.' };
  return { behavior: 'ask', reason: `Changes to ${outside}, outside the workspace ${policy.root}.` };
}

function decideUse(input: ScopeInput, use: ReadOnlyUse): PartVerdict {
  const { visit, policy, named } = input;
  const { directories, part } = visit;
  const what = shortText(part.text);
  if (directories === null) return { behavior: 'ask', reason: `${what} runs in an unknown directory.` };
  const astray = directories.find((directory) => !inWorkspace(policy.realpath(directory), policy));
  if (astray !== undefined)
    return { behavior: 'ask', reason: `${what} runs in ${astray}, outside the workspace.` };
  if (directories.length > 1 && use.trees?.some(({ words }) => words?.isOne))
    return { behavior: 'ask', reason: `${what} may get names from another directory.` };
  const asked =
    decideGit(use, directories, what, policy) ??
    decideVersionFiles(use, part, directories, policy) ??
    decideManifest(use, directories, what, policy);
  if (asked) return asked.behavior === 'ask' ? { ...asked, unruled: input } : asked;
  const verdicts = directories.flatMap((directory) => [
    ...(use.patterns ?? []).map((pattern) => decidePattern(pattern, directory, named, policy)),
    ...use.contents.map((word) => decideOperand(word, directory, 'contents', policy)),
    ...use.names.map((word) => decideOperand(word, directory, 'names', policy)),
    ...(use.trees ?? []).map((tree) => decideTree(tree, directory, what, policy, named)),
    ...decideGitContents(use, directory, what, policy),
  ]);
  const worst = gravest(verdicts);
  if (worst === undefined) return { behavior: 'allow', basis: 'read-only', reason: `${what} only reads.` };
  return { ...worst, reads: true, hiding: hidingOf(verdicts) };
}

/** A directory may contain another repository, whose settings name programs that git runs. */
export function decideGit(
  { repositories = [], contents, showsAddresses, showsReflog, converts }: ReadOnlyUse,
  directories: readonly string[],
  what: string,
  policy: Policy,
): PartVerdict | undefined {
  const places = directories.flatMap((directory) =>
    repositories.map((place) => locate(place, directory, policy)),
  );
  for (const place of places) {
    if (!inWorkspace(policy.realpath(place), policy))
      return { behavior: 'ask', reason: `${what} accesses ${place}, outside the workspace.` };
    const own = workspaceFolders(policy).map(policy.gitFolder);
    const folder = policy.gitFolder(place);
    // Without a repository git compares any two folders.
    if (folder === undefined && contents.length > 0)
      return { behavior: 'ask', reason: `${what} finds no repository.` };
    if (!own.includes(folder))
      return { behavior: 'ask', reason: `${what} uses a repository other than the workspace's.` };
    const address = showsAddresses ? addressWithToken(place, folder, policy) : undefined;
    if (address !== undefined)
      return {
        behavior: 'ask',
        reason: `${what} shows URLs, and ${address} contains a password or token.`,
        cause: { type: 'limit', reason: 'It may show a token.', isSecret: true },
      };
    const message = showsReflog && folder !== undefined ? reflogWithToken(folder, policy) : undefined;
    if (message !== undefined)
      return {
        behavior: 'ask',
        reason: `${what} shows the words of earlier git commands, and ${message}.`,
        cause: { type: 'limit', reason: 'It may show a token.', isSecret: true },
      };
    const converter = converts ? policy.gitSettings(place, policy.home).user.find(mayDecrypt) : undefined;
    if (converter !== undefined)
      return {
        behavior: 'ask',
        reason: `${what} shows files as converted by ${nameOf(converter)} of your git configuration, which may decrypt them; --no-textconv prevents that.`,
        cause: { type: 'limit', reason: 'It may show decrypted files.', isSecret: true },
      };
    const shownFile = fileOfUser(place, policy);
    if (shownFile !== undefined)
      return {
        behavior: 'ask',
        reason: `${what} may show lines of ${shownFile}, which your git configuration names.`,
      };
    if (policy.gitRunsPrograms(place))
      return {
        behavior: 'ask',
        reason:
          blockedReason(what, place, policy) ??
          `The repository's own configuration names programs that ${what} may start, or its files are elsewhere.`,
      };
  }
  return undefined;
}

/** The workspace file named by the user's git settings whose odd lines git would print, if it may not be read. */
function fileOfUser(place: string, policy: Policy): string | undefined {
  const { user } = policy.gitSettings(place, policy.home);
  const named = user.filter(({ key }) => readByGit.test(key)).map(({ value = '' }) => value);
  const top = policy.repositoryTop(policy.realpath(place)) ?? place;
  return named
    .filter((name) => /^[^~%]/.test(name))
    .flatMap((name) => [top, place].map((folder) => locate(name, folder, policy)))
    .find(
      (path) =>
        inWorkspace(path, policy) &&
        decideFile({ tool: 'Read', verb: 'read', path }, policy).behavior !== 'allow',
    );
}

const readByGit = new RegExp(`^(?:${FILE_SETTINGS})$`);

/** With more branches that have a reflog, the command needs approval. */
const MAX_REFLOGS = 2000;

/** Why the reflogs of a repository may show a password or token, of any of its worktrees. */
function reflogWithToken(folder: string, policy: Policy): string | undefined {
  const common = resolve(folder, policy.readText(join(folder, 'commondir'))?.trim() || '.');
  const lists = [folder, common].flatMap((at) =>
    ['logs', 'worktrees'].map((name) => policy.filesBelow(join(at, name), { hidden: true })),
  );
  const all = lists.flatMap((list) => [...(list?.files ?? []), ...(list?.links ?? [])]);
  const logs = new Set(all.filter((path) => /\/logs\//.test(path)));
  if (lists.includes(undefined) || logs.size > MAX_REFLOGS) return 'not all of them can be checked';
  const found = [...logs].find((path) => policy.holdsCredentials?.(path) === true);
  return found && `${found} may hold a password or token`;
}

/** The file or setting with a remote URL that contains a password or token. */
function addressWithToken(place: string, folder: string | undefined, policy: Policy): string | undefined {
  const file = folder === undefined ? undefined : join(folder, 'config');
  if (file !== undefined && policy.holdsCredentials?.(file) === true) return file;
  const { own, user } = policy.gitSettings(place, policy.home);
  const setting = [...own, ...user].find(holdsToken);
  // The subsection may be the URL.
  return setting && `${setting.section}.*.${setting.key} in the git configuration`;
}

/** A file of the workspace, in the current or a parent directory, that changes which program runs. */
export function decideVersionFiles(
  { versionFiles = [] }: ReadOnlyUse,
  part: CommandPart,
  directories: readonly string[],
  policy: Policy,
): PartVerdict | undefined {
  const places = directories.map(policy.realpath);
  const found =
    versionFiles.length === 0 ? [] : places.map((place) => policy.findUpwards(place, versionFiles));
  const named = versionFileFor(part.argv[0] ?? '', directories, policy);
  /** A link in the workspace counts, wherever it leads. */
  const isOfWorkspace = (path: string): boolean =>
    [policy.realpath(path), join(policy.realpath(dirname(path)), basename(path))].some((one) =>
      inWorkspace(one, policy),
    );
  const file = [...found, named].find((path) => path !== undefined && isOfWorkspace(path));
  return file === undefined
    ? undefined
    : { behavior: 'ask', reason: `${file} determines what ${shortText(part.text)} runs.` };
}

/** The file that a package manager shows may be above the workspace. */
function decideManifest(
  { manifest }: ReadOnlyUse,
  directories: readonly string[],
  what: string,
  policy: Policy,
): PartVerdict | undefined {
  if (manifest === undefined) return undefined;
  for (const directory of directories) {
    const path = policy.findUpwards(policy.realpath(directory), [manifest]);
    if (path === undefined) return { behavior: 'ask', reason: `${what} finds no ${manifest} here.` };
    const { behavior, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
    if (behavior !== 'allow') return { behavior, reason };
  }
  return undefined;
}

/** A pattern is decided by its current matches: no other part of the command creates files without approval. */
function decidePaths(path: string, policy: Policy): FileVerdict {
  const verdict = decideFile({ tool: 'Read', verb: 'read', path }, policy, true);
  if (!hasGlob(path) || (verdict.cause !== 'secret' && verdict.behavior !== 'allow')) return verdict;
  const files = policy.expandGlob(path);
  if (files === undefined) return verdict;
  if (verdict.cause !== 'secret') {
    const found = files
      .slice(0, MAX_SEARCHED)
      .find((file) => policy.holdsCredentials?.(policy.realpath(file)));
    return found === undefined ? verdict : decideFile({ tool: 'Read', verb: 'read', path: found }, policy);
  }
  const each = files.map((file) => decideFile({ tool: 'Read', verb: 'read', path: file }, policy));
  const literal = decideFile({ tool: 'Read', verb: 'read', path }, policy);
  return gravest([...each, literal]) ?? verdict;
}

function decideOperand(
  word: string,
  directory: string,
  kind: 'contents' | 'names',
  policy: Policy,
): PartVerdict {
  if (isNoFile(word)) return { behavior: 'allow', basis: 'read-only', reason: 'Not a file.' };
  if (hasGlob(word) && /[*?[].*\/\.\.(?:\/|$)/.test(word))
    return { behavior: 'ask', reason: `${word} may lead anywhere.` };
  const path = locate(word, directory, policy);
  const verdict = decidePaths(path, policy);
  const { basis, behavior, cause, reason, realPath, rule } = verdict;
  if (cause === 'secret' && kind === 'names' && inWorkspace(realPath, policy))
    return { behavior: 'allow', basis: 'read-only', reason: 'Lists names only.' };
  if (cause === 'outside' && isPublic(path) && isPublic(realPath))
    return { behavior: 'allow', basis: 'read-only', reason: 'Only prints facts about the system.' };
  return {
    behavior,
    reason,
    ...(basis && { basis }),
    ...(rule && { rule }),
    ...(cause === 'outside' && { outside: realPath }),
    ...(cause === 'secret' && { cause: causeOf(verdict, 'read') }),
  };
}

/** The table entry for the command, by program and subcommand. */
function readOnlyRow({ argv }: CommandPart): string {
  const at = subcommandAt(argv);
  const names = [argv[0], ...(at > 0 ? [argv[at]] : [])];
  return `read-only commands: ${names.join(' ')}`;
}
