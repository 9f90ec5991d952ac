/** JSON on one line with a line feed; escapes U+2028 and U+2029, which some readers treat as line endings. */
export function toLine(message: object): string {
  const json = JSON.stringify(message);
  return `${json.replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)}\n`;
}
