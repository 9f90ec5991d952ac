/** Finds the files that a command names, for deny and ask rules about files. */

import { locate } from '../files/locate.ts';
import { programName } from '../options/programTable.ts';
import { isRunner, takesCode } from '../options/runnerNames.ts';
import { senderOf } from '../options/senders.ts';
import { readsInputAsData, startsFromInput } from '../options/standardInput.ts';
import type { Policy } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import { addedFiles } from '../rules/gitAdds.ts';
import {
  addedBefore,
  afterChange,
  changesBefore,
  followsGit,
  type GitChange,
  showsContent,
  unchanged,
} from '../rules/gitChanges.ts';
import { shownByGit } from '../rules/gitScope.ts';
import { namesTool, parseRule, type SourcedRule } from '../rules/rules.ts';
import type { CommandPart, ParsedCommand } from '../shell/parsedCommand.ts';
import { everyDirectory, track } from '../shell/workingDirectory.ts';
import { withGitPatterns } from './git/gitPatterns.ts';
import { mountsOf } from './mounts.ts';
import { pathsInCode, pathsInScripts, pathsWithin, readsPaths, withoutNames } from './pathsInWords.ts';
import { aroundEach } from './plainEdits.ts';
import { pathsInText } from './textPaths.ts';
import { covers, mayWriteForbidden, reachesInto } from './unnamedWrites.ts';
import { pathsIn, possibleWords, textWords } from './words.ts';

interface NamedPath {
  /** Absolute; may contain shell wildcards. */
  readonly path: string;
  readonly verb: 'read' | 'write';
  /** The shell expands its wildcards. */
  readonly ofShell?: boolean;
  /** True for the target of a redirection, which is certainly a file. */
  readonly isFile?: boolean;
}

/** Every path that a command names or may name. For a command that was not understood, every word of its text. */
export function* namedPaths(
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): Generator<NamedPath> {
  if (!parsed.ok) {
    const isReadOnly = (segment: string): boolean => {
      const alone = policy.parseCommand(segment);
      return alone.ok && alone.parts.every((part) => readOnlyUse(part) !== undefined);
    };
    for (const { word, verb } of pathsInText(command, isReadOnly))
      yield { path: locate(word, cwd, policy), verb };
    return;
  }
  const visits = track(parsed.parts, cwd, policy);
  for (const { part, directories } of visits) {
    const verb = readOnlyUse(part) === undefined ? 'write' : 'read';
    for (const directory of directories ?? [cwd]) {
      const script = part.hasInput ? scriptOf(part, command) : '';
      for (const word of [...knownPaths(part), ...pathsWithin(part), ...pathsInCode(script)])
        yield { path: locate(word, directory, policy), verb };
      // What such a script writes is found when it is checked as a command, except for a database:
      // `sqlite3 x '.output y'`.
      const inScripts = databases.test(programName(part.argv[0])) ? 'write' : 'read';
      for (const word of pathsInScripts(part))
        yield { path: locate(word, directory, policy), verb: inScripts };
      for (const { path, wild } of possibleWords(withoutNames(part)))
        yield { path: locate(path, directory, policy), verb, ofShell: wild };
    }
  }
  for (const [verb, targets] of [
    ['write', parsed.writes],
    ['read', parsed.reads],
  ] as const)
    for (const directory of everyDirectory(visits, cwd) ?? [cwd])
      for (const target of targets)
        if (target !== null) yield { path: locate(target, directory, policy), verb, isFile: true };
}

/** What a program may read as a script that names files; the whole command if that is its input, but not known. */
function scriptOf(part: CommandPart, command: string): string {
  if (readsPaths(part)) return part.inputText ?? command;
  return readsInputAsData(part.argv) ? '' : (part.inputText ?? '');
}

/** Paths in words whose value is known because the command itself sets their variables or spells them with braces. */
function knownPaths(part: CommandPart): readonly string[] {
  if (!part.argv.includes(null)) return [];
  const texts = (part.runs ?? []).flatMap((run) =>
    run.flatMap((one) => (one.type === 'text' ? [one.text] : [])),
  );
  return [...new Set(texts)].flatMap((text) => pathsIn(text, text));
}

const databases = /^(?:sqlite3?|duckdb|psql|mysql|mariadb)$/;

