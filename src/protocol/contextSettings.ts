/** The `context.*` settings: shared by `config`, which reads them, and `context`, which obeys them. */
import * as z from 'zod';

const share = z.number().gt(0).lt(1);
const amount = z.int().min(0);

/** What makes room when the window fills. */
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
export type ContextStrategy = (typeof contextStrategies)[number];

/** Whether a strategy shortens steps of earlier turns, and whether it puts a summary in the place of older messages. */
export const strategyTraits: Readonly<
  Record<ContextStrategy, { readonly masks: boolean; readonly summarises: boolean }>
> = {
  auto: { masks: false, summarises: true },
  economy: { masks: true, summarises: true },
  summary: { masks: false, summarises: true },
  'middle-removal': { masks: false, summarises: false },
  'oldest-removal': { masks: false, summarises: false },
  hybrid: { masks: false, summarises: false },
  'sliding-window': { masks: false, summarises: false },
  'mask-only': { masks: true, summarises: false },
  off: { masks: false, summarises: false },
};

const compact = z.strictObject({
  auto: z.boolean().default(true).describe('Compact by itself when the request reaches the trigger.'),
  threshold: share.default(0.8).describe('Share of the context window at which compaction starts.'),
  retain: share
    .default(0.2)
    .describe('Share of the conversation that stays verbatim in a compaction, newest first.'),
  fallbackRetain: share
    .default(0.3)
    .describe(
      'Share that stays verbatim when the summary failed and nothing could be written about the rest.',
    ),
  maxFiles: z.int().min(0).max(50).default(5).describe('How many files are quoted beside the summary.'),
  maxFileLines: z.int().min(1).default(1000).describe('Lines quoted of each of them.'),
  maxMessageCharacters: z
    .int()
    .min(200)
    .default(5000)
    .describe('Characters of one message that the summariser reads when it cannot have the whole.'),
  summaryTokens: z.int().min(256).default(4096).describe('Upper bound of a summary, in tokens.'),
  maxFailures: z
    .int()
    .min(1)
    .default(3)
    .describe('Summaries that may fail in a row before the model is no longer asked for one.'),
});

const truncate = z.strictObject({
  maxLines: z.int().min(10).default(2000).describe('Lines of one tool result that the model sees.'),
  maxBytes: z.int().min(1000).default(51_200).describe('Bytes of one tool result that the model sees.'),
  direction: z
    .enum(['auto', 'head', 'tail', 'head_tail'])
    .default('auto')
    .describe(
      'Which part of a result that is too long stays; auto keeps the beginning, and of commands the error lines and the end as well.',
    ),
  outputDir: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Folder to which the full output of each truncated result is written as a file besides, in a folder for each session; null only keeps it beside the session log.',
    ),
});

const offload = z.strictObject({
  maxResultTokens: z
    .int()
    .min(50)
    .default(1000)
    .describe('Tokens from which a document is kept on disk and only its outline and beginning are sent.'),
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
      'With the strategy economy: share of the window (of 200,000 tokens at most) from which a summary takes the place of earlier turns, or a line the place of each of their steps.',
    ),
  protect: share
    .default(0.25)
    .describe('Share of the window, newest first, that masking leaves alone; the current turn always stays.'),
  batch: share
    .default(0.2)
    .describe('Share of the window that economy has to free, or it waits: each time costs the cache.'),
});

const removal = z.strictObject({
  at: share
    .default(0.9)
    .describe('Share of the window from which messages are removed when no summary could be had in time.'),
  preserveStart: amount
    .nullable()
    .default(null)
    .describe('Messages at the beginning that middle removal keeps; null takes the figure for the model.'),
  preserveEnd: amount
    .nullable()
    .default(null)
    .describe('Messages at the end that middle removal keeps; null takes the figure for the model.'),
  minMessages: amount
    .nullable()
    .default(null)
    .describe('Messages that oldest removal leaves at least; null takes the figure for the model.'),
  confidence: share
    .default(0.6)
    .describe('Below this confidence, hybrid tries both ways of removal and takes the better result.'),
  checkIntervalMs: amount
    .default(5000)
    .describe(
      'Milliseconds between two updates of the statistics; the check itself is made before each request.',
    ),
});

