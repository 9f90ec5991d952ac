import { type Command, CommanderError } from 'commander';
import { EXIT } from '../../headless/exitCodes.ts';
import { withoutFarSuggestion } from '../options.ts';
import type { Output } from './output.ts';

/**
 * Parses what stands behind a subcommand's word and waits for its actions. Returns the exit code where that was all
 * (help was asked for, or a flag is wrong), undefined where there is something to do.
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
