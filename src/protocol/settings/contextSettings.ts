/** The `context.*` settings, shared by `config`, which reads them, and `context`, which applies them. */
import * as z from 'zod';

const share = z.number().gt(0).lt(1);
const amount = z.int().min(0);

/** Strategies that free tokens when the context window fills. */
export const contextStrategies = [
  'auto',
  'economy',
  'summary',
  'middle-removal',
  'oldest-removal',
  'hybrid',
  'sliding-window',
  'mask-only',
  'off',
] as const;
type ContextStrategy = (typeof contextStrategies)[number];

/** Whether a strategy shortens steps of earlier turns, and whether it replaces older messages with a summary. */
export const strategyTraits: Readonly<
  Record<ContextStrategy, { readonly masks: boolean; readonly summarizes: boolean }>
> = {
  auto: { masks: false, summarizes: true },
  economy: { masks: true, summarizes: true },
  summary: { masks: false, summarizes: true },
  'middle-removal': { masks: false, summarizes: false },
  'oldest-removal': { masks: false, summarizes: false },
  hybrid: { masks: false, summarizes: false },
  'sliding-window': { masks: false, summarizes: false },
  'mask-only': { masks: true, summarizes: false },
  off: { masks: false, summarizes: false },
};

const compact = z.strictObject({
  auto: z.boolean().default(true).describe('Compact automatically when the request reaches the trigger.'),
  threshold: share.default(0.8).describe('Share of the context window at which compaction starts.'),
  retain: share
    .default(0.2)
    .describe('Share of the conversation that a compaction keeps verbatim, newest first.'),
  fallbackRetain: share
    .default(0.3)
    .describe('Share kept verbatim if the summary failed and no fallback could be written.'),
  maxFiles: z.int().min(0).max(50).default(5).describe('Files quoted with the summary.'),
  maxFileLines: z.int().min(1).default(1000).describe('Lines quoted per file.'),
  maxMessageCharacters: z
    .int()
    .min(200)
    .default(5000)
    .describe('Characters of one message that the summarizer reads if it cannot read it in full.'),
  summaryTokens: z.int().min(256).default(4096).describe('Maximum length of a summary, in tokens.'),
  maxFailures: z
    .int()
    .min(1)
    .default(3)
    .describe('Number of consecutive failures after which summaries are paused.'),
});

const truncate = z.strictObject({
  maxLines: z.int().min(10).default(2000).describe('Lines of one tool result that the model sees.'),
  maxBytes: z.int().min(1000).default(51_200).describe('Bytes of one tool result that the model sees.'),
  direction: z
    .enum(['auto', 'head', 'tail', 'head_tail'])
    .default('auto')
    .describe(
      'Which part of a long result to keep; auto keeps the beginning, and for commands also the error lines and the end.',
    ),
  outputDir: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Folder for the full output of each truncated result, with one subfolder per session; null keeps it only next to the session log.',
    ),
});

const offload = z.strictObject({
  maxResultTokens: z
    .int()
    .min(50)
    .default(1000)
    .describe('Documents with more tokens are kept on disk; only their outline and beginning are sent.'),
  maxListItems: z.int().min(1).default(20).describe('Items of a list that the model sees.'),
  textPreviewLength: z
    .int()
    .min(0)
    .default(500)
    .describe('Characters of an offloaded text that the model sees.'),
});

const mask = z.strictObject({
  at: share
    .default(0.5)
    .describe(
      'Strategy economy: share of the window (up to 200,000 tokens) at which a summary replaces earlier turns, or one line each of their steps.',
    ),
  protect: share
    .default(0.25)
    .describe(
      'Share of the window, newest first, that masking does not change; the current turn is never masked.',
    ),
  batch: share
    .default(0.2)
    .describe(
      'Minimum share of the window that economy must free to act, since each reduction invalidates the cache.',
    ),
});

const removal = z.strictObject({
  at: share
    .default(0.9)
    .describe('Share of the window at which messages are removed if no summary is ready in time.'),
  preserveStart: amount
    .nullable()
    .default(null)
    .describe('Messages at the beginning that middle removal keeps; null means the default for the model.'),
  preserveEnd: amount
    .nullable()
    .default(null)
    .describe('Messages at the end that middle removal keeps; null means the default for the model.'),
  minMessages: amount
    .nullable()
    .default(null)
    .describe('Minimum number of messages that oldest removal leaves; null means the default for the model.'),
  confidence: share
    .default(0.6)
    .describe('Below this confidence, hybrid tries both kinds of removal and uses the better result.'),
  checkIntervalMs: amount
    .default(5000)
    .describe('Milliseconds between updates of the statistics; the check itself runs before each request.'),
});

const window = z.strictObject({
  rounds: z.int().min(1).default(5).describe('Rounds that the sliding window keeps.'),
  maxMessageTokens: z
    .int()
    .min(50)
    .default(800)
    .describe('Tokens per tool result in the sliding window; user messages are never cut.'),
  messagesBudget: z.int().min(200).default(4000).describe('Tokens of all messages in the sliding window.'),
});

