import { type Command, CommanderError } from 'commander';
import { EXIT } from '../../headless/exitCodes.ts';
import { withoutFarSuggestion } from '../options.ts';
import type { Output } from './output.ts';

/**
 * Parses the arguments after a subcommand and runs its actions. Returns the exit code if nothing else is to be done
 * (help, or a wrong flag), otherwise undefined.
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
