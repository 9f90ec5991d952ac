/**
 * Finds what looks like a file path in free text: one linear pass, no regular expression over the whole.
 * Whether it is a file is for the caller to find out.
 */

/** Longest text that is looked through, and longest token that can be a path, in characters. */
const MAX_TEXT = 1_000_000;
const MAX_PATH = 400;
const MAX_TOKENS = 5000;
/** A path has one of these, and most words have neither. */
const SLASH = 0x2f;
const DOT = 0x2e;

/** Candidates in order of appearance, each as often as it occurs. */
export function pathTokens(text: string): string[] {
  const tokens: string[] = [];
  const end = Math.min(text.length, MAX_TEXT);
  let start = 0;
  let isCandidate = false;
  for (let index = 0; index <= end && tokens.length < MAX_TOKENS; index++) {
    const code = text.charCodeAt(index);
    if (index < end && !isSeparator(code)) {
      isCandidate ||= code === SLASH || code === DOT;
      continue;
    }
    if (isCandidate && index - start > 2 && index - start <= MAX_PATH) {
      const token = toPath(text.slice(start, index));
      if (token !== undefined) tokens.push(token);
    }
    start = index + 1;
    isCandidate = false;
  }
  return tokens;
}

/** Blanks, quotes, brackets, commas, and the punctuation of CJK text; not `-._~/:@+#`. */
function isSeparator(code: number): boolean {
  if (code <= 32) return true;
  if (code < 128) return ASCII_SEPARATORS.has(code);
  return (
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20) ||
    (code >= 0x2018 && code <= 0x201f)
  );
}

const ASCII_SEPARATORS = new Set(
  Array.from('"\'`()<>[]{},;|*?=!$&\\', (character) => character.charCodeAt(0)),
);

function toPath(token: string): string | undefined {
  // `file.ts:12:3` and "file.ts:" name the file; a sentence's full stop does not belong to it.
  const path = token
    .replace(/:\d+(?:[:-]\d+)*:?$/, '')
    .replace(/[.:]+$/, '')
    .replace(/^@/, '');
  if (path.includes('://') || path.startsWith('//')) return undefined;
  const isFilePath = path.includes('/') || /^[\w.-]+\.\w{1,10}$/.test(path);
  return isFilePath && /[\w]/.test(path) ? path : undefined;
}
