import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { estimateLarge } from './estimate.ts';
import { imageTokens } from './images.ts';
import { type ClassTokens, type Coefficients, FIXED, noTokens, sumOf, weigh } from './weigh.ts';

/** What one message, tool or text was counted as. */
export interface Measured {
  readonly tokens: number;
  /** The same by class; what was counted exactly, and framing, is `fixed`. */
  readonly classes: ClassTokens;
  readonly exact: boolean;
  /** True where only samples of a large text were read. */
  readonly sampled: boolean;
}

export function measuredExactly(tokens: number): Measured {
  const classes = noTokens();
  classes[FIXED] = tokens;
  return { tokens, classes, exact: true, sampled: false };
}

/** An estimate at once, whatever the size; `known` gives the tokens of texts that were counted exactly. */
export function measuredNow(
  { texts, fixed }: Countable,
  set: Coefficients,
  known: (text: string) => number | undefined,
): Measured {
  const classes = noTokens();
  classes[FIXED] = fixed;
  let [isExact, isSampled] = [true, false];
  for (const text of texts) {
    const tokens = text === '' ? 0 : known(text);
    if (tokens !== undefined) {
      classes[FIXED] += tokens;
      continue;
    }
    isExact = false;
    const estimate = estimateLarge(text, set);
    if (estimate.error > 0) isSampled = true;
    for (let at = 0; at < classes.length; at++)
      classes[at] = (classes[at] ?? 0) + (estimate.classes[at] ?? 0);
  }
  return { tokens: tokensOf(classes), classes, exact: isExact, sampled: isSampled };
}

/** Reads every character, a slice at a time; undefined when aborted. */
export async function measuredInSlices(
  { texts, fixed }: Countable,
  set: Coefficients,
  signal?: AbortSignal,
): Promise<Measured | undefined> {
  const classes = noTokens();
  classes[FIXED] = fixed;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += SLICE) {
      if (signal?.aborted === true) return undefined;
      weigh(text, set, classes, start, Math.min(text.length, start + SLICE));
      await yieldToEventLoop();
    }
  }
  return { tokens: tokensOf(classes), classes, exact: false, sampled: false };
}

/** Characters that are read without a pause: less than a millisecond. */
const SLICE = 65_536;

function tokensOf(classes: ClassTokens): number {
  return Math.ceil(sumOf(classes) - 1e-9);
}

// What of a message, or of a tool, costs tokens: texts to be counted, and what is the same for all texts.

export interface Countable {
  readonly texts: readonly string[];
  /** Framing and images. */
  readonly fixed: number;
}

/** Per message: role and separators. */
const MESSAGE_OVERHEAD = 4;
/** Per call, and per tool: braces, names of fields. */
const CALL_OVERHEAD = 10;

/** `byTiles`: how the model's provider charges for images. */
export function partsOfMessage(message: Message, byTiles: boolean): Countable {
  const texts: string[] = [];
  let fixed = MESSAGE_OVERHEAD;
  if (typeof message.content === 'string') texts.push(message.content);
  else {
    for (const part of message.content) {
      if (part.type === 'text') texts.push(part.text);
      else fixed += imageTokens(part.data, byTiles);
    }
  }
  if (message.role === 'tool') texts.push(message.toolCallId);
  if (message.role === 'assistant') {
    if (message.reasoning !== undefined) texts.push(message.reasoning.text);
    for (const call of message.toolCalls) {
      fixed += CALL_OVERHEAD;
      texts.push(call.id, call.name, call.arguments);
    }
  }
  return { texts, fixed };
}

export function partsOfTool(tool: ToolSchema): Countable {
  return { texts: [JSON.stringify(tool)], fixed: CALL_OVERHEAD };
}

/** Lets whatever waits (keys, the screen, sockets) have its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
