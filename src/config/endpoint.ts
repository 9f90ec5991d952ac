/** Headers contain secrets of one endpoint: they are not sent to any other. Pure. */
import { OFFICIAL_URL } from '../protocol/modelDefaults.ts';
import type { LoadedSettings, Problem, Values } from './types.ts';

interface HeadersFound {
  /** All layers merged; `headers` comes only from the user's file. */
  readonly merged: Values;
  /** The user's file: its values and its displayed name. */
  readonly user: { readonly values: Values; readonly name: string };
  /** Where the effective base URL was set; undefined for the default. */
  readonly source: string | undefined;
  /** True if that is a file of the folder, which may not choose who receives the user's headers. */
  readonly isFolders: boolean;
}

/**
 * The problem with sending them, or undefined. Headers belong to the base URL in the same file; if it sets none, to the
 * effective one, or to the default if the folder set that.
 */
export function strayHeaders({ merged, user, source, isFolders }: HeadersFound): Problem | undefined {
  if (Object.keys(merged.headers ?? {}).length === 0) return undefined;
  const endpoint = String(merged.baseUrl ?? OFFICIAL_URL);
  const own = String(user.values.baseUrl ?? (isFolders ? OFFICIAL_URL : endpoint));
  if (new URL(endpoint).origin === new URL(own).origin) return undefined;
  const message = `${user.name}: "headers" are for ${new URL(own).origin} and are not sent to ${new URL(endpoint).origin}, which ${source ?? 'the default'} names. If they belong there, put that into "baseUrl" of the same file.`;
  return { layer: 'user', file: user.name, key: 'headers', message };
}

type Read = Pick<LoadedSettings, 'files' | 'problems' | 'sources'> & {
  /** Whether the folder's files apply: those of an untrusted folder must not block anything. */
  readonly trusted: boolean;
  /** The model in the settings. */
  readonly model: unknown;
};

/**
 * The mistake that hides the intended endpoint; undefined if an endpoint is set, or nothing suggests one. The mistake
 * is in `baseUrl`, in a name that was probably meant for it, or in an unreadable file.
 */
export function misreadEndpoint({ files, problems, sources, trusted, model }: Read): Problem | undefined {
  // Without its provider, the model's name would be an id of the default endpoint.
  const provider = typeof model === 'string' ? model.split('/')[0] : undefined;
  const ofModel = problems.find(({ key }) => key === 'providers' || key === `providers.${provider}`);
  if (ofModel !== undefined && ofModel.layer !== 'project' && ofModel.layer !== 'local') return ofModel;
  if (sources.baseUrl !== undefined) return undefined;
  // Another program's file never names the endpoint.
  const isUnread = ({ layer, file: name }: Problem): boolean =>
    files.some(
      (file) =>
        file.layer === layer && file.name === name && file.state === 'broken' && file.isForeign !== true,
    );
  return problems
    .filter(({ layer }) => trusted || (layer !== 'project' && layer !== 'local'))
    .find((problem) => problem.key === 'baseUrl' || problem.meant === 'baseUrl' || isUnread(problem));
}
