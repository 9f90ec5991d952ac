/** The subcommands of `clawdcode mcp` and their flags, with the same names as in Claude Code. */
import { Command, InvalidArgumentError, Option } from 'commander';

/** The scopes in which a definition can be saved. */
export const savedScopes = ['local', 'project', 'user'] as const;
export type SavedScope = (typeof savedScopes)[number];

export interface AddFlags {
  readonly scope: SavedScope;
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly env?: Readonly<Record<string, string>>;
  readonly header?: Readonly<Record<string, string>>;
}

export interface LoginFlags {
  readonly clientId?: string;
  readonly callbackPort?: number;
}

/** The implementations of the subcommands. */
interface McpActions {
  readonly add: (name: string, target: string, args: readonly string[], flags: AddFlags) => Promise<void>;
  readonly addJson: (name: string, json: string, flags: { readonly scope: SavedScope }) => Promise<void>;
  readonly list: () => Promise<void>;
  readonly get: (name: string) => Promise<void>;
  readonly login: (name: string, flags: LoginFlags) => Promise<void>;
  readonly logout: (name: string) => Promise<void>;
  readonly resetChoices: () => Promise<void>;
  readonly remove: (name: string, flags: { readonly scope?: SavedScope }) => Promise<void>;
}

/** Defines the command line; `actions` is only called when a subcommand runs. */
export function createMcpProgram(actions: () => McpActions): Command {
  const scope = (): Option =>
    new Option(
      '-s, --scope <scope>',
      'where to save it: for you in this project, for everyone in it, or for you everywhere',
    ).choices(savedScopes);
  const program = new Command('clawdcode mcp')
    .description('Add, list and remove MCP servers, and log in to them.')
    .usage('add|add-json|list|get|remove|login|logout [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride()
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES);
  program
    .command('add')
    .argument('<name>', 'letters, digits, - and single _')
    .argument('<command|url>', 'a program, or the URL of a server')
    .argument('[args...]', 'arguments of the program; put -- before them if they begin with a dash')
    .description('add a server')
    .addOption(scope().default('local'))
    .addOption(
      new Option('-t, --transport <transport>', 'default: http for a URL, otherwise stdio').choices([
        'stdio',
        'http',
        'sse',
      ]),
    )
    .option(
      '-e, --env <KEY=value>',
      'environment variable of the program (repeatable)',
      pairs('=', 'KEY=value'),
    )
    .option('-H, --header <Name: value>', 'header of every request (repeatable)', pairs(':', 'Name: value'))
    .action((name, target, args, flags) => actions().add(name, target, args, flags));
  program
    .command('add-json')
    .argument('<name>')
    .argument('<json>', 'the definition, as in .mcp.json')
    .description('add a server from JSON')
    .addOption(scope().default('local'))
    .action((name, json, flags) => actions().addJson(name, json, flags));
  program
    .command('list')
    .description('list all servers, and try to connect to each')
    .action(() => actions().list());
  program
    .command('get')
    .argument('<name>')
    .description('show one server and its tools')
    .action((name) => actions().get(name));
  program
    .command('remove')
    .argument('<name>')
    .description('remove a server')
    .addOption(scope())
    .action((name, flags) => actions().remove(name, flags));
  program
    .command('login')
    .argument('<name>')
    .description('log in to a remote server in your browser')
    .option(
      '--client-id <id>',
      'id of a client that you have registered there; set its secret in MCP_CLIENT_SECRET',
    )
    .option('--callback-port <port>', 'port of 127.0.0.1 that the client was registered with', portOf)
    .action((name, flags) => actions().login(name, flags));
  program
    .command('logout')
    .argument('<name>')
    .description('delete the tokens of a server')
    .action((name) => actions().logout(name));
  program
    .command('reset-project-choices')
    .description('ask again about the servers that this folder defines')
    .action(() => actions().resetChoices());
  return program;
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('It must be a port number.');
  return port;
}

/** Collects `name<sign>value` arguments in an object. */
function pairs(sign: string, example: string) {
  return (text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const at = text.indexOf(sign);
    if (at < 1) throw new InvalidArgumentError(`Write ${example}.`);
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
  };
}

const EXAMPLES = `
Examples:
  clawdcode mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  clawdcode mcp add -s user -e TOKEN='\${TOKEN}' issues -- issues-mcp --stdio
  clawdcode mcp add -t http -H 'Authorization: Bearer \${TOKEN}' wiki https://wiki.example.com/mcp
  clawdcode mcp add-json -s project db '{"command":"db-mcp","args":["--read-only"]}'

Scopes: local (.clawdcode.local.json), project (.mcp.json), user (~/.clawdcode/config.json).
Exit codes: 0 done · 1 could not save, or the login failed · 42 bad input`;
