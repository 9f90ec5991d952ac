/**
 * Caches what the session's server reports about its models: asks once per model, and again when the answer may have
 * changed. Also loads a model in Ollama if necessary, which does not know the window of a model before that.
 */

import type { ModelError } from '../../protocol/models/model.ts';
import type { ServedModel, ServerKind } from '../../protocol/models/server.ts';
import { endpointFacts } from '../endpoint.ts';
import { askJson, type HttpQuery } from './askHttp.ts';
import { askServer, findServed } from './askServer.ts';

export interface ServedModels {
  /** The facts known so far; unknown ones are absent. */
  get(id: string): (ServedModel & { readonly kind: ServerKind }) | undefined;
  /**
   * Asks the server, unless it was asked before; asks a local server again after a minute. Never rejects; prompts do not
   * wait for it.
   */
  ask(id: string): Promise<void>;
  /** True while the server cannot report the window because it has not loaded the model yet; `waitForFacts` loads it. */
  awaitsLoad(id: string): boolean;
  /**
   * Waits at most `patienceMs` for a running query. If the model must be loaded to learn its window, waits until it is
   * loaded: the next request would have to wait for that anyway. `fitsAnyWindow`: the request fits whatever the answer
   * is, so the wait is shorter. Resolves early on abort.
   */
  waitForFacts(id: string, signal: AbortSignal, fitsAnyWindow?: boolean): Promise<void>;
}

interface ServedModelsOptions extends Omit<HttpQuery, 'signal'> {
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Longest wait of a prompt, in ms. Default: longer for a local server, which reports more and may be busy. */
  readonly patienceMs?: number;
  /** What earlier sessions learned; absent = nothing. */
  readonly memory?: ServerMemory;
}

/** `silent`: a server that reports nothing about itself, or not in time; prompts do not wait for it. */
export type RememberedKind = ServerKind | 'silent';

/** Remembers across sessions which kind of server this endpoint is. */
export interface ServerMemory {
  recall(): Promise<RememberedKind | undefined>;
  remember(kind: RememberedKind): Promise<void>;
}

const noMemory: ServerMemory = { recall: async () => undefined, remember: async () => {} };

/** Timeout of a query, even if nothing waits for it, in ms. */
const ANSWER_MS = 10_000;
/**
 * Longest wait of the first prompt, in ms. Longer for local servers, where a wrong window costs more: they truncate
 * silently.
 */
const PATIENCE_MS = { near: 2000, far: 300 };
/** The same for a request that fits into any window. */
const SHORT_PATIENCE_MS = 300;
/** Longest time to load a model, in ms. */
const LOAD_MS = 10 * 60_000;
/** Age at which an answer of a local server is stale, because it may have been restarted, in ms. */
const STALE_MS = 60_000;

interface QueriedModel {
  known?: ServedModel & { readonly kind: ServerKind };
  running: Promise<void> | undefined;
  askedAt: number;
  loadTried: boolean;
}

/** Never asks OpenAI, Anthropic and Google, whose lists contain only names. */
export function createServedModels(options: ServedModelsOptions): ServedModels {
  const { baseUrl, now, memory = noMemory } = options;
  const { provider } = endpointFacts(baseUrl);
  const isLocal = provider === 'local';
  const { patienceMs = isLocal ? PATIENCE_MS.near : PATIENCE_MS.far } = options;
  const isSilent = provider === 'openai' || provider === 'anthropic' || provider === 'google';
  const records = new Map<string, QueriedModel>();

  function recordOf(id: string): QueriedModel {
    let found = records.get(id);
    if (found === undefined) {
      found = { running: undefined, askedAt: Number.NEGATIVE_INFINITY, loadTried: false };
      records.set(id, found);
    }
    return found;
  }

  async function query(id: string, into: QueriedModel): Promise<void> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const question = { ...options, model: id, signal, listFirst: true };
    const remembered = await memory.recall();
    const isKnown = remembered !== undefined && remembered !== 'silent';
    let answer = await askServer(isKnown ? { ...question, kind: remembered } : question);
    // A different server answers at this address now.
    if (isKnown && (answer.type === 'failed' || answer.facts.kind !== remembered))
      answer = await askServer(question);
    if (answer.type === 'failed') {
      if (isUnsupported(answer.error)) await memory.remember('silent');
      return;
    }
    if (answer.facts.kind !== remembered) await memory.remember(answer.facts.kind);
    const { kind, models } = answer.facts;
    const found = findServed(models, id);
    if (found !== undefined) into.known = { ...found, kind };
  }

  async function ask(id: string): Promise<void> {
    if (isSilent) return;
    const record = recordOf(id);
    const isFresh = isLocal ? now() - record.askedAt < STALE_MS : record.askedAt > 0;
    if (record.running !== undefined || isFresh) return record.running;
    record.askedAt = now();
    record.running = query(id, record).finally(() => {
      record.running = undefined;
    });
    return record.running;
  }

  /** An empty request loads a model: docs/api.md of ollama/ollama, "Load a model". */
  async function load(id: string, record: QueriedModel, signal: AbortSignal): Promise<void> {
    record.loadTried = true;
    const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOAD_MS)]);
    await askJson(`${root}/api/generate`, { ...options, signal: limit }, { model: id });
    if (!signal.aborted) await query(id, record);
  }

  const awaitsLoad = (id: string): boolean => {
    const { known, loadTried } = recordOf(id);
    const isUnloaded = known?.kind === 'ollama' && known.windowTokens === undefined && known.unfit !== true;
    return isLocal && isUnloaded && !loadTried;
  };

  return {
    get: (id) => records.get(id)?.known,
    ask,
    awaitsLoad,
    async waitForFacts(id, signal, fitsAnyWindow = false) {
      if (isSilent) return;
      const record = recordOf(id);
      const isFirst = record.known === undefined;
      // Waiting would be pointless; the caller runs `ask` later, in the background.
      if (isFirst && (await memory.recall()) === 'silent') return;
      void ask(id);
      if (isFirst && record.running !== undefined) {
        const ms = fitsAnyWindow ? Math.min(patienceMs, SHORT_PATIENCE_MS) : patienceMs;
        await waitAtMost(record.running, ms, signal);
        // The next session does not wait; an answer that still arrives is remembered instead.
        if (record.running !== undefined && !signal.aborted) await memory.remember('silent');
      }
      if (awaitsLoad(id) && !signal.aborted) await load(id, record, signal);
    },
  };
}

/** True if the server answers but has no such endpoint, e.g. because it only offers chat completions. */
const isUnsupported = ({ kind, retryable }: ModelError): boolean =>
  !retryable && (kind === 'bad_url' || kind === 'bad_request');

function waitAtMost(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
    void work.then(done, done);
  });
}
