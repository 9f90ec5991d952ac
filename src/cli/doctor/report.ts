import type { AgentState } from '../../agent/types.ts';
import type { DoctorReport } from '../../commands/pages/doctorPage.ts';
import type { LoadedSettings } from '../../config/types.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { diagnose } from './diagnose.ts';
import { withModelsEndpoint } from './modelEndpoint.ts';
import { createDoctorPorts, createNetworkPorts } from './ports.ts';
import { readTerminalFacts } from './terminalFacts.ts';

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
