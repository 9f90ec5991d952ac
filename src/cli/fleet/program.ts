/** The command line of `clawdcode fleet`. */
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';

/** A part of the tasks: every `of`-th one, starting with `index` (from 0). */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

export interface FleetFlags {
  readonly tasks?: string;
  readonly prompt?: string;
  readonly out: string;
  readonly jobs: number;
  readonly timeout: number;
  readonly retries: number;
  readonly retryFailed?: true;
  readonly shard?: Shard;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
}

/** Defines the command line; `run` is only called when it is used. */
export function createFleetProgram(
  run: (folders: readonly string[], flags: FleetFlags) => Promise<void>,
): Command {
  const number =
    (least: number, isWhole = true) =>
    (text: string): number => {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value) || value < least || (isWhole && value % 1 !== 0))
        throw new InvalidArgumentError(`It must be a ${isWhole ? 'whole ' : ''}number from ${least}.`);
      return value;
    };
  const program = new Command('clawdcode fleet')
    .description('Run many tasks, several at a time, each as "clawdcode -p" in its folder.')
    .usage('run [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  program
    .command('run')
    .usage('--out <folder> (--tasks <file> | --prompt <text> <folders...>) [options] [-- flags of each run]')
    .argument('[folders...]', 'with --prompt: the folders to work in')
    .description('run tasks and collect their results')
    .requiredOption('-o, --out <folder>', 'where results, sessions and logs are collected')
    .option('--tasks <file>', 'JSON lines with "prompt" and "cwd"; also "id" and limits of the task')
    .option('--prompt <text>', 'the same prompt in every folder')
    .option('-j, --jobs <n>', 'tasks at the same time', number(1), Math.min(4, availableParallelism()))
    .option('--timeout <seconds>', 'time for each try', number(1), 3600)
    .option('--max-turns <n>', 'steps for each try', number(1))
    .option('--max-budget-usd <amount>', 'cost of each try', number(0.000001, false))
    .option('--retries <n>', 'more tries for a task that failed', number(0), 0)
    .option('--retry-failed', 'run tasks again that failed in an earlier run')
    .option('--shard <i/n>', 'only the i-th of n parts, from 0', shardOf)
    .addHelpText('after', AFTER_RUN)
    .action((folders, flags) => run(folders, flags));
  return program;
}

function shardOf(text: string): Shard {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index >= of)
    throw new InvalidArgumentError('It must be like 0/4: the first of four.');
  return { index, of };
}

const EXAMPLES = `
Examples:
  clawdcode fleet run --prompt "Which TODOs are left?" --out results repos/*/
  clawdcode fleet run --tasks tasks.jsonl --out results -- --permission-mode acceptEdits
`;

const AFTER_RUN = `
A task that already has a result in the folder is skipped, so an interrupted run can be repeated.
Exit codes: 0 all done · 1 some failed · 42 bad input · 130 interrupted
`;
