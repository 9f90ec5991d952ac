/**
 * Known models: context window, reply limit, tokenizer, price. The tables are in providers/, each with its source and
 * date. A price is given only if it is certain and does not depend on the time or the prompt length; otherwise no cost
 * is shown rather than a wrong one.
 */
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import type { ServedModel } from '../protocol/models/server.ts';
import type { Wire } from '../protocol/models/wires.ts';
import type { ModelSettings } from './modelSettings.ts';
import { anthropicModels } from './providers/anthropic.ts';
import { googleModels } from './providers/google.ts';
import { openaiModels } from './providers/openai.ts';
import { otherModels } from './providers/others.ts';
import type { Family, ProviderModels } from './providers/types.ts';

interface LookupOptions {
  /** From the settings, for every model: overrides everything else. */
  readonly windowTokens?: number;
  /** From the settings, for this model. */
  readonly settings?: ModelSettings;
  /** Reported by the server. */
  readonly served?: Omit<ServedModel, 'id'> | undefined;
  /** Tokens, taken from an earlier overflow error of the server. */
  readonly learnedWindow?: number | undefined;
  /** Assumed for an unknown model, in tokens. */
  readonly unknownWindow: number;
  /** Absent = chat completions. On the other wires, every model gets its sealed reasoning back. */
  readonly wire?: Wire;
}

/**
 * Combines all that is known about a model. Settings override the server, the server overrides the catalogue. A window
 * learned from an overflow error replaces an assumed one, and a larger one from the catalogue. An unknown model gets
 * `unknownWindow`; so does a known one whose id has a size tag (`:7b`), because a local server may have loaded it with
 * a smaller window.
 */
export function lookupModel(id: string, options: LookupOptions): ModelInfo {
  const { settings = {}, served } = options;
  const found = familyOf(bareName(id));
  const family = found?.family;
  const [windowTokens, source] = windowOf(id, family?.window, options);
  // If the window is smaller than the family's, the family's reply limit does not apply either.
  const quarter = Math.max(1, Math.floor(windowTokens / 4));
  const maxOutput = family?.maxOutput ?? 8192;
  const known = windowTokens === family?.window ? maxOutput : Math.min(maxOutput, quarter);
  const price = settings.price ?? (found && priceOf(found));
  const seesImages = settings.vision ?? served?.vision ?? (hasVisionName(id) ? true : family?.vision);
  const isSealed = options.wire === 'responses' || options.wire === 'anthropic';
  const { efforts = settings.efforts, thinking } = {
    ...family?.reasoning,
    ...(settings.efforts && { efforts: settings.efforts }),
  };
  const callsTools = settings.tools ?? served?.tools ?? family?.tools;
  return {
    id,
    windowTokens,
    maxOutputTokens: settings.maxOutputTokens ?? known,
    source,
    tokenizer: settings.tokenizer ?? family?.tokenizer ?? 'unknown',
    ...(price === undefined ? {} : { price: withCached(price) }),
    ...(isSealed || (settings.returnsReasoning ?? family?.returnsReasoning) === true
      ? { returnsReasoning: true }
      : {}),
    ...(efforts === undefined ? {} : { efforts }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(seesImages === undefined ? {} : { seesImages }),
    ...(callsTools === undefined ? {} : { callsTools }),
  };
}

function windowOf(
  id: string,
  known: number | undefined,
  { windowTokens, settings, served, learnedWindow, unknownWindow }: LookupOptions,
): readonly [number, ModelInfo['source']] {
  const set = windowTokens ?? settings?.contextWindow;
  if (set !== undefined) return [set, 'setting'];
  if (served?.windowTokens !== undefined) return [served.windowTokens, 'server'];
  const most = Math.min(
    known ?? Number.POSITIVE_INFINITY,
    served?.maxWindowTokens ?? Number.POSITIVE_INFINITY,
  );
  const isLocalTag = /:(?:latest|[\w.-]*\d[bm]\b[\w.-]*)$/i.test(id);
  const isCertain = known !== undefined && !isLocalTag;
  if (learnedWindow !== undefined && !(isCertain && most <= learnedWindow)) return [learnedWindow, 'learned'];
  if (isCertain) return [most, 'catalogue'];
  return [Math.min(most, unknownWindow), 'assumed'];
}

/** US dollars; undefined if the price is unknown. Tokens read from and written to the cache are part of the input. */
export function costUsd(info: ModelInfo, usage: Usage): number | undefined {
  if (info.price === undefined) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const { input, cachedInput, output, cacheWrite = input } = info.price;
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached);
  const plain = usage.inputTokens - cached - written;
  return (plain * input + cached * cachedInput + written * cacheWrite + usage.outputTokens * output) / 1e6;
}

/** Where the catalogue's facts about a model come from, and as of when; undefined for an unknown model. */
export function catalogueSource(
  id: string,
): { readonly provider: string; readonly source: string; readonly asOf: string } | undefined {
  const found = familyOf(bareName(id));
  if (found === undefined) return undefined;
  const { provider, source, asOf } = found.provider;
  return { provider, source, asOf };
}

/** True if only one provider serves the model, even through gateways: no server can add to what the catalogue knows. */
export function isClosedModel(id: string): boolean {
  const found = familyOf(bareName(id));
  return found?.provider.closed === true && found.family.open !== true;
}

/** Some families have members with vision, recognizable by name: `qwen2.5-vl`, `glm-4.5v`, `llama3.2-vision`. */
function hasVisionName(id: string): boolean {
  return /[-_\d]vl(?![a-z])|\dv(?![a-z\d])|vision|llava|pixtral|multimodal/.test(bareName(id));
}

/** `openrouter/openai/gpt-4o:free`, `models/gemini…`, `us.anthropic.claude…-v1:0` → the model's own name. */
function bareName(id: string): string {
  const last = id.toLowerCase().split('/').at(-1) ?? '';
  return last
    .replace(
      /^(?:(?:us|eu|apac|global)\.)?(?:anthropic|meta|mistral|deepseek|qwen|openai|moonshotai|google|xai)\./,
      '',
    )
    .replace(/^(?:gpt|claude)_/, (prefix) => prefix.replace('_', '-'));
}

function priceOf({ family, provider }: FoundFamily): ModelInfo['price'] {
  if (family.price === undefined) return undefined;
  const [input, cachedInput, output] = family.price;
  const { writePrice } = provider.cache ?? {};
  return {
    input,
    cachedInput,
    output,
    ...(writePrice === undefined ? {} : { cacheWrite: input * writePrice }),
  };
}

/** Cached input without its own price costs the same as other input. */
function withCached(price: NonNullable<ModelSettings['price']>): NonNullable<ModelInfo['price']> {
  const { input, output, cachedInput = input, cacheWrite } = price;
  return { input, cachedInput, output, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}

export const providers: readonly ProviderModels[] = [
  openaiModels,
  anthropicModels,
  googleModels,
  ...otherModels,
];

interface FoundFamily {
  readonly family: Family;
  readonly provider: ProviderModels;
}

/** Finds the family of a model by its bare name in lower case, and its provider; undefined for an unknown name. */
function familyOf(name: string): FoundFamily | undefined {
  for (const provider of providers) {
    const family = provider.families.find(({ match }) => match.test(name));
    if (family !== undefined) return { family, provider };
  }
  return undefined;
}
