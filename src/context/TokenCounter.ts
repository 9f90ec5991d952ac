/**
 * Counts tokens for meter, trigger and `/context` alike. Estimates per class of characters, corrected by
 * the usage that servers report for requests estimated before; each message is counted once.
 */
import type { Message, ToolSchema } from '../protocol/messages.ts';
import { Calibration } from './tokens/calibration.ts';
import { type Coefficients, estimateTokens, HIGH } from './tokens/estimate.ts';

export interface TokenCount {
  readonly tokens: number;
  /** False while it is an estimate. */
  readonly exact: boolean;
}

/** Per message: role and separators. */
const MESSAGE_OVERHEAD = 4;
const CALL_OVERHEAD = 10;
/** Tokens with which the reply begins. */
const REPLY_PRIMING = 3;
/** Providers charge 85 to 1,600 for an image, by size; the size is not looked into. */
const IMAGE_TOKENS = 1200;

export class TokenCounter {
  readonly #set: Coefficients;
  readonly #messages = new WeakMap<Message, number>();
  readonly #tools = new WeakMap<ToolSchema, number>();
  readonly #calibrations = new Map<string, Calibration>();

  constructor(set: Coefficients = HIGH) {
    this.#set = set;
  }

  /** Tokens of a text. */
  count(text: string): TokenCount {
    return { tokens: estimateTokens(text, this.#set), exact: false };
  }

  /** Tokens of one message with everything in it, before calibration. */
  countMessage(message: Message): number {
    const known = this.#messages.get(message);
    if (known !== undefined) return known;
    const tokens = MESSAGE_OVERHEAD + this.#contentTokens(message) + this.#extraTokens(message);
    this.#messages.set(message, tokens);
    return tokens;
  }

  countMessages(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.countMessage(message), REPLY_PRIMING);
  }

  countTools(tools: readonly ToolSchema[]): number {
    return tools.reduce((sum, tool) => sum + this.#toolTokens(tool), 0);
  }

  /** What a count has to be multiplied by for this model; 1 until its server has reported usage. */
  ratio(model: string): number {
    return this.#calibrations.get(model)?.ratio() ?? 1;
  }

  /** Learns from one reply: what the request was counted as (uncalibrated), and what the server counted. */
  observe(model: string, countedTokens: number, reportedTokens: number): void {
    let calibration = this.#calibrations.get(model);
    if (calibration === undefined) {
      calibration = new Calibration();
      this.#calibrations.set(model, calibration);
    }
    calibration.observe(countedTokens, reportedTokens);
  }

  #contentTokens({ content }: Message): number {
    if (typeof content === 'string') return this.count(content).tokens;
    return content.reduce(
      (sum, part) => sum + (part.type === 'text' ? this.count(part.text).tokens : IMAGE_TOKENS),
      0,
    );
  }

  #extraTokens(message: Message): number {
    if (message.role === 'tool') return this.count(message.toolCallId).tokens;
    if (message.role !== 'assistant') return 0;
    let tokens = message.reasoning === undefined ? 0 : this.count(message.reasoning.text).tokens;
    for (const call of message.toolCalls) {
      tokens += CALL_OVERHEAD + this.count(call.id + call.name).tokens + this.count(call.arguments).tokens;
    }
    return tokens;
  }

  #toolTokens(tool: ToolSchema): number {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const tokens = CALL_OVERHEAD + this.count(JSON.stringify(tool)).tokens;
    this.#tools.set(tool, tokens);
    return tokens;
  }
}
