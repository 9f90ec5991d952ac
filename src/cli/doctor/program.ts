import { Command } from 'commander';

/** The flags of `clawdcode doctor`. It throws instead of ending the process. */
export function createDoctorProgram(): Command {
  return new Command('clawdcode doctor')
    .description('Look at everything that the program needs, and say what is missing.')
    .option('--json', 'one JSON object')
    .option('--offline', 'ask no server: nothing leaves this machine')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText('after', EXIT_CODES);
}

const EXIT_CODES = `
Exit codes:
  0 everything that is needed is there · 1 something is missing · 42 bad input`;
