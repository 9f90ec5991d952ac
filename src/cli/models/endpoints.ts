/** The endpoints that serve models: the default one of the settings, and the named providers. */
import { homedir } from 'node:os';
import type { ProviderSettings } from '../../config/modelSchema.ts';
import type { Settings } from '../../config/schema.ts';
import { wireOf } from '../../model/endpoint.ts';
import type { RequestFacts } from '../../model/errors.ts';
import { type CustomHeaders, hasAuthorization, secretsOf } from '../../model/http/customHeaders.ts';
import { type ModelSettings, modelSettingsOf } from '../../model/modelSettings.ts';
import { modelName, parseModelName } from '../../protocol/models/modelNames.ts';
import type { ModelCard } from '../../protocol/models/server.ts';
import type { Wire } from '../../protocol/models/wires.ts';
import { type EndpointKey, fixedKey, helperKey, keychainKey, missingKey, STORED } from './endpointKey.ts';
import { type Keychain, systemKeychain } from './keychain.ts';
import { openCards } from './modelCards.ts';
import { storedKeyOf } from './storedKeys.ts';

export interface Endpoint {
  /** Undefined for the default endpoint. */
  readonly name: string | undefined;
  readonly baseUrl: string;
  readonly wire: Wire;
  readonly headers: CustomHeaders;
  readonly key: EndpointKey;
  /** Models that its settings name. */
  readonly named: readonly string[];
  /** What the settings say about a model; `id` as the endpoint names it. */
  factsOf(id: string): ModelSettings;
  /** The results of `clawdcode doctor --probe` for a model. */
  cardOf(id: string): ModelCard | undefined;
}

export interface Endpoints {
  /** The default endpoint first. */
  readonly all: readonly Endpoint[];
  isProvider(name: string): boolean;
  /** The endpoint of a model, and the model's name there. */
  find(model: string): { readonly endpoint: Endpoint; readonly id: string };
  /** The full name of a model. */
  nameOf(endpoint: Endpoint, id: string): string;
  /** Everything to redact from stored and exported data. */
  secrets(): readonly string[];
}

interface EndpointOptions {
  readonly settings: Settings;
  /** The key of the default endpoint. */
  readonly apiKey?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  /** The data folder; without it, stored keys are not used. */
  readonly dataRoot?: string;
  readonly openKeychain?: () => Promise<Keychain | undefined>;
  /** The project: no program in it serves as a helper. */
  readonly root?: string;
  /** Nor one of these; absent = those of the settings. */
  readonly addedDirectories?: () => readonly string[];
  /** Names of providers with a mistake: nothing is sent to their models. */
  readonly invalidProviders?: readonly string[];
}

export function createEndpoints(options: EndpointOptions): Endpoints {
  const { settings, apiKey = settings.apiKey ?? undefined } = options;
  const { baseUrl, wire, headers, models, providers } = settings;
  const cards = options.dataRoot === undefined ? undefined : openCards(options.dataRoot);
  const standard: Endpoint = {
    ...{ name: undefined, baseUrl, wire: wireOf(wire, baseUrl), headers },
    key: fixedKey(apiKey, 'apiKey'),
    named: [],
    factsOf: (id) => modelSettingsOf(models, id),
    cardOf: (id) => cards?.(baseUrl, id),
  };
  const named = new Map(
    Object.entries(providers).map(([name, one]) => [name, namedEndpoint(name, one, options, cards)] as const),
  );
  const isProvider = (name: string): boolean => named.has(name);
  const invalid = new Map(
    (options.invalidProviders ?? []).map((name) => [name, invalidEndpoint(name)] as const),
  );
  const isName = (part: string): boolean => named.has(part) || invalid.has(part);
  const all = [standard, ...named.values()];
  return {
    all,
    isProvider,
    find(model) {
      // Without providers, an id is taken as it is.
      if (named.size + invalid.size === 0) return { endpoint: standard, id: model };
      const { provider = '', id } = parseModelName(model, isName);
      return { endpoint: named.get(provider) ?? invalid.get(provider) ?? standard, id };
    },
    nameOf: ({ name }, id) =>
      named.size + invalid.size === 0 ? id : modelName({ provider: name, id }, isName),
    secrets: () =>
      all.flatMap(({ key, headers: own }) => [...secretsOf(undefined, own), ...key.seen()]).sort(byLength),
  };
}

/** What errors say about a named endpoint and its key. */
export function providerFacts({ name, key, headers }: Endpoint): Pick<RequestFacts, 'provider'> {
  if (name === undefined) return {};
  const fromHeader = hasAuthorization(headers) ? 'its Authorization header' : undefined;
  return { provider: { name, keySource: key.source ?? fromHeader } };
}

/** Longest first, so that a shorter secret inside a longer one does not break it up. */
const byLength = (a: string, b: string): number => b.length - a.length;

function namedEndpoint(
  name: string,
  provider: ProviderSettings,
  options: EndpointOptions,
  cards: ReturnType<typeof openCards> | undefined,
): Endpoint {
  const { baseUrl, wire, headers, models } = provider;
  const shared = options.settings.models;
  return {
    ...{ name, baseUrl, wire: wireOf(wire, baseUrl), headers },
    key: keyOf(name, provider, options),
    named: Object.keys(models).filter((id) => !id.includes('*')),
    cardOf: (id) => cards?.(baseUrl, id),
    factsOf: (id) => ({ ...modelSettingsOf(shared, `${name}/${id}`), ...modelSettingsOf(models, id) }),
  };
}

/** Without it, the models of an invalid provider would be taken for ids of the default endpoint. */
function invalidEndpoint(name: string): Endpoint {
  const problem = `The provider "${name}" is invalid in your settings, so nothing was sent: correct it and start again, or choose another model.`;
  return {
    ...{ name, baseUrl: 'https://provider.invalid', wire: 'chat', headers: {}, named: [] },
    key: missingKey(problem, 'settings'),
    factsOf: () => ({}),
    cardOf: () => undefined,
  };
}

function keyOf(
  name: string,
  { apiKey, apiKeyEnv, apiKeyHelper, headers, baseUrl }: ProviderSettings,
  {
    settings,
    env = {},
    home = homedir(),
    root = home,
    dataRoot,
    addedDirectories,
    openKeychain = systemKeychain,
  }: EndpointOptions,
): EndpointKey {
  if (hasAuthorization(headers)) return fixedKey(undefined, undefined);
  if (apiKey !== undefined) return fixedKey(apiKey, `providers.${name}.apiKey`);
  const fromEnv = apiKeyEnv === undefined ? '' : (env[apiKeyEnv]?.trim() ?? '');
  if (fromEnv !== '') return fixedKey(fromEnv, apiKeyEnv);
  if (apiKeyHelper !== undefined)
    return helperKey({
      ...{ provider: name, command: apiKeyHelper, home, env, root },
      addedDirectories: addedDirectories ?? (() => settings.permissions.additionalDirectories),
    });
  const stored = dataRoot === undefined ? undefined : storedKeyOf(dataRoot, { name, baseUrl });
  if (stored?.place === 'file') return fixedKey(stored.key, STORED);
  if (stored?.place === 'keychain') return keychainKey(stored.account, openKeychain);
  if (apiKeyEnv === undefined) return fixedKey(undefined, undefined);
  return missingKey(`The provider "${name}" takes its key from ${apiKeyEnv}, which is not set.`, apiKeyEnv);
}
