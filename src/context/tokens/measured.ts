import { HEADER_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { estimateLarge } from './estimate.ts';
import { type ClassTokens, type Coefficients, countByClass, FIXED, noTokens, sumOf } from './tokenClasses.ts';

/** Token count of one message, tool or text. */
export interface Measured {
  readonly tokens: number;
  /** Tokens by class; exact counts and framing are `fixed`. */
  readonly classes: ClassTokens;
  readonly exact: boolean;
  /** True if only samples of a large text were read. */
  readonly sampled: boolean;
}

export function measuredExactly(tokens: number): Measured {
  const classes = noTokens();
  classes[FIXED] = tokens;
  return { tokens, classes, exact: true, sampled: false };
}

/** An immediate estimate for any size; `known` returns the tokens of texts that were counted exactly. */
export function quickEstimate(
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

/** Estimates texts in full, in slices; undefined if aborted. */
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
      countByClass(text, set, classes, start, Math.min(text.length, start + SLICE));
      await yieldToEventLoop();
    }
  }
  return { tokens: tokensOf(classes), classes, exact: false, sampled: false };
}

/** Characters read without a pause: less than a millisecond. */
const SLICE = 65_536;

function tokensOf(classes: ClassTokens): number {
  return Math.ceil(sumOf(classes) - 1e-9);
}

// Parts of a message or tool that take tokens: texts to count, and a fixed number.

export interface Countable {
  readonly texts: readonly string[];
  /** Tokens of framing and images. */
  readonly fixed: number;
}

/** Tokens per message: role and separators. */
const MESSAGE_OVERHEAD = 4;
/** Tokens per call and per tool: braces, field names. */
const CALL_OVERHEAD = 10;

/** `byTiles`: true if the model's provider charges for images by tiles. */
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
    const { reasoning } = message;
    if (reasoning?.tokens !== undefined) fixed += reasoning.tokens;
    else if (reasoning !== undefined) texts.push(reasoning.text);
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

/** Lets pending events (input, screen, sockets) run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

// Tokens of an image by its real size: OpenAI charges by tiles of 512 pixels (85 plus 170 per tile, after scaling into
// 2,048 pixels and the shorter side to 768), others about a token per 750 pixels, up to 1,568 pixels per side.

function imageTokens(base64: string, byTiles: boolean): number {
  const size = readDimensions(base64);
  if (size === undefined || size.width < 1 || size.height < 1) return UNREADABLE;
  return byTiles ? tileTokens(size.width, size.height) : areaTokens(size.width, size.height);
}

/** Between the prices of small and large images. */
const UNREADABLE = 1200;

function tileTokens(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const shorter = Math.min(width, height) * fit;
  const scale = fit * Math.min(1, 768 / shorter);
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  return 85 + 170 * tiles;
}

const MAX_AREA_TOKENS = 1600;

function areaTokens(width: number, height: number): number {
  const scale = Math.min(1, 1568 / Math.max(width, height));
  return Math.min(MAX_AREA_TOKENS, Math.ceil((width * height * scale * scale) / 750));
}

interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Size in pixels of a PNG, JPEG, GIF or WebP, from its header; undefined without a valid one. `base64`: no prefix. */
function readDimensions(base64: string): ImageSize | undefined {
  const { width, height } =
    readImageHeader(Buffer.from(base64.slice(0, (HEADER_BYTES / 3) * 4), 'base64')) ?? {};
  return width === undefined || height === undefined ? undefined : { width, height };
}
