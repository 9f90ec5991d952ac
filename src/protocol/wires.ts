/** The HTTP APIs that a model server may offer, and how much a model is asked to reason. */

export const wires = ['chat', 'responses', 'anthropic'] as const;
/** `chat`: chat completions; `responses`: OpenAI's Responses; `anthropic`: Anthropic's Messages. */
export type Wire = (typeof wires)[number];

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** From the least reasoning to the most. A model that does not have a level gets the nearest lower one. */
export type Effort = (typeof efforts)[number];
