/** Queries to a terminal, and the parsing of its replies. Pure. */

/** A grapheme whose width differs between terminals. */
interface Sample {
  readonly name: string;
  readonly text: string;
}

export const samples: readonly Sample[] = [
  { name: 'CJK', text: '漢' },
  { name: 'a combining accent', text: 'e\u0301' },
  { name: 'emoji', text: '👍' },
  { name: 'emoji with a selector', text: '❤️' },
  { name: 'joined emoji', text: '👩‍💻' },
  { name: 'flags', text: '🇩🇪' },
];

export interface TerminalAnswers {
  /** Columns that each sample took, in order; undefined if the terminal did not report it. */
  readonly widths: readonly (number | undefined)[];
  /** True if it supports the kitty keyboard protocol. */
  readonly keyboard: boolean;
  readonly bracketedPaste: boolean | undefined;
  /** True if it supports synchronized output (mode 2026). */
  readonly synchronized: boolean | undefined;
  /** The background colour as `rrggbb`. */
  readonly background: string | undefined;
  /** True if it answered the last query, which every terminal supports. */
  readonly isComplete: boolean;
}

const ESC = '\u001B';

/**
 * Draws each sample at the start of a line and queries the cursor position, clears the line, sends the other queries,
 * and ends with one that every terminal answers (its attributes), so that the reader need not wait for unsupported
 * ones.
 */
export const questions = [
  ...samples.map(({ text }) => `\r${text}${ESC}[6n\r${ESC}[K`),
  `${ESC}[?u`,
  `${ESC}[?2004$p`,
  `${ESC}[?2026$p`,
  `${ESC}]11;?${ESC}\\`,
  `${ESC}[c`,
].join('');

/** True once the last query has been answered. */
export function isAnswered(replies: string): boolean {
  return attributes.test(replies);
}

/** Parses all replies, in any order; skips keys typed meanwhile. */
export function readReplies(replies: string): TerminalAnswers {
  const positions = [...replies.matchAll(position)].map(([, column]) => Number(column) - 1);
  return {
    widths: samples.map((_, index) => (positions.length === samples.length ? positions[index] : undefined)),
    keyboard: keyboardFlags.test(replies),
    bracketedPaste: modeIn(replies, 2004),
    synchronized: modeIn(replies, 2026),
    background: backgroundIn(replies),
    isComplete: isAnswered(replies),
  };
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: replies of terminals begin with them
const position = /\u001B\[\d+;(\d+)R/g;
const keyboardFlags = /\u001B\[\?\d+u/;
const attributes = /\u001B\[\?[\d;]*c/;
const color = /\u001B\]11;rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: replies of terminals begin with them

/** States: 0 = unknown; 1 to 3 = supported; 4 = permanently off. */
function modeIn(replies: string, mode: number): boolean | undefined {
  const state = new RegExp(`\\[\\?${mode};(\\d)\\$y`).exec(replies)?.[1];
  return state === undefined ? undefined : state !== '0' && state !== '4';
}

function backgroundIn(replies: string): string | undefined {
  const [, ...parts] = color.exec(replies) ?? [];
  if (parts.length !== 3) return undefined;
  // One to four hex digits per channel.
  const channel = (digits: string): string => {
    const value = Number.parseInt(digits, 16) / (16 ** digits.length - 1);
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return parts.map(channel).join('');
}
