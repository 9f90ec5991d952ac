/**
 * Maps the error messages in which servers reject a request to the adaptation that avoids the error. Data only;
 * adaptMessages.ts applies it.
 */

/** Each adaptation covers one way in which a server deviates from the standard request. */
export type Adaptation =
  /** The server rejects tools: they are described in the system prompt, and calls and results are sent as text. */
  | 'text_tools'
  /** The server accepts tools, but not `tool_choice`. */
  | 'no_tool_choice'
  /** User and assistant messages must alternate, after at most one system message. */
  | 'alternate'
  /** System messages are not supported. */
  | 'no_system'
  /** A user message may not directly follow a tool result. */
  | 'assistant_after_tool'
  /** Content must be a string, so images are left out. */
  | 'plain_content'
  /** Empty content is rejected in a message with tool calls. */
  | 'null_content';

/** In order: the first match that is not in use yet is tried next. */
const refusals: readonly (readonly [Adaptation, RegExp])[] = [
  ['assistant_after_tool', /unexpected role .{0,3}user.{0,3} after role .{0,3}tool/i], // Mistral
  [
    'no_system', // Gemma's template; Mistral's oldest
    /system role (?:is )?not supported|(?:does not|doesn't|not) support.{0,24}system (?:role|message|prompt)|role .{0,3}system.{0,3} (?:is )?not supported/i,
  ],
  [
    'alternate', // chat templates of Mistral, Gemma, Llama 2; vLLM and llama.cpp pass the error on
    /roles? must alternate|must alternate between|alternat\w+ (?:between )?(?:user|roles)|system message must be (?:at the )?(?:first|beginning)|only (?:the )?first message can (?:be|have)[^.]{0,20}system/i,
  ],
  [
    'text_tools', // Ollama, OpenRouter, vLLM, llama.cpp, TGI, and servers without any tool support
    /not support (?:the use of )?(?:tools?\b|tool (?:use|calling|calls)|function)|support tool use|tool(?:s| use| calling| calls)? (?:is|are) not (?:supported|enabled|available)|--enable-auto-tool-choice|--tool-call-parser|requires? --jinja|role.{0,12}\btool\b.{0,40}(?:not (?:supported|allowed)|invalid|unknown|unrecognized)|(?:invalid|unknown|unexpected|unsupported|unrecognized)(?: message)? role.{0,12}\btool\b/i,
  ],
  [
    'plain_content',
    /content.{0,60}(?:must be a (?:valid )?string|should be a (?:valid )?string|expected (?:a )?string|invalid type: sequence)|(?:image|image_url|image input|vision|multimodal).{0,30}not supported|not support.{0,24}(?:image|vision|multimodal)|is not a (?:multimodal|vision) model/i,
  ],
  [
    'null_content',
    /content.{0,60}(?:non-?empty|(?:must not|cannot|can't|may not) be (?:empty|blank)|at least 1 char)/i,
  ],
];

/** Rejections that name a field, in words that are too general without the name. */
const refusedFields: readonly (readonly [Adaptation, RegExp])[] = [
  ['no_tool_choice', /\btool_choice\b/],
  ['text_tools', /\b(?:tools|functions)\b/],
];

/**
 * The next adaptation to try after this error message; undefined if none fits. With `aboutFields`, rejections of a
 * named field are recognized too.
 */
export function adaptationFor(
  refusal: string,
  inUse: readonly Adaptation[],
  aboutFields: boolean,
): Adaptation | undefined {
  const candidates = aboutFields ? [...refusals, ...refusedFields] : refusals;
  return candidates.find(([adaptation, words]) => !inUse.includes(adaptation) && words.test(refusal))?.[0];
}

const names: ReadonlySet<Adaptation> = new Set([...refusals, ...refusedFields].map(([name]) => name));

/** The adaptation with this name; undefined for anything else, such as an adaptation of a later version. */
export function knownAdaptation(name: unknown): Adaptation | undefined {
  return [...names].find((one) => one === name);
}

/** Warnings for adaptations that lose something; `{model}` stands for the model and its server. */
export const adaptationNotices: Partial<Record<Adaptation, string>> = {
  text_tools:
    '{model} takes no tools. They are described in the prompt instead, and calls are read from the text; a model that was trained for tools does better.',
  plain_content: '{model} takes no images: they are left out.',
};
