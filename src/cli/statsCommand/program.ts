import { Command } from 'commander';
import { wholeAboveZero } from '../sessionCommand/program.ts';

/** Defines the flags of `clawdcode stats`. Throws instead of ending the process. */
export function createStatsProgram(): Command {
  return new Command('clawdcode stats')
    .description('Show what your sessions cost, and by what: models, days, turns, tools, files, subagents.')
    .option('-a, --all', 'sessions of all projects, not only of this one')
    .option('-d, --days <n>', 'only sessions used in the last n days', wholeAboveZero)
    .option('-n, --limit <n>', 'at most this many sessions, the newest (default: 200)', wholeAboveZero)
    .option('--top <n>', 'rows of each table (default: 10)', wholeAboveZero)
    .option('--json', 'one JSON object')
    .helpOption('-h, --help', 'print this help')
    .exitOverride();
}
