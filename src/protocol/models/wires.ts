/** The HTTP APIs that a model server may offer, and how much a model is asked to reason. */

export const wires = ['chat', 'responses', 'anthropic'] as const;
/** `chat`: chat completions; `responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages. */
export type Wire = (typeof wires)[number];

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** From the least reasoning to the most. A model that does not have a level gets the nearest lower one. */
export type Effort = (typeof efforts)[number];

/** The notice that a model does not have the requested effort; `given` is what it uses instead. */
export function effortNotice(model: string, asked: Effort, given: string | undefined): string {
  return `${model} has no effort "${asked}"; using ${given ?? 'its default'}.`;
}

/** The result of a change of effort; `asked` is undefined for the model's default. */
export function effortText(
  { id, effort: given }: { readonly id: string; readonly effort?: string },
  asked: Effort | undefined,
): string {
  if (asked === undefined) return 'Effort: the default';
  return asked === given ? `Effort: ${asked}` : effortNotice(id, asked, given);
}

/** The most tokens to reason with in one reply, 0 for none; `adaptive`: as many as the model finds necessary. */
export type ThinkingBudget = number | 'adaptive';

export const thinkingDisplays = ['summarized', 'omitted'] as const;
/** Whether the reply includes the text of the reasoning. */
export type ThinkingDisplay = (typeof thinkingDisplays)[number];

/** A model's token budget for reasoning, and whether it shows its reasoning; what is absent is left to the model. */
export interface ThinkingOptions {
  readonly thinkingBudget?: ThinkingBudget;
  readonly thinkingDisplay?: ThinkingDisplay;
}

/** How a model is asked to reason; what is absent is left to the model. */
export interface ReasoningOptions extends ThinkingOptions {
  readonly effort?: Effort;
}

type Unset<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined };

/** Those of a model or a request, without its other properties. */
export function reasoningOptions({ effort, ...others }: Unset<ReasoningOptions>): ReasoningOptions {
  return { ...(effort === undefined ? {} : { effort }), ...thinkingOptions(others) };
}

/** Those of a model or a request, without its other properties. */
export function thinkingOptions({
  thinkingBudget,
  thinkingDisplay,
}: Unset<ThinkingOptions>): ThinkingOptions {
  return {
    ...(thinkingBudget === undefined ? {} : { thinkingBudget }),
    ...(thinkingDisplay === undefined ? {} : { thinkingDisplay }),
  };
}

/** A change of the thinking in a session: absent fields stay, `default` is as the session began. */
export interface ThinkingChange {
  readonly budget?: ThinkingBudget | 'default';
  readonly display?: ThinkingDisplay | 'default';
}

/** Levels of models whose levels are not known. */
const usual: readonly string[] = ['low', 'medium', 'high'];

/** The levels to choose from; `accepted` as in `ModelInfo.efforts`. */
export function effortLevels(accepted: readonly string[] = usual): readonly Effort[] {
  return efforts.filter((level) => accepted.includes(level));
}

/** Fields of a request body that decide what the model reads, or how its reply is read, on any wire. */
const reservedFields: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'system', 'instructions', 'prompt', 'conversation'],
  ...['previous_response_id', 'tools', 'functions', 'stream', 'n', '__proto__'],
]);

/** True for a field that `extraBody` cannot set. */
export function isReservedField(name: string): boolean {
  return reservedFields.has(name);
}
