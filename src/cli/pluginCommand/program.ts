/** The subcommands of `clawdcode plugin` and their flags. */
import { Command } from 'commander';

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
    .description('Add plugins: skills, commands and MCP servers in one folder.')
    .usage('add|list|enable|disable|remove [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of one of them')
    .exitOverride();
  const yes = ['-y, --yes', 'approve what it brings without a question'] as const;
  program
    .command('add')
    .argument('<path|url>', 'a folder, or the https:// address of a git repository')
    .description('copy a plugin, show what it brings, and use it once you approve')
    .option(...yes)
    .action((source, flags) => actions().add(source, flags));
  program
    .command('list')
    .description('list plugins and what they bring')
    .action(() => actions().list());
  program
    .command('enable')
    .argument('<name>', 'an installed plugin')
    .description('use a plugin again, once you approve what it brings now')
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
