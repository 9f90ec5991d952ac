/** The places of a home that hold secrets whatever their files are called; confined commands do not see them either. */
import { isInside } from '../../disk/paths.ts';
import { secretPlaces } from '../../disk/secretPlaces.ts';
import type { Policy } from '../policy.ts';
import { foldPath } from './sensitive.ts';

type Place = Pick<Policy, 'home' | 'root' | 'additionalDirectories' | 'realpath'>;

/**
 * Whether an absolute path is such a place or inside of one. A place that contains a workspace does not count. The disk
 * is only asked about a path with a part that could be one.
 */
export function secretPlaceTest(place: Place): (path: string) => boolean {
  let found: Found | undefined;
  return (path) => {
    const parts = foldPath(path);
    if (!parts.some((part) => firstParts.has(part))) return false;
    found ??= resolved(place);
    const { homes, workspaces } = found;
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

/** Folded. */
interface Found {
  readonly homes: readonly (readonly string[])[];
  readonly workspaces: readonly string[];
}

function resolved({ home, root, additionalDirectories, realpath }: Place): Found {
  return {
    homes: [home, realpath(home)].map(foldPath),
    workspaces: [root, ...additionalDirectories].flatMap((folder) =>
      [folder, realpath(folder)].map((path) => `/${foldPath(path).join('/')}`),
    ),
  };
}

const known = new Set(secretPlaces.map((place) => foldPath(place).join('/')));
const MAX_DEPTH = Math.max(...secretPlaces.map((place) => place.split('/').length));
/** Looked for anywhere in a path, since the home is not known yet. */
const firstParts = new Set([...known].map((place) => place.split('/')[0]));
