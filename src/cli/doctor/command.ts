/** `clawdcode doctor`: checks everything that is needed and reports what is missing. */
import { type DoctorReport, doctorPage, isHealthy } from '../../commands/pages/doctorPage.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { renderPage } from '../../ui/print/page.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { jsonDocument, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';
import { createDoctorProgram } from '../subcommands/programs.ts';
import { isDumbTerminal } from '../terminal/screenKind.ts';
import { diagnose } from './diagnose.ts';
import { createDoctorPorts, createNetworkPorts, withModelsEndpoint } from './ports.ts';
import type { ProbeFlags } from './probe.ts';
import { queryTerminal, readTerminalFacts } from './terminalFacts.ts';

/** `argv`: the arguments after `doctor`. Returns the exit code. */
export async function doctorCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  const program = createDoctorProgram();
  const code = await parseSubcommand(program, argv, output);
  if (code !== undefined) return code;
  const flags = program.opts<ProbeFlags & { readonly probe?: boolean; readonly offline?: boolean }>();
  const { json = false, offline = false, probe = false } = flags;
  if (!probe && (flags.yes || flags.quick || flags.model) !== undefined) {
    output.say('--model, --quick and --yes belong to --probe.');
    return EXIT.badInput;
  }
  if (probe && !offline) return (await import('./probe.ts')).probeCommand(place, output, flags);
  const report = await examine(place, output, { json, offline });
  if (json) await output.write(jsonDocument({ ok: isHealthy(report), ...report }));
  else await output.write(`${renderPage(doctorPage(report), Math.max(20, output.width), output.theme)}\n`);
  return isHealthy(report) ? EXIT.ok : EXIT.failed;
}

async function examine(
  place: AppPaths,
  output: Output,
  { json, offline }: { readonly json: boolean; readonly offline: boolean },
): Promise<DoctorReport> {
  const parsed = await parseArguments([], place.version);
  if (parsed.type !== 'run') throw new Error('the empty command line is a run');
  const trust = await trustIn(place);
  const { isTrusted } = trust;
  const read = await readSettings(place, parsed.options, trust);
  const loaded = offline ? read : await withModelsEndpoint(read, place);
  const { stdin, stdout } = process;
  const isAsked = stdin.isTTY && stdout.isTTY && !isDumbTerminal(place.env.TERM);
  const answers = isAsked ? await queryTerminal(stdin, stdout) : undefined;
  const terminal = readTerminalFacts(place, stdout, answers);
  const network = offline ? null : await createNetworkPorts(loaded, undefined, true, place.env);
  if (network?.access.type === 'ready' && network.probe !== undefined && !json)
    output.hint(`Sending two short prompts to ${network.access.model} (--offline skips this).`);
  const notes = offline ? ['--offline: no server was contacted.'] : [];
  return diagnose(createDoctorPorts({ place, loaded, isTrusted, terminal, network }), notes);
}
