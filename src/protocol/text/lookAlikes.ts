/**
 * Detects characters that pass for ASCII: a Cyrillic а in `paypal`, a fraction slash in a path. They are marked if the
 * surrounding word reads as ASCII. Words in other scripts, accents, and Chinese or Japanese punctuation are harmless
 * and left alone. Pure.
 */
import { lookAlikeTable, signTable } from './lookAlikeTables.ts';

/**
 * Replaces each such character with a mark like `‹U+0430 like a›`. `isCommand`: checks the first word of each command
 * more strictly.
 */
export function markLookAlikes(text: string, isCommand: boolean): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .split('\n')
    .map((line) => (/[^\0-\x7f]/.test(line) ? markLine(line, isCommand) : line))
    .join('\n');
}

/**
 * Scripts written without spaces end a word, so adjacent letters are words of their own; so do letters, marks and digits
 * that look like a sign. Ignorable characters do not end a word.
 */
const PIECE =
  /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}SIGNS])[\p{L}\p{Nd}\p{Nl}\p{M}\p{Default_Ignorable_Code_Point}])+|(?!\p{ASCII})[\p{P}\p{S}SIGNS]/u;

/** Built lazily, as the table of signs is. */
let pieces: RegExp | undefined;

function piecePattern(): RegExp {
  return new RegExp(PIECE.source.replaceAll('SIGNS', [...signTable().keys()].join('')), 'gu');
}

function markLine(line: string, isCommand: boolean): string {
  // Computed once, and only on demand.
  let eastAsian: boolean | undefined;
  let turkish: boolean | undefined;
  const facts: LineFacts = {
    isCommand,
    isEastAsian: () => (eastAsian ??= /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(line)),
    isTurkish: () => (turkish ??= /[şğçöüŞĞÇÖÜİ]/.test(line)),
  };
  pieces ??= piecePattern();
  return line.replace(pieces, (piece, start: number) => {
    if (!/[^\0-\x7f]/.test(piece)) return piece;
    const end = start + piece.length;
    const place = (): Place => ({
      ...facts,
      before: line.slice(Math.max(0, start - NEARBY), start),
      after: line.slice(end, end + NEARBY),
    });
    if (/^[\p{P}\p{S}]$/u.test(piece) || signTable().has(piece)) {
      const like = punctuationLike(piece);
      return like !== undefined && standsForAscii(piece, like, place()) ? marked(piece, like) : piece;
    }
    const characters = classify(piece, facts);
    if (!isSuspicious(characters, place)) return piece;
    return characters.map(({ text, like }) => (like === undefined ? text : marked(text, like))).join('');
  });
}

/** Characters of context on each side; a host name is not longer. */
const NEARBY = 260;

function marked(character: string, like: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')} like ${like}›`;
}

interface LineFacts {
  readonly isCommand: boolean;
  readonly isEastAsian: () => boolean;
  readonly isTurkish: () => boolean;
}

interface Place extends LineFacts {
  /** The text on either side in the line. */
  readonly before: string;
  readonly after: string;
}

interface Classified {
  readonly text: string;
  readonly kind: 'latin' | 'like' | 'other' | 'neutral';
  /** The ASCII text it looks like. */
  readonly like?: string;
}

function classify(word: string, { isTurkish }: LineFacts): readonly Classified[] {
  return Array.from(word, (text) => {
    let one = known.get(text);
    if (one === undefined) {
      one = classifyCharacter(text);
      known.set(text, one);
    }
    return text === 'ı' && isTurkish() ? { text, kind: 'latin' } : one;
  });
}

/** Cache: normalizing each character of a large text would be slow. */
const known = new Map<string, Classified>();

function classifyCharacter(text: string): Classified {
  if (/[\p{M}\p{Default_Ignorable_Code_Point}0-9]/u.test(text)) return { text, kind: 'neutral' };
  const like = /[A-Za-z]/.test(text) ? undefined : letterLike(text);
  if (like !== undefined) return { text, kind: 'like', like };
  return { text, kind: /\p{sc=Latn}/u.test(text) ? 'latin' : 'other' };
}

