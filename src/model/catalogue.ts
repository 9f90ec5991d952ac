/**
 * Known models: context window, reply limit, tokenizer, price. The tables are in providers/, each with its source
 * and date. Prices are given only where they were certain and do not depend on time or prompt length; elsewhere no
 * cost is shown rather than a wrong one.
 */
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import type { ServedModel } from '../protocol/server.ts';
import { familyOf } from './families.ts';
import type { OwnFacts } from './ownFacts.ts';
import type { Family } from './providers/types.ts';

export interface LookupOptions {
  /** From the settings, for whatever model: wins over everything. */
  readonly windowTokens?: number;
  /** From the settings, about this model. */
  readonly own?: OwnFacts;
  /** What the server says. */
  readonly served?: Omit<ServedModel, 'id'> | undefined;
  /** Tokens, as the server named them in an earlier overflow error. */
  readonly learnedWindow?: number | undefined;
  /** Assumed for an unknown model, in tokens. */
  readonly unknownWindow: number;
}

/**
 * What is known about a model. Settings win over the server, the server over the catalogue. A window learned from an
 * overflow error replaces an assumed one, and a larger one of the catalogue. An unknown model gets `unknownWindow`; so
 * does a known one that a local server (id with a `:tag`) may have loaded with less.
 */
export function lookupModel(id: string, options: LookupOptions): ModelInfo {
  const { own = {}, served } = options;
  const family = findFamily(id);
  const [windowTokens, source] = windowOf(id, family?.window, options);
  // Where the window is smaller than the family's, its reply limit cannot hold either.
  const quarter = Math.max(1, Math.floor(windowTokens / 4));
  const maxOutput = family?.maxOutput ?? 8192;
  const known = windowTokens === family?.window ? maxOutput : Math.min(maxOutput, quarter);
  const price = own.price ?? (family?.price === undefined ? undefined : priceOf(family.price));
  const seesImages = own.vision ?? served?.vision ?? (isSeeingName(id) ? true : family?.vision);
  const callsTools = own.tools ?? served?.tools ?? family?.tools;
  return {
    id,
    windowTokens,
    maxOutputTokens: own.maxOutputTokens ?? known,
    source,
    tokenizer: own.tokenizer ?? family?.tokenizer ?? 'unknown',
    ...(price === undefined ? {} : { price: withCached(price) }),
    ...((own.returnsReasoning ?? family?.returnsReasoning) === true ? { returnsReasoning: true } : {}),
    ...(seesImages === undefined ? {} : { seesImages }),
    ...(callsTools === undefined ? {} : { callsTools }),
  };
}

function windowOf(
  id: string,
  known: number | undefined,
  { windowTokens, own, served, learnedWindow, unknownWindow }: LookupOptions,
): readonly [number, ModelInfo['source']] {
  const set = windowTokens ?? own?.contextWindow;
  if (set !== undefined) return [set, 'setting'];
  if (served?.windowTokens !== undefined) return [served.windowTokens, 'server'];
  const most = Math.min(
    known ?? Number.POSITIVE_INFINITY,
    served?.maxWindowTokens ?? Number.POSITIVE_INFINITY,
  );
  const isLocalTag = /:(?:latest|[\w.-]*\d+x?\d*[bm]\b[\w.-]*)$/i.test(id);
  const isCertain = known !== undefined && !isLocalTag;
  if (learnedWindow !== undefined && !(isCertain && most <= learnedWindow)) return [learnedWindow, 'learned'];
  if (isCertain) return [most, 'catalogue'];
  return [Math.min(most, unknownWindow), 'assumed'];
}

/** US dollars; undefined when the price is not known. Cached input is part of the input. */
export function costUsd(info: ModelInfo, usage: Usage): number | undefined {
  if (info.price === undefined) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const { input, cachedInput, output } = info.price;
  return ((usage.inputTokens - cached) * input + cached * cachedInput + usage.outputTokens * output) / 1e6;
}

/** A model that one provider alone serves, whoever passes it on: no server has anything to add to what is known. */
export function isClosedModel(id: string): boolean {
  const found = familyOf(bareName(id));
  return found?.provider.closed === true && found.family.open !== true;
}

function findFamily(id: string): Family | undefined {
  return familyOf(bareName(id))?.family;
}

/** Of many families some members see, and their names say so: `qwen2.5-vl`, `glm-4.5v`, `llama3.2-vision`. */
function isSeeingName(id: string): boolean {
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

function priceOf([input, cachedInput, output]: readonly [number, number, number]) {
  return { input, cachedInput, output };
}

/** Without a price of its own, cached input costs what all input costs. */
function withCached(price: NonNullable<OwnFacts['price']>) {
  const { input, cachedInput = input, output } = price;
  return { input, cachedInput, output };
}
