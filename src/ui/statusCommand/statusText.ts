/** What a command printed, as it may stand on the screen: a few lines of text in which nothing but colours is left. */
import { sanitizeLine } from '../print/sanitize.ts';

/** Lines at most: the screen is for the conversation. */
export const MAX_LINES = 3;
/** Characters of a line, far beyond what a terminal is wide. */
const MAX_CHARACTERS = 2000;

const sgr = /(\u001B\[[\d;:]{0,60}m)/;
const RESET = '\u001B[0m';

/** Every line ends in its own reset. Without `colors` it holds no escape at all. */
export function statusText(printed: string, colors: boolean): readonly string[] {
  const lines = printed.replace(/\r\n?/g, '\n').trimEnd().split('\n').slice(0, MAX_LINES);
  return lines.map((line) => {
    const parts = line.slice(0, MAX_CHARACTERS).split(sgr);
    const isColored = colors && parts.length > 1;
    const text = parts
      .map((part, index) => (index % 2 === 0 ? sanitizeLine(part) : isColored ? part : ''))
      .join('');
    return isColored ? text + RESET : text;
  });
}
