// Writes docs/settings.md from the settings' schema: `node scripts/writeSettingsDoc.ts`. A test checks that it is up to
// date.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { settingVariables } from '../src/config/environment.ts';
import { modeAliases } from '../src/config/modes.ts';
import { settingsSchema } from '../src/config/schema.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
}

/** The tables of "Every setting": their titles, and the top-level keys in each. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Model and endpoint': [
    'model',
    'fallbackModels',
    'smallModel',
    'baseUrl',
    'wire',
    'apiKey',
    'headers',
    'effort',
    'contextWindow',
    'maxTurns',
    'appendSystemPrompt',
    'models',
    'providers',
  ],
  Permissions: ['permissions', 'allowManagedPermissionRulesOnly'],
  Sandbox: ['sandbox'],
  Interface: [
    'theme',
    'vim',
    'showReasoning',
    'reducedMotion',
    'screenReader',
    'statusLine',
    'notifications',
    'notificationCommand',
    'terminalTitle',
    'terminalProgress',
  ],
  'Tools and extensions': [
    'env',
    'webFetch',
    'lsp',
    'mcpServers',
    'hooks',
    'disableAllHooks',
    'allowManagedHooksOnly',
  ],
  'Sessions and data': ['sessions', 'checkpoints', 'telemetry', '$schema'],
  Context: ['context'],
};

/** The entire document. */
export function settingsDocument(): string {
  const variables = settingVariables.map(({ name, key, what }) => [code(name), code(key), what]);
  const aliases = Object.entries(modeAliases).map(([alias, mode]) => `${code(alias)} for ${code(mode)}`);
  return `<!-- Written by scripts/writeSettingsDoc.ts from src/config/schema.ts. -->
# Settings

Your settings for all projects are in \`~/.clawdcode/config.json\`. Change them with \`/config\` in a conversation, with
\`clawdcode config\` in a shell, or in an editor: settings files are JSON and may contain comments and trailing commas.
[Every setting](#every-setting) is at the end of this page.

## Where settings come from

Later sources override earlier ones, key by key:

1. the defaults
2. \`~/.clawdcode/config.json\`: yours, for every project (\`CLAWDCODE_HOME\` moves the folder)
3. \`.clawdcode.json\` in the project root: shared, committed to the repository
4. \`.clawdcode.local.json\` next to it: yours for this project; ClawdCode keeps it out of git when it creates it
5. environment variables, see [below](#environment-variables)
6. flags (\`clawdcode --help\`)
7. managed settings: set by an administrator, see [below](#managed-settings)

3 and 4 are the project settings; some of them apply only after [you trust the folder](#folders-you-have-not-trusted-yet).
Claude Code's files (see [below](#claude-codes-files)) are read just before 2, 3 and 4.

Lists of permission rules and directories from several sources are combined; other values are replaced. An error affects
only its key: ClawdCode reports the file, the key and the fix, and applies the rest. The exception is an error that leaves
the endpoint unclear: see [Endpoint and network](troubleshooting.md#endpoint-and-network).

[.clawdcode.example.json](../.clawdcode.example.json) has every setting with its default, and
[a JSON Schema](../schema/settings.schema.json) provides completion and validation in editors.

## Change a setting

\`/config\` lists every setting with its current value and the file, variable or flag that sets it. Choose a setting, then the
file to change: your \`config.json\`, or \`.clawdcode.local.json\` for this project only. Lists, objects and API keys cannot
be changed there, only in the file itself or with the subcommand:

    clawdcode config list [words]                     every setting, or those that match
    clawdcode config get theme
    clawdcode config set maxTurns 50
    clawdcode config set -s local permissions.deny '["Read(secrets/**)"]'
    clawdcode config unset theme

With \`--json\`, \`list\` and \`get\` print JSON, without keys, headers and the values of variables.

A change keeps comments and everything else in the file. A file with a syntax error is not written: correct it first. Theme,
vim mode, reasoning and motion change at once, other settings with the next session that you start. If another source
overrides your value, ClawdCode says so. What you set for a project that you trust needs no further approval.

## Environment variables

${table(['Variable', 'Setting', 'Meaning'], variables)}

If two variables set the same key, the lower one in the table applies. An empty variable counts as unset. ClawdCode also reads
\`CLAWDCODE_HOME\` (data folder, an absolute path), \`NO_COLOR\`, \`FORCE_COLOR\`, \`TERM\`, \`COLORTERM\` and
\`COLORFGBG\` (colors), and \`SHELL\` (the shell that runs commands).

## Folders you have not trusted yet

A repository that you have just cloned must not be able to send your key elsewhere or run anything. So these project settings
apply only after you trust the folder, in a dialog that lists all of them in full. Scroll a long list with PgUp and PgDn; you
can accept once you have seen its end. Long runs of spaces are shown as a count (\`‹1500 spaces›\`). The dialog lists

- what chooses the model, runs something or allows more: \`model\`, \`models\`, \`baseUrl\`, \`env\`, \`appendSystemPrompt\`,
  \`statusLine\` and \`notificationCommand\` (also null, which turns yours off), each of the \`hooks\`, \`disableAllHooks\`,
  \`webFetch.allowPrivate\`, \`checkpoints\`, \`maxTurns\`, \`context.truncate.outputDir\`, \`permissions.allow\`,
  \`permissions.additionalDirectories\`, and \`permissions.defaultMode\` unless it is \`plan\`
- what other files in the folder add: each definition of a [subagent](agents.md) in \`.clawdcode/agents\` or
  \`.claude/agents\`, the \`allowed-tools\` of each [skill](skills.md#permissions), and each [MCP server](mcp.md)
- what loosens \`sandbox\`, including \`forwardPorts: true\`
- what sends more: \`context.memory\` unless it is turned off, \`context.threadSummary\` unless it is \`off\`,
  \`context.summary\` unless it is \`simple\`, \`sessions.titles: true\`
- what shows more: \`showReasoning: true\`, \`terminalTitle: true\`, \`notifications\` unless they are \`off\`
- what stores secrets: \`sessions.redactOnWrite: false\`
- your own hooks, status line and notification command if they [may run code of the folder](hooks.md#trust). They also appear
  if the folder has no settings; without trust they run in the sandbox

The model is included because a routing service uses its name to decide who gets the conversation, and at what price.
\`--model\` and \`OPENAI_MODEL\` set a model without that dialog.

Ask and deny rules always apply, and so do allow rules that you saved there yourself with "don't ask again". \`apiKey\` and
\`headers\` never apply, even if you trust the folder: a key belongs in \`config.json\` or in the environment. With \`-p\`,
untrusted settings are left out, and standard error and the \`init\` line of \`stream-json\` say so.

## Paths in settings

\`permissions.additionalDirectories\`, \`sandbox.allowWrite\`, \`sandbox.allowRead\` and \`context.truncate.outputDir\` open
files and folders. A path is absolute, in your home (\`~/…\`) or relative to the project. Links are resolved once, when the
settings are read:

- If a link leads a path elsewhere, you approve both: \`~/notes → /data/notes\`. If the link is moved later, the new place
  needs your approval.
- A link in the project that leads out of it is ignored with a message, in every settings file: anyone who can write to the
  project could move it. Name that place directly instead. \`--add-dir\` may name such a link, because you type it for one run.
- Some directories [cannot be added](permissions.md#what-always-needs-approval) to the workspace, such as your home folder; they
  are ignored with a message.
- If a link appears in a path while ClawdCode runs (a command replaces \`build\` with a link), the path opens nothing until the
  link is gone.
- In a subagent's worktree, a path in the project means the same path in the worktree.
- \`sandbox.denyRead\` hides both: the path as written and the place it leads to.

### Another folder at the same path

Trust, saved rules and answers about MCP servers belong to the folder itself (its inode and creation time), not to its path.
If you delete a repository and clone another one there, or a container mounts another project at \`/workspace\`, the new folder
starts without them, and the dialog says that it is not the folder you trusted. If several folders alternate at one path, you
are asked once for each.

You are also asked once after moving a project, restoring it from a backup, or mounting a network file system whose inode
numbers change. \`--continue\` tells you if the latest session is from the earlier folder; \`-p --continue\` then exits with code
42 and names the \`--resume\` command that continues it anyway.

## When trusted settings change

Trust covers exactly what you were shown. \`~/.clawdcode/trust.json\` records each rule, directory and variable separately,
all other settings as a whole, and the file they are in. If a \`git pull\` adds a rule or changes a URL, only that change
is ignored until you approve it at the next start. The dialog shows how many settings were added and removed, then each
setting with \`+\` or \`-\`; for a long value, only the part that differs. A change that only removes or restricts something
needs no approval. A removed setting that returns unchanged stays trusted until you answer the next dialog.

**Changed scripts.** The same dialog appears if an approved hook, MCP server, status line or notification command names a
project file (\`./check.sh\`, \`node srv.js\`) that has changed. It shows the lines that differ; for a long file, only the size.
Until you accept, the program does not run. A running session checks before each start of such a program and asks in the same
way; see [hooks](hooks.md#what-your-approval-covers).

You approve the files as they were when the dialog was built, so a change while you read is not included. The approved content
is in \`~/.clawdcode/approved-files\`. Files that the command itself writes (\`> out.txt\`, \`tee\`) are not checked, nor are
databases, logs and notes that it does not run.

In two cases there is no earlier content to compare with, so the first start accepts the files as they are: if an older version
recorded your trust without file contents, or if you enabled something yourself with a command (\`clawdcode mcp add\`). A record
that is damaged or gone approves nothing: you are asked about each script again.

With \`-p\`, new settings do not apply, and you are told. If a new \`baseUrl\` would replace one that you trusted, and you
name no endpoint yourself, the run exits with code 52 instead: a conversation meant for one server must not go to another.

Folders that you trusted with an earlier version, which did not record these details, need your approval once more.

## Managed settings

Administrators set policies for everyone on a machine in \`/etc/clawdcode/managed-settings.json\` and
\`/etc/clawdcode/managed-settings.d/*.json\`, read in this order, the latter alphabetically (on macOS in
\`/Library/Application Support/ClawdCode/\`). No flag or variable moves or skips these files.

- A single value overrides every other source, including flags and variables.
- Rules are combined with all others. As usual, deny takes precedence over ask, and ask over allow. Managed ask rules also
  apply in \`bypassPermissions\` mode.
- \`permissions.disableBypassPermissionsMode: "disable"\` and \`permissions.disableAutoMode: "disable"\` turn a mode
  off; with \`-p\`, selecting it with \`--permission-mode\` exits with code 52.
- \`sandbox.enabled\` and \`sandbox.mode\` determine how commands are confined, and override \`-s\`. If either is set, users
  cannot turn the sandbox off, exclude commands (\`excludedCommands\`) or open sockets (\`network.allowUnixSockets\`).
- If they contain any \`sandbox\` setting, users cannot approve running a command outside the sandbox.
- For \`allowWrite\`, \`allowRead\`, \`allowEnv\`, \`excludedCommands\`, \`network.allowedDomains\` and
  \`network.allowLocalPorts\` of the sandbox, a managed list replaces all others, even if it is empty; \`denyRead\` and
  \`network.deniedDomains\` are combined. A host that is not in a managed \`network.allowedDomains\` is denied without
  asking: neither a \`WebFetch(domain:…)\` rule from another source nor an approval opens it.
- Nothing opens a managed \`denyRead\` again: no \`allowRead\`, \`allowWrite\`, \`--add-dir\` or rule. If it contains the project
  or the temporary folder, commands do not start and say why. It applies to commands in the sandbox, so set
  \`sandbox.enabled\` as well. For Read, Grep and the like, add \`Read(…)\` to \`permissions.deny\`.
- \`allowManagedPermissionRulesOnly: true\`: allow rules from anywhere else are ignored, and approvals offer no "don't ask
  again". Users' ask and deny rules still apply, since they only restrict.

An error in managed settings, including a misspelt name, an empty file or a link to nothing, prevents ClawdCode from
starting: a policy that is silently ignored is worse than none. The files and their folder must belong to root and be
writable only by root. If other users can write to a file, they could use it to loosen the policy, so only its
restrictions apply (ask and deny rules, disabled modes, \`plan\`, \`dontAsk\` or \`default\` as the starting mode, what the
sandbox hides or denies), with a warning.

\`/status\`, \`/permissions\` and \`clawdcode doctor\` list the files in effect.

## Claude Code's files

\`~/.claude/settings.json\`, and \`.claude/settings.json\` and \`.claude/settings.local.json\` in the project root, apply too.
ClawdCode's own file of the same scope overrides each. Files in the project need the same trust as ClawdCode's: restrictions
apply at once, the rest after you trust the folder.

${table(
  ['Setting there', 'Here'],
  [
    ['`permissions.allow`, `ask`, `deny`', 'rules, translated as below'],
    [
      '`permissions.additionalDirectories`, `defaultMode`',
      'the same; the mode `auto` only from your own `config.json`',
    ],
    ['`permissions.disableBypassPermissionsMode`, `disableAutoMode`', 'the same'],
    [
      '`env`',
      'variables for commands; variables that look like secrets only if `sandbox.allowEnv` names them',
    ],
    ['`hooks`, `disableAllHooks`', "[hooks](hooks.md), in addition to those in ClawdCode's files"],
    ['`disabledMcpjsonServers`', 'turns off these servers of `.mcp.json`'],
    [
      '`enabledMcpjsonServers`, `enableAllProjectMcpServers`',
      'approves servers of `.mcp.json` in trusted folders; only in `~/.claude/settings.json`',
    ],
  ],
)}

\`env\` is treated with care because it often holds Claude Code's own keys, such as \`ANTHROPIC_AUTH_TOKEN\`. \`env\` in
ClawdCode's own files is meant for commands: they get all of it, except \`OPENAI_API_KEY\` and \`CLAWDCODE_…KEY\`.

Other settings are not supported. ClawdCode lists them whenever the file has changed, and \`clawdcode doctor\` always does. A
file with a syntax error is reported and ignored, including its deny rules.

Rules are translated:

- \`Task(…)\` is \`Agent(…)\`, \`MultiEdit(…)\` is \`Edit(…)\`, \`NotebookEdit\` is \`Edit(*.ipynb)\`, \`SlashCommand(/x)\` is
  \`Skill(x)\`, \`KillShell\` is \`KillBash\`. Rules for tools that ClawdCode does not have are ignored.
- \`Read(./.env)\` covers that name at any depth in a deny or ask rule, and only that file in an allow rule. Other relative
  paths are relative to the folder you started in; deny and ask rules also apply relative to the project root.
- \`/x\` is relative to the project root; in \`~/.claude/settings.json\` to \`~/.claude\`, and in deny and ask rules also to the
  project root.
- A deny or ask rule that cannot be translated exactly covers more (\`mcp__db__drop_*\` denies \`mcp__db\`) or makes every call
  of the tool ask; ClawdCode says so at each start. An allow rule that cannot be translated is left out.

## Every setting

\`ID\` stands for a name that you choose. Mode aliases: ${aliases.join(', ')}.

${settingTables()}
`;
}