const budget = z.strictObject({
  systemPrompt: share
    .default(0.2)
    .describe('Share of the budget for tools and system prompt; you are warned if they exceed it.'),
  summary: share.default(0.1).describe('Share of the budget that a summary may take.'),
  retrieved: share.default(0.1).describe('Share of the budget that memories may take.'),
  messages: share.default(0.55).describe('Share of the budget for messages; unused shares are added to it.'),
  currentInput: share
    .default(0.05)
    .describe('Share of the budget reserved for the current input, which is always sent in full.'),
});

const filter = z.strictObject({
  enabled: z.boolean().default(false).describe('Send only messages within the three limits below.'),
  maxTokens: z.int().min(1000).default(32_000).describe('Maximum tokens of messages to send.'),
  maxMessages: z.int().min(1).default(50).describe('Maximum number of messages to send.'),
  maxAgeHours: z.number().gt(0).default(24).describe('Maximum age of a message to send, in hours.'),
});

const memory = z.strictObject({
  enabled: z.boolean().default(true).describe('Look up matching memories for each prompt.'),
  limit: z.int().min(1).max(20).default(3).describe('Memories that one prompt may include.'),
  minSimilarity: share
    .default(0.6)
    .describe(
      "Minimum similarity of a memory: the weighted share of the prompt's significant words that it contains.",
    ),
  timeoutMs: z
    .int()
    .min(1)
    .default(500)
    .describe('Time limit of the search in milliseconds; after that, the prompt is sent without memories.'),
  category: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Include only memories of this category, e.g. "user_preference"; null includes all.'),
});

const cache = z.strictObject({
  maxEntries: z
    .int()
    .min(1)
    .default(100)
    .describe('Maximum number of cached values (what Read has shown, quoted files, drafts), per kind.'),
  ttlMs: amount.default(300_000).describe('Lifetime of a cached value, in milliseconds.'),
});

export const contextSettingsSchema = z.strictObject({
  strategy: z
    .enum(contextStrategies)
    .default('auto')
    .describe(
      'How space is freed: auto keeps everything until the trigger, then replaces the older part with a summary and the files that matter; economy replaces earlier turns from half of the window on, which is cheaper; summary is an older name for auto.',
    ),
  compact: compact.prefault({}),
  mask: mask.prefault({}),
  removal: removal.prefault({}),
  window: window.prefault({}),
  summary: z
    .enum(['smart', 'simple'])
    .default('smart')
    .describe('Who writes summaries: smart asks the model, simple assembles counts and quotes without one.'),
  summaryModel: z
    .enum(['main', 'small'])
    .default('main')
    .describe(
      "Which model writes summaries: main is the session's, which has the conversation in its cache; small is `smallModel`, if its window is large enough.",
    ),
  threadSummary: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      'Draft the next summary in the background; auto does so unless the endpoint is on this machine or its network.',
    ),
  minRetainRounds: amount
    .nullable()
    .default(null)
    .describe(
      'Newest rounds that a compaction keeps intact if they fit, e.g. 10; null means that only tokens count.',
    ),
  slidingWindowSize: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Maximum number of newest rounds in a request, e.g. 20; null means all.'),
  instructionPinning: z
    .boolean()
    .default(true)
    .describe('Restate the goal and the todo list near the end of long turns.'),
  reminderSteps: z
    .int()
    .min(1)
    .default(20)
    .describe('Number of steps between restatements of the goal and the todo list.'),
  toolResultCompression: z
    .boolean()
    .default(true)
    .describe('Shorten lists and documents by their structure before they are sent.'),
  memory: memory.prefault({}),
  budget: budget.prefault({}),
  filter: filter.prefault({}),
  truncate: truncate.prefault({}),
  offload: offload.prefault({}),
  cache: cache.prefault({}),
  maxMemoryMessages: z
    .int()
    .min(10)
    .default(1000)
    .describe('Messages kept in memory; older ones are rebuilt from the log when needed.'),
  totalBudget: z
    .int()
    .min(2000)
    .nullable()
    .default(null)
    .describe('Maximum tokens of a request, e.g. 48000; null means the context window.'),
  compressionThreshold: z
    .int()
    .min(1000)
    .nullable()
    .default(null)
    .describe(
      'Maximum tokens before compaction starts, e.g. 100000; null means that only compact.threshold applies.',
    ),
  unknownWindow: z
    .int()
    .min(2000)
    .nullable()
    .default(null)
    .describe(
      'Context window assumed for an unknown model, in tokens; null means 128,000 at a remote endpoint and 32,000 at a local one.',
    ),
  replyReserve: z
    .int()
    .min(256)
    .default(8192)
    .describe('Tokens kept free for the reply; never more than a quarter of the window.'),
});

export type ContextSettings = z.infer<typeof contextSettingsSchema>;
