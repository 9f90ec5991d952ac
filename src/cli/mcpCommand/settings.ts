import type { FolderTrust } from '../../config/trust.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { parseArguments } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import type { Output } from '../sessionCommand/output.ts';
import { readSettings, trustIn } from '../startup.ts';

/** Loads the settings like a start without flags; problems are written to standard error. */
export async function settingsOf(
  place: AppPaths,
  output: Pick<Output, 'hint'>,
): Promise<{ readonly loaded: LoadedSettings; readonly trust: FolderTrust }> {
  const given = await parseArguments([], place.version);
  if (given.type !== 'run') throw new Error('no arguments are always right');
  const trust = await trustIn(place);
  const loaded = await readSettings(place, given.options, trust);
  for (const { message } of loaded.problems) output.hint(message);
  return { loaded, trust };
}
