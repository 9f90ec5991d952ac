import { lookupModel } from '../../model/catalogue.ts';
import { OFFICIAL_MODEL } from '../../protocol/models/modelNames.ts';
import type { ServedModel } from '../../protocol/models/server.ts';

/**
 * Returns the chat models, best first. Criteria in this order: it calls tools, is already loaded, is made for code, has
 * a larger window; otherwise in the server's order.
 */
export function rankModels(models: readonly ServedModel[]): readonly ServedModel[] {
  const fit = models.filter(({ unfit }) => unfit !== true);
  const weights = new Map(fit.map((model) => [model, weigh(model)]));
  return fit.toSorted((a, b) => compare(weights.get(b) ?? [], weights.get(a) ?? []));
}

/** Compares models of different servers: negative if `a` is better. */
export function compareModels(a: ServedModel, b: ServedModel): number {
  return compare(weigh(b), weigh(a));
}

function weigh(model: ServedModel): readonly number[] {
  const { id, tools, loaded, windowTokens, maxWindowTokens } = model;
  const window = windowTokens ?? maxWindowTokens ?? knownWindow(id);
  return [
    tools === false ? 0 : 1,
    // A window nearly filled by the prompt alone is not usable.
    (windowTokens ?? maxWindowTokens ?? TOO_SMALL) < TOO_SMALL ? 0 : 1,
    id === OFFICIAL_MODEL ? 1 : 0,
    tools === true ? 1 : 0,
    loaded === true ? 1 : 0,
    FOR_CODE.test(id) ? 1 : 0,
    Math.round(Math.log2(Math.max(1, window))),
  ];
}

/** Tokens. */
const TOO_SMALL = 12_000;

const FOR_CODE = /cod(?:e|er|ing|estral)|devstral|swe-|gpt-oss|glm-4\.|kimi-k2|minimax-m/i;

function knownWindow(id: string): number {
  const known = lookupModel(id, { unknownWindow: 1 });
  return known.source === 'catalogue' ? known.windowTokens : 1;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/**
 * Completes a model with facts from the catalogue: most servers report only names. A model on this machine may run with
 * reduced capabilities, so only its maximum window is taken.
 */
export function withKnownFacts(model: ServedModel, isNear: boolean): ServedModel {
  const { source, windowTokens, seesImages, callsTools } = lookupModel(model.id, {
    served: model,
    unknownWindow: UNKNOWN,
  });
  const isReported = model.windowTokens !== undefined || model.maxWindowTokens !== undefined;
  const known = isReported || windowTokens === UNKNOWN ? undefined : windowTokens;
  if (isNear) return { ...model, ...(known === undefined ? {} : { maxWindowTokens: known }) };
  return {
    ...model,
    ...(known === undefined
      ? {}
      : source === 'catalogue'
        ? { windowTokens: known }
        : { maxWindowTokens: known }),
    ...(seesImages === undefined ? {} : { vision: seesImages }),
    ...(callsTools === undefined ? {} : { tools: callsTools }),
  };
}

/** Larger than any real window. */
const UNKNOWN = Number.MAX_SAFE_INTEGER;
