/** How much a request may hold, and who says so: what a session would go by. */
import { lookupModel } from '../../../model/catalogue.ts';
import { ownFactsOf } from '../../../model/ownFacts.ts';
import { windowAdvice } from '../../../model/servers/windowAdvice.ts';
import type { Finding } from '../../../protocol/doctor.ts';
import type { ModelInfo } from '../../../protocol/model.ts';
import type { ServedModel, ServerKind } from '../../../protocol/server.ts';
import { formatTokens } from '../../../ui/print/numbers.ts';
import type { DoctorPorts } from '../types.ts';

/** `served`: what the server says of the model, and which kind it is; undefined where it says nothing. */
export function windowFinding(
  { loaded }: Pick<DoctorPorts, 'loaded'>,
  id: string,
  served: (ServedModel & { readonly kind: ServerKind }) | undefined,
): Finding {
  const { settings } = loaded;
  const model = lookupModel(id, {
    unknownWindow: settings.context.unknownWindow,
    own: ownFactsOf(settings.models, id),
    served,
    ...(settings.contextWindow === null ? {} : { windowTokens: settings.contextWindow }),
  });
  const most = served?.maxWindowTokens ?? 0;
  const more = most > model.windowTokens ? ` (the model was made for ${formatTokens(most)})` : '';
  const found = {
    id: 'window',
    label: 'Window',
    value: `${formatTokens(model.windowTokens)} tokens, ${sources[model.source]}${more}`,
  };
  const fix = (served && windowAdvice(served, model)) ?? ownAdvice(model);
  return fix === undefined ? { ...found, state: 'ok' } : { ...found, state: 'warning', fix };
}

const sources: Readonly<Record<ModelInfo['source'], string>> = {
  setting: 'from your settings',
  server: 'as the server says',
  catalogue: 'known for this model',
  assumed: 'assumed, since nobody says',
};

function ownAdvice({ windowTokens, source }: ModelInfo): string | undefined {
  if (source === 'assumed') return 'Name the real one with "contextWindow" or --context-window.';
  return windowTokens < SMALL ? 'That is little to work in: choose a model with more.' : undefined;
}

/** Tokens. */
const SMALL = 16_000;
