/**
 * Builds the messages of a request in cache order and counts every part, from a session's view of its log
 * (Projection.ts) or from a plain list of messages (threadView.ts). Needs neither log nor disk.
 */
import type { Message, ToolSchema } from '../protocol/messages.ts';
import { isPrompt } from './history/atoms.ts';
import type { View } from './history/view.ts';
import { RequestSizer, type RequestSizes } from './request/RequestSizer.ts';
import { convertToStandardMessages, type ProjectionPolicy } from './request/standardMessages.ts';
import {
  type ContextBuilderConfig,
  DEFAULT_CONTEXT_CONFIG,
  type Thread,
  viewOfThread,
} from './request/threadView.ts';
import { TokenCounter } from './TokenCounter.ts';

export interface BuiltContext {
  readonly messages: readonly Message[];
  /** Tokens before calibration; the parts add up to `total`. */
  readonly tokenStats: {
    readonly tools: number;
    readonly systemPrompt: number;
    readonly summary: number;
    readonly retrieved: number;
    readonly recentMessages: number;
    readonly currentInput: number;
    readonly reminder: number;
    readonly total: number;
  };
  readonly metadata: {
    readonly includedMessageCount: number;
    readonly excludedMessageCount: number;
    /** User messages quoted in the summary message. */
    readonly quotedMessageCount: number;
    readonly usedSummary: boolean;
    /** Messages at the start that stay the same until the next compaction. */
    readonly stableMessageCount: number;
    readonly retrievedMemoryCount: number;
    /** For example, a system prompt that exceeds its share of the budget; it is still sent in full. */
    readonly warnings: readonly string[];
  };
}

interface BuildOptions {
  readonly tools?: readonly ToolSchema[];
  readonly policy?: ProjectionPolicy;
}

interface ThreadOptions extends BuildOptions {
  /** Adds the prompt at the end even if the thread already contains it. */
  readonly includeCurrentInput?: boolean;
}

export class ContextBuilder {
  #config: ContextBuilderConfig;
  readonly #counter: TokenCounter;
  readonly #sizer: RequestSizer;

  constructor(config: Partial<ContextBuilderConfig> = {}, counter = new TokenCounter()) {
    this.#config = { ...DEFAULT_CONTEXT_CONFIG, ...config };
    this.#counter = counter;
    this.#sizer = new RequestSizer(counter);
  }

  setConfig(config: Partial<ContextBuilderConfig>): void {
    this.#config = { ...this.#config, ...config };
  }

  /** Tokens of the request for a view, by part. If the view only grew at its end, only the new part is counted. */
  measure(view: View, { tools = [], policy = {} }: BuildOptions): RequestSizes {
    return this.#sizer.of(view, tools, policy);
  }

  /**
   * Builds the messages of a request: system, instructions, summary, memories, messages, current input, reminder. A
   * session's view is used unchanged. A thread is first reduced to the budget and the window; the current prompt
   * appears exactly once and in full, whatever the budget: at the end with `includeCurrentInput` or if the thread does
   * not contain it, otherwise where the thread has it.
   */
  buildContext(view: View, options?: BuildOptions): BuiltContext;
  buildContext(
    thread: Thread | null,
    currentPrompt: string,
    systemPrompt: string,
    options?: ThreadOptions,
  ): BuiltContext;
  buildContext(
    source: View | Thread | null,
    prompt: string | BuildOptions = {},
    systemPrompt = '',
    options: ThreadOptions = {},
  ): BuiltContext {
    if (typeof prompt !== 'string') return this.#build(source as View, prompt);
    const thread = (source ?? {}) as Thread;
    const { view, addsInput, warnings } = viewOfThread(
      { ...thread, prompt, systemPrompt },
      { ...options, config: this.#config, counter: this.#counter },
    );
    const included = shownCount(view) - (addsInput ? 1 : 0);
    const said = (thread.messages ?? []).filter(({ role }) => role !== 'system');
    const counts = { included, excluded: Math.max(0, said.length - included) };
    return this.#build(view, options, counts, warnings);
  }

  /** Builds a request of system prompt, previous messages and user prompt only. */
  buildSimpleContext(
    systemPrompt: string,
    userPrompt: string,
    previousMessages: readonly Message[] = [],
  ): readonly Message[] {
    return [
      { role: 'system', content: systemPrompt },
      ...previousMessages,
      { role: 'user', content: userPrompt },
    ];
  }

  #build(
    view: View,
    options: BuildOptions,
    counts = { included: shownCount(view), excluded: 0 },
    warnings: readonly string[] = [],
  ): BuiltContext {
    const { parts, total } = this.measure(view, options);
    const of = (...names: string[]): number =>
      parts.reduce((sum, { name, tokens }) => (names.includes(name) ? sum + tokens : sum), 0);
    return {
      messages: convertToStandardMessages(view, options.policy),
      tokenStats: {
        tools: of('tools'),
        systemPrompt: of('system', 'instructions'),
        summary: of('summary'),
        retrieved: of('memories'),
        recentMessages: of('masked', 'history'),
        currentInput: of('input'),
        reminder: of('reminder'),
        total,
      },
      metadata: {
        includedMessageCount: counts.included,
        excludedMessageCount: counts.excluded,
        quotedMessageCount: view.userMessages.length,
        usedSummary: view.summary !== undefined,
        stableMessageCount: stableCount(view),
        retrievedMemoryCount: view.atoms.filter(({ head }) => head.subtype === 'memory').length,
        warnings,
      },
    };
  }
}

/** System prompt, pinned instructions and summary: only a compaction changes them. */
function stableCount({ systemPrompt, instructions, summary }: View): number {
  return Number(systemPrompt !== '') + instructions.length + Number(summary !== undefined);
}

/** Number of conversation messages in the view: prompts, replies and tool results. */
function shownCount({ atoms }: View): number {
  const said = atoms.filter(({ kind, head }) => kind === 'reply' || isPrompt(head));
  return said.reduce((sum, { calls }) => sum + 1 + calls.length, 0);
}
