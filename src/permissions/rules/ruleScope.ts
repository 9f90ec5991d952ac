/**
 * Limits what an allow rule may reach. A rule for an entire command applies where it was granted: in the project's root
 * or the folder that it names. A rule with a wildcard leaves words open; these must stay in the workspace, name nothing
 * secret or protected, be known, and not be options that run, write or lead elsewhere.
 */
import { basename, dirname, join, relative } from 'node:path';
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { expandedSecret } from '../command/expandedSecrets.ts';
import { decideTree } from '../command/treeDecision.ts';
import { leftOut, pathsIn, textWords } from '../command/words.ts';
import { decideFile, inWorkspace, placeOfRule } from '../files/fileDecision.ts';
import { contains } from '../files/filePattern.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { isSensitive } from '../files/sensitive.ts';
import { mayHoldCredentials } from '../lookups/credentialSettings.ts';
import { programName } from '../options/programTable.ts';
import { type Risk, type RiskyWord, riskyWords } from '../options/riskyOptions.ts';
import { readsInputAsData, runsItsInput } from '../options/standardInput.ts';
import { isThere, isTracked, type Policy, workspaceFolders } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { ADDED } from '../shell/wrappers.ts';
import { type Coverage, hasSafeEnvironment } from './commandRule.ts';
import type { GitChange } from './gitChanges.ts';
import { programStartedByGit, reachedByGit, repositoryNamed } from './gitScope.ts';
import type { SourcedRule } from './rules.ts';

/** The reason why an open-ended rule does not cover a call. */
interface OutOfScope {
  /** Completes the sentence "does not cover …". */
  readonly reason: string;
  /** The row of the table of options behind it. */
  readonly row?: string;
}

export interface ScopeInput {
  readonly visit: Visit;
  readonly policy: Policy;
  /** The accesses of the command, if it is known to be read-only. */
  readonly use: ReadOnlyUse | undefined;
  /** For `mkdir`, `touch`, `cp`, `mv`, `rm` and `sed -i`: the decision in acceptEdits; undefined if the options are not understood. */
  readonly edits: PermissionDecision | undefined;
  /** Earlier parts of the command change nothing, or only files that are known. */
  readonly isFirst: boolean;
  /** The paths that the rest of the command may change or create; null = unknown. */
  readonly named: readonly string[] | null;
  /** What the rest of the command may have changed before. */
  readonly change: GitChange;
}

/** Why a rule whose text covers a call does not apply; undefined if it does. */
export function outOfScope(rule: SourcedRule, covers: Coverage, input: ScopeInput): OutOfScope | undefined {
  if (covers.type === 'every') return undefined;
  const elsewhere = otherFolder(rule, covers, input);
  const { part } = input.visit;
  const beyond = elsewhere ?? unknownInput(part, covers, input.use) ?? programOfGit(input);
  if (beyond !== undefined) return beyond;
  if (covers.type === 'exact') return otherRepository(input, () => true);
  const appended = part.raw.at(-1) === ADDED ? 1 : 0;
  const offset = covers.words.argv.length - (part.argv.length - (covers.words === part ? 0 : appended));
  const isSpelled = (at: number): boolean => covers.spelled(at + offset);
  return (
    otherProgram(part, offset, isSpelled) ??
    otherRepository(input, isSpelled) ??
    unknownWord(part, isSpelled) ??
    riskyWord(input.visit, input.policy, isSpelled) ??
    outOfReach(input, isSpelled, covers.places)
  );
}

/**
 * A rule covers the words of a command, not its input, which the program may run. `otherProgram` decides about open-ended
 * rules for programs known to run it, because such a rule may name the input (`bash -s:*`).
 */
function unknownInput(
  part: CommandPart,
  covers: Coverage,
  use: ReadOnlyUse | undefined,
): OutOfScope | undefined {
  if (!part.hasInput || use !== undefined || readsInputAsData(part.argv)) return undefined;
  if (covers.type !== 'exact' && runsItsInput(part.argv)) return undefined;
  return { reason: `what is piped into ${programName(part.argv[0])}, which may run it` };
}

