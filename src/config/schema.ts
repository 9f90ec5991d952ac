/**
 * Every setting, with its default and its description. The one source of the settings' types, of the
 * JSON Schema that editors read, and of the example file.
 */
import * as z from 'zod';
import { contextSettingsSchema } from '../protocol/contextSettings.ts';
import { modeNames, parsePermissionMode } from './modes.ts';

/** Where requests go when nothing says otherwise. */
export const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

const rules = z.array(z.string().min(1)).default([]);
const tokens = z.int().min(1000);

const permissionSettings = z.strictObject({
  allow: rules.describe('Calls that need no question, e.g. "Bash(npm run *)" or "Edit(/src/**)".'),
  ask: rules.describe('Calls that always ask, even where a rule or a mode would allow them.'),
  deny: rules.describe('Calls that never run. Deny wins over ask, ask over allow.'),
  additionalDirectories: z
    .array(z.string().min(1))
    .default([])
    .describe('Directories besides the project that count as workspace; relative to the project.'),
  defaultMode: z
    .enum(modeNames)
    .transform((name) => parsePermissionMode(name) ?? 'default')
    .default('default')
    .describe('Permission mode of a new session. autoEdit means acceptEdits, yolo bypassPermissions.'),
});

const modelSettings = z.strictObject({
  contextWindow: tokens.optional().describe('Context window of this model, in tokens.'),
  maxOutputTokens: z.int().min(1).optional().describe('Longest reply of this model, in tokens.'),
});

/** The settings as a file may write them; parsing fills in every default. */
export const settingsSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the description of this file.'),
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Model id as the endpoint knows it; null takes gpt-4.1 at OpenAI, elsewhere the first that the endpoint lists.',
    ),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .default(DEFAULT_BASE_URL)
    .describe('Base URL of the OpenAI-compatible endpoint, up to and including /v1.'),
  apiKey: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("The endpoint's key. Read only from the user's own config.json; OPENAI_API_KEY wins over it."),
  permissions: permissionSettings.prefault({}).describe('What may run without a question, and what never.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a name of an environment variable'), z.string())
    .default({})
    .describe('Environment variables for commands that the agent runs.'),
  contextWindow: tokens
    .nullable()
    .default(null)
    .describe('Context window in tokens, whatever the model; null takes what is known about the model.'),
  models: z
    .record(z.string().min(1), modelSettings)
    .default({})
    .describe('Facts about single models, by id, that win over the built-in ones.'),
  maxTurns: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Steps (one reply and its tool calls) after which a turn ends; null for no limit.'),
  appendSystemPrompt: z.string().default('').describe('Text added to the end of the system prompt.'),
  theme: z
    .enum(['auto', 'dark', 'light', 'ansi'])
    .default('auto')
    .describe('Colours: auto looks at the terminal, ansi uses its own sixteen.'),
  reducedMotion: z.boolean().default(false).describe('No animation: the spinner stands still.'),
  showReasoning: z
    .boolean()
    .default(false)
    .describe("Print the model's reasoning, not only a line that there was some."),
  vim: z.boolean().default(false).describe('Vim keys in the composer; /vim switches them on and off.'),
  webFetch: z
    .strictObject({
      allowPrivate: z
        .boolean()
        .default(false)
        .describe('Whether WebFetch may also read from this machine, its network and its cloud provider.'),
    })
    .prefault({})
    .describe('Reading web pages.'),
  sessions: z
    .strictObject({
      maxSessions: z
        .int()
        .min(1)
        .default(100)
        .describe(
          'Sessions of a project that stay as they are; above it the oldest are packed, and stay listed, searchable and resumable. Nothing is deleted.',
        ),
      titles: z
        .boolean()
        .default(true)
        .describe('Whether the model names a session after its first turn, in one short request of its own.'),
      redactOnWrite: z
        .boolean()
        .default(false)
        .describe(
          'Whether keys, tokens and passwords are taken out of everything before it is stored. The model sees them only in the step in which they come up.',
        ),
    })
    .prefault({})
    .describe('Saved sessions.'),
  checkpoints: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Whether what calls and commands change on disk is kept, so that it can be taken back.'),
      maxFileBytes: z
        .int()
        .min(0)
        .default(10 * 2 ** 20)
        .describe('A larger file is kept only when a call names it.'),
      maxTotalBytes: z
        .int()
        .min(0)
        .default(256 * 2 ** 20)
        .describe('Copies of what could still change, all files together.'),
    })
    .prefault({})
    .describe('Going back in the files.'),
  context: contextSettingsSchema.prefault({}).describe('How the context window is kept within bounds.'),
});

/** All settings, defaults filled in. */
export type Settings = z.output<typeof settingsSchema>;
