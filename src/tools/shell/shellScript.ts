/** The script around a command: merges both outputs into one stream and records the final directory. Pure. */
import { basename } from 'node:path';

/** Longer commands are read from a file, because Linux limits a single argument to 128 KiB. */
const MAX_INLINE_BYTES = 100_000;

interface ShellScript {
  /** Arguments for the shell. */
  readonly args: readonly string[];
  /** Must be written to `commandFile` first, for a long command. */
  readonly commandText?: string;
}

/** Files through which the script and its caller exchange data. */
interface ScriptFiles {
  /** The directory in which the command ended. */
  readonly cwdFile: string;
  /** Background jobs still running, as the shell lists them. */
  readonly jobsFile: string;
  readonly commandFile: string;
}

/**
 * `eval` receives the command as one word, so that a comment at its end, a heredoc or an unbalanced quote cannot affect
 * the script around it. An EXIT trap writes the directory, so that `exit` in the command does not skip it.
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
  // Without the user's startup files a command behaves the same on every machine.
  const flags = basename(shell) === 'zsh' ? ['-f', '-c'] : ['-c'];
  return { args: [...flags, script], ...(inline ? {} : { commandText: command }) };
}

/** Quotes a word so that the shell takes it literally. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
