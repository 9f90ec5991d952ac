/**
 * Where a token may begin: not in the middle of a word, but directly after an escape sequence that ends in a letter.
 */

/** True if the text before `at` is not part of the same word. */
export function beginsAt(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return true;
  // "\nghp_…" in JSON, "\u0022", "\x22", "%20" in a URL, and terminal colours.
  return escapeBefore.test(text.slice(Math.max(0, at - 24), at));
}

const escapeBefore =
  /(?:\\[nrtbfv0]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|%[0-9a-f]{2}|\u001b\[[0-9;]{0,20}[A-Za-z])$/i;
