/**
 * Reads the options of a program that has a list of harmless ones (`ProgramRow.options`): every other word that looks
 * like an option is not known to be harmless. Only complete names are known, since an abbreviation may be that of
 * another option.
 */
import type { ProgramRow } from './programRow.ts';

/**
 * What may follow the name of an option:
 *
 *     -v  --bail      nothing, or a plain word after `=`
 *     --timeout=      a plain word, also as the next word
 *     --grep:         any text, also as the next word
 *     --color?        any text, but only after `=` or directly after the letter
 */
type Kind = '' | '=' | ':' | '?';

type Names = ReadonlyMap<string, Kind>;

interface Reading {
  /** Indexes of options that are not known, or not with this value. */
  readonly unknown: ReadonlySet<number>;
  /** Indexes of options that are known by their full names. */
  readonly known: ReadonlySet<number>;
  /** Indexes of words that are values of the option before them. */
  readonly values: ReadonlySet<number>;
  /** Indexes of words that hold the text of an option. */
  readonly texts: ReadonlySet<number>;
}

/** Reads the words `from` … `end` of a call; undefined if the row has no list for it. */
export function readHarmless(
  row: ProgramRow,
  argv: readonly (string | null)[],
  from: number,
  end: number,
): Reading | undefined {
  const { names, start } = listFor(row, argv, from, end);
  if (names === undefined) return undefined;
  const unknown = new Set<number>();
  const known = new Set<number>();
  const values = new Set<number>();
  const texts = new Set<number>();
  for (let at = start; at < end; at += 1) {
    const word = argv[at];
    if (word == null || !/^-./.test(word)) continue;
    const isNamed = row.style === 'single' || word.startsWith('--');
    const found = isNamed ? named(word, names, row) : cluster(word, names);
    if (found !== undefined) known.add(at);
    if (found?.value === '') {
      const next = argv[at + 1];
      // A word that looks like an option may be one: it is read as such.
      if (next == null || /^-[^\d]/.test(next)) continue;
      if (!isHarmless(next, found.kind)) unknown.add(at);
      values.add(at + 1);
      if (found.kind === ':') texts.add(at + 1);
      at += 1;
    } else if (found === undefined || !isHarmless(found.value ?? '', found.kind)) unknown.add(at);
    else if (found.kind === ':' || found.kind === '?') texts.add(at);
  }
  return { unknown, known, values, texts };
}

/** The list of the subcommand, from its name on, or that of the program. */
function listFor(
  row: ProgramRow,
  argv: readonly (string | null)[],
  from: number,
  end: number,
): { readonly names: Names | undefined; readonly start: number } {
  const at = argv.findIndex((word, index) => index >= from && index < end && !/^-/.test(word ?? '-'));
  const sub = argv[at] ?? '';
  const list = row.optionsOf && Object.hasOwn(row.optionsOf, sub) ? row.optionsOf[sub] : undefined;
  if (list !== undefined) return { names: namesIn(list, row), start: at + 1 };
  return { names: row.options === undefined ? undefined : namesIn(row.options, row), start: from };
}

const parsed = new Map<string, Names>();

function namesIn(list: string, row: ProgramRow): Names {
  const key = `${row.style} ${list}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const names = new Map<string, Kind>();
  for (const entry of list.split(/\s+/)) {
    const { name = '', kind = '' } = /^(?<name>.*?)(?<kind>[=:?]?)$/.exec(entry)?.groups ?? {};
    if (name !== '') names.set(spelling(name, row), kind as Kind);
  }
  parsed.set(key, names);
  return names;
}

/**
 * Most parsers of JavaScript treat `--test-timeout`, `--test_timeout` and `--testTimeout` as the same option; getopt and
 * argparse know one spelling only. With a single dash, `-v` and `--v` are the same, and in go `-test.v`.
 */
function spelling(name: string, { style }: ProgramRow): string {
  if (style === 'gnu' || (style !== 'single' && !/^--../.test(name))) return name;
  const bare = style === 'single' ? name.replace(/^--?(?:test\.)?/, '-') : name;
  return bare.replace(/(?<=[A-Za-z\d])[-_]([A-Za-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

interface Option {
  readonly kind: Kind;
  /** '' = the next word; undefined = none. */
  readonly value: string | undefined;
}

function named(word: string, names: Names, row: ProgramRow): Option | undefined {
  const [name = '', ...rest] = word.split('=');
  const kind = names.get(spelling(name, row)) ?? negated(name, names, row);
  if (kind === undefined) return undefined;
  const value = rest.join('=');
  if (value !== '') return { kind: kind === '' ? '=' : kind, value };
  return { kind, value: rest.length === 0 && (kind === '=' || kind === ':') ? '' : undefined };
}

/** `--no-x` only turns off what is harmless. With getopt and argparse it is a separate option. */
const negated = (name: string, names: Names, row: ProgramRow): Kind | undefined =>
  row.style !== 'gnu' && /^--no-../.test(name) && names.has(spelling(name.replace('no-', ''), row))
    ? ''
    : undefined;

function cluster(word: string, names: Names): Option | undefined {
  if (/^-\d+$/.test(word)) return names.has('-#') ? { kind: '', value: undefined } : undefined;
  const letters = word.slice(1);
  for (const [at, letter] of [...letters].entries()) {
    const kind = names.get(`-${letter}`);
    if (kind === undefined) return undefined;
    if (kind === '') continue;
    const value = letters.slice(at + 1).replace(/^=/, '');
    return { kind, value: value === '' && kind === '?' ? undefined : value };
  }
  return { kind: '', value: undefined };
}

/** Code, or a module, instead of a word. */
const isCode = (value: string): boolean => /^["']?(?:data|javascript|node|blob|file):/i.test(value);

const isHarmless = (value: string, kind: Kind): boolean =>
  !isCode(value) && (kind !== '=' || /^(?!-[A-Za-z-])[\w.,:;%+@*^~ -]*$/.test(value));
