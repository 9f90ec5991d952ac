/**
 * Asks a server what it is and which models it has. A local server gets the queries of all kinds at once, since its kind
 * is unknown; with `listFirst`, only those that a session needs. A hosted server is asked only for its model list, unless
 * the list identifies it as one of the local kinds.
 */
import type { ServedModel, ServerAnswer, ServerFacts, ServerKind } from '../../protocol/models/server.ts';
import { endpointFacts } from '../endpoint.ts';
import { badUrlError, shownUrl, toModelError } from '../errors.ts';
import { hasAuthorization, secretsOf } from '../http/customHeaders.ts';
import { record } from '../json.ts';
import { askJson, type HttpAnswer, type HttpQuery } from './askHttp.ts';
import {
  readLlamaCppProps,
  readLmStudioV0,
  readLmStudioV1,
  readOllamaModel,
  readOllamaRunning,
  readOllamaTags,
  readOllamaVersion,
  withProps,
} from './localServers.ts';
import { type ModelList, readModelList, versionIn } from './modelList.ts';

interface ServerQuery extends HttpQuery {
  /** With or without `/v1` at the end. */
  readonly baseUrl: string;
  /** The only model whose details are wanted; absent = all models, as far as time allows. */
  readonly model?: string;
  /** The kind of a local server, if known; absent = all kinds are tried. */
  readonly kind?: ServerKind;
  /** Asks a local server for its list first, and then only for what the list lacks about `model`. */
  readonly listFirst?: boolean;
}

/**
 * Never rejects. Answers that arrive after the signal are left out if the rest is usable without them; a server that
 * does not answer in time has `failed`. Reads at most 4 MB per answer, from the same host only.
 */
export async function askServer(query: ServerQuery): Promise<ServerAnswer> {
  const { baseUrl } = query;
  if (!URL.canParse(baseUrl)) return { type: 'failed', error: badUrlError(aboutOf(query)) };
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const listUrls = baseUrl.replace(/\/+$/, '').endsWith('/v1') ? [`${root}/v1`] : [root, `${root}/v1`];
  const isLocal = endpointFacts(baseUrl).provider === 'local';
  const ask = async (path: string): Promise<unknown> => {
    const answer = await askJson(`${root}${path}`, query);
    return answer.type === 'json' ? answer.value : undefined;
  };

  const lists = listUrls.map((url) => askJson(`${url}/models`, query));
  const asksAtOnce = isLocal && (query.kind !== undefined || query.listFirst !== true);
  const natives = asksAtOnce ? askNatives(ask, query.kind) : undefined;
  const answers = await Promise.all(lists);
  const at = answers.findIndex(
    (answer) => answer.type === 'json' && readModelList(answer.value) !== undefined,
  );
  const found = answers[at];
  const own = found?.type === 'json' ? readModelList(found.value) : undefined;
  const native = await (natives ??
    (isLocal ? askForMissing(ask, own, query.model) : hasNatives(own) ? askNatives(ask) : undefined));

  const facts = await gather(native, own, query, root);
  if (facts === undefined) return { type: 'failed', error: errorOf(answers, query) };
  const address = own === undefined ? `${root}/v1` : (listUrls[at] ?? baseUrl);
  return {
    type: 'server',
    facts: { ...facts, baseUrl: address, models: facts.models.toSorted((a, b) => rank(a) - rank(b)) },
  };
}

/** The native paths of each kind of server. */
const nativePaths = {
  version: { path: '/api/version', kind: 'ollama' },
  tags: { path: '/api/tags', kind: 'ollama' },
  running: { path: '/api/ps', kind: 'ollama' },
  studioV0: { path: '/api/v0/models', kind: 'lmstudio' },
  studioV1: { path: '/api/v1/models', kind: 'lmstudio' },
  props: { path: '/props', kind: 'llamacpp' },
  vllm: { path: '/version', kind: 'vllm' },
} as const;

type Natives = Readonly<Partial<Record<keyof typeof nativePaths, unknown>>>;

async function askNatives(ask: (path: string) => Promise<unknown>, only?: ServerKind): Promise<Natives> {
  const wanted = Object.entries(nativePaths).filter(([, { kind }]) => only === undefined || kind === only);
  const answers = await Promise.all(wanted.map(async ([name, { path }]) => [name, await ask(path)]));
  return Object.fromEntries(answers);
}