/** The ASCII letter or digit (for a ligature: letters) that a letter looks like. */
function letterLike(letter: string): string | undefined {
  // Superscript letters and circled numbers are notation.
  if (/[\p{Lm}\u00aa\u00ba]/u.test(letter)) return undefined;
  const normal = letter.normalize('NFKC');
  if (/^[A-Za-z0-9]$/.test(normal) || /^[\ufb00-\ufb06]$/.test(letter)) return normal;
  // An accent hides nothing; the base letter decides.
  const [base = ''] = normal.normalize('NFD');
  return lookAlikeTable().get(base);
}

function isSuspicious(word: readonly Classified[], place: () => Place): boolean {
  const has = (kind: Classified['kind']): boolean => word.some((one) => one.kind === kind);
  if (!has('like')) return false;
  if (has('other')) {
    // A foreign ending on a Latin word is slang; scattered letters are suspicious.
    if (has('latin')) return runsOfOthers(word) > 1;
    return isProgram(place()) && word.every(({ kind, text }) => kind !== 'other' || SIMILAR.has(text));
  }
  return has('latin') || passesForAscii(word, place());
}

function runsOfOthers(word: readonly Classified[]): number {
  const letters = word.filter(({ kind }) => kind !== 'neutral');
  const starts = letters.filter(
    ({ kind }, index) => kind !== 'latin' && (letters[index - 1]?.kind ?? 'latin') === 'latin',
  );
  return starts.length;
}

/** A word that consists only of look-alikes may be a real one (рак), so it counts only where ASCII is expected. */
function passesForAscii(word: readonly Classified[], place: Place): boolean {
  const letters = word.filter(({ kind }) => kind === 'like').map(({ text }) => text);
  const styled = letters.filter((letter) => /^[A-Za-z0-9]$/.test(letter.normalize('NFKC')));
  if (styled.length > 0) {
    const isWide = styled.every((letter) => /[\uff01-\uff5e]/.test(letter));
    return isWide ? !place.isEastAsian() : letters.length > 1;
  }
  // Letters that hardly any language writes without other letters of its script.
  if (letters.some((letter) => RARE.has(letter))) return true;
  const { before, after } = place;
  const isOption = /(?:^|[\s"'])--?$/.test(before);
  const isHost =
    /(?:[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*|domain:[^\s)]*)$/i.test(before) ||
    /^[\p{L}\p{N}.-]*\.(?:com|net|org|io|dev|app|co|ai|edu|gov|cloud)\b/u.test(after);
  return isOption || isHost || isProgram(place);
}

/** The first word of a command; hardly any program has a name in another script. */
function isProgram({ before, after, isCommand }: Place): boolean {
  return isCommand && /(?:^|[;&|(`])\s*$/.test(before) && /^(?:$|[\s:;&|)`])/.test(after);
}

/** Lowercase letters that look like small capitals; they may pass within a program name made of other look-alikes. */
const SIMILAR = new Set('вмнт');

const RARE = new Set('ѕһԁԛԝѵҽӏ');

function punctuationLike(sign: string): string | undefined {
  // Superscript and subscript signs are notation.
  if (/[\u2070-\u209f]/.test(sign)) return undefined;
  const normal = sign.normalize('NFKC');
  if (/^[!-~]$/.test(normal)) return normal;
  return signTable().get(sign);
}

/**
 * True if the sign is between plain characters, or before one at the start of a word, where ASCII would be
 * expected.
 */
function standsForAscii(
  sign: string,
  like: string,
  { before, after, isCommand, isEastAsian }: Place,
): boolean {
  if (!/^[!-~]/.test(after)) return false;
  if (/[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(before)) return true;
  // A dash is a range or an aside in prose; it is suspicious only where it would start an option.
  if (/[\u2013\u2014]/.test(sign)) return /(?:^|[\s"'])$/.test(before) && /^[A-Za-z-]/.test(after);
  // A negative number; in a command it would be an option.
  if (sign === '\u2212' && !isCommand && /^\d/.test(after)) return false;
  if (/[\u3002\uff00-\uffef]/.test(sign) && isEastAsian()) return false;
  return /[!-~]$/.test(before) || (/^[-/~.]/.test(like) && /(?:^|\s)$/.test(before));
}
