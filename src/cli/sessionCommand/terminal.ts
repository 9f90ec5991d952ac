/** The process's own output and questions, for subcommands. */
import { createInterface } from 'node:readline/promises';
import { sanitize } from '../../ui/print/sanitize.ts';
import { chooseTheme } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { terminalColors } from '../terminal/capabilities.ts';
import { type Output, pipeWriter } from './output.ts';

/** Columns of output to a file or program. */
const WIDTH = 100;

export function standardOutput(place: AppPaths): Output {
  const { stdout, stderr } = process;
  const write = pipeWriter(stdout);
  // If the reader of standard error is gone, errors cannot be reported anywhere.
  stderr.on('error', () => {});
  const isTerminal = stdout.isTTY === true;
  const plain = chooseTheme('plain', { noColor: true });
  const colors = terminalColors(place);
  const theme = chooseTheme('auto', colors);
  const isForced = colors.forceColor !== undefined;
  return {
    write,
    line: (text) => write(`${text}\n`),
    say: (text) => void stderr.write(`clawdcode: ${sanitize(text)}\n`),
    width: isTerminal ? stdout.columns : WIDTH,
    isTerminal,
    hint: (text) => void stderr.write(`${(stderr.isTTY ? theme : plain).dim(sanitize(text))}\n`),
    theme: isTerminal || isForced ? theme : plain,
  };
}

/** Returns true only for "y" or "yes", and false for Ctrl+C or end of input; undefined if there is no terminal. */
export async function askAtTerminal(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${sanitize(question)} [y/N] `), ended]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
