/**
 * What a word becomes when the command runs: every list of arguments that is possible, each argument known exactly, or
 * the word is not known. Variables that the command sets itself are followed; everything else that only the shell knows
 * is text that must not be relied on. Pure.
 */
import { hasGlob } from '../files/globOverlap.ts';
import type { Piece } from './wordPieces.ts';

export type Argument =
  /** `~/x` is below the home directory; a file that is called `~` is `./~`. */
  | { readonly type: 'text'; readonly text: string }
  /** The files that match, or the pattern itself where none does. A backslash stands before what was quoted. */
  | {
      readonly type: 'files';
      readonly pattern: string;
      /** Of a loop: one of them at a time. */
      readonly single: boolean;
      /** Without quotes: it is one word only if each name is free of blanks and wildcards. */
      readonly bare: boolean;
      /** How often the command had changed directory when the pattern was read. */
      readonly moves: number;
    }
  /** Any text. `loose`: it may be several words, or files. `names`: patterns that names in it match. */
  | {
      readonly type: 'output';
      readonly loose: boolean;
      readonly ofUser?: boolean;
      readonly names?: readonly string[];
    }
  /** A secret of the environment, perhaps. `cut`: a part of it, so that even its length says what it holds. */
  | { readonly type: 'secret'; readonly loose: boolean; readonly cut?: boolean };

/** What is known of the shell's variables: their possible values. */
export type Variables = ReadonlyMap<string, readonly Argument[]>;

/** Variables of the environment whose values are no secrets. */
export const harmlessVariable =
  /^(?:HOME|PATH|USER|LOGNAME|PWD|OLDPWD|SHELL|CI|TERM|LANG|LC_[A-Z]+|TZ|EDITOR|VISUAL|PAGER|TMPDIR|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|NODE_ENV|NODE_VERSION|COLUMNS|LINES|SHLVL|UID|EUID|PPID|RANDOM|SECONDS|LINENO|BASH_VERSION|ZSH_VERSION|IFS|VIRTUAL_ENV|CONDA_DEFAULT_ENV|GOPATH|GOROOT|JAVA_HOME|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|XDG_[A-Z_]+|DISPLAY|COLORTERM|TERM_PROGRAM)$/;

/** More possibilities than these are not followed. */
const MAX_ALTERNATIVES = 200;
/** Text that stays one word without quotes, in every shell. */
const staysOneWord = /^[\w@%+=:,./{}-]+$/;

export const unknownText: Argument = { type: 'output', loose: true };
/** A harmless variable as the user has set it: no other source put blanks or wildcards into it. */
const ownText: Argument = { type: 'output', loose: false, ofUser: true };
export const anything: Argument = { type: 'secret', loose: true };
const partOfAnything: Argument = { type: 'secret', loose: true, cut: true };

/** The lists of arguments that one word may become; undefined = not known. */
export function alternativesOf(
  pieces: readonly Piece[],
  variables: Variables,
  moves: number,
): readonly (readonly Argument[])[] | undefined {
  const words = expandBraces(pieces);
  if (words === undefined) return undefined;
  // dash leaves braces as they are.
  const readings = words.length === 1 ? [words] : [words, [asText(pieces)]];
  const found: (readonly Argument[])[] = [];
  for (const reading of readings) {
    const lists = reading.map((word) => argumentsOf(word, variables, moves));
    if (lists.some((list) => list === undefined)) return undefined;
    const combined = combine(lists.filter((list) => list !== undefined));
    if (combined === undefined) return undefined;
    found.push(...combined);
  }
  return found.length > MAX_ALTERNATIVES ? undefined : found;
}

/** One of each, in every combination; undefined = too many. */
export function combine<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] | undefined {
  let all: (readonly T[])[] = [[]];
  for (const list of lists) {
    if (all.length * list.length > MAX_ALTERNATIVES) return undefined;
    all = all.flatMap((before) => list.map((one) => [...before, one]));
  }
  return all;
}

