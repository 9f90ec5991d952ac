/**
 * Determines what a word becomes when the command runs: all possible argument lists with exactly known arguments, or
 * unknown. Tracks variables that the command itself sets; anything else that only the shell knows is arbitrary text.
 * Pure.
 */
import { hasGlob } from '../files/globOverlap.ts';
import type { Argument } from './argument.ts';
import type { Piece } from './word.ts';

/** The possible values of the shell's variables. */
export type Variables = ReadonlyMap<string, readonly Argument[]>;

/** Variables of the environment whose values are not secret. */
export const harmlessVariable =
  /^(?:HOME|PATH|USER|LOGNAME|PWD|OLDPWD|SHELL|CI|TERM|LANG|LC_[A-Z]+|TZ|EDITOR|VISUAL|PAGER|TMPDIR|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|NODE_ENV|NODE_VERSION|COLUMNS|LINES|SHLVL|UID|EUID|PPID|RANDOM|SECONDS|LINENO|BASH_VERSION|ZSH_VERSION|IFS|VIRTUAL_ENV|CONDA_DEFAULT_ENV|GOPATH|GOROOT|JAVA_HOME|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|XDG_[A-Z_]+|DISPLAY|COLORTERM|TERM_PROGRAM)$/;

/** With more possibilities the word is unknown. */
const MAX_ALTERNATIVES = 200;
/** Text that stays one word without quotes, in every shell. */
const staysOneWord = /^[\w@%+=:,./{}-]+$/;

export const unknownText: Argument = { type: 'output', loose: true };
/** Also a harmless variable as the user has set it: nothing else could put spaces or wildcards into it. */
const plainText: Argument = { type: 'output', loose: false, plain: true };
export const anything: Argument = { type: 'secret', loose: true };
const partOfAnything: Argument = { type: 'secret', loose: true, cut: true };

/** The argument lists that one word may become; undefined = unknown. */
export function alternativesOf(
  pieces: readonly Piece[],
  variables: Variables,
  moves: number,
): readonly (readonly Argument[])[] | undefined {
  if (pieces.filter((piece) => piece.type === 'brace' && piece.text === '{').length > MAX_ALTERNATIVES)
    return undefined;
  const words = expandBraces(pieces);
  if (words === undefined) return undefined;
  // dash does not expand braces.
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

/** One element of each list, in every combination; undefined = too many. */
export function combine<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] | undefined {
  let all: (readonly T[])[] = [[]];
  for (const list of lists) {
    if (all.length * list.length > MAX_ALTERNATIVES) return undefined;
    all = all.flatMap((before) => list.map((one) => [...before, one]));
  }
  return all;
}

/** The possible values of an assignment, in which braces, wildcards and spaces have no special meaning. */
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

/** Merges the values after two alternative paths of a command. */
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
  // Spaces: without quotes, no word at all.
  if (name === 'IFS') return variables.get(name) ?? [unknownText];
  return variables.get(name) ?? [harmlessVariable.test(name) ? plainText : anything];
}

/** True if a variable of this name may contain a secret. */
export const mayBeSecret = (name: string, variables: Variables): boolean =>
  lookUp(name, variables).some(({ type }) => type === 'secret');

