/** Determines which words of a command may name files, and which are only text. */
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import type { Policy } from '../policy.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

/**
 * Every path that a command's words may contain: the word itself, or the part after `=`, `:`, `@`, or an option letter;
 * each with whether the shell would expand it as a pattern.
 */
export function possibleWords(
  part: CommandPart,
): readonly { readonly path: string; readonly wild: boolean }[] {
  const found = new Map<string, { path: string; wild: boolean }>();
  for (const [index, word] of part.argv.entries()) {
    const raw = part.raw[index] ?? '';
    const isWild = hasGlob(raw.replace(/'[^']*'|"[^"]*"|\\./g, ''));
    for (const path of pathsIn(word, raw)) {
      const wild = isWild && hasGlob(path);
      found.set(`${wild}${path}`, { path, wild });
    }
  }
  return [...found.values()];
}

/** The same for one word; for an unknown word, taken from its source text. */
export function pathsIn(word: string | null, raw: string): readonly string[] {
  const text = word ?? raw.replace(/["'\\]/g, '');
  const candidates = [text];
  for (const mark of ['=', ':', '@', ',']) {
    const at = text.indexOf(mark);
    if (at !== -1) candidates.push(text.slice(at + 1), text.slice(text.lastIndexOf(mark) + 1));
  }
  const glued = /^-[A-Za-z](.+)$/.exec(text)?.[1];
  if (glued !== undefined) candidates.push(glued);
  // Each alternative of `{.env,x}` is a separate word.
  if (word === null) candidates.push(...text.split(/[{},]/));
  return [...new Set(candidates)].filter((path) => path !== '' && path.length < 4096);
}

/** The values that a word may give to an option in it: after `name=`, and after each letter of `-qc'git push'`. */
export function attachedValues(word: string): readonly string[] {
  const named = /^(?:-{0,2}[\w.-]+=)+(?=.)/s.exec(word)?.[0];
  const [, letters = ''] = /^[-+]([A-Za-z]+)/.exec(word) ?? [];
  const glued = [...letters].map((_, index) => word.slice(index + 2)).filter((text) => text !== '');
  return [...(named === undefined ? [] : [word.slice(named.length)]), ...glued];
}

/** An option whose next word is always text, with the subcommands in which it is. */
interface TextOption {
  readonly within: RegExp;
  readonly option: RegExp;
}

/** git-commit(1), git-tag(1), git-merge(1), git-log(1); cli.github.com/manual. */
const options: Readonly<Record<string, readonly TextOption[]>> = {
  git: [
    { within: /^(?:commit|tag|merge|stash|notes)$/, option: /^(?:-[aesnqv]*m|--message)$/ },
    { within: /^(?:log|shortlog|rev-list)$/, option: /^--(?:grep|author)$/ },
    { within: /^(?:log|diff|show)$/, option: /^-[SG]$/ },
  ],
  gh: [{ within: /^(?:pr|issue|release)$/, option: /^--(?:title|body|notes)$/ }],
  // Excluded files are not read: tar(1), rsync(1).
  tar: [{ within: /./, option: /^--exclude$/ }],
  rsync: [{ within: /./, option: /^--exclude$/ }],
};

/** The same with the text in the option's own word. */
const glued: Readonly<Record<string, RegExp>> = {
  git: /^(?:--(?:message|grep|author|date|format|pretty)=|-[aesnqv]*m\w[^\s=]*\s)/,
  gh: /^--(?:title|body|notes)=/,
  tar: /^--exclude=/,
  rsync: /^--exclude=/,
};

/**
 * Returns whether tar or rsync excludes files of a name in every folder. Considers only patterns without a slash, and
 * for tar only those before the files.
 */
export function leftOut(
  { argv }: CommandPart,
  isFolder: (word: string) => boolean,
): (name: string) => boolean {
  const program = programName(argv[0]);
  const isTar = program === 'tar';
  const patterns: RegExp[] = [];
  const isNone = (): boolean => false;
  if (!isTar && program !== 'rsync') return isNone;
  // These options change the meaning of patterns, or include again what another one has excluded.
  if (
    argv.some((word) => word === null || /^--(?:include|anchored|(?:no-)?wildcards|ignore-case)/.test(word))
  )
    return isNone;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--' || (isTar && !word.startsWith('-') && isFolder(word))) break;
    const pattern = word === '--exclude' ? argv[++at] : /^--exclude=(.*)$/s.exec(word)?.[1];
    if (pattern == null || /^[\w./*-]*\/[\w./*-]*$/.test(pattern)) continue;
    // In rsync patterns `! ` and `+ x` include files again.
    if (!/^[\w.*?@%-]+$/.test(pattern)) return isNone;
    const text = pattern.replaceAll('.', '\\.').replace(/\*+/g, '.*').replaceAll('?', '.');
    patterns.push(new RegExp(`^${text}$`, 's'));
  }
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/**
 * The indexes of words that are only text: messages, titles, printed words. A word known only to the shell is included
 * if quotes keep it a single word.
 */
export function textWords(part: CommandPart): ReadonlySet<number> {
  const name = programName(part.argv[0]);
  const own = (options[name] ?? []).filter(({ within }) =>
    within.test(part.argv[subcommandAt(part.argv)] ?? ''),
  );
  const found = new Set<number>();
  for (const [at, word] of part.argv.entries()) {
    const before = part.argv[at - 1];
    const raw = part.raw[at] ?? '';
    if (at === 0 || (word === null && !isOneWord(raw))) continue;
    if (name === 'echo' || (name === 'printf' && at > 1)) found.add(at);
    else if (glued[name]?.test(word ?? raw)) found.add(at);
    else if (before != null && own.some(({ option }) => option.test(before))) found.add(at);
  }
  return found;
}

const isOneWord = (raw: string): boolean => /^[\w=-]*"[\s\S]*"$/.test(raw);

/** Options of test runners and the like whose value is text. */
const namesTests =
  /^(?:-t|-k|-m|-g|-run|--testNamePattern|--test-name-pattern|--grep|--filter|--message|--title|--body|--description)$/;
const testRunner =
  /^(?:vitest|jest|mocha|ava|tap|playwright|cypress|pytest|rspec|phpunit|nextest|jasmine|karma|wdio)$/;

/** True if a word is the value of an option that takes text in most programs. */
export const isTextValue = (words: readonly (string | null)[], at: number): boolean =>
  namesTests.test(words[at - 1] ?? '') && !/^--?\w/.test(words[at] ?? '');

/** True for the name of tests that a wrapper passes on to a test runner: `npx vitest -t 'git push'`. */
export const isTestName = (words: readonly (string | null)[], at: number): boolean =>
  isTextValue(words, at) && words.slice(0, at).some((word) => testRunner.test(programName(word)));

/** The folder in which git works, with its subcommand at an index: each `-C` leads on from the one before. Undefined if unknown. */
export function gitPlaceOf(
  part: CommandPart,
  at: number,
  directory: string,
  policy: Policy,
): string | undefined {
  let place = directory;
  for (let index = 1; index < at; index += 1) {
    if (part.argv[index] !== '-C') continue;
    const word = part.argv[index + 1];
    const isHere = /^"?\$(?:PWD|\{PWD\}|\(pwd\))"?$/.test(part.raw[index + 1] ?? '');
    if (word == null && !isHere) return undefined;
    place = word == null ? directory : locate(word, place, policy);
  }
  return place;
}

/** At most 80 characters on one line, for a reason. */
export function shortText(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
