/**
 * S2's builder as a part of its own: from what a conversation consists of to the messages of one request, in
 * cache order and within a budget, with a count of every part. The session's projection makes the same order
 * from its log (ContextBuilder.ts); this one needs neither log nor disk.
 */
import { type ContextSettings, contextSettingsSchema } from '../protocol/contextSettings.ts';
import type { Message, ToolSchema, UserMessage } from '../protocol/messages.ts';
import { isToolMessage, messageAtoms } from './history/messageAtoms.ts';
import { reminderText } from './memory/ActiveTaskService.ts';
import { TokenCounter } from './TokenCounter.ts';
import { allocateBudget } from './tokens/allocateBudget.ts';
import { HIGH } from './tokens/estimate.ts';
import { TokenBudgetTracker } from './tokens/TokenBudgetTracker.ts';
import { truncateToTokens } from './tokens/truncate.ts';

export interface ContextBuilderConfig {
  /** Tokens of everything together. */
  readonly totalBudget: number;
  /** Newest rounds that are shown at most. */
  readonly slidingWindowSize: number;
  readonly enableSummary: boolean;
  readonly enableMemoryRetrieval: boolean;
  readonly enableToolResultCompression: boolean;
  readonly enableInstructionPinning: boolean;
}

/** S2's figures. A session takes the model's window and shows every round unless the settings say otherwise. */
export const DEFAULT_CONTEXT_CONFIG: ContextBuilderConfig = {
  totalBudget: 48_000,
  slidingWindowSize: 20,
  enableSummary: true,
  enableMemoryRetrieval: true,
  enableToolResultCompression: true,
  enableInstructionPinning: true,
};

/** What a conversation has before this request; all of it optional. */
export interface Thread {
  readonly summary?: string;
  readonly memories?: readonly string[];
  /** Whole: each call with its results. */
  readonly messages?: readonly Message[];
}

export interface BuiltContext {
  readonly messages: readonly Message[];
  /** Tokens; the parts sum to `total`. */
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
    readonly usedSummary: boolean;
    readonly retrievedMemoryCount: number;
    /** A system prompt over its share, say; it is sent whole all the same. */
    readonly warnings: readonly string[];
  };
}

export class ContextBuilder {
  #config: ContextBuilderConfig;
  readonly #shares: ContextSettings['budget'];
  readonly #counter: TokenCounter;

  constructor(config: Partial<ContextBuilderConfig> = {}, counter = new TokenCounter()) {
    this.#config = { ...DEFAULT_CONTEXT_CONFIG, ...config };
    this.#shares = contextSettingsSchema.parse({}).budget;
    this.#counter = counter;
  }

  setConfig(config: Partial<ContextBuilderConfig>): void {
    this.#config = { ...this.#config, ...config };
  }

  getConfig(): ContextBuilderConfig {
    return this.#config;
  }

