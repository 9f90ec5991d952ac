/** `clawdcode completion bash|zsh|fish`: prints the completion script for a shell. */
import { Argument, Command } from 'commander';
import { EXIT } from '../../headless/exitCodes.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { createFleetProgram } from '../fleet/program.ts';
import { createMcpProgram } from '../mcpCommand/program.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { createProgram } from '../program.ts';
import { shells } from '../route.ts';
import { parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { createSessionProgram } from '../sessionCommand/program.ts';
import { createPermissionsProgram } from '../subcommands/permissionsProgram.ts';
import {
  createAcpProgram,
  createAuthProgram,
  createConfigProgram,
  createDoctorProgram,
  createModelsProgram,
  createPluginProgram,
  createStatsProgram,
} from '../subcommands/programs.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CommandSpec, specOf } from './spec.ts';
import { zshCompletion } from './zsh.ts';

/** `argv`: the arguments after `completion`. Returns the exit code. */
export async function completionCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  // Called by the scripts themselves: prints a line with id and title for each session of the project.
  if (argv[0] === 'sessions') {
    await output.write(await sessionWords(place));
    return EXIT.ok;
  }
  const program = createCompletionProgram();
  const code = await parseSubcommand(program, argv, output);
  if (code !== undefined) return code;
  await output.write(completionScript(program.args[0] as (typeof shells)[number]));
  return EXIT.ok;
}

/** Maximum number of sessions offered; older ones are easier to find by search. */
const MANY = 50;

/** Returns a line for each of the project's newest sessions: id, tab, title. */
async function sessionWords(place: AppPaths): Promise<string> {
  const { openSessions } = await import('../sessionCommand/sessions.ts');
  const sessions = await openSessions(place);
  try {
    const list = await sessions.list({ project: sessions.projects, limit: MANY });
    return list.sessions.map(({ id, title }) => `${id}\t${sanitizeLine(title)}\n`).join('');
  } finally {
    await sessions.close();
  }
}

/** Returns the completion script for a shell. */
export function completionScript(shell: (typeof shells)[number]): string {
  const write = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell];
  return write(wholeCommandLine());
}

/** Returns the definition of the command line including all subcommands. */
function wholeCommandLine(): CommandSpec {
  const root = specOf(createProgram(''));
  const unused = (): never => {
    throw new Error('Only the definition is read here.');
  };
  const below = [
    createSessionProgram(unused, unused),
    createPermissionsProgram(unused),
    createMcpProgram(unused),
    createPluginProgram(unused),
    createConfigProgram(unused),
    createModelsProgram(),
    createFleetProgram(unused),
    createAcpProgram(),
    createStatsProgram(),
    createAuthProgram(unused),
    createDoctorProgram(),
    createCompletionProgram(),
  ];
  return { ...root, subcommands: below.map(specOf) };
}

function createCompletionProgram(): Command {
  return new Command('clawdcode completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText('after', INSTALL);
}

const INSTALL = `
To use it:
  bash   eval "$(clawdcode completion bash)"       in ~/.bashrc
  zsh    source <(clawdcode completion zsh)        in ~/.zshrc, after compinit
  fish   clawdcode completion fish > ~/.config/fish/completions/clawdcode.fish`;
