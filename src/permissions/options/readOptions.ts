/** Parses command-line options with a list of known ones. A call with an unlisted option is not understood. */

export interface OptionList {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /** Letters of flags that take a value on some systems: the next word may be theirs, so it must not be an option. */
  readonly unsure?: string;
  /** Letters of short options with a value, attached or as the next word. */
  readonly values?: string;
  /** True if the value of a short option is always the next word: attached letters are more options. */
  readonly isSpaced?: boolean;
  /** Letters of short options with an optional, attached value. */
  readonly attached?: string;
  /** The values that these can have; absent = numbers. Any other letters may be more options. */
  readonly attachedForm?: RegExp;
  /** True if each short option is a separate word; `--` does not end options then. */
  readonly isSingle?: boolean;
  /** True if options end at the first operand: a later word that looks like an option is not understood. */
  readonly isFirst?: boolean;
  /** Long options without a value, or with one after `=`. Exact names: abbreviations are not understood. */
  readonly long?: readonly string[];
  /** Long options whose value is the next word, or after `=`. */
  readonly longValues?: readonly string[];
  /** Those of them whose value may be missing in the last word. */
  readonly longLast?: readonly string[];
  /** Long options that require their value after `=`: without it, programs disagree about the next word. */
  readonly longAttached?: readonly string[];
  /** Whether `-20` is a number of lines. */
  readonly numbers?: boolean;
}

/** A list with the options of another one as well. */
export const joined = <T extends OptionList>(list: T, more: OptionList): T => ({
  ...more,
  ...list,
  flags: `${list.flags ?? ''}${more.flags ?? ''}`,
  values: `${list.values ?? ''}${more.values ?? ''}`,
  long: [...(list.long ?? []), ...(more.long ?? [])],
  longValues: [...(list.longValues ?? []), ...(more.longValues ?? [])],
});

/** True if only options of this list are given. */
export const hasOnly = (args: readonly string[], list: OptionList | undefined): boolean =>
  list !== undefined && readOptions(args, list) !== undefined;

export interface ReadOptions {
  readonly operands: readonly (string | null)[];
  /** Every given option, `-x` or `--name`, with its value. */
  readonly options: readonly { readonly name: string; readonly value: string | null }[];
  /** Options, and operands without a name (`''`) before `--`, in the order in which they were given. */
  readonly inOrder: readonly { readonly name: string; readonly value: string | null }[];
  /** Values that are separate words after an operand: if options end at the first operand, these are operands. */
  readonly late: readonly string[];
}

/** Options that always take a value, even one that looks like an option. */
const certain = /^(?:-e|--regexp|--sort)$/;

/**
 * True if the value of an option, as a separate word, would be an option itself for a program or subcommand that takes
 * no such value. `-5` and `-` are numbers and text.
 */
const mayBeOption = (name: string, value: string | null | undefined): boolean =>
  !certain.test(name) && /^-[A-Za-z-]/.test(value ?? '');

/** True if a word is certainly the value of the option before it. */
export const isValue = (name: string, value: string): boolean => !mayBeOption(name, value);

/** A number, a percentage, or several of them. */
const numeric = /^[\d.,%/]*$/;

/** undefined if some option is not in the list. Options may appear anywhere before `--`. */
export function readOptions(args: readonly (string | null)[], list: OptionList): ReadOptions | undefined {
  const operands: (string | null)[] = [];
  const inOrder: { name: string; value: string | null }[] = [];
  const late: string[] = [];
  const addLate = (value: string | null | undefined): void => {
    if (operands.length > 0 && value != null) late.push(value);
  };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (list.isFirst && operands.length > 0 && word?.startsWith('-') === true) return undefined;
    if (word === '--') {
      if (list.isSingle) return undefined;
      operands.push(...args.slice(at + 1));
      break;
    }
    if (word == null || word === '-' || !word.startsWith('-')) {
      operands.push(word ?? null);
      inOrder.push({ name: '', value: word ?? null });
    } else if (list.numbers && /^-\d+$/.test(word)) inOrder.push({ name: '-', value: word.slice(1) });
    else if (word.startsWith('--')) {
      const [name = '', ...rest] = word.split('=');
      const takesNext = (list.longValues ?? []).includes(name);
      const isAttached = rest.length > 0 && (list.longAttached ?? []).includes(name);
      if (!takesNext && !isAttached && !(list.long ?? []).includes(name)) return undefined;
      // Without its value, some programs interpret the option differently.
      const isLast = at + 1 >= args.length;
      if (takesNext && rest.length === 0 && isLast && !list.longLast?.includes(name)) return undefined;
      if (takesNext && rest.length === 0 && mayBeOption(name, args[at + 1])) return undefined;
      const value = rest.length > 0 ? rest.join('=') : takesNext ? (args[++at] ?? null) : '';
      if (takesNext && rest.length === 0) addLate(value);
      inOrder.push({ name, value });
    } else {
      if (list.isSingle && word.length > 2) return undefined;
      const used = cluster(word.slice(1), args[at + 1], list);
      if (used === undefined) return undefined;
      inOrder.push(...used.options);
      if (used.tookNext) {
        at += 1;
        addLate(args[at]);
      }
    }
  }
  return { operands, options: inOrder.filter(({ name }) => name !== ''), inOrder, late };
}

function cluster(
  letters: string,
  /** undefined = there is no next word. */
  next: string | null | undefined,
  list: OptionList,
): { options: { name: string; value: string | null }[]; tookNext: boolean } | undefined {
  const options: { name: string; value: string | null }[] = [];
  for (const [index, letter] of [...letters].entries()) {
    if (list.values?.includes(letter)) {
      const attached = letters.slice(index + 1);
      if (attached === '' && (next === undefined || mayBeOption(`-${letter}`, next))) return undefined;
      if (list.isSpaced && !/^\d*$/.test(attached)) return undefined;
      options.push({ name: `-${letter}`, value: attached === '' ? (next ?? null) : attached });
      return { options, tookNext: attached === '' };
    }
    if (list.unsure?.includes(letter) && mayBeOption(`-${letter}`, next)) return undefined;
    if (list.attached?.includes(letter)) {
      const value = letters.slice(index + 1);
      if (!(list.attachedForm ?? numeric).test(value)) return undefined;
      options.push({ name: `-${letter}`, value });
      return { options, tookNext: false };
    }
    if (!list.flags?.includes(letter)) return undefined;
    options.push({ name: `-${letter}`, value: '' });
  }
  return { options, tookNext: false };
}
