/**
 * Programs with a complete list of options that do not change what the program's name says. An open-ended rule covers
 * these and no others: a new, abbreviated, clustered or misspelled option is not covered.
 */

import { isValue, type OptionList } from './readOptions.ts';

/**
 * A kind of path that an option may name: an existing input in the workspace, or a place for results, so that no source
 * is overwritten. A rule for a runner of the project's own code may use the project's configuration, which adds no
 * risk.
 */
export type Place =
  | 'input'
  | 'output'
  /** Does not exist yet. */
  | 'new'
  /** Does not exist yet, or is an archive, a log or a result: overwrites no source. */
  | 'fresh';

export interface KnownOptions extends OptionList {
  /** Options of any other form, as entire words. */
  readonly options?: RegExp;
  /** Options, as entire words, whose value is the next word. */
  readonly valued?: RegExp;
  /** Options whose values are the next two words. */
  readonly paired?: readonly string[];
  /** Options that are harmless only with such a value; with any other a rule has to spell them out. */
  readonly harmlessWith?: Readonly<Record<string, RegExp>>;
  /** Patterns for the values of options, required even if a rule spells the option out. */
  readonly checks?: Readonly<Record<string, { readonly test: (value: string) => boolean }>>;
  /**
   * If these operands are present, the first operand is a file that makes the program do what it says, unless an option
   * prevents that: a rule has to name the file.
   */
  readonly acts?: { readonly operands: RegExp; readonly stoppedBy: RegExp };
  /** Options whose value, as a separate word, is a place. */
  readonly places?: Readonly<Record<string, Place>>;
  /** Indexes of the operands that are written to; the first is 0. */
  readonly writesTo?: (operands: readonly string[]) => readonly number[];
  /** A pattern that the value of every option must match. */
  readonly value?: RegExp;
  /** A pattern that an operand must match; absent = a file, which is checked elsewhere. */
  readonly operand?: RegExp;
  /** The same by the operand's index; the first is 0. */
  readonly operandAt?: (word: string, index: number) => boolean;
  /** Maximum number of operands; another one would be written to. */
  readonly most?: number;
  /** After this many operands the words belong to a script, or to another machine. */
  readonly ownWords?: number;
  /** Whether the first word may be a cluster of options without a dash, as in `tar tf`. */
  readonly bundled?: boolean;
  /** The first operand is a script, as in sed or jq, or these options contain it. */
  readonly script?: {
    readonly options: readonly string[];
    readonly isHarmless: (text: string) => boolean;
    /** A subcommand that may precede it. */
    readonly precededBy?: RegExp;
  };
  /** Without such an option it writes, or runs, what its operands say. */
  readonly needs?: RegExp;
  /** True if `--` does not end its options, or means something else. */
  readonly isEndless?: boolean;
  /** Options after which the words up to `;` or `+` are another command. */
  readonly runsUntil?: RegExp;
}

/** A word that is not known to be harmless. */
interface NotUnderstood {
  /** Its index; the program is 0. */
  readonly at: number;
  /** The place it names, if it is harmless there. */
  readonly unless?: { readonly place: Place; readonly path: string };
}