const window = z.strictObject({
  rounds: z.int().min(1).default(5).describe('Rounds that the sliding window keeps.'),
  maxMessageTokens: z
    .int()
    .min(50)
    .default(800)
    .describe('Tokens of one tool result in the sliding window; what the user wrote is never cut.'),
  messagesBudget: z.int().min(200).default(4000).describe('Tokens of all messages in the sliding window.'),
});

const budget = z.strictObject({
  systemPrompt: share
    .default(0.2)
    .describe('Share of the budget for tools and system prompt; beyond it a warning.'),
  summary: share.default(0.1).describe('Share of the budget that a summary may take.'),
  retrieved: share.default(0.1).describe('Share of the budget that memories may take.'),
  messages: share.default(0.55).describe('Share of the budget for messages; what others leave is added.'),
  currentInput: share
    .default(0.05)
    .describe('Share of the budget set aside for the current input, which is sent whole whatever its size.'),
});

const filter = z.strictObject({
  enabled: z.boolean().default(false).describe('Send only messages within the three limits below.'),
  maxTokens: z.int().min(1000).default(32_000).describe('Tokens of messages that the filter lets through.'),
  maxMessages: z.int().min(1).default(50).describe('Messages that the filter lets through.'),
  maxAgeHours: z.number().gt(0).default(24).describe('Hours after which the filter leaves a message out.'),
});

const memory = z.strictObject({
  enabled: z.boolean().default(true).describe('Look up what your memory files say about each new prompt.'),
  limit: z.int().min(1).max(20).default(3).describe('Memories that one prompt may bring along.'),
  minSimilarity: share
    .default(0.6)
    .describe('How much of a prompt a memory has to be about: the share of its telling words that it holds.'),
  timeoutMs: z.int().min(1).default(500).describe('Milliseconds after which a prompt goes without memories.'),
  category: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Prompts bring along memories of this category only, e.g. "user_preference"; null: of any or none.',
    ),
});

const cache = z.strictObject({
  maxEntries: z
    .int()
    .min(1)
    .default(100)
    .describe(
      'Derived values (what Read has shown, quoted files, drafts) kept at most, each kind for itself.',
    ),
  ttlMs: amount.default(300_000).describe('Milliseconds that each of them is kept.'),
});

export const contextSettingsSchema = z.strictObject({
  strategy: z
    .enum(contextStrategies)
    .default('auto')
    .describe(
      'How room is made: auto keeps everything until the trigger, then puts a summary with the files that matter in the place of the older part; economy does so with earlier turns from half of the window on, which is cheaper; summary is an older name of auto.',
    ),
  compact: compact.prefault({}),
  mask: mask.prefault({}),
  removal: removal.prefault({}),
  window: window.prefault({}),
  summary: z
    .enum(['smart', 'simple'])
    .default('smart')
    .describe('Who writes summaries: smart asks the model, simple only counts and quotes.'),
  threadSummary: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe(
      'Keep a draft summary ready beside the work; auto does so unless the endpoint is on this machine or in its network.',
    ),
  minRetainRounds: amount
    .nullable()
    .default(null)
    .describe(
      'Newest rounds that a compaction keeps whole where they fit, e.g. 10; null goes by tokens alone.',
    ),
  slidingWindowSize: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Newest rounds that a request shows at most, e.g. 20; null shows all.'),
  instructionPinning: z
    .boolean()
    .default(true)
    .describe('Restate the goal and the todo list near the end of long turns.'),
  reminderSteps: z.int().min(1).default(20).describe('Steps after which goal and todo list are restated.'),
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
    .describe('Messages kept ready in memory; older ones are built again from the log when they are needed.'),
  totalBudget: z
    .int()
    .min(2000)
    .nullable()
    .default(null)
    .describe(
      'Tokens that a request may have at most, whatever the window, e.g. 48000; null takes the window.',
    ),
  compressionThreshold: z
    .int()
    .min(1000)
    .nullable()
    .default(null)
    .describe('Tokens at which compaction starts at the latest, e.g. 100000; null goes by the share alone.'),
  unknownWindow: z
    .int()
    .min(2000)
    .nullable()
    .default(null)
    .describe(
      'Context window assumed for an unknown model, in tokens; null assumes 128,000 at a remote endpoint and 32,000 at a local one.',
    ),
  replyReserve: z
    .int()
    .min(256)
    .default(8192)
    .describe('Tokens kept free for the reply; never more than a quarter of the window.'),
});

export type ContextSettings = z.infer<typeof contextSettingsSchema>;