/** A rule for git does not cover the programs that the settings of a repository name. */
function programOfGit({ visit, policy }: ScopeInput): OutOfScope | undefined {
  const program = programStartedByGit(visit, policy);
  return program === undefined ? undefined : { reason: program };
}

function otherRepository(
  { visit, policy }: ScopeInput,
  isSpelled: (at: number) => boolean,
): OutOfScope | undefined {
  const named = repositoryNamed(visit, isSpelled, policy);
  return named === undefined ? undefined : { reason: named };
}

/**
 * A rule for `timeout` or `env` does not cover the program that these start, and one for `python` does not cover its
 * input.
 */
function otherProgram(
  part: CommandPart,
  offset: number,
  isSpelled: (at: number) => boolean,
): OutOfScope | undefined {
  if (offset > 0 && !isSpelled(0))
    return { reason: `${part.raw[0] ?? ''}, which ${part.fullRaw[0] ?? 'another program'} starts` };
  const namesInput = part.argv.some(
    (word, at) => /^(?:-|-s|\/dev\/stdin)$/.test(word ?? '') && isSpelled(at),
  );
  return runsItsInput(part.argv) && !namesInput ? { reason: 'a program that runs its input' } : undefined;
}

/** True if a call on its own stays in the workspace, away from secrets and protected files. */
export function staysInside(input: ScopeInput): boolean {
  const { directories, part } = input.visit;
  const isInside = directories?.every((directory) =>
    inWorkspace(input.policy.realpath(directory), input.policy),
  );
  return isInside === true && hasSafeEnvironment(part) && outOfReach(input, () => false, []) === undefined;
}

/** Programs that do the same in every folder, apart from the files that they are called with. */
const samePrograms = new Set(
  '[ awk base64 basename bat cat chmod chown cksum cmp column comm cp curl cut date df diff dig dirname du echo egrep env expr false fgrep file find fold gawk grep gunzip gzip head hexdump hostname htop id ifconfig ip jq kill killall less ln ls lsof md5sum mkdir more mv netstat nl nslookup od paste pgrep ping pkill printenv printf ps pwd readlink realpath rev rg rm rmdir sed seq sha1sum sha256sum sleep sort ss ssh stat strings tac tail tar tee test time top touch tr traceroute tree true type uname uniq unzip uptime wc wget which whoami xxd yes yq zcat zip'.split(
    ' ',
  ),
);

/** True if a program depends on files of its current folder that no word names. */
const dependsOnFolder = (program: string | null | undefined): boolean => !samePrograms.has(program ?? '');

function otherFolder(
  rule: SourcedRule,
  covers: Exclude<Coverage, { type: 'every' }>,
  { visit, policy }: ScopeInput,
): OutOfScope | undefined {
  const { directories, part } = visit;
  if (directories === null) return { reason: 'a command in a folder known only at run time' };
  const other = directories.find((directory) => {
    const place = policy.realpath(directory);
    if (covers.folder !== undefined) return !namesFolder(covers.folder, rule.base, place, policy);
    if (isHome(place, policy)) return false;
    if (programName(part.argv[0]) === 'git') return !isOwnRepository(place, policy);
    if (covers.type === 'exact' || dependsOnFolder(part.argv[0])) return true;
    return !inWorkspace(place, policy);
  });
  if (other === undefined) return undefined;
  return { reason: `commands in ${other}` };
}

/** True for the folders to which a rule without a folder applies. */
export function isHome(place: string, policy: Policy): boolean {
  const { startDirectory } = policy;
  const homes = [...workspaceFolders(policy), ...(startDirectory === undefined ? [] : [startDirectory])];
  return homes.some((home) => policy.realpath(home) === place);
}

