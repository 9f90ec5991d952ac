/** Facts about the terminal: from the environment, and from its own replies if it was queried. */
import type { ReadStream, WriteStream } from 'node:tty';
import type { ColorLevel } from '../../ui/theme/paints.ts';
import { colorLevel } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { terminalColors } from '../terminal/capabilities.ts';

export interface TerminalFacts {
  readonly term: string | undefined;
  /** From `TERM_PROGRAM` and similar variables. */
  readonly program: string | undefined;
  readonly colors: ColorLevel;
  readonly columns: number;
  readonly rows: number;
  /** Undefined if the terminal was not queried because a session is using the screen. */
  readonly answers: TerminalAnswers | undefined;
}

/** Undefined if the output is not a terminal. */
export function readTerminalFacts(
  { env }: Pick<AppPaths, 'env'>,
  stdout: WriteStream,
  answers: TerminalAnswers | undefined,
): TerminalFacts | undefined {
  if (!stdout.isTTY) return undefined;
  const { columns, rows } = stdout;
  const colors = colorLevel(terminalColors({ env }));
  return { term: env.TERM, program: terminalProgram(env), colors, columns, rows, answers };
}

/** Returns the terminal program according to the environment. */
export function terminalProgram(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const version = env.TERM_PROGRAM_VERSION;
  if (env.TERM_PROGRAM !== undefined)
    return `${env.TERM_PROGRAM}${version === undefined ? '' : ` ${version}`}`;
  if (env.WT_SESSION !== undefined) return 'Windows Terminal';
  if (env.KITTY_WINDOW_ID !== undefined) return 'kitty';
  if (env.VTE_VERSION !== undefined) return `VTE ${env.VTE_VERSION}`;
  return undefined;
}

/** Maximum wait for replies, in milliseconds; a remote terminal may need that long for a round trip. */
const PATIENCE_MS = 2000;
/** Replies have some hundred characters; any more cannot be replies. */
const MAX_CHARACTERS = 10_000;
const CTRL_C = '\u0003';

/**
 * Queries the terminal's capabilities. Leaves the line empty and restores the terminal's state. Keys pressed during the
 * query are lost, except Ctrl+C, which calls `interrupt` and ends the wait.
 */
export async function queryTerminal(
  stdin: ReadStream,
  stdout: WriteStream,
  patienceMs = PATIENCE_MS,
  interrupt: () => void = () => process.kill(process.pid, 'SIGINT'),
): Promise<TerminalAnswers> {
  const wasRaw = stdin.isRaw;
  let replies = '';
  stdin.setRawMode(true);
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      stdin.setEncoding('utf8').on('data', (chunk: string) => {
        replies += chunk;
        if (!isAnswered(replies) && replies.length < MAX_CHARACTERS && !chunk.includes(CTRL_C)) return;
        clearTimeout(timer);
        resolve();
      });
      stdin.resume();
      stdout.write(questions);
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(wasRaw);
    stdin.pause();
    stdout.write('\r\u001B[K');
  }
  if (replies.includes(CTRL_C)) interrupt();
  return readReplies(replies);
}

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
  /** The background color as `rrggbb`. */
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
const questions = [
  ...samples.map(({ text }) => `\r${text}${ESC}[6n\r${ESC}[K`),
  `${ESC}[?u`,
  `${ESC}[?2004$p`,
  `${ESC}[?2026$p`,
  `${ESC}]11;?${ESC}\\`,
  `${ESC}[c`,
].join('');

/** True once the last query has been answered. */
function isAnswered(replies: string): boolean {
  return attributes.test(replies);
}

/** Parses all replies, in any order; skips keys typed in between. */
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
