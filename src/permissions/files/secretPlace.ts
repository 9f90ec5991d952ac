/** Places in the home folder whose files are all secret, whatever their names; sandboxed commands cannot see them. */
import { isInside } from '../../disk/paths.ts';
import { secretPlaces } from '../../disk/secretPlaces.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import { foldPath } from './sensitive.ts';

type Place = Pick<Policy, 'home' | 'root' | 'additionalDirectories' | 'realpath'>;

/**
 * Returns a test for absolute paths that are such a place or inside of one, except for a place that contains a workspace.
 * Accesses the disk only for a path that could be one by its names.
 */
export function secretPlaceTest(place: Place): (path: string) => boolean {
  let roots: Roots | undefined;
  return (path) => {
    const parts = foldPath(path);
    if (!parts.some((part) => firstParts.has(part))) return false;
    roots ??= resolveRoots(place);
    const { homes, workspaces } = roots;
    return homes.some((around) => {
      if (around.some((part, at) => parts[at] !== part)) return false;
      const below = parts.slice(around.length, around.length + MAX_DEPTH);
      return below.some((_, at) => {
        const inner = below.slice(0, at + 1);
        const whole = `/${[...around, ...inner].join('/')}`;
        return known.has(inner.join('/')) && !workspaces.some((folder) => isInside(folder, whole));
      });
    });
  };
}

/** As folded by `foldPath`. */
interface Roots {
  readonly homes: readonly (readonly string[])[];
  readonly workspaces: readonly string[];
}

function resolveRoots(place: Place): Roots {
  const { home, realpath } = place;
  return {
    homes: [home, realpath(home)].map(foldPath),
    workspaces: workspaceFolders(place).flatMap((folder) =>
      [folder, realpath(folder)].map((path) => `/${foldPath(path).join('/')}`),
    ),
  };
}

const known = new Set(secretPlaces.map((place) => foldPath(place).join('/')));
const MAX_DEPTH = Math.max(...secretPlaces.map((place) => place.split('/').length));
/** Searched for anywhere in a path, before the home folder is resolved. */
const firstParts = new Set([...known].map((place) => place.split('/')[0]));
