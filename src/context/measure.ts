import { type RequestPart, requestParts } from '../protocol/contextReport.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import type { Message, ToolSchema } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/model.ts';
import { type ProjectionPolicy, renderAtom, renderView } from './ContextBuilder.ts';
import { type Atom, isPrompt } from './history/atoms.ts';
import type { View } from './history/view.ts';
import type { TokenCounter } from './TokenCounter.ts';
import type { WindowBudget } from './tokens/budgets.ts';

/** Tokens of a request by part, before calibration. */
export interface RequestSizes {
  readonly parts: readonly { readonly name: RequestPart; readonly tokens: number }[];
  readonly total: number;
  /** What no compaction can shrink: tools, system prompt, instructions. */
  readonly fixed: number;
  /** False while any of it is an estimate. */
  readonly exact: boolean;
  /** Tokens by class of characters, for calibration. */
  readonly features: readonly number[];
}

/** Counts the request that a view makes. */
export function sizeOfView(
  view: View,
  tools: readonly ToolSchema[],
  counter: TokenCounter,
  policy: ProjectionPolicy,
): RequestSizes {
  const sizes = new Map<RequestPart, number>(requestParts.map((name) => [name, 0]));
  const add = (name: RequestPart, tokens: number): unknown =>
    sizes.set(name, (sizes.get(name) ?? 0) + tokens);
  const count = (messages: readonly Message[]): number =>
    messages.reduce((sum, message) => sum + counter.countMessage(message), 0);
  const bare: View = { ...view, systemPrompt: '', instructions: [], summary: undefined, atoms: [] };
  add('tools', counter.countTools(tools));
  add('system', count(renderView({ ...bare, systemPrompt: view.systemPrompt }, policy)));
  add('instructions', count(renderView({ ...bare, instructions: view.instructions }, policy)));
  add('summary', count(renderView({ ...bare, summary: view.summary }, policy)));
  const input = view.atoms.findLast((atom) => isPrompt(atom.head));
  for (const atom of view.atoms) addAtom(atom, partOf(atom, input), { view, policy, counter, add });
  add('history', counter.countMessages([]));
  const parts = [...sizes].map(([name, tokens]) => ({ name, tokens }));
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const fixed = parts.slice(0, 3).reduce((sum, { tokens }) => sum + tokens, 0);
  const messages = renderView(view, policy);
  const exact = counter.isExact(messages, tools);
  return { parts, total, fixed, exact, features: counter.featuresOf(messages, tools) };
}

interface Adding {
  readonly view: View;
  readonly policy: ProjectionPolicy;
  readonly counter: TokenCounter;
  readonly add: (name: RequestPart, tokens: number) => unknown;
}

/** Results that something shorter stands in for are counted apart. */
function addAtom(atom: Atom, part: RequestPart, { view, policy, counter, add }: Adding): void {
  const masked = new Set<Message>();
  const messages = renderAtom(atom, view.replacements, policy);
  for (const [index, { result }] of atom.calls.entries()) {
    const message = messages[index + 1];
    if (message !== undefined && result !== undefined && view.replacements.has(result.uuid))
      masked.add(message);
  }
  for (const message of messages) add(masked.has(message) ? 'masked' : part, counter.countMessage(message));
}

function partOf(atom: Atom, input: Atom | undefined): RequestPart {
  if (atom === input) return 'input';
  switch (atom.head.subtype) {
    case 'instructions':
      return 'instructions';
    case 'memory':
      return 'memories';
    case 'reminder':
      return 'reminder';
    case 'reduction':
      return 'masked';
    default:
      return 'history';
  }
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
    exact: sizes.exact,
    windowSource: model.source,
  };
}

/** What to tell the user when a request cannot be sent; `auto`: whether it was compacted first. */
export function tooLarge({ usedTokens, windowTokens, model }: ContextMeasure, auto: boolean): string {
  const count = (tokens: number): string => tokens.toLocaleString('en-US');
  const first = auto
    ? 'Shorten the last message'
    : 'Run /compact (automatic compaction is off), shorten the last message';
  return `The request has about ${count(usedTokens)} tokens, and ${model} takes ${count(windowTokens)}. ${first}, start afresh with /clear, remove instructions or tools, or choose a model with a larger window (/model, --context-window).`;
}
