/**
 * Every setting, with its default and its description. The one source of the settings' types, of the
 * JSON Schema that editors read, and of the example file.
 */
import * as z from 'zod';
import { contextSettingsSchema } from '../protocol/contextSettings.ts';
import { OFFICIAL_MODEL, OFFICIAL_URL } from '../protocol/official.ts';
import { sandboxModes } from '../protocol/sandbox.ts';
import { themeSettings } from '../protocol/themeNames.ts';
import { modeNames, parsePermissionMode } from './modes.ts';

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
  auto: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Whether there is the mode auto. Read only from the user's own config.json."),
      rules: z
        .array(z.string().min(1).max(500))
        .max(20)
        .default([])
        .describe(
          'Sentences that the judge of the mode auto goes by, e.g. "Never touch db/". They tighten or explain; the hard limits stay. Read only from the user\'s own config.json.',
        ),
    })
    .prefault({})
    .describe('The mode auto, in which a second model call judges what would be asked.'),
  disableAutoMode: z
    .literal('disable')
    .optional()
    .describe('"disable" takes the mode auto away, wherever it is written.'),
  disableBypassPermissionsMode: z
    .literal('disable')
    .optional()
    .describe('"disable" takes the mode bypassPermissions away, wherever it is written.'),
});

const names = z.array(z.string().min(1)).default([]);
/** A name of a host, of every host below one (`*.example.com`), or an address. */
const hosts = z
  .array(z.string().regex(/^(?:\*\.)?[^\s*/?#@]+$/, 'a host or *.host, without scheme and path'))
  .default([]);

const sandboxSettings = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether commands of the model are confined where this machine can.'),
  mode: z
    .enum(sandboxModes)
    .default('workspace-write')
    .describe(
      'What commands may write: nothing, the workspace and the temporary folder, or everything (no sandbox). The flag --sandbox wins.',
    ),
  autoAllow: z
    .boolean()
    .default(false)
    .describe(
      'Whether commands that run in the sandbox need no question. Rules that ask or deny still count.',
    ),
  allowWrite: names.describe(
    'Further files and folders that commands may write to: absolute, ~/…, or relative to the project.',
  ),
  denyRead: names.describe(
    'Files and folders that commands must not see, besides keys and passwords in the home.',
  ),
  allowRead: names.describe('Of the hidden ones, those that commands may see, such as ~/.npmrc.'),
  allowEnv: names.describe(
    'Environment variables with secrets that commands get, such as GITHUB_TOKEN; * stands for anything.',
  ),
  excludedCommands: names.describe(
    'Commands that run outside the sandbox, such as "docker *"; permission rules still count.',
  ),
  network: z
    .strictObject({
      allowedDomains: hosts.describe(
        'Hosts that commands may reach, such as packages.example.com or *.example.com.',
      ),
      deniedDomains: hosts.describe('Hosts that commands must not reach, whatever else allows them.'),
      allowLocalPorts: z
        .array(z.int().min(1).max(65_535))
        .default([])
        .describe("Ports of this machine's loopback that commands may connect to, such as 5432."),
      forwardPorts: z
        .boolean()
        .default(true)
        .describe(
          "Whether a server that a command runs in the background is reached at the same port of this machine's loopback.",
        ),
      allowUnixSockets: z
        .boolean()
        .default(false)
        .describe(
          'Whether commands may use socket files: Docker, agents for keys, the session bus. A way out of the sandbox.',
        ),
    })
    .prefault({})
    .describe('What commands may reach. Without a rule the first connection to a host asks.'),
  limits: z
    .strictObject({
      memoryMb: z
        .int()
        .min(64)
        .nullable()
        .default(null)
        .describe('Memory of one process; null takes three quarters of what there is.'),
      processes: z
        .int()
        .min(16)
        .nullable()
        .default(2048)
        .describe('Processes of the sandboxes of one user; null for no limit.'),
    })
    .prefault({})
    .describe('Limits for each command.'),
});

const modelSettings = z.strictObject({
  contextWindow: tokens.optional().describe('Context window of this model, in tokens.'),
  maxOutputTokens: z.int().min(1).optional().describe('Longest reply of this model, in tokens.'),
  tokenizer: z
    .enum(['o200k_base', 'cl100k_base', 'unknown'])
    .optional()
    .describe('How its tokens are counted; unknown estimates.'),
  price: z
    .strictObject({
      input: z.number().min(0).describe('Of what is sent.'),
      cachedInput: z
        .number()
        .min(0)
        .optional()
        .describe('Of what the provider had in its cache; absent = as input.'),
      output: z.number().min(0).describe('Of what it writes.'),
    })
    .optional()
    .describe('US dollars per million tokens, for /cost.'),
  vision: z.boolean().optional().describe('Whether it takes images.'),
  tools: z
    .boolean()
    .optional()
    .describe('False where the endpoint takes no tools with it: they are described in the prompt then.'),
  returnsReasoning: z
    .boolean()
    .optional()
    .describe('Whether the endpoint wants its earlier reasoning sent back.'),
});

/** A token; source: RFC 9110, section 5.6.2. */
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a name of a header')
  .refine((name) => !ofTheConnection.test(name), 'a header that the connection itself needs');

/** Written by whoever sends; source: RFC 9110, section 7.6.1, and what says how a body is to be read. */
const ofTheConnection =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|expect|content-(?:length|type|encoding))$/i;