/** The possible values of the value of an assignment: neither braces nor wildcards nor blanks mean anything there. */
export function valuesOf(pieces: readonly Piece[], variables: Variables, moves: number): readonly Argument[] {
  const quoted = pieces.map((piece) =>
    piece.type === 'text' || piece.type === 'variable' || piece.type === 'derived' || piece.type === 'output'
      ? { ...piece, quoted: true }
      : piece,
  );
  const [first] = quoted.filter((piece) => piece.type !== 'text' || piece.text !== '');
  const isTilde = first?.type === 'text' && first.text.startsWith('~');
  const isSecret = pieces.some(
    (piece) => (piece.type === 'variable' || piece.type === 'derived') && mayBeSecret(piece.name, variables),
  );
  const isKnown = !isTilde && !quoted.some(({ type }) => type === 'brace');
  const values = isKnown ? argumentsOf(quoted, variables, moves) : undefined;
  return values ?? [isSecret ? partOfAnything : unknownText];
}

/** Values after either of two ways that a command may take. */
export function join(left: Variables, right: Variables): Variables {
  const joined = new Map<string, readonly Argument[]>();
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const values = [...lookUp(name, left), ...lookUp(name, right)];
    const distinct = new Map(values.map((value) => [JSON.stringify(value), value]));
    joined.set(name, distinct.size > MAX_ALTERNATIVES ? [anything] : [...distinct.values()]);
  }
  return joined;
}

function lookUp(name: string, variables: Variables): readonly Argument[] {
  return variables.get(name) ?? [harmlessVariable.test(name) ? ownText : anything];
}

/** Whether a variable of this name may hold a secret. */
export const mayBeSecret = (name: string, variables: Variables): boolean =>
  lookUp(name, variables).some(({ type }) => type === 'secret');

/** The possible values of one word without braces; undefined = not known. */
function argumentsOf(
  pieces: readonly Piece[],
  variables: Variables,
  moves: number,
): readonly Argument[] | undefined {
  const word = pieces.filter((piece) => piece.type !== 'text' || piece.text !== '');
  const [first] = word;
  if (word.length === 1 && first?.type === 'variable') {
    const values = lookUp(first.name, variables).map((value) => used(value, first.quoted, moves));
    return values.some((value) => value === undefined)
      ? undefined
      : values.filter((one) => one !== undefined);
  }
  let unknown: 'output' | 'secret' | undefined;
  let loose = false;
  let cut = false;
  const names: string[] = [];
  const parts: (readonly { text: string; pattern: string; wild: boolean }[])[] = [];
  for (const [index, piece] of word.entries()) {
    if (piece.type === 'unknown' || piece.type === 'brace') return undefined;
    if (piece.type === 'tilde') parts.push([{ text: '~', pattern: '~', wild: false }]);
    else if (piece.type === 'text') {
      // Only a plain tilde is the home directory; any other is a character.
      const text = index === 0 && piece.text.startsWith('~') ? `./${piece.text}` : piece.text;
      const isCommand = word.length === 1 && text === '[';
      const pattern = piece.quoted ? literally(text) : text;
      parts.push([{ text, pattern, wild: !piece.quoted && !isCommand && hasGlob(text) }]);
    } else if (piece.type === 'output') {
      unknown ??= 'output';
      loose ||= !piece.quoted;
    } else {
      const values = lookUp(piece.name, variables);
      const texts = values.flatMap((value) => (value.type === 'text' ? [value.text] : []));
      const isKnown =
        piece.type === 'variable' &&
        texts.length === values.length &&
        (piece.quoted || texts.every((text) => staysOneWord.test(text)));
      if (isKnown) parts.push(texts.map((text) => ({ text, pattern: literally(text), wild: false })));
      else {
        if (values.some((value) => value.type === 'files' && value.moves !== moves)) return undefined;
        names.push(...values.flatMap(namesIn));
        const isSecret = mayBeSecret(piece.name, variables);
        if (unknown !== 'secret') unknown = isSecret ? 'secret' : 'output';
        cut ||= isSecret && (piece.type === 'derived' ? piece.cut : values.some((value) => isCut(value)));
        loose ||= !piece.quoted && values.some((value) => value.type !== 'output' || value.ofUser !== true);
      }
    }
  }
  loose ||= parts.flat().some(({ wild }) => wild);
  if (unknown === 'output') return [{ type: unknown, loose, ...(names.length > 0 && { names }) }];
  if (unknown === 'secret') return [{ type: unknown, loose, ...(cut && { cut }) }];
  return combine(parts)?.map((list) =>
    list.some(({ wild }) => wild)
      ? {
          type: 'files',
          pattern: list.map(({ pattern }) => pattern).join(''),
          single: false,
          bare: false,
          moves,
        }
      : { type: 'text', text: list.map(({ text }) => text).join('') },
  );
}

