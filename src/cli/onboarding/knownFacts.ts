import { lookupModel } from '../../model/catalogue.ts';
import type { ServedModel } from '../../protocol/server.ts';

/**
 * A model with what its server leaves out and the catalogue knows: most servers tell nothing but names. On this
 * machine it may run with less of everything, so that only its largest window is known there.
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

/** No window is that large. */
const UNKNOWN = Number.MAX_SAFE_INTEGER;
