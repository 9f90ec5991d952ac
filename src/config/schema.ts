/**
 * Every setting, with its default and description. The single source of the settings' types, of the JSON Schema for
 * editors, and of the example file.
 */
import * as z from 'zod';
import { mcpServerNamePattern, mcpServerSchema } from '../protocol/extensions/mcp.ts';
import { OFFICIAL_MODEL, OFFICIAL_URL } from '../protocol/models/modelNames.ts';
import { efforts, wires } from '../protocol/models/wires.ts';
import { sandboxModes } from '../protocol/sandbox.ts';
import { contextSettingsSchema } from '../protocol/settings/contextSettings.ts';
import { themeSettings } from '../protocol/settings/themeNames.ts';
import { headers, modelSettings, providers, tokens } from './modelSchema.ts';
import { modeNames, parsePermissionMode } from './modes.ts';

const rules = z.array(z.string().min(1)).default([]);

const permissionSettings = z.strictObject({
  allow: rules.describe('Tool calls that run without approval, e.g. "Bash(npm run *)" or "Edit(/src/**)".'),
  ask: rules.describe('Tool calls that always ask, even if another rule or the mode would allow them.'),
  deny: rules.describe('Tool calls that never run. Deny takes precedence over ask, and ask over allow.'),
  additionalDirectories: z
    .array(z.string().min(1))
    .default([])
    .describe('Additional workspace directories, absolute or relative to the project.'),
  defaultMode: z
    .enum(modeNames)
    .transform((name) => parsePermissionMode(name) ?? 'default')
    .default('default')
    .describe('Permission mode of new sessions. autoEdit means acceptEdits, yolo means bypassPermissions.'),
  auto: z
    .strictObject({
      enabled: z.boolean().default(false).describe('Enable auto mode. Read only from your own config.json.'),
      rules: z
        .array(z.string().min(1).max(500))
        .max(20)
        .default([])
        .describe(
          'Instructions for the judge in auto mode, e.g. "Never touch db/". They cannot loosen the built-in limits. Read only from your own config.json.',
        ),
    })
    .prefault({})
    .describe('Auto mode: a second model call judges what would otherwise need approval.'),
  disableAutoMode: z
    .literal('disable')
    .optional()
    .describe('"disable" in any settings file turns auto mode off.'),
  disableBypassPermissionsMode: z
    .literal('disable')
    .optional()
    .describe('"disable" in any settings file turns bypassPermissions mode off.'),
});

