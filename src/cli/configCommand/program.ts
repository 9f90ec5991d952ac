/** The subcommands of `clawdcode config` and their flags. */
import { Command, Option } from 'commander';
import type { EditScope } from '../../protocol/settings.ts';

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
    .helpCommand('help [command]', 'print the help of one of them')
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
