/**
 * The grammar of sed scripts that only print, delete and replace. It excludes commands that run programs or name files
 * (`e`, `w`, `W`, `r`, `R`, and the flags `e` and `w` of `s`), and anything that GNU and BSD interpret differently.
 * Source: GNU sed manual, "sed scripts"; POSIX sed; sed(1) of FreeBSD.
 */
import { readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

/** Text up to a delimiter. Inside brackets some seds treat the delimiter as a character, so it is excluded there. */
const expression = (delimiter: string): string =>
  String.raw`(?:(?!${delimiter})[^\\\n[]|\\[^\n]|\[(?!\^?\])(?:(?!${delimiter})[^\][\\\n]|\\[^\]\n]|\[:\w+:\])*\])*${delimiter}`;
const text = (delimiter: string): string => String.raw`(?:(?!${delimiter})[^\\\n]|\\[^\n])*${delimiter}`;

const unbracketed = String.raw`(?:(?!\1)[^\\\n[]|\\[^\n])*`;
const insideBrackets = String.raw`(?:(?!\1)[^\][\\\n;{}#])*`;

const delimiters = String.raw`([/|#,@!:~+%=_])`;
const blanks = /[\t ]*/y;
const separators = /[\t\n ;]*/y;
const address = new RegExp(
  `(?:\\d+(?:~\\d+)?|\\$|/${expression('/')}[IM]*|\\\\${delimiters}${expression(String.raw`\1`)}[IM]*)`,
  'y',
);
const secondAddress = /[+~]\d+/y;
const substitution = new RegExp(
  String.raw`s${delimiters}${expression(String.raw`\1`)}${text(String.raw`\1`)}[gpiImM\d]*`,
  'y',
);
/**
 * The same with one delimiter inside brackets, as in `s/[^/]*$//`. A sed for which it ends the expression takes the
 * replacement as flags; since it begins with no valid flag, that sed rejects the script before doing anything.
 */
const bracketed = new RegExp(
  String.raw`s([/|,@!:~+%=_])${unbracketed}\[\^?${insideBrackets}\1${insideBrackets}\]${expression(String.raw`\1`)}(?:\1|(?![\sgpiImMeEwW\d;}#])${text(String.raw`\1`)})[gpiImM\d]*`,
  'y',
);
const transliteration = new RegExp(
  String.raw`y${delimiters}${text(String.raw`\1`)}${text(String.raw`\1`)}`,
  'y',
);
const plainCommand = /[=dDgGhHnNpPxz]|[lqQ](?:[\t ]*\d+)?/y;
const label = /:[\t ]*\w+/y;
const branch = /[btT](?:[\t ]*\w+)?/y;
/** `a text`, `a\text`, or `a\` and lines of text, all but the last of which end with a backslash. */
const insertion = /[aic](?:[\t ]+(?=[^\s\\])|\\\n|\\[\t ]*(?=[^\s\\]))(?:[^\\\n]|\\[^\\\n]|(?<!\\)\\\n)*/y;
const comment = /#[^\n]*/y;

/**
 * True if a script only prints its input or a transformation of it. Several `-e` are one script, joined with line
 * feeds.
 */
export function onlyPrints(script: string): boolean {
  if (/[^\P{Cc}\n\t]/u.test(script)) return false;
  let at = 0;
  let depth = 0;
  let hasLabels = false;
  let hasText = false;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const takeAddresses = (): boolean => {
    if (take(address) === undefined) return true;
    take(blanks);
    if (script[at] !== ',') return true;
    at += 1;
    take(blanks);
    return take(secondAddress) !== undefined || take(address) !== undefined;
  };
  for (take(separators); at < script.length; take(separators)) {
    if (take(comment) !== undefined) continue;
    if (!takeAddresses()) return false;
    take(/[\t !]*/y);
    if (script[at] === '{') {
      depth += 1;
      at += 1;
      continue;
    }
    if (script[at] === '}') {
      depth -= 1;
      at += 1;
      if (depth < 0) return false;
    } else if (take(insertion) !== undefined) {
      hasText = true;
      if (at < script.length && script[at] !== '\n') return false;
    } else if (take(label) !== undefined || take(branch) !== undefined) hasLabels = true;
    else if (
      take(substitution) === undefined &&
      take(bracketed) === undefined &&
      take(transliteration) === undefined &&
      take(plainCommand) === undefined
    )
      return false;
    take(blanks);
    if (at < script.length && !/[\n;}#]/.test(script[at] ?? '')) return false;
  }
  // In BSD sed a label extends to the end of its line, which would turn commands into text and text into commands.
  return depth === 0 && !(hasLabels && hasText);
}

/** A script that prints some of the lines, and their numbers. */
const wholeLines = /^(?:\/(?:[^/\\]|\\.)*\/I?|[\d\s$,;~+!{}pdqnNQ=])*$/;

/** `sed` that prints, deletes from its output, or replaces; without `-i`, `w`, `e` and scripts in files. */
export function sedUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    flags: 'nErsz',
    values: 'e',
    long: ['--quiet', '--silent', '--regexp-extended'],
    isFirst: true,
  });
  if (read === undefined) return undefined;
  const expressions = read.options.filter(({ name }) => name === '-e').map(({ value }) => value);
  const [first, ...rest] = read.operands;
  const scripts = expressions.length > 0 ? expressions : [first ?? null];
  if (scripts.includes(null) || !onlyPrints(scripts.join('\n'))) return undefined;
  const files = expressions.length > 0 ? read.operands : rest;
  const contents = files.map((word) => word ?? '');
  return {
    contents,
    names: [],
    ...(!scripts.every((script) => wholeLines.test(script ?? '')) && { rewrites: true }),
  };
}