/** A heading and a table for each group. Throws if a setting is in no group. */
function settingTables(): string {
  const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input' }) as Node;
  const grouped = Object.values(groups).flat();
  const missing = Object.keys(properties).filter((key) => !grouped.includes(key));
  if (missing.length > 0) throw new Error(`Add to a group: ${missing.join(', ')}`);
  return Object.entries(groups)
    .map(([title, keys]) => {
      const rows = keys.flatMap((key) => rowsOf(key, properties[key] ?? {}));
      return `### ${title}\n\n${table(['Setting', 'Default', 'Meaning'], rows)}`;
    })
    .join('\n\n');
}

function rowsOf(key: string, node: Node): string[][] {
  if (key === '$schema') return [[code(key), '', node.description ?? '']];
  const { properties, additionalProperties: each } = node;
  const below = properties === undefined ? [] : Object.entries(properties);
  /** The properties of an object that may also be null. */
  const inside = node.anyOf?.find((one) => one.properties !== undefined)?.properties ?? {};
  const items = typeof each === 'object' && each.properties !== undefined ? each.properties : {};
  const nested = [
    ...below.flatMap(([name, child]) => rowsOf(`${key}.${name}`, child)),
    ...Object.entries(inside).flatMap(([name, child]) => rowsOf(`${key}.${name}`, child)),
    // A provider's models have the same properties as "models".
    ...(key === 'providers.ID.models'
      ? []
      : Object.entries(items).flatMap(([name, child]) => rowsOf(`${key}.ID.${name}`, child))),
  ];
  if (below.length > 0) return nested;
  const value = defaultOf(key) ?? node.default;
  const shown = value === undefined ? 'none' : code(JSON.stringify(value));
  return [[code(key), shown, `${node.description ?? ''}${choices(node)}`], ...nested];
}

function defaultOf(key: string): unknown {
  const defaults: unknown = settingsSchema.parse({});
  return key
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], defaults);
}

function choices(node: Node): string {
  return node.enum === undefined ? '' : ` One of ${node.enum.map(code).join(', ')}.`;
}

/** Aligned: every column but the last is as wide as its widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) =>
    column === head.length - 1 ? 3 : Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = '', ...others] = cells.map(line);
  return [first, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(join(root, 'docs/settings.md'), settingsDocument());
}
