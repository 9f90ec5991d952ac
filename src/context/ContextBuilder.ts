/**
 * From what a session has to the next request: its messages in cache order, with a count of every part. This is the
 * projection that every request of a session goes through (Projection.ts); it needs neither log nor disk, so it also
 * builds a context out of a plain list of messages.
 */
import { type ContextSettings, contextSettingsSchema } from '../protocol/contextSettings.ts';
import type { EntryDraft, JSONLEntry } from '../protocol/entries.ts';
import type { Message, ToolSchema } from '../protocol/messages.ts';
import { groupAtoms, isPrompt } from './history/atoms.ts';
import { newestRounds, tailStart } from './history/rounds.ts';
import type { View } from './history/view.ts';
import { reminderText } from './memory/ActiveTaskService.ts';
import { RequestSizer, type RequestSizes } from './request/RequestSizer.ts';
import { convertToStandardMessages, type ProjectionPolicy, renderAtom } from './request/standardMessages.ts';
import { filterOrphanToolMessages } from './request/validateRequest.ts';
import { messageDraft, toolResultDraft, toolUseDraft } from './storage/drafts.ts';
import { TokenCounter } from './TokenCounter.ts';
import { allocateBudget, type ContextBudget, TokenBudgetTracker } from './tokens/budgets.ts';
import { getChineseRatio, HIGH } from './tokens/estimate.ts';
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

/** The same for a session: what its settings and its window make of S2's figures. */
export function configOf(settings: ContextSettings, totalBudget: number): ContextBuilderConfig {
  return {
    totalBudget,
    slidingWindowSize: settings.slidingWindowSize ?? Number.POSITIVE_INFINITY,
    enableSummary: settings.compact.auto,
    enableMemoryRetrieval: settings.memory.enabled,
    enableToolResultCompression: settings.toolResultCompression,
    enableInstructionPinning: settings.instructionPinning,
  };
}

/** What a conversation has before this request; all of it optional. */
export interface Thread {
  readonly summary?: string;
  readonly memories?: readonly string[];
  readonly messages?: readonly Message[];
}

export interface BuiltContext {
  readonly messages: readonly Message[];
  /** Tokens, before calibration; the parts sum to `total`. */
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
    /** Messages of the user that stand in the summary message. */
    readonly quotedMessageCount: number;
    readonly usedSummary: boolean;
    readonly retrievedMemoryCount: number;
    /** A system prompt over its share, say; it is sent whole all the same. */
    readonly warnings: readonly string[];
  };
}

export interface BuildOptions {
  readonly tools?: readonly ToolSchema[];
  readonly policy?: ProjectionPolicy;
}

export interface ThreadOptions extends BuildOptions {
  /** Adds the prompt at the end, also where the thread has it already. */
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

  getConfig(): ContextBuilderConfig {
    return this.#config;
  }

  /** Tokens of the request that a view makes, by part; a view that grew at its end is counted at its end only. */
  measure(view: View, { tools = [], policy = {} }: BuildOptions = {}): RequestSizes {
    return this.#sizer.of(view, tools, policy);
  }

