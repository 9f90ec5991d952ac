/** The subcommands and flags of `clawdcode config`, `plugin`, `doctor`, `models`, `acp`, `auth` and `stats`. */
import { Command, Option } from 'commander';
import type { EditScope } from '../../protocol/settings/settings.ts';
import { parsePositiveInteger } from '../sessionCommand/program.ts';

interface ChangeFlags {
  readonly scope: EditScope;
}

/** The implementations of the subcommands. */
interface ConfigActions {
  readonly list: (words: readonly string[], flags: { readonly json?: boolean }) => Promise<void>;
  readonly get: (key: string, flags: { readonly json?: boolean }) => Promise<void>;
  readonly set: (key: string, value: string, flags: ChangeFlags) => Promise<void>;
  readonly unset: (key: string, flags: ChangeFlags) => Promise<void>;
}

/** Defines the command line; `actions` is only called when a subcommand runs. */
export function createConfigProgram(actions: () => ConfigActions): Command {
  const scope = (): Option =>
    new Option('-s, --scope <scope>', 'your settings for every project, or for this one')
      .choices(['user', 'local'])
      .default('user');
  const program = new Command('clawdcode config')
    .description('Show and change settings.')
    .usage('list|get|set|unset [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  program
    .command('list')
    .argument('[words...]', 'only settings whose name or description contains all of them')
    .description('list every setting with its value and where it comes from')
    .option('--json', 'one JSON array')
    .action((words, flags) => actions().list(words, flags));
  program
    .command('get')
    .argument('<setting>', 'a name such as context.compact.threshold')
    .description('print the value of a setting')
    .option('--json', 'one JSON object, with its source and default')
    .action((key, flags) => actions().get(key, flags));
  program
    .command('set')
    .argument('<setting>', 'a name such as context.compact.threshold')
    .argument('<value>', 'a word or a number; lists and objects as JSON')
    .description('save a setting')
    .addOption(scope())
    .action((key, value, flags) => actions().set(key, value, flags));
  program
    .command('unset')
    .argument('<setting>', 'a name such as context.compact.threshold')
    .description('remove a setting from your file')
    .addOption(scope())
    .action((key, flags) => actions().unset(key, flags));
  return program;
}

const EXAMPLES = `
Scopes: user is ~/.clawdcode/config.json, local .clawdcode.local.json. Comments in the file are kept.

Examples:
  clawdcode config list notification
  clawdcode config get theme
  clawdcode config set maxTurns 50
  clawdcode config set --scope local permissions.deny '["Read(secrets/**)"]'
  clawdcode config unset theme
`;

interface ApproveFlags {
  readonly yes?: boolean;
}

/** The implementations of the subcommands. */
interface PluginActions {
  readonly add: (source: string, flags: ApproveFlags) => Promise<void>;
  readonly list: () => Promise<void>;
  readonly enable: (name: string, flags: ApproveFlags) => Promise<void>;
  readonly disable: (name: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

/** Defines the command line; `actions` is only called when a subcommand runs. */
export function createPluginProgram(actions: () => PluginActions): Command {
  const program = new Command('clawdcode plugin')
    .description('Add plugins: skills, commands, subagents, hooks and MCP servers in one folder.')
    .usage('add|list|enable|disable|remove [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride();
  const yes = ['-y, --yes', 'approve everything in it without asking'] as const;
  program
    .command('add')
    .argument('<path|url>', 'a folder, or the https:// URL of a git repository')
    .description('copy a plugin, show what it contains, and use it once you approve')
    .option(...yes)
    .action((source, flags) => actions().add(source, flags));
  program
    .command('list')
    .description('list plugins and what they contain')
    .action(() => actions().list());
  program
    .command('enable')
    .argument('<name>', 'an installed plugin')
    .description('use a plugin again, once you approve its current content')
    .option(...yes)
    .action((name, flags) => actions().enable(name, flags));
  program
    .command('disable')
    .argument('<name>', 'an installed plugin')
    .description('keep a plugin without using it')
    .action((name) => actions().disable(name));
  program
    .command('remove')
    .argument('<name>', 'an installed plugin')
    .description('delete the copy of a plugin')
    .action((name) => actions().remove(name));
  return program;
}

/** Defines the flags of `clawdcode doctor`. Throws instead of ending the process. */
export function createDoctorProgram(): Command {
  return new Command('clawdcode doctor')
    .description('Check everything ClawdCode needs, and report what is missing.')
    .option('--json', 'one JSON object')
    .option('--offline', 'contact no server; nothing leaves this machine')
    .option('--probe', 'test what the model can do, and keep the result; costs something, so it asks first')
    .option('-m, --model <name>', 'with --probe: the model to test')
    .option('--quick', 'with --probe: without prompts that fill the context window')
    .option('-y, --yes', 'with --probe: do not ask')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText('after', EXIT_CODES);
}

const EXIT_CODES = `
Exit codes:
  0 nothing is missing · 1 something is missing · 42 bad input`;

/** Defines the flags of `clawdcode models`. Throws instead of ending the process. */
export function createModelsProgram(): Command {
  return new Command('clawdcode models')
    .description('List the models of all your endpoints, with context window and prices.')
    .argument('[list]')
    .option('--json', 'JSON, with the sources')
    .helpOption('-h, --help', 'print this help')
    .exitOverride();
}

/** Defines the help of `clawdcode acp`. Throws instead of ending the process. */
export function createAcpProgram(): Command {
  return new Command('clawdcode acp')
    .description(
      'Serve an editor over the Agent Client Protocol, on standard input and output. The editor starts this command; see docs/acp.md.',
    )
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText(
      'after',
      `
The flags of clawdcode that set up a session apply to every session of the editor, for example:
  clawdcode acp --model gpt-5.2 --permission-mode plan --sandbox workspace-write`,
    );
}

export interface LoginFlags {
  /** Store it in the file even if there is a keychain. */
  readonly file?: boolean;
}

/** The implementations of the subcommands. */
interface AuthActions {
  readonly login: (provider: string | undefined, flags: LoginFlags) => Promise<void>;
  readonly logout: (provider: string | undefined) => Promise<void>;
  readonly status: (flags: { readonly json?: boolean }) => Promise<void>;
}

/** Defines the command line; `actions` is only called when a subcommand runs. */
export function createAuthProgram(actions: () => AuthActions): Command {
  const program = new Command('clawdcode auth')
    .description('Store the keys of your endpoints on this machine.')
    .usage('login|logout|status [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride();
  const about = ['[provider]', 'a name from "providers"; without it, the endpoint of "baseUrl"'] as const;
  program
    .command('login')
    .argument(...about)
    .description('store a key, typed at the prompt or from standard input')
    .option('--file', 'store it in a file even if there is a keychain')
    .action((provider, flags) => actions().login(provider, flags));
  program
    .command('logout')
    .argument(...about)
    .description('delete a stored key')
    .action((provider) => actions().logout(provider));
  program
    .command('status', { isDefault: true })
    .description('list the endpoints and where their keys come from (the default)')
    .option('--json', 'one JSON array')
    .action((flags) => actions().status(flags));
  return program;
}

/** Defines the flags of `clawdcode stats`. Throws instead of ending the process. */
export function createStatsProgram(): Command {
  return new Command('clawdcode stats')
    .description('Show the cost of your sessions by model, day, turn, tool, file and subagent.')
    .option('-a, --all', 'sessions of all projects, not only of this one')
    .option('-d, --days <n>', 'only sessions used in the last n days', parsePositiveInteger)
    .option('-n, --limit <n>', 'at most this many sessions, the newest (default: 200)', parsePositiveInteger)
    .option('--top <n>', 'rows of each table (default: 10)', parsePositiveInteger)
    .option('--json', 'one JSON object')
    .helpOption('-h, --help', 'print this help')
    .exitOverride();
}
