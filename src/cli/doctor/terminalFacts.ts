/** Facts about the terminal: from the environment, and from its own replies if it was queried. */
import type { WriteStream } from 'node:tty';
import type { ColorLevel } from '../../ui/theme/paints.ts';
import { colorLevel } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { terminalColors } from '../terminal/capabilities.ts';
import type { TerminalAnswers } from './terminalReplies.ts';

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
