/** The subcommands of `clawdcode permissions` and their flags. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type PermissionMode, permissionModes } from '../../protocol/permissions.ts';
import { type SandboxMode, sandboxModes } from '../../protocol/sandbox.ts';
import { splitRules } from '../program.ts';

export interface TestFlags {
  readonly tool: string;
  readonly mode?: PermissionMode;
  readonly sandbox?: SandboxMode;
  readonly json?: boolean;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
}

export interface LearnFlags {
  readonly min: number;
  readonly sessions: number;
  readonly json?: boolean;
  readonly save?: boolean;
}

/** The implementations of the subcommands. */
interface PermissionActions {
  readonly test: (words: readonly string[], flags: TestFlags) => Promise<void>;
  readonly learn: (flags: LearnFlags) => Promise<void>;
}

/** Defines the command line; `actions` is only called when a subcommand runs. */
export function createPermissionsProgram(actions: () => PermissionActions): Command {
  const rules = (text: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    ...splitRules(text),
  ];
  const program = new Command('clawdcode permissions')
    .description('Explain permission decisions, and suggest rules from past approvals.')
    .usage('test|learn [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  program
    .command('test')
    .argument('<call...>', 'a shell command; with --tool, a path or a URL')
    .description('explain the decision about a call; runs nothing')
    .option('--tool <name>', 'the tool to call', 'Bash')
    .addOption(
      new Option('--mode <mode>', 'use this mode instead of the configured one').choices(permissionModes),
    )
    .addOption(new Option('-s, --sandbox <mode>', 'use this sandbox mode').choices(sandboxModes))
    .option('--allowed-tools <rules>', 'also allow these rules', rules)
    .option('--disallowed-tools <rules>', 'also deny these rules', rules)
    .option('--json', 'one JSON object')
    .action((words, flags) => actions().test(words, flags));
  program
    .command('learn')
    .description(
      'suggest rules from what you approved in this project, each with the calls it would have covered',
    )
    .option('--min <n>', 'only rules that would have avoided at least this many approvals', aboveZero, 2)
    .option('--sessions <n>', 'number of latest sessions to read', aboveZero, 50)
    .option('--save', 'also save them to .clawdcode.local.json')
    .option('--json', 'one JSON object')
    .action((flags) => actions().learn(flags));
  return program;
}

function aboveZero(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}

const EXAMPLES = `
Examples:
  clawdcode permissions test 'npm test && git push'
  clawdcode permissions test --mode acceptEdits 'mkdir -p src/new'
  clawdcode permissions test --tool Edit .env
  clawdcode permissions test --allowed-tools 'Bash(git:*)' --json 'git log --output=x'
  clawdcode permissions learn
  clawdcode permissions learn --min 5 --save

Exit codes of test:
  0 it runs without approval · 1 it asks · 2 it is denied · 42 bad input
Exit codes of learn:
  0 done · 1 the rules could not be saved · 42 bad input`;
