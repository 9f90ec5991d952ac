/** Checks the context window that a session would use, and where its size comes from. */
import type { Finding } from '../../../commands/pages/doctorPage.ts';
import { windowSources } from '../../../commands/pages/windowSource.ts';
import { lookupModel } from '../../../model/catalogue.ts';
import { endpointFacts } from '../../../model/endpoint.ts';
import { ownFactsOf } from '../../../model/ownFacts.ts';
import { windowAdvice } from '../../../model/servers/windowAdvice.ts';
import type { ModelInfo } from '../../../protocol/model.ts';
import { assumedWindow } from '../../../protocol/modelNames.ts';
import type { ServedModel, ServerKind } from '../../../protocol/server.ts';
import { formatTokens } from '../../../ui/print/numbers.ts';
import { openLearnedWindows } from '../../models/learnedWindows.ts';
import type { DoctorPorts } from '../types.ts';

/** `served`: the server's facts about the model, with the kind of server; undefined if it reports none. */
export async function windowFinding(
  { loaded, place }: Pick<DoctorPorts, 'loaded' | 'place'>,
  id: string,
  served: (ServedModel & { readonly kind: ServerKind }) | undefined,
): Promise<Finding> {
  const { settings } = loaded;
  const { baseUrl } = settings;
  const learned = await openLearnedWindows({ dataRoot: place.dataRoot, baseUrl });
  const model = lookupModel(id, {
    unknownWindow: assumedWindow(settings.context.unknownWindow, endpointFacts(baseUrl).provider),
    learnedWindow: learned.get(id),
    own: ownFactsOf(settings.models, id),
    served,
    ...(settings.contextWindow === null ? {} : { windowTokens: settings.contextWindow }),
  });
  const most = served?.maxWindowTokens ?? 0;
  const more = most > model.windowTokens ? ` of at most ${formatTokens(most)}` : '';
  const found = {
    id: 'window',
    label: 'Window',
    value: `${formatTokens(model.windowTokens)}${more} tokens ${windowSources[model.source]}`,
  };
  const fix = (served && windowAdvice(served, model)) ?? ownAdvice(model);
  return fix === undefined ? { ...found, state: 'ok' } : { ...found, state: 'warning', fix };
}

function ownAdvice({ windowTokens, source }: ModelInfo): string | undefined {
  if (source === 'assumed') return 'Set "contextWindow" or --context-window if you know it.';
  return windowTokens < SMALL ? 'That is very small: choose a model with a larger window.' : undefined;
}

/** Tokens below which a context window is reported as small. */
const SMALL = 16_000;
