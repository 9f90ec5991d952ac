/** The subcommands of `clawdcode session` and their flags. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { exportFormats } from '../../export/types.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { failureOf } from '../sessions/sessionErrors.ts';
import { audit } from './audit.ts';
import { archive, fork, remove, rename, unarchive } from './change.ts';
import { list } from './list.ts';
import { parseSubcommand } from './output.ts';
import { request } from './request.ts';
import { search } from './search.ts';
import { show } from './show.ts';
import { repair, verify } from './verify.ts';
import { type SessionPorts, type WithSession, withSession } from './withSession.ts';

/** Parses the arguments after `session` and runs them. Returns the exit code; an error becomes a message and a code. */
export async function runSessionCommand(ports: SessionPorts, argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = createSessionProgram(
    () => ports,
    async (running) => {
      code = await running;
    },
  );
  try {
    return (await parseSubcommand(program, argv, ports.output)) ?? code;
  } catch (error) {
    const failure = failureOf(error);
    ports.output.say(failure.message);
    return failure.code;
  }
}

/** Defines the command line; `ports` is only called when a subcommand runs, and `end` receives its promise. */
export function createSessionProgram(
  ports: () => SessionPorts,
  end: (running: Promise<number>) => Promise<void>,
): Command {
  const on = (word: string, run: WithSession): Promise<void> => end(withSession(ports(), word, run));
  const program = new Command('clawdcode session')
    .description('List, search, show and manage the sessions on this machine.')
    .usage('[list|show|search|…] [options]')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a subcommand')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  const about = '<session>';

  program
    .command('list', { isDefault: true })
    .description('list the sessions of this project, newest first (the default)')
    .option('-a, --all', 'list all projects')
    .option('--json', 'one JSON array')
    .option('-n, --limit <n>', 'at most this many sessions', parsePositiveInteger)
    .option('--filter <text>', 'only sessions with this text in the title, branch or id')
    .option('--active', 'leave out archived ones')
    .action(({ all = false, json = false, limit, filter, active = false }) =>
      end(list(ports(), { all, json, limit, filter, active })),
    );
  program
    .command('show')
    .argument(about, 'id, id prefix or title')
    .description('print a transcript')
    .option('--from <seq>', 'start at this entry', whole)
    .option('--tail <n>', 'only the last n entries', parsePositiveInteger)
    .option('--seq <seq>', 'only this entry, in full', whole)
    .option('--reasoning', 'include reasoning')
    .option('--json', 'the raw entries, one per line')
    .action((word, { from, tail, seq, reasoning = false, json = false }) =>
      on(word, (session) => show(ports(), session, { from, tail, seq, reasoning, json })),
    );
  program
    .command('audit')
    .argument(about)
    .description('list each call, what allowed it, its sandbox and the hosts it reached')
    .option('-a, --all', 'include calls that only read')
    .option('--json', 'one JSON object per line')
    .action((word, { all = false, json = false }) =>
      on(word, (session) => audit(ports(), session, { all, json })),
    );
  program
    .command('request')
    .argument(about)
    .description('print what was sent to the model, as JSON, rebuilt from the log')
    .option('--seq <seq>', 'the request that led to this entry (default: the last request)', whole)
    .option('--list', 'one line per request')
    .action((word, { seq, list: isList = false }) =>
      on(word, (session) => request(ports(), session, { seq, list: isList })),
    );
  program
    .command('search')
    .argument('<words...>', 'entries must contain all; "a phrase" in quotes; prefix*')
    .description('search all content')
    .option('-a, --all', 'search all projects')
    .option('-n, --limit <n>', 'at most this many hits', parsePositiveInteger, 20)
    .option('--json', 'one JSON array')
    .action((words, { all = false, limit, json = false }) =>
      end(search(ports(), { words, all, limit, json })),
    );
  program
    .command('rename')
    .argument(about)
    .argument('<title...>')
    .description('rename a session')
    .action((word, title) => on(word, (session) => rename(ports(), session, title)));
  program
    .command('fork')
    .argument(about)
    .description('copy a session and print the new id')
    .option('--at <seq>', 'only up to this entry', whole)
    .option('--json', 'one JSON object')
    .action((word, { at, json = false }) => on(word, (session) => fork(ports(), session, { at, json })));
  program
    .command('export')
    .argument(about)
    .description('export a session as a document, with secrets redacted')
    .addOption(
      new Option('-f, --format <format>', 'default: from the file extension, or md').choices(exportFormats),
    )
    .option('-o, --output <file>', 'write to a new file instead of standard output')
    .option('--no-redact', 'keep secrets')
    .option('--no-outputs', 'leave out tool results')
    .option('--no-reasoning', 'leave out reasoning')
    .action((word, { format, output, redact, outputs, reasoning }) =>
      on(word, async (session) => {
        const { exportFile } = await import('./exportFile.ts');
        return exportFile(ports(), session, { format, output, redact, toolOutputs: outputs, reasoning });
      }),
    );
  program
    .command('archive')
    .argument(about)
    .description('compress a session; you can still search, show and resume it')
    .action((word) => on(word, (session) => archive(ports(), session)));
  program
    .command('unarchive')
    .argument(about)
    .description('unarchive a session')
    .action((word) => on(word, (session) => unarchive(ports(), session)));
  program
    .command('delete')
    .argument(about)
    .description('delete a session permanently, after confirmation')
    .option('-y, --yes', 'do not ask')
    .action((word, { yes = false }) => on(word, (session) => remove(ports(), session, { yes })));
  program
    .command('verify')
    .argument(about)
    .description('check for damage; exit code 1 if there is any')
    .option('--deep', 'also check everything stored outside the log')
    .option('--json', 'one JSON object')
    .action((word, { deep = false, json = false }) =>
      on(word, (session) => verify(ports(), session, { deep, json })),
    );
  program
    .command('repair')
    .argument(about)
    .description('replace a damaged log with a repaired one, keeping the original')
    .option('--json', 'one JSON object')
    .action((word, { json = false }) => on(word, (session) => repair(ports(), session, { json })));
  return program;
}

const whole = (text: string): number => wholeNumber(text, 0);

/** Parses a flag's number. */
export const parsePositiveInteger = (text: string): number => wholeNumber(text, 1);

function wholeNumber(text: string, least: 0 | 1): number {
  const number = Number(text.replace(/^#/, ''));
  if (!Number.isSafeInteger(number) || number < least)
    throw new InvalidArgumentError(`It must be a whole number${least === 0 ? '' : ' above 0'}.`);
  return number;
}

const EXAMPLES = `
Name a session by its id, an id prefix, or its title.

Examples:
  clawdcode session                            sessions of this project
  clawdcode session list --all --json          all sessions, for programs
  clawdcode session search connection pool     find a topic
  clawdcode session show 4f8k --tail 40        the end of a session
  clawdcode session show 4f8k --json | jq .    its entries as JSON
  clawdcode session request 4f8k --seq 12      what the model saw before it wrote entry #12
  clawdcode session fork 4f8k --at 120         continue from an earlier entry
  clawdcode session export 4f8k --format html --output talk.html

Exit codes:
  0 done · 1 damage found, disk error, or cancelled · 42 bad input or unknown session`;