export function notUnderstood(
  argv: readonly (string | null)[],
  grammar: KnownOptions,
): readonly NotUnderstood[] {
  const bad = new Set<number>();
  const named = new Map<number, NotUnderstood>();
  const operands: number[] = [];
  const options: string[] = [];
  const scripts: { readonly at: number; readonly text: string }[] = [];
  const accept = (name: string, value: string | null, at: number, optionAt = at): void => {
    if (value !== null && grammar.harmlessWith?.[name]?.test(value) === false) bad.add(optionAt);
    const place = grammar.places?.[name];
    if (place !== undefined && value !== null)
      named.set(optionAt, { at: optionAt, unless: { place, path: value } });
    const checks = [grammar.checks?.[name], value === '' ? undefined : grammar.value];
    if (value !== null && checks.some((check) => check?.test(value) === false)) bad.add(at);
    if (grammar.script?.options.includes(name)) scripts.push({ at, text: value ?? '' });
  };

  // Each of these returns the number of additional words it consumed.
  const takeNext = (name: string, at: number): number => {
    const next = argv[at + 1];
    if (next === undefined || (next !== null && !isValue(name, next))) {
      bad.add(at);
      return 0;
    }
    accept(name, next, at + 1, at);
    return 1;
  };
  const readLong = (word: string, at: number): number => {
    const [name = '', ...rest] = word.replace(/^--?/, '--').split('=');
    const isGiven = rest.length > 0;
    const takesValue = grammar.longValues?.includes(name) === true;
    if (takesValue && !isGiven) return takeNext(name, at);
    const isKnown =
      takesValue || grammar.long?.includes(name) || (isGiven && grammar.longAttached?.includes(name));
    if (isKnown) accept(name, rest.join('='), at);
    else bad.add(at);
    return 0;
  };
  const readCluster = (letters: string, at: number): number => {
    for (const [index, letter] of [...letters].entries()) {
      const attached = letters.slice(index + 1);
      if (grammar.values?.includes(letter) || grammar.attached?.includes(letter)) {
        if (attached === '' && grammar.values?.includes(letter)) return takeNext(`-${letter}`, at);
        if (grammar.isSpaced && !/^\d*$/.test(attached)) bad.add(at);
        accept(`-${letter}`, attached, at);
        return 0;
      }
      const mayTakeNext = grammar.unsure?.includes(letter) && !isValue(`-${letter}`, argv[at + 1] ?? '');
      if (!grammar.flags?.includes(letter) || mayTakeNext) {
        bad.add(at);
        return 0;
      }
    }
    return 0;
  };
  // Without a dash the letters are single options, and the following words are their values, in order.
  const readBundle = (letters: string, at: number): number => {
    let taken = 0;
    for (const letter of letters)
      if (grammar.values?.includes(letter)) taken += takeNext(`-${letter}`, at + taken);
      else if (!grammar.flags?.includes(letter)) bad.add(at);
    return taken;
  };
  const readOption = (word: string, at: number): number => {
    options.push(word);
    if (grammar.isFirst && operands.length > 0) {
      bad.add(at);
      return 0;
    }
    if (grammar.runsUntil?.test(word)) {
      bad.add(at);
      const end = argv.findIndex((one, index) => index > at && /^[;+]$/.test(one ?? ''));
      return end === -1 ? argv.length : end - at;
    }
    if (grammar.options?.test(word) || (grammar.numbers && /^-\d+$/.test(word))) return 0;
    if (grammar.valued?.test(word) && argv[at + 1] !== undefined) {
      accept(word, argv[at + 1] ?? null, at + 1);
      return 1;
    }
    if (grammar.paired?.includes(word) && argv.length > at + 2) return 2;
    return word.startsWith('--') || grammar.isSingle ? readLong(word, at) : readCluster(word.slice(1), at);
  };

  for (let at = 1; at < argv.length; at += 1) {
    if (grammar.ownWords !== undefined && operands.length >= grammar.ownWords) break;
    const word = argv[at] ?? '';
    if (word === '--' && !grammar.isSingle && !grammar.isEndless) {
      for (at += 1; at < argv.length; at += 1) operands.push(at);
    } else if (grammar.bundled && at === 1 && /^[A-Za-z]+$/.test(word)) at += readBundle(word, at);
    else if (word === '-' || !word.startsWith('-')) operands.push(at);
    else at += readOption(word, at);
  }

  if (grammar.script) {
    if (grammar.script.precededBy?.test(argv[operands[0] ?? 0] ?? '')) operands.shift();
    const [first] = scripts.length === 0 ? operands.splice(0, 1) : [];
    if (first !== undefined) scripts.push({ at: first, text: argv[first] ?? '' });
    if (!grammar.script.isHarmless(scripts.map(({ text }) => text).join('\n')))
      for (const { at } of scripts) bad.add(at);
  }
  for (const [index, at] of operands.entries()) {
    const word = argv[at];
    if (word == null) continue;
    const isMore = index >= (grammar.most ?? Number.POSITIVE_INFINITY);
    if (isMore || grammar.operand?.test(word) === false || grammar.operandAt?.(word, index) === false)
      bad.add(at);
  }
  const texts = operands.map((at) => argv[at] ?? '');
  for (const index of grammar.writesTo?.(texts) ?? []) {
    const at = operands[index];
    const path = texts[index]?.replace(/^of=/, '');
    if (at !== undefined && path !== undefined && path !== '-')
      named.set(at, { at, unless: { place: 'fresh', path } });
  }
  const [file] = operands;
  const { acts } = grammar;
  if (
    acts &&
    file !== undefined &&
    operands.slice(1).some((at) => acts.operands.test(argv[at] ?? '')) &&
    !options.some((option) => acts.stoppedBy.test(option))
  )
    named.set(file, { at: file, unless: { place: 'new', path: argv[file] ?? '' } });
  const lacks = grammar.needs && !options.some((option) => grammar.needs?.test(option));
  if (lacks && bad.size === 0 && operands[0] !== undefined) bad.add(operands[0]);
  const found = [...[...bad].map((at) => ({ at })), ...[...named.values()].filter(({ at }) => !bad.has(at))];
  return found.sort((a, b) => a.at - b.at);
}
