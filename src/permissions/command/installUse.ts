/**
 * Decides whether a command may write to dependencies that share their files with other projects (hard links): only if
 * it consists of package manager installs, which replace files, and of programs that write nothing. If it installs only
 * what the project lists, its packages do not count as a change, either. Errs on the side of no.
 */
import { resolve } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { ParsedCommand } from '../shell/parsedCommand.ts';
import { track, type Visit } from '../shell/workingDirectory.ts';
import { isOrdinaryFile, isOutput, isSameName, partUse } from './git/gitUse.ts';
import { comesFromProject, underItsName } from './programOrigin.ts';

/** Pure, except for the lookups of the policy. */
export function installsOnly(parsed: ParsedCommand, cwd: string, policy: Policy): boolean {
  const use = installUseOf(parsed, cwd, policy);
  return use === 'only' || use === 'harmless';
}

/**
 * True if it does nothing but install what files of the project list that git knows: no package of its own, which would
 * be code that the user has not seen. Pure, except for the lookups of the policy.
 */
export function installsListed(parsed: ParsedCommand, cwd: string, policy: Policy): boolean {
  return (
    parsed.ok &&
    installsOnly(parsed, cwd, policy) &&
    parsed.writes.every((path) => path !== null && isOutput(path)) &&
    track(parsed.parts, cwd, policy).every((visit) => !installs(visit, policy) || isListed(visit, policy))
  );
}

/**
 * `only`: it installs, and the rest of it writes no dependencies; `mixed`: the rest may. `harmless`: it does not install,
 * and writes none; `other`: it may. Pure, except for the lookups of the policy.
 */
export function installUseOf(
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): 'only' | 'mixed' | 'harmless' | 'other' {
  if (!parsed.ok) return 'other';
  const visits = track(parsed.parts, cwd, policy);
  const isInstalling = visits.some((visit) => installs(visit, policy));
  const written = parsed.writes.filter((path) => path === null || !isOutput(path));
  const isHarmless =
    visits.every((visit) => partUse(visit, policy) === 'nothing' || installs(visit, policy)) &&
    written.every(
      (path) => isOrdinaryFile(path, visits, policy) && !/node_modules|site-packages/.test(path ?? ''),
    );
  if (isInstalling) return isHarmless ? 'only' : 'mixed';
  return isHarmless ? 'harmless' : 'other';
}

const node =
  'install|i|add|ci|uninstall|un|remove|rm|update|up|upgrade|dedupe|prune|rebuild|rb|link|unlink|audit';
/** The subcommands of each package manager that change dependencies and run no command from their words. */
const subcommands: Readonly<Record<string, RegExp>> = {
  npm: words(`${node}|r|in|ln|clean-install`),
  pnpm: words(`${node}|ln|import|fetch`),
  // Any other word may be a script of the project. Without one, Yarn installs.
  yarn: words('install|add|remove|up|upgrade|dedupe|link|unlink|'),
  bun: words('install|i|ci|add|a|remove|rm|update|link|unlink'),
  uv: words('sync|add|remove|lock|venv|pip'),
  pip: words('install|uninstall'),
  pip3: words('install|uninstall'),
  poetry: words('install|add|remove|update|sync|lock'),
};

function words(list: string): RegExp {
  return new RegExp(`^(?:${list})$`);
}

/** Options whose value is the next word. */
const withValue = /^(?:-C|-F|--filter|--prefix|--dir|--cwd|--directory|--project)$/;

function installs(visit: Visit, policy: Policy): boolean {
  const part = underItsName(visit.part);
  const [name, ...args] = part.argv;
  if (name == null || part.runs === null || !hasSafeEnvironment(part)) return false;
  const isKnown = part.runs.every(([first]) => first?.type === 'text' && isSameName(first.text, name));
  if (!isKnown || comesFromProject({ ...visit, part }, policy)) return false;
  // `python -m pip install`
  const isModule = /^python[\d.]*$/.test(name) && args[0] === '-m' && args[1] === 'pip';
  const pattern = isModule
    ? subcommands.pip
    : Object.hasOwn(subcommands, name)
      ? subcommands[name]
      : undefined;
  return pattern?.test(subcommandIn(isModule ? args.slice(2) : args) ?? '-') === true;
}

