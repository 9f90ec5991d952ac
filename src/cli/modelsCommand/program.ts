import { Command } from 'commander';

/** Defines the flags of `clawdcode models`. Throws instead of ending the process. */
export function createModelsProgram(): Command {
  return new Command('clawdcode models')
    .description('List the models of all your endpoints, with context window and prices.')
    .argument('[list]')
    .option('--json', 'JSON, with the sources')
    .helpOption('-h, --help', 'print this help')
    .exitOverride();
}
