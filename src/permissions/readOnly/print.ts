/** Commands that print or compare their words, for which unknown text is harmless unless it is a secret. */

import type { Argument } from '../shell/wordValues.ts';
import type { ReadOnlyUse } from './use.ts';

/** File names replace patterns, so these are checked. */
function shown(run: readonly Argument[]): ReadOnlyUse {
  const patterns = run.filter((argument) => argument.type === 'files');
  const within = run.flatMap((argument) => (argument.type === 'output' ? (argument.names ?? []) : []));
  return { contents: [], names: [...patterns.map(({ pattern }) => pattern), ...within], patterns };
}

/** True if the words may be printed as they are: none is a secret, or expands to file names in any shell. */
const isPrintable = (run: readonly Argument[]): boolean =>
  run.every((one) => one.type === 'text' || one.type === 'files' || (one.type === 'output' && !one.loose));

/** A format whose values are text: zsh evaluates the value of `%d`. */
const textFormat = /^(?:[^%]|%%|%[-#0 +]*\d*(?:\.\d+)?[sbqc])*$/;
const numberFormat = /^(?:[^%]|%%|%[-#0 +]*\d*(?:\.\d+)?[sbqcdiouxXeEfgG])*$/;
const number = /^-?\d+(?:\.\d+)?$/;

/** `echo`, `printf`, `:`, `true` and `false`. */
export function printUse(name: string, args: readonly Argument[]): ReadOnlyUse | undefined {
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
 * treats the text after `&&` as a command, so an operator must follow there.
 */
export function testUse(run: readonly Argument[]): ReadOnlyUse | undefined {
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
    if (word === undefined || word.type === 'files') return false;
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
      else return undefined;
      at += 2;
    } else if (textTest.test(one) && at + 1 < words.length) {
      if (!isCompared(at + 1, true)) return undefined;
      at += 2;
    } else if (one === '-t' && /^\d+$/.test(two)) at += 2;
    else if (words.length === 1 && isCompared(at, true)) at += 1;
    else return undefined;
    if (at === words.length) break;
    const joint = text(at) ?? '';
    if (name === '[[' ? !/^&&$/.test(joint) || !/^-[a-z]$/.test(text(at + 1) ?? '') : !/^-[ao]$/.test(joint))
      return undefined;
    at += 1;
  }
  return { contents: [], names };
}
