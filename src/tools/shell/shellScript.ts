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

/**
 * `eval` takes the command as one word, so that a comment at its end, a heredoc or an unbalanced quote stays
 * its own matter. The directory is written by an EXIT trap, so that `exit` in the command does not skip it.
 */
export function shellScript(
  shell: string,
  command: string,
  cwdFile: string,
  commandFile: string,
): ShellScript {
  const inline = Buffer.byteLength(command) <= MAX_INLINE_BYTES;
  const run = inline ? `eval ${quote(command)}` : `. ${quote(commandFile)}`;
  const script = `exec 2>&1\ntrap ${quote(`command pwd -P >| ${quote(cwdFile)}`)} EXIT\n${run}`;
  // Without the user's start-up files the same command does the same on every machine.
  const flags = basename(shell) === 'zsh' ? ['-f', '-c'] : ['-c'];
  return { args: [...flags, script], ...(inline ? {} : { commandText: command }) };
}

/** A word that the shell takes literally. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