  /**
   * The messages of a request: system, instructions, summary, memories, messages, current input, reminder. Of a
   * session's view all of it is taken as it is. A thread is first brought into the budget and the window: the current
   * prompt is there once and whole whatever the budget, with `includeCurrentInput` at the end, else where the thread
   * has it, and at the end where the thread has lost it.
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
    const { view, addsInput } = this.#viewOf(thread, prompt, systemPrompt, options);
    const { messages = [] } = thread;
    const included = shownCount(view) - (addsInput ? 1 : 0);
    const counts = { included, excluded: Math.max(0, messages.filter(isOfConversation).length - included) };
    return this.#build(view, options, counts, this.#warnings(systemPrompt, options));
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
        retrievedMemoryCount: view.atoms.filter(({ head }) => head.subtype === 'memory').length,
        warnings,
      },
    };
  }

  /** What of a thread has room, as a session's log would have it. */
  #viewOf(
    { summary = '', memories = [], messages = [] }: Thread,
    prompt: string,
    systemPrompt: string,
    { includeCurrentInput, tools = [] }: ThreadOptions,
  ): { readonly view: View; readonly addsInput: boolean } {
    const config = this.#config;
    const caps = sharesOf(config);
    const history = filterOrphanToolMessages(messages).map((message) =>
      config.enableToolResultCompression ? shortened(message) : message,
    );
    const isThere = history.findLast(({ role }) => role === 'user')?.content === prompt;
    const addsInput = prompt !== '' && (includeCurrentInput === true || !isThere);
    const note = (subtype: 'memory' | 'reminder', text: string, cap: number): EntryDraft[] =>
      text.trim() === ''
        ? []
        : [{ type: 'user', subtype, message: { role: 'user', content: within(text, cap) } }];
    const before = note(
      'memory',
      config.enableMemoryRetrieval && memories.length > 0
        ? headed('[Memories that may matter]', '[相关历史记忆]', memories.map((one) => `- ${one}`).join('\n'))
        : '',
      caps.retrieved,
    );
    const pins = config.enableInstructionPinning && prompt !== '' && history.length > 0;
    const input = addsInput ? [messageDraft('user', prompt)] : [];
    const after = [...input, ...note('reminder', pins ? reminderText(prompt, []) : '', caps.systemPrompt)];
    const bare = emptyView(systemPrompt, config.enableSummary ? within(summary, caps.summary) : '');
    const fixed = { ...bare, atoms: groupAtoms(entriesOf([...before, ...after])) };
    const tracker = new TokenBudgetTracker(config.totalBudget);
    tracker.allocate('fixed', Math.min(config.totalBudget, this.measure(fixed, { tools }).total));
    const room = tracker.getRemaining();
    const atoms = groupAtoms(entriesOf(history.flatMap(draftsOf)));
    const sizeOf = (atom: (typeof atoms)[number]): number =>
      this.#counter.countMessages(renderAtom(atom, { replacements: none }, {})) -
      this.#counter.countMessages([]);
    const isNewest = atoms.findLastIndex(({ head }) => isPrompt(head));
    const byTokens = tailStart(atoms, { tokens: room, sizeOf, isRequired: (_, index) => index === isNewest });
    const rounds = { rounds: config.slidingWindowSize, tokens: Number.POSITIVE_INFINITY, sizeOf };
    const start = Math.max(byTokens, newestRounds(atoms, rounds) ?? 0);
    const view = {
      ...fixed,
      atoms: [...groupAtoms(entriesOf(before)), ...atoms.slice(start), ...groupAtoms(entriesOf(after))],
    };
    return { view, addsInput };
  }

  #warnings(systemPrompt: string, { tools = [] }: ThreadOptions): readonly string[] {
    const { systemPrompt: cap } = sharesOf(this.#config);
    const head = this.#counter.countTools(tools) + this.#counter.countText(systemPrompt);
    return head > cap
      ? [`Tools and system prompt take ${head} tokens, more than their share of ${cap}.`]
      : [];
  }
}

const none: ReadonlyMap<string, string> = new Map();

function sharesOf({ totalBudget }: ContextBuilderConfig): ContextBudget {
  return allocateBudget(totalBudget, contextSettingsSchema.parse({}).budget);
}

/** S2's headings, in the language of what they head. */
function headed(english: string, chinese: string, text: string): string {
  return `${getChineseRatio(text) > 0.2 ? chinese : english}\n${text}`;
}

/** Tokens of a tool result in a context built from messages; a session bounds them when they arrive. */
const RESULT_TOKENS = 1000;
/** Around a message. */
const MESSAGE = 4;

function within(text: string, maxTokens: number): string {
  return truncateToTokens(text.trim(), Math.max(0, maxTokens - MESSAGE), '…', HIGH);
}

function shortened(message: Message): Message {
  if (message.role !== 'tool') return message;
  return { ...message, content: truncateToTokens(message.content, RESULT_TOKENS, '\n... (cut)', HIGH) };
}

function emptyView(systemPrompt: string, summary: string): View {
  const text = headed('[Background of the conversation]', '[对话背景摘要]', summary);
  const [entry] = summary === '' ? [] : entriesOf([messageDraft('user', text)]);
  return {
    systemPrompt,
    instructions: [],
    summary: entry,
    userMessages: [],
    atoms: [],
    replacements: none,
    pinned: new Set(),
  };
}

function draftsOf(message: Message): EntryDraft[] {
  switch (message.role) {
    case 'assistant':
      return [messageDraft('assistant', message.content), ...message.toolCalls.map(toolUseDraft)];
    case 'tool': {
      const { toolCallId: id, name, content: output, isError } = message;
      return [toolResultDraft({ id, name, output, status: isError ? 'error' : 'ok' })];
    }
    default:
      return [messageDraft(message.role, message.content)];
  }
}

/** As a log would have them; nothing refers to their places. */
function entriesOf(drafts: readonly EntryDraft[]): JSONLEntry[] {
  return drafts.map((draft, seq) => ({
    ...{ v: 1, seq, uuid: `${seq}`, parentUuid: null, sessionId: '', timestamp: '', cwd: '', version: '' },
    ...draft,
  }));
}

/** Messages of the conversation itself: prompts, replies and results. */
function shownCount({ atoms }: View): number {
  const said = atoms.filter(({ kind, head }) => kind === 'reply' || isPrompt(head));
  return said.reduce((sum, { calls }) => sum + 1 + calls.length, 0);
}

function isOfConversation({ role }: Message): boolean {
  return role !== 'system';
}