function namesFolder(pattern: string, base: string, place: string, policy: Policy): boolean {
  const pieces = locate(pattern.replace(/["']/g, ''), base, policy).split(/(\*+)/);
  const text = pieces.map((piece) =>
    piece.startsWith('**') ? '.*' : piece === '*' ? '[^/]*' : piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'),
  );
  return new RegExp(`^${text.join('')}$`, 's').test(place);
}

/** True if a folder of the workspace belongs to the repository of a parent folder, and is not a repository itself. */
function isOwnRepository(place: string, policy: Policy): boolean {
  for (let directory = place; ; directory = dirname(directory)) {
    if (isHome(directory, policy)) return true;
    if (directory === dirname(directory)) return false;
    const holds = policy.expandGlob(join(directory, '.gi[t]'));
    const isBare = ['objects', 'refs'].every((name) => policy.isDirectory(join(directory, name)));
    if (isBare || holds === undefined || holds.some((path) => path.endsWith('/.git'))) return false;
  }
}

/** A word known only to the shell may be an option, or any file. */
function unknownWord(part: CommandPart, isSpelled: (at: number) => boolean): OutOfScope | undefined {
  const text = textWords(part);
  const at = part.argv.findIndex((word, index) => word === null && !text.has(index) && !isSpelled(index));
  if (at === -1) return undefined;
  const raw = part.raw[at] ?? '';
  return { reason: raw === ADDED ? 'the words that xargs adds' : `${raw}, which is known only to the shell` };
}

const does: Readonly<Record<Risk, string>> = {
  runs: 'runs something or determines what is run',
  writes: 'writes files',
  elsewhere: 'works on other files or in another place',
  unknown: 'is not known to be harmless',
};

function riskyWord(visit: Visit, policy: Policy, isSpelled: (at: number) => boolean): OutOfScope | undefined {
  const text = textWords(visit.part);
  // Standard input is not a file that a rule for the option names.
  const isOpen = ({ at, delimiterAt, unless }: RiskyWord): boolean =>
    !(isSpelled(at) && (unless?.path !== '-' || isSpelled(at + 1))) &&
    !(delimiterAt !== undefined && isSpelled(delimiterAt));
  const risky = harmfulWords(visit, policy).find((word) => !text.has(word.at) && isOpen(word));
  return risky && { reason: `${risky.word}, which ${does[risky.risk]}`, row: risky.row };
}

/** The words of a command that a rule covers only if it spells them out, in the folders where it runs. */
export const harmfulWords = ({ part, directories }: Visit, policy: Policy): readonly RiskyWord[] =>
  riskyWords(part.argv).filter(
    ({ unless }) =>
      unless === undefined ||
      directories?.every((directory) => isHarmlessAt(unless, directory, policy)) !== true,
  );

/** True if an option, or an operand, is harmless with this path. */
function isHarmlessAt(
  { place, path: word }: NonNullable<RiskyWord['unless']>,
  directory: string,
  policy: Policy,
): boolean {
  const path = policy.realpath(locate(word, directory, policy));
  if (place === 'fresh' && (word === '-' || isDevice.test(path))) return true;
  if (!inWorkspace(path, policy)) return false;
  if (place === 'new') return !isThere(path, policy);
  if (place === 'input') return word !== '-' && (policy.isDirectory(path) || isThere(path, policy));
  const isMade = isResult(relative(policy.realpath(directory), path));
  if (place === 'output') return isMade && !isTracked(path, policy);
  return !isThere(path, policy) || ((isMade || isArchive.test(path)) && !isTracked(path, policy));
}

const isArchive =
  /\.(?:tar|tgz|tbz2?|txz|tzst|tlz|gz|bz2|xz|zst|lz4?|lzma|zip|7z|jar|war|ear|aar|apk|ipa|whl|egg|crate|gem|nupkg|vsix|xpi|deb|rpm|iso|cab|rar|cpio|docx|xlsx|pptx|od[tsp]|epub|phar)$/i;

/** True for folders and files with build and test results: no source is overwritten there. */
const isResult = (path: string): boolean =>
  /(?:^|\/)(?:dist|build|out|output|target|bin|obj|coverage|htmlcov|reports?|results|test-results|playwright-report|tmp|artifacts|publish|\.[\w-]*cache|\.next|lib-cov)(?:\/|$)/.test(
    path,
  ) ||
  /(?:\.(?:out|log|prof|pprof|lcov|tsbuildinfo|o|obj|a|so|dylib|exe|wasm|eslintcache)|(?:^|[\w.-]*[_.-])(?:coverage|reports?|results?|junit|profile)\.(?:xml|json|html|txt|info|sarif|log))$/.test(
    path,
  );

/** Programs that only read their operands, apart from options in the table. */
const readers =
  /^(?:[efz]?grep|rg|ag|ack|cat|head|tail|less|more|wc|ls|find|fd|tree|stat|file|du|diff|cmp|sort|uniq|cut|jq|awk|strings|md5sum|sha\d+sum|shellcheck|tsc|jest|vitest|mocha|pytest|mypy|flake8|pylint|node|python3?|git)$/;
/** Subcommands of git that write files of the working tree. */
const gitWrites =
  /^(?:apply|am|checkout|checkout-index|clean|clone|init|mv|pull|read-tree|reset|restore|rm|stash|switch|worktree)$/;
/** Programs that show, pack or send everything in a folder. */
const recursive = /^(?:[efz]?grep|rg|ag|ack|ugrep|diff|g?tar|bsdtar|zip|7z[arz]?|rsync|scp)$/;
/** Programs that change everything in a folder, including protected files. */
const sweeping = /^(?:rm|chmod|chown|chgrp|shred|rsync)$/;
const edits = /^(?:cp|mv|mkdir|touch)$/;

/** Cloud clients that copy folders to and from a store. */
const isCloudCopy = ({ argv }: CommandPart): boolean =>
  /^(?:rclone|gsutil|s3cmd|s5cmd|azcopy|mc)$/.test(programName(argv[0])) ||
  (/^(?:aws|gcloud|az)$/.test(programName(argv[0])) &&
    argv.some((word) => /^(?:s3|storage)$/.test(word ?? '')));

/** `scp -r host:x/. .` writes whatever another machine has there into a folder. */
const sweeps = (part: CommandPart): boolean => sweepsFolder(part) || isCloudCopy(part);

const sweepsFolder = ({ argv }: CommandPart): boolean =>
  sweeping.test(programName(argv[0])) ||
  (programName(argv[0]) === 'scp' && argv.some((word) => /^-[A-Za-z\d]*r/.test(word ?? '')));

function outOfReach(
  { visit, policy, use, edits: edited, isFirst, change }: ScopeInput,
  isSpelled: (at: number) => boolean,
  places: readonly string[],
): OutOfScope | undefined {
  const { part, directories } = visit;
  const name = programName(part.argv[0]);
  if (edits.test(name) && !part.argv.every((_, at) => isSpelled(at))) {
    if (edited?.behavior === 'allow') return undefined;
    return { reason: edited === undefined ? 'a form that is not understood' : withoutPeriod(edited.reason) };
  }
  const isKnown = use !== undefined;
  const words = isKnown ? knownWords(use) : openWords(part, isSpelled);
  const onlyReads = readers.test(name) && !part.argv.some((word) => gitWrites.test(word ?? ''));
  const risky = riskyWords(part.argv);
  const writesResult = risky.some(({ unless }) => unless?.place === 'output');
  // Settings that an option names are only read: `rubocop -c .rubocop.yml`.
  const inputs = new Set(risky.flatMap(({ unless }) => (unless?.place === 'input' ? [unless.path] : [])));
  const expanded = expandedSecret(visit, policy, isSpelled);
  if (expanded !== undefined) return { reason: expanded };
  const reads = isKnown || (onlyReads && !writesResult && harmfulWords(visit, policy).length === 0);
  for (const directory of directories ?? [policy.root]) {
    for (const { path: word, wild } of words) {
      const path = locate(word, directory, policy);
      const real = policy.realpath(path);
      if (
        isDevice.test(path) ||
        places.some((place) => contains(placeOfRule(locate(place, '/', policy), policy), real))
      )
        continue;
      // Without such a folder, `/api/v1` is a pattern or a route.
      const top = `/${path.split('/')[1] ?? ''}`;
      if (path !== top && !policy.isDirectory(top)) continue;
      if (sweeps(part) && isHome(real, policy)) return { reason: `${word}, a whole project` };
      const onlyRead = reads || inputs.has(word);
      const verdict = decideFile(
        { tool: onlyRead ? 'Read' : 'Edit', verb: onlyRead ? 'read' : 'write', path, isFile: false },
        { ...policy, mode: 'acceptEdits' },
        wild,
      );
      const namesOnly =
        isKnown && verdict.cause === 'secret' && use.names.includes(word) && inWorkspace(real, policy);
      if (verdict.behavior !== 'allow' && !namesOnly)
        return { reason: `${word}: ${withoutPeriod(verdict.reason)}` };
    }
    const blocking = [
      ...(recursive.test(name) ? (use?.trees ?? []) : []).map((tree) =>
        decideTree(tree, directory, name, policy),
      ),
      ...reachedByGit({ part, use, directory, isSpelled, isFirst, change }, policy),
    ].find(({ behavior }) => behavior !== 'allow');
    if (blocking !== undefined) return { reason: withoutPeriod(blocking.reason) };
    // The last word of these is the target of the copy.
    const from = /^(?:rsync|scp)$/.test(name) ? openWords(part, isSpelled, part.argv.length - 1) : words;
    const shown =
      !isKnown && (recursive.test(name) || isCloudCopy(part)) ? foldersOf(from, directory, policy) : [];
    const isLeftOut = leftOut(part, (word) => policy.isDirectory(locate(word, directory, policy)));
    const open = shown.find((folder) => holdsSecrets(folder, policy, isLeftOut));
    if (open !== undefined) return { reason: `${open}, which contains secrets, or too many files to check` };
  }
  return undefined;
}

const isDevice = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|fd\/\d+)$/;

interface Word {
  readonly path: string;
  readonly wild: boolean;
}

const knownWords = (use: ReadOnlyUse): readonly Word[] =>
  [...use.contents, ...use.names, ...(use.trees ?? []).map(({ path }) => path)].map((path) => ({
    path,
    wild: true,
  }));

function openWords(
  part: CommandPart,
  isSpelled: (at: number) => boolean,
  end = part.argv.length,
): readonly Word[] {
  const text = textWords(part);
  return part.argv.slice(0, end).flatMap((word, at) => {
    if (at === 0 || word === null || text.has(at) || isSpelled(at)) return [];
    const raw = part.raw[at] ?? '';
    const wild = hasGlob(raw.replace(/'[^']*'|"[^"]*"|\\./g, ''));
    const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(word.replace(/^-[^=]*=/, '')) && !/file:/i.test(word);
    const paths = isUrl ? [] : [...pathsIn(word, raw), ...behindCluster(word)];
    return paths.map((path) => ({ path, wild: wild && hasGlob(path) }));
  });
}

/** Possible values attached to a cluster of options: `-aF/etc/passwd`. */
function behindCluster(word: string): readonly string[] {
  const letters = /^-[A-Za-z\d]{2,9}/.exec(word)?.[0].length ?? 0;
  return Array.from({ length: letters }, (_, at) => word.slice(at + 1)).filter((path) => path !== '');
}

function foldersOf(words: readonly Word[], directory: string, policy: Policy): readonly string[] {
  const named = words
    .map(({ path }) => locate(path, directory, policy))
    .filter((path) => policy.isDirectory(path));
  return named.length === 0 && !words.some(({ path }) => path.includes('/')) ? [] : named;
}

/** Maximum entries checked in one folder; with more the command needs approval. */
const MAX_ENTRIES = 4000;

/** By its name, or because of what is in it. */
const mayBeSecret = (path: string, policy: Policy): boolean =>
  isSensitive(path) || (mayHoldCredentials(path) && policy.holdsCredentials?.(path) === true);

/**
 * True if a folder contains files that may be secret, at any depth. Excludes the folders of git and package managers.
 */
function holdsSecrets(folder: string, policy: Policy, isLeftOut: (name: string) => boolean): boolean {
  let entriesRead = 0;
  const open = [folder];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const pattern of ['*', '.*']) {
      const entries = policy
        .expandGlob(join(directory, pattern))
        ?.filter((path) => !isLeftOut(basename(path)));
      if (entries === undefined) return true;
      entriesRead += entries.length;
      if (entriesRead > MAX_ENTRIES || entries.some((path) => mayBeSecret(path, policy))) return true;
      open.push(
        ...entries.filter(
          (path) =>
            !/\/(?:\.git|node_modules|\.|\.\.)$/.test(path) &&
            policy.realpath(path) === path &&
            policy.isDirectory(path),
        ),
      );
    }
  }
  return false;
}

const withoutPeriod = (sentence: string): string => sentence.replace(/\.$/, '');