const names = z.array(z.string().min(1)).default([]);
/** A host name, all subdomains of a host (`*.example.com`), or an address. */
const hosts = z
  .array(z.string().regex(/^(?:\*\.)?[^\s*/?#@]+$/, 'a host or *.host, without scheme and path'))
  .default([]);

const sandboxSettings = z.strictObject({
  enabled: z.boolean().default(true).describe("Confine the model's commands if this machine supports it."),
  mode: z
    .enum(sandboxModes)
    .default('workspace-write')
    .describe(
      'Where commands may write: nowhere, the workspace and the temporary folder, or everywhere (no sandbox). The --sandbox flag overrides this.',
    ),
  autoAllow: z
    .boolean()
    .default(false)
    .describe('Run sandboxed commands without approval. Ask and deny rules still apply.'),
  allowWrite: names.describe(
    'Additional files and folders that commands may write to: absolute, ~/…, or relative to the project.',
  ),
  denyRead: names.describe(
    'Files and folders hidden from commands, in addition to keys and passwords in the home folder.',
  ),
  allowRead: names.describe('Exceptions: hidden files and folders that commands may read, such as ~/.npmrc.'),
  allowEnv: names.describe(
    'Environment variables with secrets that are passed to commands, such as GITHUB_TOKEN; * matches anything.',
  ),
  excludedCommands: names.describe(
    'Commands that run outside the sandbox, such as "docker *"; permission rules still apply.',
  ),
  network: z
    .strictObject({
      allowedDomains: hosts.describe(
        'Hosts that commands may reach, such as packages.example.com or *.example.com.',
      ),
      deniedDomains: hosts.describe('Hosts that commands must not reach, even if another rule allows them.'),
      allowLocalPorts: z
        .array(z.int().min(1).max(65_535))
        .default([])
        .describe('Loopback ports of this machine that commands may connect to, such as 5432.'),
      forwardPorts: z
        .boolean()
        .default(true)
        .describe(
          'Make a server that a command runs in the background available on the same loopback port of this machine.',
        ),
      allowUnixSockets: z
        .boolean()
        .default(false)
        .describe(
          'Let commands use Unix sockets: Docker, SSH and GPG agents, the session bus. This lets them escape the sandbox.',
        ),
    })
    .prefault({})
    .describe(
      'Which hosts and ports commands may reach. The first connection to any other host needs approval.',
    ),
  limits: z
    .strictObject({
      memoryMb: z
        .int()
        .min(64)
        .nullable()
        .default(null)
        .describe('Memory per process, in MB; null means three quarters of the total.'),
      processes: z
        .int()
        .min(16)
        .nullable()
        .default(2048)
        .describe('Processes in all your sandboxes together; null means no limit.'),
    })
    .prefault({})
    .describe('Limits for each command.'),
});

const notificationChannels = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const;

/** The settings as written in a file; parsing adds every default. */
export const settingsSchema = z.strictObject({
  $schema: z.string().optional().describe('Location of the JSON Schema, for editors.'),
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      `Model id as used by the endpoint; null means ${OFFICIAL_MODEL} at OpenAI, and the first listed model elsewhere.`,
    ),
  fallbackModels: z
    .array(z.string().min(1))
    .max(10)
    .default([])
    .describe(
      'Models that answer, in this order, while the chosen one is unavailable. Project settings may name only models that your own settings name.',
    ),
  smallModel: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Model that writes session titles and, with `context.summaryModel`, summaries; null means the session's model. Project settings may name only a model that your own settings name.",
    ),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .default(OFFICIAL_URL)
    .describe('Base URL of the endpoint, up to and including /v1.'),
  wire: z
    .enum(wires)
    .nullable()
    .default(null)
    .describe(
      "API of the endpoint: OpenAI's Chat Completions or Responses, or Anthropic's Messages; null means `anthropic` at anthropic.com and `chat` everywhere else.",
    ),
  apiKey: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("The endpoint's API key. Read only from your own config.json; OPENAI_API_KEY overrides it."),
  headers: headers.describe(
    'Headers sent to the endpoint with every request, for gateways that need them; an Authorization header replaces the key. Read only from your own config.json, and kept secret like the key.',
  ),
  providers: providers.describe(
    'More endpoints by name; their models are named "provider/id". See docs/models.md. Read only from your own config.json and managed settings.',
  ),
  permissions: permissionSettings
    .prefault({})
    .describe('What may run without approval, and what may never run.'),
  allowManagedPermissionRulesOnly: z
    .boolean()
    .default(false)
    .describe(
      'Ignore allow rules outside managed settings; ask and deny rules from all sources apply. Read only from managed settings.',
    ),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not an environment variable name'), z.string())
    .default({})
    .describe("Environment variables for the model's commands."),
  effort: z
    .enum(efforts)
    .nullable()
    .default(null)
    .describe("Reasoning effort; null means the model's default."),
  contextWindow: tokens
    .nullable()
    .default(null)
    .describe('Context window in tokens, for any model; null means detected automatically.'),
  models: z
    .record(z.string().min(1), modelSettings)
    .default({})
    .describe(
      'Model facts by id or by a pattern such as "qwen3*"; they override what the server reports and the built-in catalogue.',
    ),
  maxTurns: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Steps (one reply and its tool calls) after which a turn ends; null means no limit.'),
  appendSystemPrompt: z.string().default('').describe('Text added to the end of the system prompt.'),
  theme: z
    .enum(themeSettings)
    .default('auto')
    .describe(
      "Colors: auto (or default), high-contrast and daltonized follow the terminal's background, ansi uses the terminal's sixteen colors, plain uses none.",
    ),
  reducedMotion: z
    .boolean()
    .default(false)
    .describe('No animations or counters: no spinner, no seconds, no progress in the tab.'),
  screenReader: z
    .boolean()
    .default(false)
    .describe('Plain output for screen readers: every line is printed once; see docs/screen-reader.md.'),
  statusLine: z
    .strictObject({
      type: z.literal('command').default('command').describe('The only supported type.'),
      command: z.string().min(1).describe('Shell command; it gets JSON on standard input.'),
      padding: z.int().min(0).max(20).default(0).describe('Empty columns on the left.'),
      refreshMs: z
        .int()
        .min(1000)
        .nullable()
        .default(null)
        .describe('Also run at this interval, in milliseconds; null means only when something changes.'),
    })
    .nullable()
    .default(null)
    .describe('A command whose output replaces the status line.'),
  notifications: z
    .enum(notificationChannels)
    .default('auto')
    .describe(
      'How to notify you when a long turn ends or an approval is waiting while you are away: the bell, a terminal notification (three formats), or what the terminal supports (auto).',
    ),
  notificationCommand: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Shell command to run instead; CLAWDCODE_MESSAGE has the text, CLAWDCODE_SESSION the session title.',
    ),
  terminalTitle: z.boolean().default(true).describe('Show the session and its state in the terminal title.'),
  terminalProgress: z
    .boolean()
    .default(true)
    .describe('Show progress in the tab or task bar of terminals that support it.'),
  showReasoning: z
    .boolean()
    .default(false)
    .describe("Print the model's reasoning instead of a one-line note."),
  vim: z.boolean().default(false).describe('Vim mode in the composer; /vim toggles it.'),
  webFetch: z
    .strictObject({
      allowPrivate: z
        .boolean()
        .default(false)
        .describe(
          "Let WebFetch read from this machine, its network and its cloud provider's metadata service.",
        ),
    })
    .prefault({})
    .describe('Reading web pages.'),
  lsp: z
    .boolean()
    .default(true)
    .describe('Check edits with language servers that are installed on this machine; see docs/lsp.md.'),
  mcpServers: z
    .record(
      z.string().regex(mcpServerNamePattern, 'expected letters, digits, - and single _ (at most 40)'),
      mcpServerSchema,
    )
    .default({})
    .describe(
      'MCP servers by name; see docs/mcp.md. A server in project settings is used only after you have approved it.',
    ),
  hooks: z
    .record(z.string(), z.array(z.unknown()))
    .default({})
    .describe(
      'Hooks by event, as in Claude Code: {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "…"}]}]}. They run at certain points of a session, and may block or change what happens; see docs/hooks.md. Hooks from all settings files run; those in project settings only after you approve each.',
    ),
  disableAllHooks: z
    .boolean()
    .default(false)
    .describe('Turn off all hooks. Managed hooks still run, unless managed settings set this.'),
  allowManagedHooksOnly: z
    .boolean()
    .default(false)
    .describe('Run only hooks from managed settings. Read only from managed settings.'),
  sandbox: sandboxSettings.prefault({}).describe('How the operating system confines commands.'),
  sessions: z
    .strictObject({
      maxSessions: z
        .int()
        .min(1)
        .default(100)
        .describe(
          'Sessions per project to keep uncompressed. Older ones are archived; you can still list, search and resume them. Nothing is deleted.',
        ),
      titles: z
        .boolean()
        .default(true)
        .describe('Let the model title a session after its first turn, with one short extra request.'),
      redactOnWrite: z
        .boolean()
        .default(false)
        .describe(
          'Remove keys, tokens and passwords before anything is stored. The model then sees a secret only in the reply in which it writes it.',
        ),
    })
    .prefault({})
    .describe('Saved sessions.'),
  telemetry: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('Export OpenTelemetry traces and metrics to OTEL_EXPORTER_OTLP_ENDPOINT.'),
      content: z
        .boolean()
        .default(false)
        .describe(
          'Also export prompts, replies, tool arguments and tool results, shortened and with known secrets redacted.',
        ),
    })
    .prefault({})
    .describe(
      'OpenTelemetry export; see docs/telemetry.md. Read only from your own config.json, --settings and managed settings.',
    ),
  checkpoints: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe(
          'Keep the original content of files that tool calls and commands change, so that you can undo the changes.',
        ),
      maxFileBytes: z
        .int()
        .min(0)
        .default(10 * 2 ** 20)
        .describe('Maximum size of a file to keep, unless a tool call names it.'),
      maxTotalBytes: z
        .int()
        .min(0)
        .default(256 * 2 ** 20)
        .describe('Maximum total size of copies of unchanged files.'),
    })
    .prefault({})
    .describe('Undoing file changes.'),
  context: contextSettingsSchema.prefault({}).describe('How the context window is managed.'),
});

/** All settings with defaults. */
export type Settings = z.output<typeof settingsSchema>;
