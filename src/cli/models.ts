/** Which model the session talks to, and what is known of it. */
import * as z from 'zod';
import type { ModelList } from '../commands/types.ts';
import type { Settings } from '../config/schema.ts';
import { costUsd, lookupModel } from '../model/catalogue.ts';
import { DEMO_MODEL, demoModelInfo } from '../model/demo.ts';
import { endpointFacts } from '../model/endpoint.ts';
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
    const limits = own?.maxOutputTokens === undefined ? {} : { maxOutputTokens: own.maxOutputTokens };
    return { ...known, ...(id === DEMO_MODEL ? {} : endpointFacts(settings.baseUrl)), ...limits };
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

/** Models that the endpoint offers, asked anew each time; where there are none to tell, why. */
export async function listModels(baseUrl: string, apiKey: string | undefined): Promise<ModelList> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(5000),
    });
  } catch {
    return {
      ids: [],
      problem: `${baseUrl} cannot be reached. Check the address, and whether it is running.`,
    };
  }
  if (response.status === 401 || response.status === 403) {
    const problem =
      apiKey === undefined
        ? `${baseUrl} wants an API key, and none is set.`
        : `${baseUrl} refused the API key. Check it.`;
    return { ids: [], problem };
  }
  const ids = await response.json().then(idsIn, () => []);
  if (ids.length > 0) return { ids };
  return {
    ids,
    problem: `${baseUrl} does not say which models it has: name one (--model, OPENAI_MODEL, /model).`,
  };
}

function idsIn(body: unknown): string[] {
  const read = modelsSchema.safeParse(body);
  return (read.data?.data ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).sort();
}

const modelsSchema = z.object({ data: z.array(z.object({ id: z.unknown().optional() })) });
