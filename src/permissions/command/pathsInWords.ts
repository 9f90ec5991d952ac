/** Finds the paths inside the words of a command: in scripts, code, queries and settings. Pure; errs on the side of too many. */
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import { runsItsInput } from '../options/standardInput.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { plainTexts, programsInVariables, scriptsIn } from './embeddedScripts.ts';

/** Maximum path length that systems support. */
const maxPathLength = 4096;

/**
 * The call without words that cannot be paths: the script of `npm run x:src`, what `find -name` compares names with,
 * what grep searches for.
 */
export function withoutNames(part: CommandPart): CommandPart {
  const name = programName(part.argv[0]);
  if (searches.test(name)) return withoutPattern(part);
  const before = /^(?:npm|pnpm|yarn|bun)$/.test(name)
    ? /^run(?:-script)?$/
    : /^g?find$/.test(name)
      ? /^-i?(?:name|regex)$/
      : undefined;
  if (before === undefined) return part;
  const isPath = (_: unknown, at: number): boolean => !before.test(part.argv[at - 1] ?? '');
  return { ...part, argv: part.argv.filter(isPath), raw: part.raw.filter(isPath) };
}

function withoutPattern(part: CommandPart): CommandPart {
  const { argv } = part;
  // With these, the first operand is a file; a word known only to the shell may be one of them.
  if (argv.some((word) => word === null || /^-[A-Za-z]*[efG]|^--(?:r|f|p|i)/.test(word))) return part;
  const pattern = argv.findIndex((word, at) => at > 0 && !word?.startsWith('-'));
  const isKept = (_: unknown, at: number): boolean => at !== pattern;
  return { ...part, argv: argv.filter(isKept), raw: part.raw.filter(isKept) };
}

/** Programs that read files which their input names: `#include "x"`. */
const includesFiles = /^(?:cpp|g?cc|[gc]\+\+|clang(?:\+\+)?|soelim|g?troff|groff|[a-z]*tex)$/;

/** True if a program's input may name files that it reads. */
export const readsPaths = ({ argv }: CommandPart): boolean =>
  runsItsInput(argv) || includesFiles.test(programName(argv[0]).replace(/-[\d.]+$/, ''));

/** Programs that search for one of their words, which may well be code. */
const searches = /^(?:[efz]?grep|rg|ag|ack|ugrep)$/;

/**
 * Paths inside words: in a script, a query or code (`open("x")`), before a colon (`docker run -v x:/y`), in a list of
 * settings (`--mount type=bind,source=x`, `curl -F 'f=@x;type=y'`). Any program may read what a word mentions, so only
 * words that are certainly text are left out.
 */
export function pathsWithin(part: CommandPart): readonly string[] {
  const text = plainTexts(part);
  const scripts = new Set(scriptWords(part));
  return part.argv.flatMap((word, at) => {
    if (at === 0 || word === null || text.has(at) || word.length > MAX_SCRIPT) return [];
    const before = /^(?:-[\w-]+=)?([^:]*\/[^:]*):/.exec(word)?.[1] ?? '';
    const pieces = holdsMore.test(word) && mayRead(part) && !scripts.has(word) ? pathsInCode(word) : [];
    const settings = word.split(/[,;]/).flatMap((one) => /=[@<]?([^=]+)$/s.exec(one)?.[1] ?? []);
    return [before, ...settings, ...pieces].filter(
      (path) => path !== '' && path !== word && path.length < maxPathLength,
    );
  });
}

/** Paths inside words, and inside values of variables, that may be run as commands. */
export const pathsInScripts = (part: CommandPart): readonly string[] =>
  [...scriptWords(part), ...programsInVariables(part)].flatMap((word) =>
    holdsMore.test(word) ? pathsInCode(word) : [],
  );

/** The words that may be scripts, in full. */
function scriptWords(part: CommandPart): readonly string[] {
  if (part.carrier) return [];
  const text = plainTexts(part);
  const found = new Set(scriptsIn({ argv: part.argv, full: part.argv }).map(({ at }) => at));
  return part.argv.flatMap((word, at) =>
    word !== null && word.length <= MAX_SCRIPT && found.has(at) && !text.has(at) ? [word] : [],
  );
}

/** The script of `bash -c` is checked as the commands it runs, and a search reads its operands as whole paths. */
function mayRead({ argv, carrier }: CommandPart): boolean {
  const isSearch =
    searches.test(programName(argv[0])) || (argv[0] === 'git' && argv[subcommandAt(argv)] === 'grep');
  return !carrier && !isSearch;
}

/** A word that is more than one path. */
const holdsMore = /["'`\s<>()]/;

/** The pieces of code that may be paths. */
export const pathsInCode = (code: string): readonly string[] =>
  code
    .split(/[\s"'`;&|<>(){}[\]=,:]+/)
    // `*` alone is an operator in most languages.
    .filter((path) => /[^*?]/.test(path) && path.length < maxPathLength);

/** Characters of a word that are searched. */
const MAX_SCRIPT = 20_000;
