/** How models are named: `id` at the default endpoint, `provider/id` at a named one. Pure. */

/** The default endpoint in full names: `default/openai/gpt-5` if there is also a provider called `openai`. */
export const DEFAULT_PROVIDER = 'default';

export const providerNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

export interface ModelName {
  /** Undefined at the default endpoint. */
  readonly provider: string | undefined;
  /** As the endpoint names it. */
  readonly id: string;
}

/**
 * Splits the name of a model. Ids of the default endpoint may contain slashes, too: only the name of a provider makes
 * the first part one.
 */
export function parseModelName(name: string, isProvider: (part: string) => boolean): ModelName {
  const slash = name.indexOf('/');
  const [first, rest] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)];
  if (first === '' || rest === '') return { provider: undefined, id: name };
  if (isProvider(first)) return { provider: first, id: rest };
  return { provider: undefined, id: first === DEFAULT_PROVIDER ? rest : name };
}

/** The name that `parseModelName` splits again into the same parts. */
export function modelName({ provider, id }: ModelName, isProvider: (part: string) => boolean): string {
  if (provider !== undefined) return `${provider}/${id}`;
  const first = id.slice(0, Math.max(0, id.indexOf('/')));
  return isProvider(first) || first === DEFAULT_PROVIDER ? `${DEFAULT_PROVIDER}/${id}` : id;
}
