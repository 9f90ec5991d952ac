/** What a terminal is asked, and what its replies mean. Pure. */

/** A grapheme whose width terminals do not agree on. */
export interface Sample {
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
  /** Columns that each sample took, in their order; undefined where the terminal did not say. */
  readonly widths: readonly (number | undefined)[];
  /** The kitty keyboard protocol. */
  readonly keyboard: boolean;
  readonly bracketedPaste: boolean | undefined;
  /** Synchronized output (mode 2026). */
  readonly synchronized: boolean | undefined;
  /** The background as `rrggbb`. */
  readonly background: string | undefined;
  /** It answered the last question, which every terminal knows. */
  readonly isComplete: boolean;
}

const ESC = '\u001B';

/**
 * Draws each sample at the beginning of a line and asks where the cursor is, cleans the line, asks the rest, and
 * ends with a question that every terminal answers (its attributes), so that nobody waits for one that is not known.
 */
export const questions = [
  ...samples.map(({ text }) => `\r${text}${ESC}[6n\r${ESC}[K`),
  `${ESC}[?u`,
  `${ESC}[?2004$p`,
  `${ESC}[?2026$p`,
  `${ESC}]11;?${ESC}\\`,
  `${ESC}[c`,
].join('');

/** True once the last question is answered. */
export function isAnswered(replies: string): boolean {
  return attributes.test(replies);
}

/** Everything that came in, in any order; what a person typed meanwhile is passed over. */
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

/** 0: not known; 1 to 3: known; 4: known and always off. */
function modeIn(replies: string, mode: number): boolean | undefined {
  const state = new RegExp(`\\[\\?${mode};(\\d)\\$y`).exec(replies)?.[1];
  return state === undefined ? undefined : state !== '0' && state !== '4';
}

function backgroundIn(replies: string): string | undefined {
  const [, ...parts] = color.exec(replies) ?? [];
  if (parts.length !== 3) return undefined;
  // One to four digits a channel.
  const channel = (digits: string): string => {
    const value = Number.parseInt(digits, 16) / (16 ** digits.length - 1);
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return parts.map(channel).join('');
}
