/** Where a token may begin: not in the middle of a word, but also behind an escape that ends in a letter. */

/** True when what stands before `at` does not run into it. */
export function beginsAt(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return true;
  // "\nghp_…" in JSON, "\u0022", "\x22", "%20" in an address, and the colours of a terminal.
  return escapeBefore.test(text.slice(Math.max(0, at - 24), at));
}

const escapeBefore =
  /(?:\\[nrtbfv0]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|%[0-9a-f]{2}|\u001b\[[0-9;]{0,20}[A-Za-z])$/i;
