/** The script around a command: one stream for both outputs, and the directory it ended in. Pure. */
import { basename } from 'node:path';

/** Commands beyond this come from a file, because one argument of a program is limited to 128 KiB on Linux. */
export const MAX_INLINE_BYTES = 100_000;

export interface ShellScript {
  /** Arguments for the shell. */
  readonly args: readonly string[];
  /** What has to be in `commandFile` first, for a long command. */
  readonly commandText?: string;
}

/** Where the script and its caller leave things for each other. */
export interface ScriptFiles {
  /** The directory that the command ended in. */
  readonly cwdFile: string;
  /** What it left running, as the shell lists it. */
  readonly jobsFile: string;
  readonly commandFile: string;
}

/**
 * `eval` takes the command as one word, so that a comment at its end, a heredoc or an unbalanced quote stays
 * its own matter. The directory is written by an EXIT trap, so that `exit` in the command does not skip it.
 */
export function shellScript(
  shell: string,
  command: string,
  { cwdFile, jobsFile, commandFile }: ScriptFiles,
): ShellScript {
  const inline = Buffer.byteLength(command) <= MAX_INLINE_BYTES;
  const run = inline ? `eval ${quote(command)}` : `. ${quote(commandFile)}`;
  const atEnd = `command pwd -P >| ${quote(cwdFile)}; jobs -r >| ${quote(jobsFile)} 2>/dev/null`;
  const script = `exec 2>&1\ntrap ${quote(atEnd)} EXIT\n${run}`;
  // Without the user's start-up files the same command does the same on every machine.
  const flags = basename(shell) === 'zsh' ? ['-f', '-c'] : ['-c'];
  return { args: [...flags, script], ...(inline ? {} : { commandText: command }) };
}

/** A word that the shell takes literally. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
