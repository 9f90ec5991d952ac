/** Tries an endpoint, a key and perhaps a model, before any of it is kept. Says what is wrong and which field that is. */
import { shownUrl } from '../../model/errors.ts';
import { findServed } from '../../model/servers/askServer.ts';
import type { ModelError } from '../../protocol/model.ts';
import type { ServedModel, ServerAnswer } from '../../protocol/server.ts';
import type { Access, AccessField, AccessOutcome } from '../../ui/onboarding/SetupPort.ts';
import { withKnownFacts } from './knownFacts.ts';
import { isLoopback } from './localAddresses.ts';
import { rankModels } from './rankModels.ts';

export interface CheckPorts {
  /** Who answers there and with which models. */
  ask(question: {
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<ServerAnswer>;
  /** One tiny prompt; what went wrong, or undefined when it was answered. */
  tryModel(access: Access, signal: AbortSignal): Promise<ModelError | undefined>;
}

/**
 * The list of models says whether address and key are right, and costs nothing. Where a stranger gets the list as
 * well it proves nothing about the key, and where there is none it proves nothing at all: then one tiny prompt does.
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
    turnsStrangersAway(access, ports, limited),
  ]);
  if (answer.type === 'failed') {
    const mayHaveNoList = answer.error.kind === 'bad_url' && answer.error.status !== undefined;
    if (!mayHaveNoList) return refused(answer.error, 'baseUrl');
    if (model === '') return { type: 'refused', field: 'model', message: noList(baseUrl) };
    return tried(access, ports, signal);
  }
  const { facts } = answer;
  // The known local servers that want a key want it for their list too; a gateway on this machine may not.
  const isProven = turnsAway || (isNear(baseUrl) && facts.kind !== 'other');
  const models = rankModels(facts.models);
  const kept = { ...access, baseUrl: facts.baseUrl };
  if (model === '') {
    const known = models.map((one) => withKnownFacts(one, isNear(baseUrl)));
    if (known.length > 0) return { type: 'models', baseUrl: facts.baseUrl, models: known, isProven };
    return { type: 'refused', field: 'model', message: `${shownUrl(baseUrl)} lists no model: name one.` };
  }
  const served = findServed(facts.models, model);
  if (isProven && served !== undefined) return { type: 'accepted', access: { ...kept, model: served.id } };
  return tried(kept, ports, signal, models);
}

/** Milliseconds for a list, and for the answer to a tiny prompt: a local server may have to load the model. */
const LIST_MS = 10_000;
const PROMPT_MS = 120_000;

/** True where no key is given, so that nothing has to be proven, too. */
async function turnsStrangersAway(
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
      message: `${access.model} at ${shownUrl(access.baseUrl)} did not answer for ${PROMPT_MS / 1000} s.`,
    };
  // Who limits the rate or sends a cut reply has accepted the key.
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
