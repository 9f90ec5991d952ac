/** `clawdcode doctor`: looks at everything that is needed and says what is missing. */
import { CommanderError } from 'commander';
import { doctorPage } from '../../commands/pages/doctorPage.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { type DoctorReport, isHealthy } from '../../protocol/doctor.ts';
import { renderPage } from '../../ui/print/page.ts';
import { colorLevel } from '../../ui/theme/colorLevel.ts';
import { parseArguments } from '../options.ts';
import type { Place } from '../place.ts';
import { jsonDocument } from '../session/json.ts';
import type { Output } from '../session/output.ts';
import { standardOutput } from '../session/terminal.ts';
import { folderIsTrusted, readSettings } from '../startup.ts';
import { terminalColors } from '../terminalColors.ts';
import { diagnose } from './diagnose.ts';
import { createDoctorPorts, createNetworkPorts } from './ports.ts';
import { createDoctorProgram } from './program.ts';
import { queryTerminal } from './queryTerminal.ts';
import { type TerminalFacts, terminalProgram } from './terminalFacts.ts';

/** `argv` begins behind the word `doctor`. Returns the exit code. */
export async function doctorCommand(place: Place, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let help = '';
  const program = createDoctorProgram().configureOutput({
    writeOut: (text) => {
      help += text;
    },
    writeErr: (text) => output.say(text.trim()),
  });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await output.write(help);
    return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  }
  const { json = false, offline = false } = program.opts<{ json?: boolean; offline?: boolean }>();
  const report = await examine(place, output, { json, offline });
  if (json) await output.write(jsonDocument({ ok: isHealthy(report), ...report }));
  else await output.write(`${renderPage(doctorPage(report), Math.max(20, output.width), output.theme)}\n`);
  return isHealthy(report) ? EXIT.ok : EXIT.failed;
}

async function examine(
  place: Place,
  output: Output,
  { json, offline }: { readonly json: boolean; readonly offline: boolean },
): Promise<DoctorReport> {
  const parsed = await parseArguments([], place.version);
  if (parsed.type !== 'run') throw new Error('the empty command line is a run');
  const isTrusted = await folderIsTrusted(place);
  const loaded = await readSettings(place, parsed.options, isTrusted);
  const terminal = await readTerminal(place);
  const network = offline ? null : await createNetworkPorts(loaded, undefined, true, place.env);
  if (network?.access.type === 'ready' && network.probe !== undefined && !json)
    output.hint(`Sending two short prompts to ${network.access.model}; --offline leaves that out.`);
  const notes = offline ? ['--offline: no server was asked.'] : [];
  return diagnose(createDoctorPorts({ place, loaded, isTrusted, terminal, network }), notes);
}

async function readTerminal(place: Place): Promise<TerminalFacts | undefined> {
  const { env } = place;
  const { stdin, stdout } = process;
  if (!stdout.isTTY) return undefined;
  const isDumb = env.TERM === undefined || env.TERM === 'dumb';
  return {
    term: env.TERM,
    program: terminalProgram(env),
    colors: colorLevel(terminalColors(place)),
    columns: stdout.columns,
    rows: stdout.rows,
    answers: stdin.isTTY && !isDumb ? await queryTerminal(stdin, stdout) : undefined,
  };
}
