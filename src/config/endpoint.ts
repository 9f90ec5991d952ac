/** Headers hold secrets of one endpoint: another one that counts today does not get them. Pure. */
import { OFFICIAL_URL } from '../protocol/modelDefaults.ts';
import type { LoadedSettings, Problem, Values } from './types.ts';

export interface HeadersFound {
  /** All layers together; `headers` comes from the user's file alone. */
  readonly merged: Values;
  /** The user's file: its values, and its name as shown. */
  readonly user: { readonly values: Values; readonly name: string };
  /** What set the base URL that counts; undefined for the default. */
  readonly source: string | undefined;
  /** Whether that is a file of the folder, which may not choose who gets the user's headers. */
  readonly isFolders: boolean;
}

/** What is wrong with sending them, or undefined. They are for the base URL beside them; without one, for the user's own. */
export function strayHeaders({ merged, user, source, isFolders }: HeadersFound): Problem | undefined {
  if (Object.keys(merged.headers ?? {}).length === 0) return undefined;
  const endpoint = String(merged.baseUrl ?? OFFICIAL_URL);
  const own = String(user.values.baseUrl ?? (isFolders ? OFFICIAL_URL : endpoint));
  if (new URL(endpoint).origin === new URL(own).origin) return undefined;
  const message = `${user.name}: "headers" are for ${new URL(own).origin} and are not sent to ${new URL(endpoint).origin}, which ${source ?? 'the default'} names. If they belong there, put that into "baseUrl" of the same file.`;
  return { layer: 'user', file: user.name, key: 'headers', message };
}

type Read = Pick<LoadedSettings, 'files' | 'problems' | 'sources'> & {
  /** Whether the folder's files count: of one that is not trusted, none may hold anything up. */
  readonly trusted: boolean;
};

/**
 * The mistake, or undefined where an endpoint is named that counts, or where nothing hints at one. It is in `baseUrl`, in a
 * name that was probably meant for it, or in a file of which nothing can be read.
 */
export function misreadEndpoint({ files, problems, sources, trusted }: Read): Problem | undefined {
  if (sources.baseUrl !== undefined) return undefined;
  const isUnread = ({ layer }: Problem): boolean =>
    files.some((file) => file.layer === layer && file.state === 'broken');
  return problems
    .filter(({ layer }) => trusted || (layer !== 'project' && layer !== 'local'))
    .find((problem) => problem.key === 'baseUrl' || problem.meant === 'baseUrl' || isUnread(problem));
}
