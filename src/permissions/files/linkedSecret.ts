/** Secrets under other names, by hard links. */
import { join } from 'node:path';
import { type Policy, workspaceFolders } from '../policy.ts';
import { secretFolders } from './sensitive.ts';

type Place = Pick<
  Policy,
  'home' | 'root' | 'additionalDirectories' | 'realpath' | 'linkId' | 'linkedSecrets'
>;

/** The secret, in the workspace or in a folder of the home for secrets, of which a path is another name. */
export function linkedSecret(path: string, place: Place): string | undefined {
  const id = place.linkId(path);
  if (id === undefined) return undefined;
  const inHome = secretFolders.map((folder) => join(place.home, folder));
  return place.linkedSecrets([...workspaceFolders(place), ...inHome]).get(id);
}