/** As a part of a pattern that means these very characters. */
const literally = (text: string): string => text.replace(/[*?[\]\\]/g, '\\$&');

/** Patterns of which a value may hold names. */
const namesIn = (value: Argument): readonly string[] =>
  value.type === 'files' ? [value.pattern] : value.type === 'output' ? (value.names ?? []) : [];

const isCut = (value: Argument): boolean => value.type === 'secret' && value.cut === true;

/** What a variable's value is as a separate word. */
function used(value: Argument, quoted: boolean, moves: number): Argument | undefined {
  if (value.type === 'text') {
    if (quoted || staysOneWord.test(value.text)) return value;
    return undefined;
  }
  if (value.type === 'files') return value.moves === moves ? { ...value, bare: !quoted } : undefined;
  if (value.type === 'secret') return { ...value, loose: !quoted };
  return { ...value, loose: !quoted && value.ofUser !== true };
}

/** The words that braces make of one; undefined where the shells may differ. */
function expandBraces(pieces: readonly Piece[]): readonly (readonly Piece[])[] | undefined {
  const open = pieces.findIndex((piece) => piece.type === 'brace' && piece.text === '{');
  if (open === -1)
    return pieces.some((piece) => piece.type === 'brace' && piece.text === '}')
      ? undefined
      : [asText(pieces)];
  // bash expands braces before variables, and zsh after them.
  const isConstant = pieces.every(({ type }) => type === 'text' || type === 'brace' || type === 'tilde');
  const items: Piece[][] = [[]];
  let depth = 0;
  for (let at = open; at < pieces.length; at += 1) {
    const piece = pieces[at];
    if (piece === undefined) break;
    if (piece.type === 'brace' && piece.text === '{') depth += 1;
    if (piece.type === 'brace' && piece.text === '}') depth -= 1;
    if (depth === 0) {
      const [before, after] = [pieces.slice(0, open), pieces.slice(at + 1)];
      const choices = items.length > 1 ? items : sequence(items[0] ?? []);
      if (choices === undefined) return undefined;
      if (choices.length === 0) {
        // `{}` and `@{u}` are text.
        const literal = asText(pieces.slice(open, at + 1));
        const rest = expandBraces([...literal, ...after]);
        return rest?.map((word) => [...asText(before), ...word]);
      }
      if (!isConstant) return undefined;
      const words = choices.map((choice) => expandBraces([...before, ...choice, ...after]));
      if (words.some((list) => list === undefined)) return undefined;
      const all = words.flatMap((list) => list ?? []);
      return all.length > MAX_ALTERNATIVES ? undefined : all;
    }
    if (at === open) continue;
    if (depth === 1 && piece.type === 'brace' && piece.text === ',') items.push([]);
    else items.at(-1)?.push(piece);
  }
  return undefined;
}

const asText = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece) => (piece.type === 'brace' ? { type: 'text', text: piece.text, quoted: true } : piece));

/** `{1..3}`; nothing where the braces are text, undefined where that is not sure. */
function sequence(item: readonly Piece[]): Piece[][] | undefined {
  const text = item.map((piece) => (piece.type === 'text' && !piece.quoted ? piece.text : '\0')).join('');
  const range = /^(0|[1-9]\d{0,5})\.\.(0|[1-9]\d{0,5})$/.exec(text);
  if (range === null) return /\.\.|\0/.test(text) && text !== '' ? undefined : [];
  const [from, to] = [Number(range[1]), Number(range[2])];
  if (Math.abs(to - from) >= MAX_ALTERNATIVES) return undefined;
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => [
    { type: 'text', text: String(from + index * step), quoted: true },
  ]);
}
