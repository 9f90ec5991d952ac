/**
 * Tells from the words of a command in the settings whether it runs code of the workspace, which the model may have
 * written. A command that is not understood counts as doing so. Looks at files, but starts nothing.
 */
import { isAbsolute, relative, resolve } from 'node:path';
import { readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { programName } from '../../permissions/options/programTable.ts';
import { isCarrier, isInterpreter, isPlainShell, isRunner } from '../../permissions/options/runnerNames.ts';
import { unwrap } from '../../permissions/shell/wrappers.ts';

/**
 * `none`: programs outside the workspace that load nothing from it. `script`: also files that the command names and
 * that load nothing else as a module; they are among the `executedFiles`, which do not change without approval.
 * `workspace`: whatever the project configures, imports or builds.
 */
export type CodeRun = 'none' | 'script' | 'workspace';

/** One simple command: its text, and the values of its words; null = known only at run time. */
export interface CommandWords {
  readonly text: string;
  readonly words: readonly (string | null)[];
}

export interface CodePlace {
  /** The folders of the workspace, links resolved. */
  readonly workspace: readonly string[];
  /** Where the command starts. */
  readonly cwd: string;
}

/** `parts`: all simple commands of the command line; undefined if it could not be read. */
export function codeRunBy(parts: readonly CommandWords[] | undefined, place: CodePlace): CodeRun {
  if (parts === undefined) return 'workspace';
  const runs = parts.map((part) => codeOfPart(part, place));
  return runs.find((run) => run === 'workspace') ?? runs.find((run) => run === 'script') ?? 'none';
}

/**
 * Programs that only use their arguments as data, text or a script that the command itself contains. `git` and filters
 * have conditions of their own.
 */
const harmless = new Set(
  `notify-send terminal-notifier growlnotify say espeak aplay paplay pw-play ffplay canberra-gtk-play
  : [ [[ afplay basename cat cd chmod cksum clear cmp comm cp curl cut date declare df diff dirname du echo
  exit expr export false fold head hostname id jq kill local ln logger ls md5sum mkdir mktemp mv nl nproc od
  paste pgrep printf ps pwd read readlink realpath return rm rmdir sed seq set sha256sum shasum shift sleep sort
  stat stty sync tac tail tee test touch tput tr true tty type typeset uname uniq unset uptime wait wc wget which
  whoami xmllint yq awk gawk mawk grep egrep fgrep rg osascript pbcopy xclip wl-copy`.split(/\s+/),
);

/** Filters whose script may also be a file, or that start a program named by an option. */
const scriptOption = /^(?:-[a-zA-Z]*f|--file|--from-file|--pre|--hostname-bin|--compress-program)(?:=|$)/;
const takesScript = /^(?:sed|awk|gawk|mawk|rg|sort)$/;

/** Subcommands of git that start neither hooks nor drivers. */
const plainGit = /^(?:branch|config|describe|remote|rev-list|rev-parse|symbolic-ref|tag|--version)$/;

/** Variables that decide what programs load or where they are found. */
const steering =
  /(?:^|\s)(?:export\s+|declare\s+(?:-\w+\s+)*)?[A-Z_]*(?:PATH|ENV|OPT|OPTIONS|PRELOAD|HOME|IFS|RC|LIB|LIBRARY|SHELL|STARTUP|CONFIG)[A-Z_]*\+?=/;

function codeOfPart({ text, words }: CommandWords, place: CodePlace): CodeRun {
  if (steering.test(text)) return 'workspace';
  if (words.length === 0) return 'none';
  const { argv } = unwrap({ argv: words, raw: words.map((word) => word ?? '') }).words;
  const [program, ...args] = argv;
  if (program == null) return 'workspace';
  const name = programName(program);
  if (program.includes('/')) {
    const path = resolve(place.cwd, program);
    if (isIn(path, place)) return isScript(path, place) ? 'script' : 'workspace';
    if (isPlainShell(name) || isInterpreter(name)) return codeOfInterpreter(name, args, place);
    if (isRunner(name) || isCarrier(name) || taskRunners.test(name)) return codeOfRunner(args, place);
    return args.some((word) => namesFile(word, place)) ? 'workspace' : 'none';
  }
  const isOneLiner = name === 'osascript' && args[0] === '-e';
  if (!isOneLiner && (isPlainShell(name) || isInterpreter(name))) return codeOfInterpreter(name, args, place);
  if (name === 'git') return args.some((word) => plainGit.test(word ?? '')) ? 'none' : 'workspace';
  if (harmless.has(name))
    return takesScript.test(name) && args.some((word) => scriptOption.test(word ?? ''))
      ? 'workspace'
      : 'none';
  return codeOfRunner(args, place);
}

/** Also recognised by path: wherever they are installed, they run what the current folder configures. */
const taskRunners =
  /^(?:npm|pnpm|yarn|yarnpkg|make|gmake|just|task|cargo|go|gradle|gradlew|mvn|rake|composer|bundle|poetry|uv|tox|nox|pytest|dotnet|bazel|nx|turbo|pre-commit|eslint|prettier|biome|tsc|jest|vitest|ruff|black|mypy)$/;

/** Runs what it finds around its working directory; a server of the user starts outside the workspace. */
function codeOfRunner(args: readonly (string | null)[], place: CodePlace): CodeRun {
  if (isIn(place.cwd, place)) return 'workspace';
  return args.some((word) => namesFile(word, place)) ? 'workspace' : 'none';
}

/** Options that do not change what is loaded. */
const plainOption = /^(?:-[eux]+|-eu?o|pipefail|-[uBIEsSO]+|--)$/;

function codeOfInterpreter(name: string, args: readonly (string | null)[], place: CodePlace): CodeRun {
  // The commands of `sh -c` follow as parts of their own.
  if (isPlainShell(name) && /^-[a-z]*c$/.test(args[0] ?? '')) return args[1] == null ? 'workspace' : 'none';
  const at = args.findIndex((word) => word === null || !plainOption.test(word));
  const script = args[at];
  if (script == null || script.startsWith('-')) return 'workspace';
  const path = resolve(place.cwd, script);
  if (!isAbsolute(script) && isIn(place.cwd, place) && !isIn(path, place)) return 'workspace';
  if (!isIn(path, place))
    return args.slice(at + 1).some((word) => namesFile(word, place)) ? 'workspace' : 'none';
  return (isPlainShell(name) && statOf(path)?.isFile() === true) || isKept(path, place)
    ? 'script'
    : 'workspace';
}

/** True if a word names something that is in the workspace; a word known only at run time is data. */
function namesFile(word: string | null, place: CodePlace): boolean {
  if (word === null || word === '') return false;
  const value = /^-[^=]*=(.*)$/.exec(word)?.[1] ?? word;
  const path = resolve(place.cwd, value);
  return isIn(path, place) && statOf(path) !== undefined;
}

function isIn(path: string, { workspace }: CodePlace): boolean {
  const real = realpath(path);
  return workspace.some((folder) => isInside(path, folder) || isInside(real, folder));
}

/** Folders in which no file changes without approval, so that what a script there imports from them does not either. */
const keptFolder = /(?:^|\/)\.(?:claude|clawdcode)\//;

function isKept(path: string, { workspace }: CodePlace): boolean {
  return workspace.some(
    (folder) =>
      isInside(path, folder) && keptFolder.test(relative(folder, path)) && statOf(path)?.isFile() === true,
  );
}

/** True for a shell script; others load modules from the folders around them. */
function isScript(path: string, place: CodePlace): boolean {
  return isKept(path, place) || /^#!\s*(?:\/\S*\/)(?:env\s+)?(?:ba|da|z|k)?sh\b/.test(beginningOf(path));
}

/** More than any script that is written by hand. */
const MAX_SCRIPT_BYTES = 1_000_000;

const beginningOf = (path: string): string =>
  readFileNow(path, MAX_SCRIPT_BYTES)?.subarray(0, 128).toString('latin1') ?? '';
