/**
 * True for consoles that print what they do not know: a question or a title would stand on the screen as text. By
 * `TERM`: the kernels' own consoles, hardware terminals, and the ones inside of Emacs.
 */
export function isPlainConsole(term: string | undefined): boolean {
  return /^(?:$|(?:dumb|linux|cons25|emacs|eterm|vt\d))/.test(term ?? '');
}
