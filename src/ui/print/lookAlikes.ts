/**
 * Characters that pass for ASCII: a Cyrillic а in `paypal`, a fraction slash in a path. They are marked where the word
 * around them reads as ASCII; words of another script, accents, and the punctuation of Chinese or Japanese text are
 * what they seem, and stay as they are. Pure.
 */
import { lookAlikeTable } from './lookAlikeTable.ts';

/** The text with each such character as `‹U+0430 like a›`. `isCommand`: the first word of each command is looked at harder. */
export function markLookAlikes(text: string, isCommand = false): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .split('\n')
    .map((line) => (/[^\0-\x7f]/.test(line) ? markLine(line, isCommand) : line))
    .join('\n');
}

/** Unspaced scripts end a word: letters next to them are words of their own. Ignorable characters do not. */
const PIECE =
  /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[\p{L}\p{Nd}\p{Nl}\p{M}\p{Default_Ignorable_Code_Point}])+|(?!\p{ASCII})[\p{P}\p{S}]/gu;

function markLine(line: string, isCommand: boolean): string {
  // Looked for once, and only where it matters.
  let eastAsian: boolean | undefined;
  let turkish: boolean | undefined;
  const facts: LineFacts = {
    isCommand,
    isEastAsian: () => (eastAsian ??= /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(line)),
    isTurkish: () => (turkish ??= /[şğçöüŞĞÇÖÜİ]/.test(line)),
  };
  return line.replace(PIECE, (piece, start: number) => {
    if (!/[^\0-\x7f]/.test(piece)) return piece;
    const end = start + piece.length;
    const place = (): Place => ({
      ...facts,
      before: line.slice(Math.max(0, start - NEARBY), start),
      after: line.slice(end, end + NEARBY),
    });
    if (/^[\p{P}\p{S}]$/u.test(piece)) {
      const like = punctuationLike(piece);
      return like !== undefined && standsForAscii(piece, like, place()) ? marked(piece, like) : piece;
    }
    const characters = classify(piece, facts);
    if (!isSuspicious(characters, place)) return piece;
    return characters.map(({ text, like }) => (like === undefined ? text : marked(text, like))).join('');
  });
}

/** Characters that are looked at on either side; a host has no more. */
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
  /** What stands on either side in the line. */
  readonly before: string;
  readonly after: string;
}

interface Classified {
  readonly text: string;
  readonly kind: 'latin' | 'like' | 'other' | 'neutral';
  /** What it looks like. */
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

/** Large texts are looked at too, and normalising each of their characters would take its time. */
const known = new Map<string, Classified>();

function classifyCharacter(text: string): Classified {
  if (/[\p{M}\p{Default_Ignorable_Code_Point}0-9]/u.test(text)) return { text, kind: 'neutral' };
  const like = /[A-Za-z]/.test(text) ? undefined : letterLike(text);
  if (like !== undefined) return { text, kind: 'like', like };
  return { text, kind: /\p{sc=Latn}/u.test(text) ? 'latin' : 'other' };
}

/** The ASCII letter or digit (of a ligature, letters) that a letter looks like. */
function letterLike(letter: string): string | undefined {
  // Raised letters and numbers in circles are notation.
  if (/[\p{Lm}\u00aa\u00ba]/u.test(letter)) return undefined;
  const normal = letter.normalize('NFKC');
  if (/^[A-Za-z0-9]$/.test(normal) || /^[\ufb00-\ufb06]$/.test(letter)) return normal;
  // An accent hides nothing: what it stands on decides.
  const [base = ''] = normal.normalize('NFD');
  return lookAlikeTable.get(base);
}

function isSuspicious(word: readonly Classified[], place: () => Place): boolean {
  const has = (kind: Classified['kind']): boolean => word.some((one) => one.kind === kind);
  if (!has('like')) return false;
  if (has('other')) {
    // A foreign ending on a Latin word is slang; scattered letters are not.
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

/** A word of look-alikes alone, which may be a real one (рак): it is where only ASCII is expected that counts. */
function passesForAscii(word: readonly Classified[], place: Place): boolean {
  const letters = word.filter(({ kind }) => kind === 'like').map(({ text }) => text);
  const styled = letters.filter((letter) => /^[A-Za-z0-9]$/.test(letter.normalize('NFKC')));
  if (styled.length > 0) {
    const isWide = styled.every((letter) => /[\uff01-\uff5e]/.test(letter));
    return isWide ? !place.isEastAsian() : letters.length > 1;
  }
  // Letters that hardly any language writes without others around them.
  if (letters.some((letter) => RARE.has(letter))) return true;
  const { before, after } = place;
  const isOption = /(?:^|[\s"'])--?$/.test(before);
  const isHost =
    /(?:[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*|domain:[^\s)]*)$/i.test(before) ||
    /^[\p{L}\p{N}.-]*\.(?:com|net|org|io|dev|app|co|ai|edu|gov|cloud)\b/u.test(after);
  return isOption || isHost || isProgram(place);
}

/** The first word of a command, which hardly any program has in another script. */
function isProgram({ before, after, isCommand }: Place): boolean {
  return isCommand && /(?:^|[;&|(`])\s*$/.test(before) && /^(?:$|[\s:;&|)`])/.test(after);
}

/** Small letters that look like capitals: in a program's name among others that look alike they may pass. */
const SIMILAR = new Set('вмнт');

const RARE = new Set('ѕһԁԛԝѵҽӏ');

const punctuation: Readonly<Record<string, string>> = {
  '-': '\u2010\u2011\u2012\u2013\u2014\u2043\u2212\u02d7',
  '/': '\u2041\u2044\u2215\u27cb\u29f8',
  '\\': '\u2216\u29f5\u29f9',
  ':': '\u02d0\u02f8\u0589\u05c3\u205a\u2236\ua789',
  '.': '\u3002\uff61\ua4f8',
  '|': '\u2223\uffe8',
  '*': '\u204e\u2217',
  '~': '\u2053\u223c',
};

function punctuationLike(sign: string): string | undefined {
  // Raised and lowered signs are notation.
  if (/[\u2070-\u209f]/.test(sign)) return undefined;
  const normal = sign.normalize('NFKC');
  if (/^[!-~]$/.test(normal)) return normal;
  return Object.keys(punctuation).find((ascii) => punctuation[ascii]?.includes(sign));
}

/** Between plain characters, or before one where a word begins: there it would have been ASCII. */
function standsForAscii(
  sign: string,
  like: string,
  { before, after, isCommand, isEastAsian }: Place,
): boolean {
  if (!/^[!-~]/.test(after)) return false;
  if (/[a-z][a-z0-9+.-]*:\/\/\S*$/i.test(before)) return true;
  // A range or an aside in prose: only an option is written with a dash in front.
  if (/[\u2013\u2014]/.test(sign)) return /(?:^|[\s"'])$/.test(before) && /^[A-Za-z-]/.test(after);
  // A number below zero; in a command it would have been an option.
  if (sign === '\u2212' && !isCommand && /^\d/.test(after)) return false;
  if (/[\u3002\uff00-\uffef]/.test(sign) && isEastAsian()) return false;
  return /[!-~]$/.test(before) || ('-/~'.includes(like) && /(?:^|\s)$/.test(before));
}
