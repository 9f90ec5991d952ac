/**
 * What the user's own command does, by the built-in tables alone: no rule has to allow it, but project files that it
 * uses may be the model's work. It runs in the user's own environment, as in `userEnvironment.ts`.
 */

import { protectionOf } from '../files/fileDecision.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { readOptions } from '../options/readOptions.ts';
import type { Policy } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { Argument } from '../shell/argument.ts';
import { isHarmlessAssignment, isPlainVariable } from '../shell/assignments.ts';
import { filledByRead } from '../shell/grammar.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { everyDirectory, track, type Visit } from '../shell/workingDirectory.ts';
import { decideGit, decideVersionFiles } from './partDecision.ts';
import { editedPaths } from './plainEdits.ts';
import { comesFromProject, underItsName } from './programOrigin.ts';
import { isNoFile } from './treeDecision.ts';

/** The effect of one part of a command line, or of a redirection. All paths are absolute. */
export type CommandEffect =
  /** It starts no other program; at most it prints. `contents`: the files whose content it passes on; null = any. */
  | { readonly type: 'looks'; readonly contents: readonly string[] | null }
  /** It creates, fills or replaces these; null = known only at run time. */
  | { readonly type: 'writes'; readonly paths: readonly string[] | null }
  /**
   * It sets variables that may change what programs load. `names`: it sets only these, and only in the shell, so
   * programs inherit only those already in the environment.
   */
  | { readonly type: 'variables'; readonly names?: readonly string[] }
  | ProgramEffect;

/** A program that the tables do not list as one that starts no other. */
export interface ProgramEffect {
  readonly type: 'program';
  /** Without wrappers; null = known only at run time. */
  readonly words: readonly { readonly value: string | null; readonly source: string }[];
  /** Where it may run; null = unknown. */
  readonly folders: readonly string[] | null;
  /** True if the PATH, a link, or a version manager finds it in the project. */
  readonly isOfProject: boolean;
  /** The files among its words that can change only with approval. */
  readonly kept: readonly string[];
}

/** The effects of all parts; undefined if the command is not understood. */
export function effectsOf(
  command: string,
  cwd: string,
  policy: Policy,
): readonly CommandEffect[] | undefined {
  const parsed = policy.parseCommand(command);
  if (!parsed.ok) return undefined;
  const visits = track(parsed.parts, cwd, policy);
  const everywhere = everyDirectory(visits, cwd);
  const files = (paths: readonly (string | null)[]): readonly string[] | null =>
    everywhere === null || paths.some((path) => path === null || hasGlob(path))
      ? null
      : paths.flatMap((path) => everywhere.map((folder) => locate(path ?? '', folder, policy)));
  const real = (paths: readonly (string | null)[]): readonly (string | null)[] =>
    paths.filter((path) => path === null || !(isNoFile(path) || /^\/dev\/(?:stdout|stderr|tty)$/.test(path)));
  const [writes, reads] = [real(parsed.writes), real(parsed.reads)];
  return [
    ...visits.flatMap((visit) => effectsOfPart(visit, policy)),
    ...(writes.length > 0 ? [{ type: 'writes' as const, paths: files(writes) }] : []),
    ...(reads.length > 0 ? [{ type: 'looks' as const, contents: files(reads) }] : []),
  ];
}

