/** Which model the session talks to, and what is known of it. */
import type { Settings } from '../config/schema.ts';
import { costUsd, lookupModel } from '../model/catalogue.ts';
import { DEMO_MODEL, demoModelInfo } from '../model/demo.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';

export interface ModelChoice {
  current(): ModelInfo;
  select(id: string): ModelInfo;
  costUsd(model: string, usage: Usage): number | undefined;
}

/** The settings' word beats the catalogue's; an unknown model gets the documented default window. */
export function createModelChoice(first: string, settings: Settings): ModelChoice {
  const lookup = (id: string): ModelInfo => {
    const own = settings.models[id];
    const windowTokens = settings.contextWindow ?? own?.contextWindow;
    const known =
      id === DEMO_MODEL
        ? { ...demoModelInfo, windowTokens: windowTokens ?? demoModelInfo.windowTokens }
        : lookupModel(id, {
            unknownWindow: settings.context.unknownWindow,
            ...(windowTokens === undefined ? {} : { windowTokens }),
          });
    return own?.maxOutputTokens === undefined ? known : { ...known, maxOutputTokens: own.maxOutputTokens };
  };
  let model = lookup(first);
  return {
    current: () => model,
    select: (id) => {
      model = lookup(id);
      return model;
    },
    costUsd: (id, usage) => costUsd(lookup(id), usage),
  };
}

/** Models that the endpoint offers, newest call each time; an empty list when it does not say. */
export async function listModels(baseUrl: string, apiKey: string | undefined): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(5000),
    });
    const body = (await response.json()) as { data?: { id?: unknown }[] };
    return (body.data ?? []).flatMap((model) => (typeof model.id === 'string' ? [model.id] : [])).sort();
  } catch {
    return [];
  }
}
