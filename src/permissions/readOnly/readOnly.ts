/**
 * Commands that only read: they need no approval, and everything they access is checked as a read. An allowlist: any
 * other command, and any unknown option, is not read-only.
 */
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { Argument } from '../shell/argument.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { findUse } from './find.ts';
import { commitUse } from './foundCommit.ts';
import { substitutedUse, xargsUse } from './foundWords.ts';
import { programUse } from './programs.ts';
import { mergeUses, type OpenPattern, type ReadOnlyUse, withUnknownWords } from './use.ts';

/**
 * undefined = not known to be read-only. Every word must be known exactly, except for patterns in place of files, and
 * for text that is only printed or compared.
 */
export function readOnlyUse(part: CommandPart): ReadOnlyUse | undefined {
  if (part.runs === null || part.runs.length === 0 || part.carrier || !hasSafeEnvironment(part))
    return undefined;
  const uses = part.runs.map((run) => useOf(run, part));
  if (uses.some((use) => use === undefined)) return undefined;
  return mergeUses(uses.filter((use) => use !== undefined));
}

/** Prefix of placeholder names that no file has, for words that the shell will insert. */
const MARK = '\u0001';

function useOf(run: readonly Argument[], part: CommandPart): ReadOnlyUse | undefined {
  const [first] = run;
  if (first?.type !== 'text') return undefined;
  if (/^(?:echo|printf|:|true|false)$/.test(first.text)) return printUse(first.text, run.slice(1));
  // All their options change only what they print of their words.
  if (/^(?:basename|dirname)$/.test(first.text) && run.some(({ type }) => type !== 'text'))
    return isPrintable(run) ? shown(run) : undefined;
  if (/^(?:\[\[?|test)$/.test(first.text)) return testUse(run);
  if (run.some((word) => word.type === 'output' && word.printed))
    return commitUse(run) ?? substitutedUse(run);
  const argv: string[] = [];
  const open = new Map<string, OpenPattern>();
  for (const [index, argument] of run.entries()) {
    if (argument.type === 'text') argv.push(argument.text);
    else if (argument.type === 'files') {
      // As two words, because it may expand to several.
      const words = argument.single ? [`${MARK}${index}`] : [`${MARK}${index}`, `${MARK}${index}+`];
      argv.push(...words);
      for (const word of words) open.set(word, argument);
    } else return undefined;
  }
  const use = readBy(argv, part);
  return use && fillIn(use, open);
}

/** A pattern is allowed only where nothing but a file is expected. */
function fillIn(use: ReadOnlyUse, open: ReadonlyMap<string, OpenPattern>): ReadOnlyUse | undefined {
  if (open.size === 0) return use;
  // Each match would be an option.
  if ([...open.values()].some(({ pattern }) => pattern.startsWith('-'))) return undefined;
  const files = [...use.contents, ...use.names, ...(use.trees ?? []).map(({ path }) => path)];
  if (![...open.keys()].every((word) => files.includes(word))) return undefined;
  const filled = (words: readonly string[]): readonly string[] => [
    ...new Set(words.map((word) => open.get(word)?.pattern ?? word)),
  ];
  const isMeant = (words: readonly string[]): boolean =>
    words.every((word) => open.has(word) || !word.includes(MARK));
  if (!isMeant(files)) return undefined;
  const unknown = withUnknownWords(use, MARK);
  return {
    ...use,
    contents: filled(use.contents),
    names: filled(use.names),
    trees: (use.trees ?? []).map((tree) => ({ ...tree, path: open.get(tree.path)?.pattern ?? tree.path })),
    ...unknown,
    ...(unknown.shown && {
      shown: unknown.shown.map((one) => (one.onDisk ? { ...one, onDisk: filled(one.onDisk) } : one)),
    }),
    patterns: [...open.values()],
  };
}

function readBy(argv: readonly string[], { input }: CommandPart): ReadOnlyUse | undefined {
  const [name, ...args] = argv;
  if (name === 'find') return findUse(args);
  if (name === 'xargs') return xargsUse(args, input);
  return programUse(argv);
}

// Commands that print or compare their words, for which unknown text is harmless unless it is a secret.

/** Patterns are printed as file names, so they are checked. */
function shown(run: readonly Argument[]): ReadOnlyUse {
  const patterns = run.filter((argument) => argument.type === 'files');
  const within = run.flatMap((argument) => (argument.type === 'output' ? (argument.names ?? []) : []));
  return { contents: [], names: [...patterns.map(({ pattern }) => pattern), ...within], patterns };
}

/** True if the words may be printed: none is a secret or may expand to several words. */
const isPrintable = (run: readonly Argument[]): boolean =>
  run.every((one) => one.type === 'text' || one.type === 'files' || (one.type === 'output' && !one.loose));

/** A format whose values are text: zsh evaluates the value of `%d`. A zero belongs to the flags, never to the width. */
const textFormat = /^(?:[^%]|%%|%[-#0 +]*(?:[1-9]\d*)?(?:\.\d+)?[sbqc])*$/;
const numberFormat = /^(?:[^%]|%%|%[-#0 +]*(?:[1-9]\d*)?(?:\.\d+)?[sbqcdiouxXeEfgG])*$/;
const number = /^-?\d+(?:\.\d+)?$/;

/** `echo`, `printf`, `:`, `true` and `false`. */
function printUse(name: string, args: readonly Argument[]): ReadOnlyUse | undefined {
  if (name !== 'echo' && name !== 'printf')
    return args.every((one) => one.type !== 'files' && !('loose' in one && one.loose))
      ? shown([])
      : undefined;
  if (!isPrintable(args)) return undefined;
  if (name === 'echo') return shown(args);
  const [format, ...values] = args;
  if (format?.type !== 'text' || format.text.startsWith('-')) return undefined;
  if (textFormat.test(format.text)) return shown(values);
  const numbers = values.every((value) => value.type === 'text' && number.test(value.text));
  return numbers && numberFormat.test(format.text) ? shown([]) : undefined;
}

/** Tests of one word; excludes `-v`, `-R` and `-o`, which evaluate names of variables and options. */
const fileTest = /^-[abcdefghkprsuwxGLNOS]$/;
const textTest = /^-[nz]$/;
const comparison = /^(?:=|==|!=|=~)$/;
const fileComparison = /^-(?:nt|ot|ef)$/;
const numeric = /^-(?:eq|ne|lt|le|gt|ge)$/;

/**
 * `test`, `[ … ]` and `[[ … ]]`, joined by `&&`, `-a` and the like only if every word is known. dash has no `[[` and
 * treats the text after `&&` or `||` as a command, so an operator must follow there.
 */
function testUse(run: readonly Argument[]): ReadOnlyUse | undefined {
  const [first] = run;
  const name = first?.type === 'text' ? first.text : '';
  const closing = name === '[' ? ']' : name === '[[' ? ']]' : undefined;
  const last = run.at(-1);
  if (closing !== undefined && !(last?.type === 'text' && last.text === closing)) return undefined;
  const words = closing === undefined ? run.slice(1) : run.slice(1, -1);
  const names: string[] = [];
  const isSingle = words.length <= 4;
  let at = 0;
  const text = (index: number): string | undefined => {
    const word = words[index];
    return word?.type === 'text' ? word.text : undefined;
  };
  /** A compared word: without quotes it may become several, except in `[[`. */
  const isCompared = (index: number, secret = false): boolean => {
    const word = words[index];
    if (word === undefined) return false;
    // In `[[` it is a pattern for the text before it.
    if (word.type === 'files') return name === '[[' && comparison.test(text(index - 1) ?? '');
    if (word.type === 'text')
      return isSingle || !/^[-!()]/.test(word.text) || comparison.test(text(index - 1) ?? '');
    if (!isSingle || (word.loose && name !== '[[')) return false;
    // The test may reveal whether it is set, and nothing else.
    return word.type === 'output' || (secret && word.cut !== true);
  };
  for (;;) {
    while (text(at) === '!' && words.length > 1) at += 1;
    const [one, two] = [text(at) ?? '', text(at + 1) ?? ''];
    if (
      two !== '' &&
      (comparison.test(two) || fileComparison.test(two) || numeric.test(two)) &&
      at + 2 < words.length
    ) {
      if (!isCompared(at) || !isCompared(at + 2)) return undefined;
      const isNumber = (index: number): boolean => /^-?\d+$/.test(text(index) ?? '');
      if (numeric.test(two) && !(isNumber(at) && isNumber(at + 2))) return undefined;
      if (fileComparison.test(two)) {
        const files = [text(at), text(at + 2)];
        if (files.some((file) => file === undefined)) return undefined;
        names.push(...files.filter((file) => file !== undefined));
      }
      at += 3;
    } else if (fileTest.test(one) && at + 1 < words.length) {
      const file = words[at + 1];
      if (file?.type === 'text') names.push(file.text);
      else if (file?.type === 'files' && file.single && (!file.bare || name === '[['))
        names.push(file.pattern);
      // The names that a command prints exist.
      else if (file?.type !== 'output' || file.loose || file.printed?.use !== 'word') return undefined;
      at += 2;
    } else if (textTest.test(one) && at + 1 < words.length) {
      if (!isCompared(at + 1, true)) return undefined;
      at += 2;
    } else if (one === '-t' && /^\d+$/.test(two)) at += 2;
    else if (words.length === 1 && isCompared(at, true)) at += 1;
    else return undefined;
    if (at === words.length) break;
    const operator = text(at) ?? '';
    if (
      name === '[['
        ? !/^(?:&&|\|\|)$/.test(operator) || !/^-[a-z]$/.test(text(at + 1) ?? '')
        : !/^-[ao]$/.test(operator)
    )
      return undefined;
    at += 1;
  }
  return { contents: [], names };
}
