/** The subcommands of `clawdcode auth` and their flags. */
import { Command } from 'commander';

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
    .helpCommand('help [command]', 'print the help of one of them')
    .exitOverride();
  const about = ['[provider]', 'a name from "providers"; without it, the endpoint of "baseUrl"'] as const;
  program
    .command('login')
    .argument(...about)
    .description('store a key, typed at the prompt or from standard input')
    .option('--file', "in the program's folder even if there is a keychain")
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
