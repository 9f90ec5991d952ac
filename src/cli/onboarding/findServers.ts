import type { ServerAnswer, ServerFacts, ServerKind } from '../../protocol/models/server.ts';
import type { FoundServer } from '../../ui/onboarding/SetupPort.ts';
import type { LocalAddress } from './localAddresses.ts';
import { compareModels, rankModels, withKnownFacts } from './rankModels.ts';

type AskAddress = (baseUrl: string, signal: AbortSignal) => Promise<ServerAnswer>;

/** Timeout in milliseconds for all addresses together. */
const SEARCH_MS = 300;

export interface Search {
  readonly servers: readonly FoundServer[];
  /** Addresses that accepted the connection but did not answer in time. */
  readonly late: readonly LocalAddress[];
}

/**
 * Queries all addresses in parallel and never exceeds its timeout, even if a query ignores its signal. The server with
 * the best model comes first.
 */
export async function findServers(
  addresses: readonly LocalAddress[],
  ask: AskAddress,
  timeoutMs = SEARCH_MS,
): Promise<Search> {
  const signal = AbortSignal.timeout(timeoutMs);
  // Queries are aborted a little earlier, so that they can still return partial results.
  const early = AbortSignal.timeout(Math.max(1, timeoutMs - GRACE_MS));
  const timeIsUp = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  const late: LocalAddress[] = [];
  const found = await Promise.all(
    addresses.map(async (address): Promise<FoundServer | undefined> => {
      const { name, baseUrl, unaskedFrom } = address;
      if (unaskedFrom !== undefined)
        return { name, baseUrl, state: { type: 'unasked', source: unaskedFrom } };
      const answer = await Promise.race([ask(baseUrl, early).catch(() => undefined), timeIsUp]);
      if (answer === undefined || (answer.type === 'failed' && answer.error.kind === 'stalled'))
        late.push(address);
      return answer === undefined ? undefined : toFound(address, answer);
    }),
  );
  return { servers: found.filter((server) => server !== undefined).toSorted(byBestModel), late };
}

/**
 * Searches again in the background with more time: late servers, and Ollama if details of some models are missing.
 * Returns the same array if there is nothing to query.
 */
export async function refineServers(
  { servers, late }: Search,
  ask: AskAddress,
  timeoutMs = REFINE_MS,
): Promise<readonly FoundServer[]> {
  if (late.length === 0 && !servers.some(isPartial)) return servers;
  const signal = AbortSignal.timeout(timeoutMs);
  const again = async (address: LocalAddress): Promise<FoundServer | undefined> => {
    const answer = await ask(address.baseUrl, signal).catch(() => undefined);
    return answer === undefined ? undefined : toFound(address, answer);
  };
  const [refined, more] = await Promise.all([
    Promise.all(
      servers.map(async (server) => (isPartial(server) ? ((await again(server)) ?? server) : server)),
    ),
    Promise.all(late.map(again)),
  ]);
  return [...refined, ...more.filter((server) => server !== undefined)].toSorted(byBestModel);
}

/** Timeout in milliseconds for the background search. */
const REFINE_MS = 3000;

function isPartial({ name, state }: FoundServer): boolean {
  return (
    name === kindNames.ollama &&
    state.type === 'models' &&
    state.models.some(({ tools }) => tools === undefined)
  );
}

/** Milliseconds to assemble a partial answer. */
const GRACE_MS = 40;

function toFound({ name, baseUrl }: LocalAddress, answer: ServerAnswer): FoundServer | undefined {
  if (answer.type === 'server') return fromFacts(name, answer.facts);
  // A rejected key is an answer, too: a server listens there.
  if (answer.error.kind === 'auth') return { name, baseUrl, state: { type: 'wants_key' } };
  return undefined;
}

function fromFacts(name: string, { kind, baseUrl, models }: ServerFacts): FoundServer {
  const shown = kindNames[kind] ?? name;
  const fit = rankModels(models).map((model) => withKnownFacts(model, true));
  if (fit.length > 0) return { name: shown, baseUrl, state: { type: 'models', models: fit } };
  return { name: shown, baseUrl, state: { type: 'empty', advice: emptyAdvice[kind] ?? OTHER_ADVICE } };
}

const kindNames: Readonly<Partial<Record<ServerKind, string>>> = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

const emptyAdvice: Readonly<Partial<Record<ServerKind, string>>> = {
  ollama: 'get a model with "ollama pull qwen3-coder", then look again',
  lmstudio: 'download a model in LM Studio, then look again',
};
const OTHER_ADVICE = 'load a model there, then look again';

function byBestModel(a: FoundServer, b: FoundServer): number {
  const [best, other] = [firstModel(a), firstModel(b)];
  if (best === undefined || other === undefined)
    return Number(best === undefined) - Number(other === undefined);
  return compareModels(best, other);
}

function firstModel({ state }: FoundServer) {
  return state.type === 'models' ? state.models[0] : undefined;
}
