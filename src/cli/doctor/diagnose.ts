import type { AgentState } from '../../agent/types.ts';
import type { DoctorReport, Finding } from '../../commands/pages/doctorPage.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { checkEndpoint } from './checks/endpoint.ts';
import { checkDataFolder, checkSessions, checkSettings } from './checks/files.ts';
import { checkNode, checkPrograms } from './checks/programs.ts';
import { checkTerminal } from './checks/terminal.ts';
import type { DoctorPorts } from './ports.ts';
import { createDoctorPorts, createNetworkPorts, withModelsEndpoint } from './ports.ts';
import { readTerminalFacts } from './terminalFacts.ts';

/**
 * Runs all checks in parallel and reports them in a fixed order. A check that throws becomes a finding, too; none takes
 * longer than the server requests.
 */
export async function diagnose(ports: DoctorPorts, notes: readonly string[] = []): Promise<DoctorReport> {
  const checks: readonly (readonly [
    string,
    (given: DoctorPorts) => readonly Finding[] | Promise<readonly Finding[]>,
  ])[] = [
    ['node', checkNode],
    ['terminal', checkTerminal],
    ['programs', checkPrograms],
    ['data', checkDataFolder],
    ['settings', checkSettings],
    ['sessions', checkSessions],
    ['endpoint', checkEndpoint],
  ];
  const found = await Promise.all(
    checks.map(async ([id, check]) => {
      try {
        return await check(ports);
      } catch (error) {
        return [broken(id, error)];
      }
    }),
  );
  return { version: ports.place.version, findings: found.flat().map(plain), notes };
}

function broken(id: string, error: unknown): Finding {
  const value = `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
  return { id, label: id, state: 'warning', value, fix: 'This is a bug in ClawdCode; please report it.' };
}

/** Sanitizes texts from servers, files and variables: only printable characters reach the terminal. */
function plain(finding: Finding): Finding {
  const { value, fix } = finding;
  return {
    ...finding,
    value: short(value),
    ...(fix === undefined ? {} : { fix: short(fix) }),
  };
}

function short(text: string): string {
  return sanitizeLine(text).slice(0, MAX_CHARACTERS).toWellFormed();
}

const MAX_CHARACTERS = 500;

/**
 * Builds the report inside a session: the terminal is not queried, because its replies would be read as keys, and no
 * prompt is sent.
 */
export async function sessionReport(
  place: AppPaths,
  read: LoadedSettings,
  isTrusted: boolean,
  { model, demo }: Pick<AgentState, 'model' | 'demo'>,
): Promise<DoctorReport> {
  const terminal = readTerminalFacts(place, process.stdout, undefined);
  const loaded = demo ? read : await withModelsEndpoint(read, place, model.id);
  const id = loaded === read ? model.id : undefined;
  const network = demo ? null : await createNetworkPorts(loaded, id, false, place.env);
  const notes = [
    ...(demo ? ['The demo model needs no server, so none was contacted.'] : []),
    'Not checked inside a session: terminal queries and prompts to the model. "clawdcode doctor" checks both.',
  ];
  return diagnose(createDoctorPorts({ place, loaded, isTrusted, terminal, network }), notes);
}