/** The first word that is not an option; empty if there is none, undefined if it is known only to the shell. */
function subcommandIn(args: readonly (string | null)[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word == null) return undefined;
    if (withValue.test(word)) at += 1;
    else if (!word.startsWith('-')) return word;
  }
  return '';
}

interface InstallRow {
  readonly manifest: string;
  readonly pattern: RegExp;
  /** Options whose value may be the next word: the name of a group or a level. */
  readonly valued: RegExp;
}

/** Matches no word. */
const NONE = /^(?!)/;
const ofNode = /^--(?:omit|include|loglevel)$/;

/** Commands that, without operands, install what a manifest or its lock file lists. */
const listed: Readonly<Record<string, InstallRow>> = {
  npm: { manifest: 'package.json', pattern: words('ci|clean-install|install|i'), valued: ofNode },
  pnpm: { manifest: 'package.json', pattern: words('install|i'), valued: /^--loglevel$/ },
  yarn: { manifest: 'package.json', pattern: words('install|'), valued: NONE },
  bun: { manifest: 'package.json', pattern: words('install|i|ci'), valued: NONE },
  uv: { manifest: 'pyproject.toml', pattern: words('sync|venv'), valued: /^--(?:extra|group)$/ },
  poetry: { manifest: 'pyproject.toml', pattern: words('install|sync'), valued: /^--(?:only|with|without)$/ },
};

/** Options that, in each of these programs, neither name a file or package nor lead elsewhere. */
const plain =
  /^(?:-q|--(?:all-(?:extras|groups|packages)|check-cache|(?:no-)?color|dev|disable-pip-version-check|exact|force|frozen|(?:no-)?frozen-lockfile|ignore-scripts|immutable|immutable-cache|inexact|legacy-peer-deps|locked|no-(?:ansi|audit|cache-dir|deps|dev|fund|input|install-project|interaction|optional|progress|root|save)|non-interactive|offline|prefer-offline|prod|production|quiet|require-hashes|silent|sync|upgrade|verbose))$/;
/** The same with the name of a group or a level as their value. */
const grouped = /^--(?:omit|include|extra|group|only|with|without|loglevel)=[\w,.-]+$/;

function isListed({ part, directories }: Visit, policy: Policy): boolean {
  const [name = '', ...args] = underItsName(part).argv;
  const row = name !== null && Object.hasOwn(listed, name) ? listed[name] : undefined;
  const found = wordsOf(args, row?.valued ?? NONE);
  if (name === null || found === undefined || directories === null) return false;
  const { operands, requirements } = found;
  const [first = '', ...rest] = operands;
  const isPip = /^pip3?$/.test(name) && operands.join(' ') === 'install';
  const isUvPip = name === 'uv' && operands.join(' ') === 'pip install';
  const files = isPip || isUvPip ? requirements : [];
  if (row?.pattern.test(first) === true && rest.length === 0 && requirements.length === 0)
    files.push(row.manifest);
  return (
    files.length > 0 &&
    directories.every((directory) => files.every((file) => isOfProject(resolve(directory, file), policy)))
  );
}

/** Undefined if they contain another option, or a word that only the shell knows. */
function wordsOf(args: readonly (string | null)[], valued: RegExp) {
  const operands: string[] = [];
  const requirements: string[] = [];
  const left = [...args];
  while (left.length > 0) {
    const word = left.shift();
    if (word == null) return undefined;
    if (!word.startsWith('-')) operands.push(word);
    else if (/^(?:-r|--requirement)$/.test(word)) {
      const file = left.shift();
      if (file == null) return undefined;
      requirements.push(file);
    } else if (valued.test(word)) {
      if (!/^\w[\w,.-]*$/.test(left.shift() ?? '')) return undefined;
    } else if (!plain.test(word) && !grouped.test(word)) return undefined;
  }
  return { operands, requirements };
}

/** True if git knows the file, so that changes of it count, or if there is no repository, so that all changes count. */
function isOfProject(file: string, policy: Policy): boolean {
  const path = policy.realpath(file);
  return workspaceFolders(policy).some((folder) => {
    if (!isInside(path, policy.realpath(folder))) return false;
    return policy.repositoryTop(folder) === undefined || policy.trackedFiles(folder)?.includes(path) === true;
  });
}
