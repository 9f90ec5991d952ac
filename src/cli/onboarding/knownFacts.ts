import { lookupModel } from '../../model/catalogue.ts';
import type { ServedModel } from '../../protocol/server.ts';

/**
 * Completes a model with facts from the catalogue: most servers report only names. A model on this machine may run with
 * reduced capabilities, so only its maximum window is taken.
 */
export function withKnownFacts(model: ServedModel, isNear: boolean): ServedModel {
  const { source, windowTokens, seesImages, callsTools } = lookupModel(model.id, {
    served: model,
    unknownWindow: UNKNOWN,
  });
  const isTold = model.windowTokens !== undefined || model.maxWindowTokens !== undefined;
  const known = isTold || windowTokens === UNKNOWN ? undefined : windowTokens;
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