function effectsOfPart(visit: Visit, policy: Policy): readonly CommandEffect[] {
  const part = underItsName(visit.part);
  const { directories } = visit;
  const isPlain =
    part.argv.length === 0
      ? part.envPrefix.every((set) => isPlainVariable(set.name) || isHarmlessAssignment(set))
      : hasSafeEnvironment(part);
  if (!isPlain)
    return [
      part.argv.length === 0
        ? { type: 'variables', names: part.envPrefix.map(({ name }) => name) }
        : { type: 'variables' },
    ];
  if (filledByRead(part.argv) !== undefined) return [looksAt([])];
  if (part.argv.length === 0 || part.argv[0] === 'cd') return [looksAt([])];
  const isOfProject = comesFromProject(visit, policy);
  const program: ProgramEffect = {
    type: 'program',
    words: part.argv.map((value, at) => ({ value, source: part.raw[at] ?? '' })),
    folders: directories,
    isOfProject,
    kept: keptFiles(visit, policy),
  };
  if (isOfProject) return [program];
  // The commands that it carries follow as parts of their own.
  if (part.carrier) return [looksAt([])];
  if (directories === null)
    return isPrinter(part.argv[0]) && readOnlyUse(withoutSecrets(part)) ? [looksAt([])] : [program];
  const at = (words: readonly string[]): readonly string[] =>
    words.flatMap((word) => directories.map((directory) => locate(word, directory, policy)));
  const use = readOnlyUse(withoutSecrets(part));
  if (use !== undefined) return staysQuiet(use, visit, policy) ? [looksAt(contentsOf(use, at))] : [program];
  const written = part.argv[0] === 'tee' ? filledByTee(part) : editedPaths(part, policy);
  if (written === undefined) return [program];
  const isTransfer = /^(?:cp|mv)$/.test(part.argv[0] ?? '');
  return [{ type: 'writes', paths: at(written) }, ...(isTransfer ? [looksAt(at(written))] : [])];
}

const looksAt = (contents: readonly string[] | null): CommandEffect => ({ type: 'looks', contents });

function keptFiles({ part, directories }: Visit, policy: Policy): readonly string[] {
  const executed = new Set(policy.executedFiles ?? []);
  const isKept = (path: string): boolean => {
    const real = policy.realpath(path);
    const protection = protectionOf(real, policy);
    return executed.has(real) || (protection !== undefined && protection.isBuilt !== true);
  };
  const words = part.argv.filter((word) => word !== null && word !== '' && !word.startsWith('-'));
  return (directories ?? []).flatMap((directory) =>
    words.map((word) => locate(word ?? '', directory, policy)).filter(isKept),
  );
}

const isPrinter = (name: string | null | undefined): boolean =>
  /^(?:echo|printf|:|true|false)$/.test(name ?? '');

/**
 * What the user's own command prints may be secret. Words that become several only print more; `basename` and `dirname`
 * may print any of their words.
 */
function withoutSecrets(part: CommandPart): CommandPart {
  const [name] = part.argv;
  const cutsNames = name === 'basename' || name === 'dirname';
  const known = (one: Argument): Argument => {
    if (one.type !== 'secret' && one.type !== 'output') return one;
    if (cutsNames && !one.loose) return { type: 'text', text: 'name' };
    return { type: 'output', loose: one.loose && !isPrinter(name) };
  };
  return { ...part, runs: part.runs?.map((run) => run.map(known)) ?? null };
}

/** True if git and version managers start no program of the project for it, and git fetches nothing. */
function staysQuiet(use: ReadOnlyUse, { part, directories }: Visit, policy: Policy): boolean {
  const places = directories ?? [];
  const repositories = places.flatMap((directory) =>
    (use.repositories ?? []).map((place) => locate(place, directory, policy)),
  );
  return (
    decideGit({ ...use, showsAddresses: false }, places, part.text, policy) === undefined &&
    decideVersionFiles(use, part, places, policy) === undefined &&
    !repositories.some(policy.gitFetches)
  );
}

function contentsOf(
  use: ReadOnlyUse,
  at: (words: readonly string[]) => readonly string[],
): readonly string[] | null {
  const { contents, trees = [], tracked = [], shown = [], repositories = [] } = use;
  const isOpen =
    tracked.length > 0 ||
    shown.length > 0 ||
    // Commit messages are text too.
    repositories.length > 0 ||
    [...contents, ...trees.map(({ path }) => path)].some(hasGlob);
  return isOpen
    ? null
    : at([...contents, ...trees.filter((tree) => !tree.namesOnly).map(({ path }) => path)]);
}

function filledByTee({ argv, runs }: CommandPart): readonly string[] | undefined {
  const read = readOptions(argv.slice(1), { flags: 'ai', long: ['--append', '--ignore-interrupts'] });
  const files = read?.operands.filter((word) => word !== null && !hasGlob(word)) as string[] | undefined;
  return runs === null || files?.length !== read?.operands.length ? undefined : files;
}