/** The possible values of one word without braces; undefined = unknown. */
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
  const printed = printedIn(word, variables, moves);
  if (printed !== undefined) return [printed];
  if (word.length === 1 && first?.type === 'output' && first.plain) return [plainText];
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
        // At the beginning a tilde is the home folder, and the character is written `./~`.
        (index === 0 || !texts.some((text) => /^(?:\.\/)?~/.test(text))) &&
        (piece.quoted || texts.every((text) => staysOneWord.test(text)));
      if (isKnown) parts.push(texts.map((text) => ({ text, pattern: literally(text), wild: false })));
      else {
        if (values.some((value) => value.type === 'files' && value.moves !== moves)) return undefined;
        names.push(...values.flatMap(namesIn));
        const isSecret = mayBeSecret(piece.name, variables);
        if (unknown !== 'secret') unknown = isSecret ? 'secret' : 'output';
        cut ||= isSecret && (piece.type === 'derived' ? piece.cut : values.some((value) => isCut(value)));
        loose ||= !piece.quoted && values.some((value) => value.type !== 'output' || value.plain !== true);
      }
    }
  }
  loose ||= parts.flat().some(({ wild }) => wild);
  if (unknown === 'output') return [{ type: unknown, loose, ...(names.length > 0 && { names }) }];
  if (unknown === 'secret') return [{ type: unknown, loose, ...(cut && { cut }) }];
  const lists = combine(parts);
  if (lists?.some((list) => hasLateTilde(list.map(({ text }) => text)))) return undefined;
  return lists?.map((list) =>
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

/** What a word becomes that is the output of one command, with constant text after it. */
function printedIn(
  [first, ...rest]: readonly Piece[],
  variables: Variables,
  moves: number,
): Argument | undefined {
  if (!rest.every(isConstant)) return undefined;
  const after = rest.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  if (first?.type === 'output' && first.commands !== undefined)
    return {
      type: 'output',
      loose: !first.quoted,
      ...(first.plain && { plain: true }),
      printed: { by: first.commands, after, use: 'direct', moves },
    };
  if (first?.type !== 'variable') return undefined;
  const [value, ...others] = lookUp(first.name, variables).map((one) => used(one, first.quoted, moves));
  if (value?.type !== 'output' || value.printed?.use !== 'kept' || others.length > 0) return undefined;
  return { ...value, printed: { ...value.printed, after: `${value.printed.after}${after}` } };
}

const isConstant = (piece: Piece): boolean =>
  piece.type === 'text' && (piece.quoted || staysOneWord.test(piece.text));

/**
 * True if a word made of these texts would look like a path in the home folder although no shell reads it that way:
 * `x=~; cat "$x.txt"` reads a file next to the home folder, and `x=; cat "$x~/a"` one in a folder named `~`.
 */
function hasLateTilde([first = '', ...others]: readonly string[]): boolean {
  const rest = others.join('');
  if (first === '') return rest.startsWith('~');
  return first === '~' && rest !== '' && !rest.startsWith('/');
}

/** Escapes a text so that it matches literally in a pattern. */
const literally = (text: string): string => text.replace(/[*?[\]\\]/g, '\\$&');

/** Patterns of the names that a value may contain. */
const namesIn = (value: Argument): readonly string[] =>
  value.type === 'files' ? [value.pattern] : value.type === 'output' ? (value.names ?? []) : [];

const isCut = (value: Argument): boolean => value.type === 'secret' && value.cut === true;

/** A variable's value as a separate word. */
function used(value: Argument, quoted: boolean, moves: number): Argument | undefined {
  if (value.type === 'text') {
    if (quoted || staysOneWord.test(value.text)) return value;
    return undefined;
  }
  if (value.type === 'files') return value.moves === moves ? { ...value, bare: !quoted } : undefined;
  if (value.type === 'secret') return { ...value, loose: !quoted };
  const { printed, ...text } = value;
  return {
    ...text,
    loose: !quoted && value.plain !== true,
    ...(printed?.moves === moves && {
      printed: { ...printed, use: printed.use === 'word' ? 'word' : 'kept' },
    }),
  };
}

/** The words to which braces expand one word; undefined if the shells may differ. */
function expandBraces(pieces: readonly Piece[]): readonly (readonly Piece[])[] | undefined {
  const open = pieces.findIndex((piece) => piece.type === 'brace' && piece.text === '{');
  if (open === -1)
    return pieces.some((piece) => piece.type === 'brace' && piece.text === '}')
      ? undefined
      : [asText(pieces)];
  // bash expands braces before variables and tildes, zsh after them.
  const isConstant = pieces.every(({ type }) => type === 'text' || type === 'brace');
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
      const all: (readonly Piece[])[] = [];
      for (const choice of choices) {
        const words = expandBraces([...before, ...choice, ...after]);
        // Ends at once: adjacent braces multiply.
        if (words === undefined || all.length + words.length > MAX_ALTERNATIVES) return undefined;
        all.push(...words);
      }
      // An empty word would be dropped, so the words and their number would be uncertain.
      const isCertain = all.every((word) => word.some((one) => one.type === 'text' && one.text !== ''));
      return isCertain ? all : undefined;
    }
    if (at === open) continue;
    if (depth === 1 && piece.type === 'brace' && piece.text === ',') items.push([]);
    else items.at(-1)?.push(piece);
  }
  return undefined;
}

const asText = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece) => (piece.type === 'brace' ? { type: 'text', text: piece.text, quoted: true } : piece));

/** `{1..3}`; empty if the braces are text, undefined if that is uncertain. */
function sequence(item: readonly Piece[]): Piece[][] | undefined {
  const text = item.map((piece) => (piece.type === 'text' && !piece.quoted ? piece.text : '\0')).join('');
  const range = /^(0|[1-9]\d{0,5})\.\.(0|[1-9]\d{0,5})$/.exec(text);
  if (range === null) return /\.\.|\0/.test(text) && text !== '' ? undefined : [];
  const [from, to] = [Number(range[1]), Number(range[2])];
  return countFrom(from, to)?.map((text) => [{ type: 'text', text, quoted: true }]);
}

/** What `$(seq 3)` and `$(seq 2 5)` become in a loop; undefined for anything else. */
export function numbersOf(word: string): readonly string[] | undefined {
  const [, first = '1', last] = /^\$\(seq (?:(\d{1,6}) )?(\d{1,6})\)$/.exec(word) ?? [];
  if (last === undefined || Number(first) > Number(last)) return undefined;
  return countFrom(Number(first), Number(last));
}

function countFrom(from: number, to: number): readonly string[] | undefined {
  if (Math.abs(to - from) >= MAX_ALTERNATIVES) return undefined;
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + index * step));
}
