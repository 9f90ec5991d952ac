import type { ContextMeasure } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import { type ProjectionPolicy, renderView } from './ContextBuilder.ts';
import type { View } from './history/view.ts';
import type { TokenCounter } from './TokenCounter.ts';
import type { WindowBudget } from './tokens/budgets.ts';

/** Tokens of a request by part, in request order, before calibration. */
export interface RequestSizes {
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
  readonly total: number;
  /** What no compaction can shrink: tools, system prompt, instructions. */
  readonly fixed: number;
}

/** Counts the request that a view makes. */
export function sizeOfView(
  view: View,
  tools: readonly ToolSchema[],
  counter: TokenCounter,
  policy: ProjectionPolicy,
): RequestSizes {
  const empty = { ...view, instructions: undefined, summary: undefined, atoms: [] };
  const priming = counter.countMessages([]);
  const part = (part: Partial<View>): number =>
    counter.countMessages(renderView({ ...empty, systemPrompt: '', ...part }, policy)) - priming;
  const pinned = view.atoms.filter((atom) => atom.head.subtype === 'instructions');
  const atoms = view.atoms.filter((atom) => atom.head.subtype !== 'instructions');
  const parts = [
    { name: 'tools', tokens: counter.countTools(tools) },
    { name: 'system', tokens: part({ systemPrompt: view.systemPrompt }) },
    { name: 'instructions', tokens: part({ instructions: view.instructions, atoms: pinned }) },
    { name: 'summary', tokens: part({ summary: view.summary }) },
    { name: 'messages', tokens: part({ atoms }) + priming },
  ];
  const sum = (chosen: typeof parts): number => chosen.reduce((total, { tokens }) => total + tokens, 0);
  return { parts, total: sum(parts), fixed: sum(parts.slice(0, 3)) };
}

/** One measurement for everybody: sizes, calibrated for the model, against its window. */
export function measureRequest(
  sizes: RequestSizes,
  model: ModelInfo,
  budget: WindowBudget,
  ratio: number,
): ContextMeasure {
  const parts = sizes.parts.map(({ name, tokens }) => ({ name, tokens: Math.ceil(tokens * ratio) }));
  return {
    model: model.id,
    windowTokens: budget.window,
    triggerTokens: budget.trigger,
    usedTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    replyReserveTokens: budget.replyReserve,
    parts,
    exact: false,
    windowSource: model.source,
  };
}

/** What to tell the user when a request cannot be sent; `auto`: whether it was compacted first. */
export function tooLarge({ usedTokens, windowTokens, model }: ContextMeasure, auto: boolean): string {
  const count = (tokens: number): string => tokens.toLocaleString('en-US');
  const first = auto
    ? 'Shorten the last message'
    : 'Run /compact (automatic compaction is off), shorten the last message';
  return `The request has about ${count(usedTokens)} tokens, and ${model} takes ${count(windowTokens)}. ${first}, remove instructions or tools, or choose a model with a larger window (/model, --context-window).`;
}