  /**
   * System, summary, memories, newest messages, current input, reminder. The current prompt is there once and
   * whole, whatever the budget: with `includeCurrentInput` at the end, else where the thread has it, and at the
   * end where the thread has lost it.
   */
  buildContext(
    thread: Thread | null,
    currentPrompt: string,
    systemPrompt: string,
    options: { readonly includeCurrentInput?: boolean; readonly tools?: readonly ToolSchema[] } = {},
  ): BuiltContext {
    const { totalBudget, enableSummary, enableMemoryRetrieval, enableInstructionPinning } = this.#config;
    const caps = allocateBudget(totalBudget, this.#shares);
    const tracker = new TokenBudgetTracker(Math.max(totalBudget, this.#fixed(systemPrompt, options.tools)));
    const history = thread?.messages ?? [];
    const isThere = history.findLast(({ role }) => role === 'user')?.content === currentPrompt;
    const addsInput = currentPrompt !== '' && (options.includeCurrentInput === true || !isThere);
    const system: Message = { role: 'system', content: systemPrompt };
    const summary = enableSummary ? block(SUMMARY_PREFIX, thread?.summary ?? '', caps.summary) : undefined;
    const memories = enableMemoryRetrieval
      ? block(MEMORY_PREFIX, (thread?.memories ?? []).map((one) => `- ${one}`).join('\n'), caps.retrieved)
      : undefined;
    const input: UserMessage | undefined = addsInput ? { role: 'user', content: currentPrompt } : undefined;
    const reminder =
      enableInstructionPinning && currentPrompt !== '' && history.length > 0
        ? ({ role: 'user', content: reminderText(currentPrompt, []) } as const)
        : undefined;
    const sizeOf = (message: Message | undefined): number =>
      message === undefined ? 0 : this.#counter.countMessage(message);
    tracker.allocate('tools', this.#counter.countTools(options.tools ?? []));
    tracker.allocate('systemPrompt', sizeOf(system));
    tracker.allocate('currentInput', sizeOf(input));
    tracker.allocate('reminder', sizeOf(reminder));
    const summaryFits = summary !== undefined && tracker.allocate('summary', sizeOf(summary));
    const memoriesFit = memories !== undefined && tracker.allocate('retrieved', sizeOf(memories));
    const recent = this.#recent(history, tracker.getRemaining());
    tracker.allocate(
      'recentMessages',
      recent.reduce((sum, one) => sum + sizeOf(one), 0),
    );
    const used = tracker.getBreakdown();
    const of = (name: string): number => used[name] ?? 0;
    const head = of('tools') + of('systemPrompt');
    return {
      messages: [
        system,
        ...(summaryFits ? [summary] : []),
        ...(memoriesFit ? [memories] : []),
        ...recent,
        ...(input === undefined ? [] : [input]),
        ...(reminder === undefined ? [] : [reminder]),
      ],
      tokenStats: {
        tools: of('tools'),
        systemPrompt: of('systemPrompt'),
        summary: of('summary'),
        retrieved: of('retrieved'),
        recentMessages: of('recentMessages'),
        currentInput: of('currentInput'),
        reminder: of('reminder'),
        total: Object.values(used).reduce((sum, tokens) => sum + tokens, 0),
      },
      metadata: {
        includedMessageCount: recent.length,
        excludedMessageCount: history.length - recent.length,
        usedSummary: summaryFits,
        retrievedMemoryCount: memoriesFit ? (thread?.memories?.length ?? 0) : 0,
        warnings:
          head > caps.systemPrompt
            ? [`Tools and system prompt take ${head} tokens, more than their share of ${caps.systemPrompt}.`]
            : [],
      },
    };
  }

  /** System, what was said before, and the prompt: nothing else. */
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

  /** Newest atoms first into the room, in rounds; the newest user message always. */
  #recent(history: readonly Message[], room: number): readonly Message[] {
    const atoms = messageAtoms(history);
    const kept: (readonly Message[])[] = [];
    let left = room;
    let rounds = 0;
    for (const atom of atoms.toReversed()) {
      const size = atom.reduce((sum, one) => sum + this.#counter.countMessage(one), 0);
      const startsRound = atom[0]?.role === 'user';
      const isNewestRound = rounds === 0 && startsRound;
      if (rounds >= this.#config.slidingWindowSize || (size > left && !isNewestRound)) break;
      left -= size;
      if (startsRound) rounds++;
      kept.push(this.#config.enableToolResultCompression ? atom.map(shortResult) : atom);
    }
    return kept.reverse().flat();
  }

  #fixed(systemPrompt: string, tools: readonly ToolSchema[] = []): number {
    return this.#counter.countTools(tools) + this.#counter.countText(systemPrompt) + MESSAGE;
  }
}

const MESSAGE = 4;
const SUMMARY_PREFIX = '[Background of the conversation]';
const MEMORY_PREFIX = '[Memories that may matter]';
/** Tokens of a tool result in a built context; a session bounds them when they arrive. */
const RESULT_TOKENS = 1000;

function block(prefix: string, text: string, maxTokens: number): UserMessage | undefined {
  if (text.trim() === '') return undefined;
  const content = truncateToTokens(`${prefix}\n${text.trim()}`, Math.max(0, maxTokens - MESSAGE), '…', HIGH);
  return content === '' ? undefined : { role: 'user', content };
}

function shortResult(message: Message): Message {
  if (!isToolMessage(message)) return message;
  return { ...message, content: truncateToTokens(message.content, RESULT_TOKENS, '\n... (cut)', HIGH) };
}
