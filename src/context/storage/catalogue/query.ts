/** What somebody typed to search for. Every text is a query; one that has no words finds nothing. */
import { withoutColours } from './searchable.ts';
import { fold, isUnspaced, pairsOf, piecesOf } from './words.ts';

export interface Term {
  /** As the tokenizer splits it; more than one where they have to stand side by side. */
  readonly pieces: readonly string[];
  readonly isPrefix: boolean;
  /** Finds it in folded text; not global, so that it has no state. */
  readonly pattern: RegExp;
  /** True where the index can only say that the pieces occur: the text itself has to be looked at. */
  readonly needsLook: boolean;
}

export interface Query {
  /** All of them have to occur. */
  readonly terms: readonly Term[];
  /** The same in the language of the index. */
  readonly match: string;
}

const maxTerms = 16;
const maxCharacters = 1000;
const letter = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';
const gap = '[^\\p{L}\\p{N}\\p{Co}]';

/** Words are joined by AND; `"a phrase"` stands as it is, `begin*` is the beginning of a word. */
export function parseQuery(text: string): Query | undefined {
  const terms = [...withoutColours(text.slice(0, maxCharacters)).matchAll(/"([^"]*)"?|([^\s"]+)/g)]
    .map(([, phrase, word = '']) =>
      phrase === undefined ? termOf(word, word.endsWith('*')) : termOf(phrase, false),
    )
    .filter((term) => term !== undefined)
    .slice(0, maxTerms);
  if (terms.length === 0) return undefined;
  return { terms, match: terms.map(matchOf).join(' AND ') };
}

/** Whether every term occurs. `folded` comes from `fold`. */
export function matches({ terms }: Query, folded: string): boolean {
  return terms.every(({ pattern }) => pattern.test(folded));
}

function termOf(text: string, isPrefix: boolean): Term | undefined {
  const pieces = piecesOf(fold(text.normalize('NFC')));
  const [first] = pieces;
  if (first === undefined) return undefined;
  const needsLook = pieces.length > 1 || (isUnspaced(first) && [...first].length > 2);
  return { pieces, isPrefix, needsLook, pattern: patternOf(pieces, isPrefix) };
}

function patternOf(pieces: readonly string[], isPrefix: boolean): RegExp {
  let source = '';
  pieces.forEach((piece, index) => {
    const before = pieces[index - 1];
    const touches = isUnspaced(piece) || (before !== undefined && isUnspaced(before));
    if (before !== undefined) source += `${gap}{${touches ? 0 : 1},8}`;
    else if (!isUnspaced(piece)) source += `(?<!${letter})`;
    source += piece;
  });
  const last = pieces.at(-1) ?? '';
  return new RegExp(isPrefix || isUnspaced(last) ? source : `${source}(?!${letter})`, 'u');
}

/** Pieces hold letters, marks and digits only, so nothing needs an escape. */
function matchOf({ pieces, isPrefix }: Term): string {
  return pieces
    .flatMap((piece, index) => {
      if (!isUnspaced(piece)) return [`"${piece}"${isPrefix && index === pieces.length - 1 ? '*' : ''}`];
      const pairs = pairsOf(piece);
      return pairs.length === 1 ? [`"${piece}"*`] : pairs.slice(0, -1).map((pair) => `"${pair}"`);
    })
    .join(' AND ');
}
