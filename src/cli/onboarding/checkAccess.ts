/**
 * Tries an endpoint, an API key and optionally a model before they are saved. Reports what is wrong, and with which
 * field.
 */
import { shownUrl } from '../../model/errors.ts';
import { findServed } from '../../model/servers/askServer.ts';
import type { ModelError } from '../../protocol/models/model.ts';
import type { ServedModel, ServerAnswer } from '../../protocol/models/server.ts';
import type { Access, AccessField, AccessOutcome } from '../../ui/onboarding/SetupPort.ts';
import { isLoopback } from './localAddresses.ts';
import { rankModels, withKnownFacts } from './rankModels.ts';

export interface CheckPorts {
  /** Queries the kind of server and its models. */
  ask(question: {
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<ServerAnswer>;
  /** Sends one tiny prompt; returns the error, or undefined if it was answered. */
  tryModel(access: Access, signal: AbortSignal): Promise<ModelError | undefined>;
}

/**
 * The model list shows whether URL and key are right, and costs nothing. If the server also lists models without a key,
 * that proves nothing about the key, and without a list nothing is proven: a tiny prompt is sent instead.
 */
export async function checkAccess(
  access: Access,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<AccessOutcome> {
  const { baseUrl, apiKey, model } = access;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]);
  const [answer, turnsAway] = await Promise.all([
    ports.ask({ baseUrl, apiKey: apiKey === '' ? undefined : apiKey, signal: limited }),
    rejectsWithoutKey(access, ports, limited),
  ]);
  if (answer.type === 'failed') {
    const mayHaveNoList = answer.error.kind === 'bad_url' && answer.error.status !== undefined;
    if (!mayHaveNoList) return refused(answer.error, 'baseUrl');
    if (model === '') return { type: 'refused', field: 'model', message: noList(baseUrl) };
    return tried(access, ports, signal);
  }
  const { facts } = answer;
  // The known local servers that require a key require it for the list as well; a gateway on this machine may not.
  const isProven = turnsAway || (isNear(baseUrl) && facts.kind !== 'other');
  const models = rankModels(facts.models);
  const kept = { ...access, baseUrl: facts.baseUrl };
  if (model === '') {
    const known = models.map((one) => withKnownFacts(one, isNear(baseUrl)));
    if (known.length > 0) return { type: 'models', baseUrl: facts.baseUrl, models: known, isProven };
    return { type: 'refused', field: 'model', message: `${shownUrl(baseUrl)} lists no models: enter one.` };
  }
  const served = findServed(facts.models, model);
  if (isProven && served !== undefined) return { type: 'accepted', access: { ...kept, model: served.id } };
  return tried(kept, ports, signal, models);
}

/** Timeouts in milliseconds for the list and for a tiny prompt: a local server may have to load the model. */
const LIST_MS = 10_000;
const PROMPT_MS = 120_000;

/**
 * True if the endpoint rejects requests without a key. Also true if no key was given, since there is nothing to prove.
 */
async function rejectsWithoutKey(
  { baseUrl, apiKey }: Access,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<boolean> {
  if (apiKey === '' || !URL.canParse(baseUrl)) return true;
  const stranger = await ports.ask({ baseUrl, apiKey: undefined, signal });
  return stranger.type === 'failed' && stranger.error.kind === 'auth';
}

function isNear(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

async function tried(
  access: Access,
  ports: CheckPorts,
  signal: AbortSignal,
  models: readonly ServedModel[] = [],
): Promise<AccessOutcome> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PROMPT_MS)]);
  const error = await ports.tryModel(access, limited);
  if (limited.aborted && !signal.aborted)
    return {
      type: 'refused',
      field: 'model',
      message: `${access.model} at ${shownUrl(access.baseUrl)} did not answer within ${PROMPT_MS / 1000} s.`,
    };
  // A rate limit or an incomplete reply shows that the key was accepted.
  if (error === undefined || error.kind === 'rate_limit' || error.kind === 'cut')
    return { type: 'accepted', access };
  return refused(error, 'model', models);
}

function refused(
  error: ModelError,
  otherwise: AccessField,
  models: readonly ServedModel[] = [],
): AccessOutcome {
  const field = error.kind === 'auth' ? 'apiKey' : error.kind === 'bad_url' ? 'baseUrl' : otherwise;
  const names = models.slice(0, 3).map(({ id }) => id);
  const has = error.kind === 'model_not_found' && names.length > 0 ? ` It has ${names.join(', ')}.` : '';
  return { type: 'refused', field, message: `${error.message}${has}` };
}

function noList(baseUrl: string): string {
  return `${shownUrl(baseUrl)} has no list of models. Check the address (it usually ends in /v1); if it is right, name a model.`;
}
