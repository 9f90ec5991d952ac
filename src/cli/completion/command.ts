/** `clawdcode completion bash|zsh|fish`: prints the script for a shell. */
import { Argument, Command } from 'commander';
import { EXIT } from '../../headless/exitCodes.ts';
import { createDoctorProgram } from '../doctor/program.ts';
import { createMcpProgram } from '../mcpCommand/program.ts';
import { createPermissionsProgram } from '../permissionsCommand/program.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { createProgram } from '../program.ts';
import { shells } from '../route.ts';
import { parseSubcommand } from '../sessionCommand/parseSubcommand.ts';
import { createSessionProgram } from '../sessionCommand/program.ts';
import { standardOutput } from '../sessionCommand/terminal.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CommandSpec, specOf } from './spec.ts';
import { zshCompletion } from './zsh.ts';

/** `argv` begins behind the word `completion`. Returns the exit code. */
export async function completionCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  // Asked for by the scripts themselves: a line for each session of the project, its id and its title.
  if (argv[0] === 'sessions') {
    const { sessionWords } = await import('./sessionWords.ts');
    await output.write(await sessionWords(place));
    return EXIT.ok;
  }
  const program = createCompletionProgram();
  const code = await parseSubcommand(program, argv, output);
  if (code !== undefined) return code;
  await output.write(completionScript(program.args[0] as (typeof shells)[number]));
  return EXIT.ok;
}

/** The script that a shell reads. */
export function completionScript(shell: (typeof shells)[number]): string {
  const write = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell];
  return write(wholeCommandLine());
}

/** The command line with its subcommands, as one definition. */
function wholeCommandLine(): CommandSpec {
  const root = specOf(createProgram(''));
  const unused = (): never => {
    throw new Error('Only the definition is read here.');
  };
  const below = [
    createSessionProgram(unused, unused),
    createPermissionsProgram(unused),
    createMcpProgram(unused),
    createDoctorProgram(),
    createCompletionProgram(),
  ];
  return { ...root, subcommands: below.map(specOf) };
}

function createCompletionProgram(): Command {
  return new Command('clawdcode completion')
    .description('Print the completion script of a shell.')
    .addArgument(new Argument('<shell>', 'whose script').choices(shells))
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText('after', INSTALL);
}

const INSTALL = `
To use it:
  bash   eval "$(clawdcode completion bash)"       in ~/.bashrc
  zsh    source <(clawdcode completion zsh)        in ~/.zshrc, behind compinit
  fish   clawdcode completion fish > ~/.config/fish/completions/clawdcode.fish`;
