/** JSON on one line with its end, also for readers that take U+2028 and U+2029 for line ends. */
export function toLine(message: object): string {
  const json = JSON.stringify(message);
  return `${json.replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)}\n`;
}
