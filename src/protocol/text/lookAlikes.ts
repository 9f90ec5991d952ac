/**
 * Detects characters that pass for ASCII: a Cyrillic а in `paypal`, a fraction slash in a path. They are marked if the
 * surrounding word reads as ASCII. Words in other scripts, accents, and Chinese or Japanese punctuation are harmless
 * and left alone. Pure.
 */

/**
 * Replaces each such character with a mark like `‹U+0430 like a›`. `isCommand`: checks the first word of each command
 * more strictly.
 */
export function markLookAlikes(text: string, isCommand = false): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .split('\n')
    .map((line) => (/[^\0-\x7f]/.test(line) ? markLine(line, isCommand) : line))
    .join('\n');
}

/**
 * Scripts written without spaces end a word, so adjacent letters are words of their own. Ignorable characters do not
 * end a word.
 */
const PIECE =
  /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}])[\p{L}\p{Nd}\p{Nl}\p{M}\p{Default_Ignorable_Code_Point}])+|(?!\p{ASCII})[\p{P}\p{S}]/gu;

function markLine(line: string, isCommand: boolean): string {
  // Computed once, and only on demand.
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
  // Superscript and subscript signs are notation.
  if (/[\u2070-\u209f]/.test(sign)) return undefined;
  const normal = sign.normalize('NFKC');
  if (/^[!-~]$/.test(normal)) return normal;
  return Object.keys(punctuation).find((ascii) => punctuation[ascii]?.includes(sign));
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
  return /[!-~]$/.test(before) || ('-/~'.includes(like) && /(?:^|\s)$/.test(before));
}

/**
 * Letters and digits of other scripts, by the ASCII character they look like; code points in hex. Taken from the
 * confusables of Unicode's UTS #39 (https://www.unicode.org/Public/security/latest/confusables.txt), version 10: all
 * that map to one ASCII letter or digit. Omits characters that normalization already catches (fullwidth,
 * mathematical), scripts that do not occur next to Latin letters, and б, г and З, which do not really look like 6, r
 * and 3. Adds к, κ, η, χ, ω and τ.
 */
const byAscii = {
  '2': '1a7 3e8 14bf a644 a6ef a75a',
  '3': '1b7 21c 2ccc a76a a7ab 118ca 16f3b',
  '4': '13ce 118af',
  '5': '1bc 118bb',
  '6': '13ee 2cd2 118d5',
  '7': '104d2 118c6',
  '8': '222 223 9ea a6a 1031a',
  '9': '9ed a67 b68 d6d 2cca a76e 118ac 118cc 118d6',
  A: '391 410 13aa 15c5 a4ee 102a0 16f40',
  B: '392 412 13f4 15f7 a4d0 a7b4 10282 102a1 10301',
  C: '421 13df 2ca4 a4da 102a2 10302 10415 1051c 118e9',
  D: '13a0 15de 15ea a4d3',
  E: '395 415 13ac 2d39 a4f0 10286 118a6 118ae',
  F: '3dc 15b4 a4dd a798 10287 102a5 10525 118a2 118c2',
  G: '50c 13c0 13f3 a4d6',
  H: '397 41d 13bb 157c 2c8e a4e7 102cf',
  J: '37f 408 13ab 148d a4d9 a7b2',
  K: '39a 41a 13e6 16d5 2c94 a4d7 10518',
  L: '13de 14aa 2cd0 a4e1 1041b 10526 118a3 118b2 16f16',
  M: '39c 3fa 41c 13b7 15f0 16d6 2c98 a4df 102b0 10311',
  N: '39d 2c9a a4e0 10513',
  O: '39f 41e 555 7c0 9e6 b20 b66 12d0 2c9e 2d54 a4f3 10292 102ab 10404 104c2 10516 114d0 118b5 118e0',
  P: '3a1 420 13e2 146d 2ca2 a4d1 10295',
  Q: '2d55',
  R: '1a6 13a1 13d2 1587 a4e3 104b4 16f35',
  S: '405 54f 13d5 13da a4e2 10296 10420 16f3a',
  T: '3a4 422 13a2 2ca6 a4d4 10297 102b1 10315 118bc 16f0a',
  U: '54d 1200 144c a4f4 104ce 118b8 16f42',
  V: '474 13d9 142f 2d38 a4e6 a6df 1051d 118a0 16f08',
  W: '51c 13b3 13d4 a4ea 118e6',
  X: '3a7 425 16b7 2cac 2d5d a4eb a7b3 10290 102b4 10317 10527',
  Y: '3a5 423 4ae 13a9 13bd 2ca8 a4ec 102b2 118a4 16f43',
  Z: '396 13c3 a4dc 118a9 118e5',
  a: '251 3b1 430',
  b: '184 42c 13cf 15af',
  c: '441 1d04 2ca5 abaf 1043d',
  d: '501 13e7 146f a4d2',
  e: '435 4bd ab32',
  f: '584 1e9d a799 ab35',
  g: '18d 261 581 1d83',
  h: '4bb 570 13c2',
  i: '131 269 26a 3b9 456 4cf 13a5 a647 ab75 118c3',
  j: '3f3 458',
  k: '3ba 43a',
  l: '196 1c0 399 406 4c0 7ca 16c1 2c92 2d4f a4f2 1028a 10309 16f28',
  n: '3b7 578 57c',
  o: '3bf 3c3 43e 585 966 a66 ae6 be6 c66 ce6 d20 d66 ed0 101d 1040 10ff 1d0f 1d11 2c9f ab3d 1042c 104ea 118c8 118d7',
  p: '3c1 440 2ca3',
  q: '51b 563 566',
  r: '1d26 2c85 ab47 ab48 ab81',
  s: '1bd 455 a731 abaa 10448 118c1',
  t: '3c4',
  u: '28b 3c5 57d 1d1c a79f ab4e ab52 104f6 118d8',
  v: '3bd 475 1d20 aba9 11706 118c0',
  w: '26f 3c9 461 51d 561 1d21 ab83 1170a 1170e 1170f',
  x: '3c7 445 1541 157d',
  y: '263 28f 3b3 443 4af 10e7 1d8c 1eff ab5a 118dc',
  z: '1d22 ab93 118c4',
};

let table: ReadonlyMap<string, string> | undefined;

/** Maps each look-alike to its ASCII letter or digit. */
export function lookAlikeTable(): ReadonlyMap<string, string> {
  table ??= new Map(
    Object.entries(byAscii).flatMap(([ascii, codes]) =>
      codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), ascii] as const),
    ),
  );
  return table;
}
