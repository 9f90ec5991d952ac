/**
 * Output of subcommands: terminals get plain text, possibly colored; files and programs get exactly what was
 * requested. A closed pipe (`| head`) is no failure; writes wait while a pipe is full, so that memory stays bounded.
 */

import { createInterface } from 'node:readline/promises';
import { type Command, CommanderError } from 'commander';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { sanitize, shownText } from '../../ui/print/sanitize.ts';
import { wrapText } from '../../ui/print/spans.ts';
import { chooseTheme, type Theme } from '../../ui/theme/theme.ts';
import { withoutFarSuggestion } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { terminalColors } from '../terminal/capabilities.ts';

export interface Output {
  /** Resolves when there is room for more; to false if the reader has closed the pipe. */
  write(text: string): Promise<boolean>;
  /** Prints a result on its own line. */
  line(text: string): Promise<boolean>;
  /** Prints a problem to standard error. */
  say(text: string): void;
  /** Prints a suggestion to standard error. */
  hint(text: string): void;
  /** Columns to fill. */
  readonly width: number;
  readonly isTerminal: boolean;
  /** Without colors if there is no terminal or NO_COLOR is set. */
  readonly theme: Theme;
}

/** The part of a stream that is needed here, as implemented by `process.stdout`. */
interface OutputStream {
  write(text: string): boolean;
  once(event: 'drain' | 'error' | 'close', listener: (error?: unknown) => void): unknown;
  off(event: 'drain' | 'error' | 'close', listener: (error?: unknown) => void): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly writable: boolean;
}

/** Returns a writer to a stream that may be a pipe; it never throws when the reader has closed it. */
export function pipeWriter(stream: OutputStream): (text: string) => Promise<boolean> {
  let isClosed = false;
  let failure: NodeJS.ErrnoException | undefined;
  stream.on('error', (error) => {
    isClosed = true;
    if (error.code !== 'EPIPE') failure = error;
  });
  return async (text) => {
    if (failure !== undefined) throw failure;
    if (isClosed || !stream.writable) return false;
    if (text !== '' && !stream.write(text)) await roomIn(stream);
    if (failure !== undefined) throw failure;
    return !isClosed;
  };
}

function roomIn(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'error', 'close'] as const;
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.once(event, done);
  });
}

/** Returns the catalogue's data about a session; dates as ISO 8601 in UTC, without unknown fields. */
export function sessionJson(session: SessionRecord): object {
  const { createdAt, updatedAt, ...rest } = session;
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** Returns a search hit; names its session by id, so that a list of hits stays small. */
export function hitJson({ session, timestamp, ...hit }: SearchHit): object {
  const { id, title, project, root, isArchived } = session;
  return { session: { id, title, project, root, isArchived }, ...hit, timestamp: timestamp.toISOString() };
}

/** Formats one document, indented for readability; safe on any terminal. */
export function jsonDocument(value: unknown): string {
  return `${escaped(JSON.stringify(value, null, 2))}\n`;
}

/** Formats one line. */
export function jsonLine(value: unknown): string {
  return `${escaped(JSON.stringify(value))}\n`;
}

/** Escapes characters that JSON leaves unescaped but terminals interpret. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// The process's own output and questions, for subcommands.

/** Columns of output to a file or program. */
const WIDTH = 100;

export function standardOutput(place: AppPaths): Output {
  const { stdout, stderr } = process;
  const write = pipeWriter(stdout);
  // If standard error has no reader, errors cannot be reported anywhere.
  stderr.on('error', () => {});
  const isTerminal = stdout.isTTY === true;
  const plain = chooseTheme('plain', { noColor: true });
  const colors = terminalColors(place);
  const theme = chooseTheme('auto', colors);
  const isForced = colors.forceColor !== undefined;
  // A terminal would break the line within a word.
  const wrapped = (text: string): string => (stderr.isTTY ? wrapText(text, stderr.columns).join('\n') : text);
  return {
    write,
    line: (text) => write(`${text}\n`),
    say: (text) => void stderr.write(`${wrapped(`clawdcode: ${shownText(text)}`)}\n`),
    width: isTerminal ? stdout.columns : WIDTH,
    isTerminal,
    hint: (text) => void stderr.write(`${(stderr.isTTY ? theme : plain).dim(wrapped(sanitize(text)))}\n`),
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

/**
 * Parses the arguments after a subcommand and runs its actions. Returns the exit code if nothing is left to do (help,
 * or a wrong flag), otherwise undefined.
 */
export async function parseSubcommand(
  program: Command,
  argv: readonly string[],
  output: Pick<Output, 'say' | 'write'>,
): Promise<number | undefined> {
  let help = '';
  program.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    writeErr: (text) => output.say(text.trim()),
    outputError: (message, write) => write(withoutFarSuggestion(message)),
    getOutHelpWidth: () => 100,
  });
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await output.write(help);
    return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  }
}