/** Programs whose arguments are not files. */
const withoutFiles =
  /^(?:echo|printf|true|false|:|exit|sleep|kill|export|declare|local|unset|set|shift|return|break|continue|read|wait|date|seq|expr|basename|dirname|test|\[|\[\[)$/;
/** Programs that search, copy, link, pack or serve everything in a folder. */
const traversing = new Set(
  `grep egrep fgrep zgrep rg ag ack ugrep diff colordiff cp mv ln rsync scp tar bsdtar gtar star zip 7z 7za 7zr 7zz rar
  zpaq lha arj jar cpio bsdcpio pax ditto gzip pigz zstd xz bzip2 mksquashfs genisoimage mkisofs xorrisofs rclone restic
  borg duplicity unison http-server`.split(/\s+/),
);

/** True for programs that show, copy or link everything in a folder. */
export const traverses = (name: string): boolean => traversing.has(name);

/** Behind a wrapper such as `sudo`, the program can be any word. */
const sent = (argv: CommandPart['argv']): ReturnType<typeof senderOf> =>
  isRunner(programName(argv[0]))
    ? argv.map((_, at) => senderOf(argv.slice(at))).find((found) => found !== undefined)
    : senderOf(argv);

/** True for a call of such a program, or of a module of Python that packs or serves a folder. */
export const packs = ({ argv }: CommandPart): boolean =>
  traverses(programName(argv[0])) ||
  sent(argv) !== undefined ||
  (/^(?:python|pypy)[\d.]*$/.test(programName(argv[0])) &&
    /^(?:zipfile|tarfile|zipapp|http\.server)$/.test(argv[argv.indexOf('-m') + 1] ?? ''));

/**
 * A rule about files that a command may violate through a name known only to the shell, or by traversing a folder; with
 * the part of the command that may do so.
 */
export function mayNameForbidden(
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  rules: readonly SourcedRule[],
  policy: Policy,
): { readonly rule: SourcedRule; readonly text: string } | undefined {
  const [first] = rules.filter(isAboutFiles);
  const reading = rules.filter(isAboutReading);
  if (first === undefined) return undefined;
  // It may enter folders, quote or build names, and start programs that are not visible here.
  if (!parsed.ok) return { rule: first, text: command };
  if ([...parsed.writes, ...parsed.reads].includes(null)) return { rule: first, text: command };
  const visits = track(parsed.parts, cwd, policy);
  const changes = changesBefore(visits, parsed.writes, policy);
  const around = reading.length === 0 ? [] : aroundEach(visits, parsed.writes, policy);
  for (const [index, visit] of visits.entries()) {
    const { part, directories } = visit;
    const change = changes[index] ?? unchanged;
    if (part.carrier || withoutFiles.test(programName(part.argv[0]))) continue;
    if (
      namesUnknown(part) ||
      takesNames(part) ||
      readsScript(part) ||
      (directories === null && part.argv.length > 1)
    )
      return { rule: first, text: part.text };
    const known = readOnlyUse(part);
    const use = known && withGitPatterns(known, visit, around[index]?.named ?? null, policy);
    const inGit = forbiddenInGit(part, use, directories ?? [cwd], change, reading, policy);
    if (inGit) return { rule: inGit, text: part.text };
    const written = mayWriteForbidden(part, directories ?? [cwd], followsGit(change), rules, policy);
    if (written) return { rule: written, text: part.text };
    const mounted = mountsOf(part);
    const isListed = policy.listsSearched === true && (known?.trees?.length ?? 0) > 0;
    const isTraversing = !isListed && (packs(part) || readsFound(part));
    const folders = (directories ?? [cwd]).flatMap((directory) => [
      ...(isTraversing ? foldersOf(part, directory, policy) : []),
      ...mounted.map(({ source }) => locate(source, directory, policy)),
    ]);
    const rule = reading.find((one) => folders.some((folder) => reachesInto(one, folder, policy)));
    if (rule) return { rule, text: part.text };
  }
  return undefined;
}

/** A rule that forbids reading a file which git shows or copies without naming it; the first one if that is unknown. */
function forbiddenInGit(
  part: CommandPart,
  known: ReadOnlyUse | undefined,
  directories: readonly string[],
  change: GitChange,
  about: readonly SourcedRule[],
  policy: Policy,
): SourcedRule | undefined {
  if (programName(part.argv[0]) !== 'git') return undefined;
  for (const directory of about.length === 0 ? [] : directories) {
    const use = known && afterChange(known, change, [directory], policy);
    const shown = shownByGit(part, use, directory, change, policy);
    const isAdded = shown?.length !== 0 || (known !== undefined && showsContent(known));
    const before = isAdded ? addedBefore(change, directory, policy) : [];
    const added = addedFiles(part, directory, policy);
    if (shown === undefined || before === undefined || added === undefined) return about[0];
    const files = [...shown, ...before, ...added];
    const rule = about.find((one) => files.some((path) => covers(one, path, policy)));
    if (rule) return rule;
  }
  return undefined;
}

function isAboutReading(rule: SourcedRule): boolean {
  const parsed = parseRule(rule.text);
  return isAboutFiles(rule) && !('error' in parsed) && namesTool(parsed.tool, 'Read');
}

/** `find -exec`, `fd -x` and `git grep --no-index` and `git diff --no-index` read what they find. */
export function readsFound({ argv }: CommandPart): boolean {
  const name = programName(argv[0]);
  const has = (option: RegExp): boolean => argv.some((word) => option.test(word ?? ''));
  if (name === 'find' || name === 'gfind') return has(/^-(?:exec|ok)(?:dir)?$/);
  if (name === 'fd' || name === 'fdfind') return has(/^-[a-zA-Z]*[xX]|^--exec/);
  return name === 'git' && ((argv.includes('grep') && has(/^--(?:no-in|untr)/)) || comparesFolders(argv));
}

const comparesFolders = (argv: CommandPart['argv']): boolean =>
  argv.includes('diff') && argv.some((word) => word?.startsWith('--no-in'));

function isAboutFiles({ text }: SourcedRule): boolean {
  const parsed = parseRule(text);
  return (
    !('error' in parsed) &&
    /^(?:Read|Edit|Write|MultiEdit|NotebookEdit)$/.test(parsed.tool) &&
    parsed.spec !== undefined
  );
}

/** True if a file may be named by a word known only to the shell. */
export function namesUnknown(part: CommandPart): boolean {
  const text = textWords(part);
  return part.argv.some((word, at) => word === null && at > 0 && !text.has(at));
}

/** Programs that add what they read to the words of a command, or that read the names of files: xargs(1), cpio(1). */
const addsNames = /^(?:g?xargs|parallel|sem|cpio|pax)$/;

/** `-T`, `--files-from`, and `cT` without a dash as the first word: tar(1). */
const listOfTar = /^\w+ -[A-Za-z]*T|^\w+ --f|^true [A-Za-z]*T/;

/** True for a shell, or a program that starts others, whose script is its input; code of interpreters is searched. */
const readsScript = ({ argv, hasInput }: CommandPart): boolean =>
  hasInput && !takesCode(programName(argv[0])) && startsFromInput(argv);

/**
 * True if names of files come from the input or from a list: `xargs -0 cat`, `tar -T list`, `sort --files0-from=-`,
 * `curl -K settings`.
 */
export function takesNames({ argv }: CommandPart): boolean {
  const name = programName(argv[0]);
  // Behind a wrapper that was not understood, the program can be any word.
  const programs = isRunner(name) ? argv : argv.slice(0, 1);
  if (programs.some((word) => addsNames.test(programName(word)))) return true;
  if (/^(?:bsd|g)?tar$/.test(name) && argv.some((word, at) => listOfTar.test(`${at === 1} ${word ?? ''}`)))
    return true;
  if (name === 'curl' && argv.some((word) => /^(?:-[a-zA-Z#]*K|--config)/.test(word ?? ''))) return true;
  if (/^(?:zip|7z\w*)$/.test(name) && argv.some((word) => /^-?@/.test(word ?? ''))) return true;
  return argv.some((word) => /^--?files(?:0|-from)/.test(word ?? ''));
}

/** The folders that a search or a copy traverses; without operands, `rg` and the like search the current one. */
export function foldersOf(part: CommandPart, directory: string, policy: Policy): readonly string[] {
  const operands = part.argv.slice(1).filter((word) => word !== null && !word.startsWith('-'));
  const sender = sent(part.argv);
  const values = sender === undefined ? [] : part.argv.slice(1).flatMap((word) => valuesIn(word ?? ''));
  const folders = [...operands, ...values]
    .map((word) => locate(word ?? '.', directory, policy))
    .filter((path) => policy.isDirectory(path));
  const name = programName(part.argv[0]);
  const isRecursive = part.argv.some((word) => /^-(?:[^-]*[rR]|-(?:dereference-)?rec)/.test(word ?? ''));
  if (name === 'git' && comparesFolders(part.argv)) return folders;
  if (readsFound(part)) return operands.includes('.') || folders.length > 0 ? folders : [directory];
  const isServer = /server$/.test(name) || part.argv.includes('http.server');
  const isOpen =
    ((/^(?:rg|ag|ack|ugrep)$/.test(name) || isRecursive) && operands.length < 2) ||
    ((isServer || sender?.takesCurrent === true) && folders.length === 0);
  return isOpen ? [...folders, directory] : folders;
}

/** What may be a folder in `--from-file=key=.`, `--build-context a=..`, `-f.` and `type=local,src=.`. */
const valuesIn = (word: string): readonly string[] => [
  ...word.split(/[=,]/).slice(1),
  ...(/^-[A-Za-z]./.test(word) ? [word.slice(2)] : []),
];
