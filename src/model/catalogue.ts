/**
 * Known models: context window, reply limit, tokenizer, price. Data; the first matching family wins.
 *
 * source: the providers' model and pricing pages (developers.openai.com/api/docs/models and /pricing,
 * platform.claude.com/docs, ai.google.dev/gemini-api/docs/models, api-docs.deepseek.com, docs.x.ai, docs.z.ai,
 * platform.moonshot.ai, docs.mistral.ai) and the model cards of open models.
 * asOf: 2026-11. Prices are given only where they were certain and do not depend on time or prompt length;
 * elsewhere no cost is shown rather than a wrong one.
 */
import type { Usage } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import { type Family, families } from './families.ts';

/**
 * What is known about a model. A window from the settings wins over the table; a model that nobody knows
 * gets `unknownWindow`, and so does a known one that a local server (id with a `:tag`) may have loaded with less.
 */
export function lookupModel(
  id: string,
  options: { readonly windowTokens?: number; readonly unknownWindow: number },
): ModelInfo {
  const family = findFamily(id);
  const known = family?.window;
  const isLocalTag = /:(?:latest|[\w.-]*\d+x?\d*[bm]\b[\w.-]*)$/i.test(id);
  const assumed =
    isLocalTag && known !== undefined ? Math.min(known, options.unknownWindow) : options.unknownWindow;
  const [windowTokens, source] =
    options.windowTokens !== undefined
      ? ([options.windowTokens, 'setting'] as const)
      : known !== undefined && !isLocalTag
        ? ([known, 'catalogue'] as const)
        : ([assumed, 'assumed'] as const);
  // Where the window is smaller than the family's, its reply limit cannot hold either.
  const quarter = Math.max(1, Math.floor(windowTokens / 4));
  const maxOutput = family?.maxOutput ?? 8192;
  return {
    id,
    windowTokens,
    maxOutputTokens: windowTokens === known ? maxOutput : Math.min(maxOutput, quarter),
    source,
    tokenizer: family?.tokenizer ?? 'unknown',
    ...(family?.price === undefined ? {} : { price: priceOf(family.price) }),
    ...(family?.returnsReasoning === true ? { returnsReasoning: true } : {}),
  };
}

/** US dollars; undefined when the price is not known. Cached input is part of the input. */
export function costUsd(info: ModelInfo, usage: Usage): number | undefined {
  if (info.price === undefined) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const { input, cachedInput, output } = info.price;
  return ((usage.inputTokens - cached) * input + cached * cachedInput + usage.outputTokens * output) / 1e6;
}

function findFamily(id: string): Family | undefined {
  const name = bareName(id);
  return families.find(({ match }) => match.test(name));
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