const headerValue = z
  .string()
  .regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, 'expected ASCII without line ends or outer blanks');

const notificationChannels = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const;

/** The settings as a file may write them; parsing fills in every default. */
export const settingsSchema = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the description of this file.'),
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      `Model id as the endpoint knows it; null takes ${OFFICIAL_MODEL} at OpenAI, elsewhere the first that the endpoint lists.`,
    ),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .default(OFFICIAL_URL)
    .describe('Base URL of the OpenAI-compatible endpoint, up to and including /v1.'),
  apiKey: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("The endpoint's key. Read only from the user's own config.json; OPENAI_API_KEY wins over it."),
  headers: z
    .record(headerName, headerValue)
    .default({})
    .describe(
      "Headers that go to the endpoint with every request, for a gateway that wants them; an Authorization among them goes instead of the key. Read only from the user's own config.json, and kept secret like the key.",
    ),
  permissions: permissionSettings.prefault({}).describe('What may run without a question, and what never.'),
  allowManagedPermissionRulesOnly: z
    .boolean()
    .default(false)
    .describe(
      'Whether only the allow rules of managed settings count; rules that ask or deny count from everywhere. Read only from managed settings.',
    ),
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
    .describe(
      'Facts about models, by id or by a pattern such as "qwen3*", that win over what the server says and over the built-in ones.',
    ),
  maxTurns: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Steps (one reply and its tool calls) after which a turn ends; null for no limit.'),
  appendSystemPrompt: z.string().default('').describe('Text added to the end of the system prompt.'),
  theme: z
    .enum(themeSettings)
    .default('auto')
    .describe(
      'Colours: auto (or default), high-contrast and daltonized look at the terminal, ansi uses its own sixteen, plain none.',
    ),
  reducedMotion: z
    .boolean()
    .default(false)
    .describe('Nothing moves or counts by itself: no spinner, no seconds, no progress in the tab.'),
  screenReader: z
    .boolean()
    .default(false)
    .describe(
      'A conversation in plain lines, each said once, for screen readers; see docs/screen-reader.md.',
    ),
  statusLine: z
    .strictObject({
      type: z.literal('command').default('command').describe('The only kind there is.'),
      command: z.string().min(1).describe('What the shell runs; it gets JSON on its standard input.'),
      padding: z.int().min(0).max(20).default(0).describe('Columns that stay empty on the left.'),
      refreshMs: z
        .int()
        .min(1000)
        .nullable()
        .default(null)
        .describe('Also runs every so many milliseconds; null only when something has changed.'),
    })
    .nullable()
    .default(null)
    .describe('A command of your own whose output stands in the place of the status line.'),
  notifications: z
    .enum(notificationChannels)
    .default('auto')
    .describe(
      'How it calls when a long turn has ended or a question waits and you are elsewhere: by the bell, as a notification of the terminal (three ways to write one), or as fits the terminal (auto).',
    ),
  notificationCommand: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'What the shell runs instead of that; CLAWDCODE_MESSAGE has the text, CLAWDCODE_SESSION the title of the session.',
    ),
  terminalTitle: z
    .boolean()
    .default(true)
    .describe("Whether the terminal's title names the session and says what it does."),
  terminalProgress: z
    .boolean()
    .default(true)
    .describe('Whether terminals that can show progress in the tab or the task bar do so while it works.'),
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
  sandbox: sandboxSettings.prefault({}).describe('What the operating system lets commands do.'),
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