/** Asks a local server for what its list lacks. Without a list it is not asked anything else. */
function askForMissing(
  ask: (path: string) => Promise<unknown>,
  list: ModelList | undefined,
  model: string | undefined,
): Promise<Natives> | undefined {
  // Apart from its list, vLLM reports only its version.
  if (list === undefined || list.kind === 'vllm') return undefined;
  if (list.kind !== 'openai' && list.kind !== 'other') return askNatives(ask, list.kind);
  const isKnown = model !== undefined && findServed(list.models, model)?.windowTokens !== undefined;
  return isKnown ? undefined : askNatives(ask);
}

/** A hosted server of one of the local kinds. */
function hasNatives(list: ModelList | undefined): boolean {
  return list !== undefined && list.kind !== 'openai' && list.kind !== 'other';
}

async function gather(
  native: Natives | undefined,
  own: ModelList | undefined,
  query: ServerQuery,
  root: string,
): Promise<Omit<ServerFacts, 'baseUrl'> | undefined> {
  // LM Studio also answers unknown paths with an error in JSON, so the readers check for its own fields.
  const studio = readLmStudioV1(native?.studioV1) ?? readLmStudioV0(native?.studioV0);
  if (studio !== undefined && (own?.kind !== 'ollama' || studio.length > 0)) {
    return { kind: 'lmstudio', models: studio };
  }
  const version = readOllamaVersion(native?.version);
  const tags = readOllamaTags(native?.tags);
  if (version !== undefined && tags !== undefined) {
    const models = await showAll(tags, readOllamaRunning(native?.running), query, root);
    return { kind: 'ollama', version, models };
  }
  const props = readLlamaCppProps(native?.props);
  if (own === undefined) return undefined;
  if (props !== undefined) {
    const [only, ...others] = own.models;
    const models = only !== undefined && others.length === 0 ? [withProps(only, props)] : own.models;
    return { kind: 'llamacpp', ...(props.version === undefined ? {} : { version: props.version }), models };
  }
  const vllm = versionIn(record(native?.vllm).version);
  if (own.kind === 'vllm') {
    return { kind: 'vllm', ...(vllm === undefined ? {} : { version: vllm }), models: own.models };
  }
  return { kind: own.kind === 'openai' ? 'openai' : 'other', models: own.models };
}

/** Ollama returns the details of one model per request. */
async function showAll(
  ids: readonly string[],
  running: ReadonlyMap<string, number | undefined>,
  query: ServerQuery,
  root: string,
): Promise<readonly ServedModel[]> {
  const { model } = query;
  const wanted = new Set(
    model === undefined ? ids.slice(0, MAX_SHOWN) : ids.filter((id) => isSame(id, model)),
  );
  return Promise.all(
    ids.map(async (id) => {
      if (!wanted.has(id)) return readOllamaModel(id, undefined, running);
      const answer = await askJson(`${root}/api/show`, query, { model: id });
      return readOllamaModel(id, answer.type === 'json' ? answer.value : undefined, running);
    }),
  );
}

/** Maximum number of models whose details are requested at once. */
const MAX_SHOWN = 32;

/** Finds a model by id, with or without Ollama's `:latest`. */
export function findServed(models: readonly ServedModel[], id: string): ServedModel | undefined {
  return models.find((model) => model.id === id) ?? models.find((model) => isSame(model.id, id));
}

/** `qwen3` and `qwen3:latest` are the same model. */
function isSame(served: string, asked: string): boolean {
  return served === asked || served === `${asked}:latest` || `${served}:latest` === asked;
}

function rank({ loaded, unfit }: ServedModel): number {
  if (unfit === true) return 2;
  return loaded === true ? 0 : 1;
}

function errorOf(answers: readonly HttpAnswer[], query: ServerQuery) {
  const about = aboutOf(query);
  const refused = answers.flatMap((answer) => (answer.type === 'refused' ? [answer] : []));
  // A rejected key is more informative than a missing path.
  const [worst] = refused.toSorted((a, b) => weight(a.status) - weight(b.status));
  if (query.signal.aborted) {
    const message = `${shownUrl(query.baseUrl)} did not answer in time. Check that it is running, and the address.`;
    return { kind: 'stalled' as const, retryable: true, message };
  }
  return worst === undefined || worst.error instanceof SyntaxError
    ? badUrlError(about)
    : toModelError(worst.error, about);
}

function weight(status: number | undefined): number {
  if (status === 401 || status === 403) return 0;
  return status === 404 ? 2 : 1;
}

function aboutOf({ baseUrl, apiKey = '', headers = {} }: ServerQuery) {
  const hasKey = apiKey !== '' || hasAuthorization(headers);
  return { baseUrl, model: '', hasKey, secrets: secretsOf(apiKey, headers) };
}
