/**
 * Removes the escape sequences of terminals (ECMA-48) from text of unknown origin. Takes linear time for any input, which
 * the pattern of Node's `stripVTControlCharacters` does not.
 */

// Start and end of control strings for the terminal (a title, a device command).
const stringStart = /\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f]/g;
const stringEnd = /\u001b\\|[\u0007\u009c]/g;
/**
 * A control sequence, or a shorter escape. Every part is optional and no two of them share a character, so a sequence
 * without an end is removed as far as it goes, and nothing is tried twice.
 */
const sequence = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** The text without escape sequences. Other control characters stay. */
export function withoutEscapes(text: string): string {
  return /[\u001b\u0080-\u009f]/.test(text) ? withoutStrings(text).replace(sequence, '') : text;
}

/** Runs in a single pass, however many unterminated strings there are. */
function withoutStrings(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    stringStart.lastIndex = at;
    const start = stringStart.exec(text);
    if (start === null) return kept + text.slice(at);
    kept += text.slice(at, start.index);
    stringEnd.lastIndex = stringStart.lastIndex;
    // Without an end mark, only the start marks are removed: the text after them may be real content.
    if (stringEnd.exec(text) === null) return kept + text.slice(start.index).replace(stringStart, '');
    at = stringEnd.lastIndex;
  }
}
