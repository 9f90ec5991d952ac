/** The HTTP APIs that a model server may offer, and how much a model is asked to reason. */

export const wires = ['chat', 'responses', 'anthropic'] as const;
/** `chat`: chat completions; `responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages. */
export type Wire = (typeof wires)[number];

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** From the least reasoning to the most. A model that does not have a level gets the nearest lower one. */
export type Effort = (typeof efforts)[number];

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
