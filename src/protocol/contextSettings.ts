/** The `context.*` settings: shared by `config`, which reads them, and `context`, which obeys them. */
import * as z from 'zod';

const share = z.number().gt(0).lt(1);

export const contextSettingsSchema = z.strictObject({
  compact: z
    .strictObject({
      auto: z.boolean().default(true).describe('Compact by itself when the request reaches the trigger.'),
      threshold: share.default(0.8).describe('Share of the context window at which compaction starts.'),
      retain: share
        .default(0.2)
        .describe('Share of the window that stays verbatim after a compaction, newest first.'),
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
    })
    .prefault({}),
  truncate: z
    .strictObject({
      maxLines: z.int().min(10).default(2000).describe('Lines of one tool result that the model sees.'),
      maxBytes: z.int().min(1000).default(51_200).describe('Bytes of one tool result that the model sees.'),
    })
    .prefault({}),
  unknownWindow: z
    .int()
    .min(2000)
    .default(48_000)
    .describe('Context window assumed for a model that nobody knows, in tokens.'),
  replyReserve: z
    .int()
    .min(256)
    .default(8192)
    .describe('Tokens kept free for the reply; never more than a quarter of the window.'),
});

export type ContextSettings = z.infer<typeof contextSettingsSchema>;
