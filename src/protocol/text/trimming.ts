/** Linear replacements for patterns such as `/\n+$/`, which take quadratic time on long runs within a text. */

/** The text without the given characters at its end. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Replaces every run of white space that contains a line feed. */
export function joinLines(text: string, separator: string): string {
  return text.replace(/\s+/g, (gap) => (gap.includes('\n') ? separator : gap));
}
