/** Decides whether a value looks like a secret, or like a word, a name or a placeholder. */

/** Whether the value is bare among words and code, or in quotes, possibly as a literal password. */
type Standing = 'bare' | 'quoted' | 'password';

/** True for values that look random enough to be a password or a key. */
export function isLikelySecret(value: string, standing: Standing): boolean {
  if (value.length < 8 || value.length > 4096 || isPlaceholder(value)) return false;
  if (
    /:\/\/|\/\*|\$\{|\{\{|\$\(|(?:^|\W)%[sd](?:\W|$)|^\$[A-Za-z_]\w*$|^%\w+%$|^\{\w+\}|^@[\w.]+@$|^#[\da-f]{3,8}$|^(?:sha\d{1,3}[-:]|(?:npm|workspace):)|<\/?[a-z]|\bprocess\.env\b|\.env\b|\(\)|^\[|^\/[a-z]+\//i.test(
      value,
    )
  )
    return false;
  if (isUuid(value)) return true;
  if (standing === 'bare' && /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  if (hasStrongSymbol(value) && /\d/.test(value) && /[A-Za-z]/.test(value)) return isMixed(value);
  if (isShuffled(value.replace(/[+/=]/g, ''))) return true;
  if (standing === 'password' && isMixedCase(value)) return true;
  return value.split(/[-_.:,/+=]/).some(isRandomWord);
}

/** True for placeholders that documents and templates use instead of a secret. */
export function isPlaceholder(text: string): boolean {
  return placeholder.test(text) || isMonotonous(text);
}

const placeholder =
  /x{5,}|\*{3,}|\.{3,}|…|example|your|placeholder|change_?-?me|dummy|sample|redacted|replace|insert|12345678|87654321|abcdefg|deadbeef|(?:^|[-_])(?:fake|mock|todo|foo|bar|null|undefined)(?:$|[-_])|0{8,}|goes[-_ ]?here|<[^>]*>/i;

/** True for text with few different characters for its length. */
function isMonotonous(text: string): boolean {
  return new Set(text.slice(0, 64)).size < Math.min(5, text.length / 2);
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

function hasStrongSymbol(text: string): boolean {
  return /[!@#$%^&*~?]/.test(text);
}

/** True if letters, digits and symbols are interleaved, unlike a word followed by a symbol. */
function isMixed(text: string): boolean {
  return new Set(text).size >= 6 && changesOfKind(text) >= 3;
}

/** True for a word in which lower case, upper case and digits change more often than in compound names. */
export function isMixedCase(word: string): boolean {
  if (!/^[A-Za-z0-9]{8,}$/.test(word) || !/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false;
  return changesOfCase(word) > 0.55 * word.length;
}

/** True for a word without separators in which letters and digits alternate more than in any name. */
function isRandomWord(word: string): boolean {
  if (word.length < 8) return false;
  if (isShuffled(word)) return true;
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word)) return false;
  const changes = changesOfKind(word);
  if (word.length < 16) return changes >= 4 && entropyBits(word) >= 2.75;
  return changes >= Math.min(5, word.length / 8) && entropyBits(word) >= 3;
}

/**
 * True if lower case, upper case and digits are in random order: in random text, 62 of 100 adjacent pairs differ in
 * kind, in compound names about 30.
 */
export function isShuffled(word: string): boolean {
  if (word.length < 16 || !/[a-z]/.test(word) || !/[A-Z]/.test(word) || !/\d/.test(word)) return false;
  return changesOfCase(word) >= 0.42 * word.length;
}

/** How often a word switches between lower case, upper case and digits. */
const changesOfCase = (word: string): number =>
  word.match(/(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=\d)(?=[A-Za-z])/g)?.length ?? 0;

/** How often a text switches between letters, digits and symbols. */
function changesOfKind(text: string): number {
  let changes = 0;
  let last = '';
  for (const character of text) {
    const kind = /[A-Za-z]/.test(character) ? 'letter' : /\d/.test(character) ? 'digit' : 'sign';
    if (last !== '' && kind !== last) changes++;
    last = kind;
  }
  return changes;
}

/** Shannon entropy of the characters, in bits per character. */
export function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Types for redaction. */

/** The position of a secret in a text, in UTF-16 units: [start, end). */
export interface Secret {
  readonly start: number;
  readonly end: number;
  /** Letters and dashes: `aws-access-key`, `url-password`. */
  readonly kind: string;
}

export interface RedactOptions {
  /** The user's own secrets in any format, such as the endpoint's key. Ignored if shorter than 8 characters. */
  readonly own?: readonly string[];
  /** Whether each line that may be one of a private key counts as a secret, as in the output of `tail -3 key`. */
  readonly keyLines?: boolean;
  /** Whether the text is settings, where any literal value of a name like `password` counts. */
  readonly isSettings?: boolean;
  /** Called with the mark of each replaced secret. */
  readonly onRedacted?: (mark: string) => void;
}
