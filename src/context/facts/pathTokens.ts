/**
 * Finds tokens that look like file paths in free text, in one linear pass without a regular expression over the whole
 * text. The caller has to check whether they exist.
 */

/** Maximum characters of a text that are searched, and of a path. */
const MAX_TEXT = 1_000_000;
const MAX_PATH = 400;
const MAX_TOKENS = 5000;
/** A path contains a slash or a dot, which most words do not. */
const SLASH = 0x2f;
const DOT = 0x2e;

/** Candidates in order of appearance, with repetitions. */
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

/** Blanks, quotes, brackets, commas and CJK punctuation; not `-._~/:@+#`. */
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
  // `file.ts:12:3` and "file.ts:" name the file; the full stop of a sentence is not part of it.
  const path = token
    .replace(/:\d+(?:[:-]\d+)*:?$/, '')
    .replace(/[.:]+$/, '')
    .replace(/^@/, '');
  if (path.includes('://') || path.startsWith('//')) return undefined;
  const isFilePath = path.includes('/') || /^[\w.-]+\.\w{1,10}$/.test(path);
  return isFilePath && /[\w]/.test(path) ? path : undefined;
}
