import { Command } from 'commander';

/** Defines the flags of `clawdcode doctor`. Throws instead of ending the process. */
export function createDoctorProgram(): Command {
  return new Command('clawdcode doctor')
    .description('Check everything ClawdCode needs, and report what is missing.')
    .option('--json', 'one JSON object')
    .option('--offline', 'contact no server; nothing leaves this machine')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText('after', EXIT_CODES);
}

const EXIT_CODES = `
Exit codes:
  0 nothing is missing · 1 something is missing · 42 bad input`;
