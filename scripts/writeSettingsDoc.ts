// Writes docs/settings.md from the settings' schema: `node scripts/writeSettingsDoc.ts`. A test keeps it up to date.
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

/** The whole document. */
export function settingsDocument(): string {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' }) as Node;
  const rows = Object.entries(schema.properties ?? {}).flatMap(([key, node]) => rowsOf(key, node));
  const variables = settingVariables.map(({ name, key, what }) => [code(name), code(key), what]);
  const aliases = Object.entries(modeAliases).map(([alias, mode]) => `${code(alias)} for ${code(mode)}`);
  return `<!-- Written by scripts/writeSettingsDoc.ts from src/config/schema.ts. -->
# Settings

Settings come from these places; later ones win, key by key:

1. the defaults in the table below
2. \`~/.clawdcode/config.json\`: yours, for every project (the folder can be moved with \`CLAWDCODE_HOME\`)
3. \`.clawdcode.json\` at the project's root: shared, goes into the repository
4. \`.clawdcode.local.json\` beside it: yours for this project; the program keeps it out of git when it writes it
5. environment variables
6. flags (\`clawdcode --help\`)
7. managed settings: what an administrator has put on the machine; see below

Lists of permission rules and directories from several places add up; everything else is replaced. Files are
JSON and may hold comments and trailing commas. [.clawdcode.example.json](../.clawdcode.example.json) has every
setting at its default, and [a JSON Schema](../schema/settings.schema.json) lets an editor complete and check
them. A mistake costs the one key it is in: the program names file, key and fix, and the rest counts. One that hides which
endpoint was meant is different: see [The address of the model](troubleshooting.md#the-address-of-the-model).

## Every setting

${table(['Setting', 'Default', 'Meaning'], rows)}

Modes may also be written ${aliases.join(', ')}.

## Environment variables

${table(['Variable', 'Setting', 'Meaning'], variables)}

An empty variable counts as unset. Others that the program looks at: \`CLAWDCODE_HOME\` (where it keeps its data: an
absolute path), \`NO_COLOR\`, \`FORCE_COLOR\`, \`TERM\`, \`COLORTERM\` and \`COLORFGBG\` (colours), \`SHELL\` (which shell runs commands).

## Managed settings

An administrator sets what holds for everybody on a machine in \`/etc/clawdcode/managed-settings.json\` and in
\`/etc/clawdcode/managed-settings.d/*.json\`, which are read after it in the order of their names (on macOS below
\`/Library/Application Support/ClawdCode/\`). No flag and no variable moves or skips them.

- A single value in them wins over every other place, flags and variables included.
- Their rules add up with all others, and deny wins over ask over allow as ever. Their ask rules also ask in
  \`bypassPermissions\`.
- \`permissions.disableBypassPermissionsMode: "disable"\` and \`permissions.disableAutoMode: "disable"\` take a mode
  away; with \`-p\`, \`--permission-mode\` then ends with exit code 52.
- \`sandbox.enabled\` and \`sandbox.mode\` say how commands are confined, and \`-s\` no longer does. With either of them nobody
  else switches the sandbox off.
- Where they say anything about \`sandbox\`, no answer of the user lets a command run outside of it.
- Of the sandbox's lists \`allowWrite\`, \`allowRead\`, \`allowEnv\`, \`excludedCommands\`, \`network.allowedDomains\` and
  \`network.allowLocalPorts\` the managed one is the whole list, also an empty one; \`denyRead\` and \`network.deniedDomains\` add up.
  A host that a managed \`network.allowedDomains\` does not have is refused without a question: neither a \`WebFetch(domain:…)\`
  rule from elsewhere nor an answer opens it.
- \`allowManagedPermissionRulesOnly: true\`: allow rules from anywhere else do not count, and questions offer no "always".
  Rules of users that ask or deny still count, as they only tighten.

A mistake in managed settings, a misspelt name included, refuses the start: a policy that silently does not count is
worse than none. The files and their folder have to belong to root, and nobody else may be able to write them. Of a
file that somebody else can write only what tightens counts (rules that ask or deny, what takes a mode away, \`plan\`,
\`dontAsk\` or \`default\` to start in, what a sandbox hides or refuses), with a warning: it could be that person's way to loosen what everybody else has decided.

\`/status\`, \`/permissions\` and \`clawdcode doctor\` name the files that count.

## Folders that are not trusted yet

A repository that you have just cloned must not be able to send your key elsewhere or run anything. So a folder's
own \`model\`, \`baseUrl\`, \`env\`, \`appendSystemPrompt\`, \`statusLine\`, \`notificationCommand\`, \`webFetch.allowPrivate\`,
\`checkpoints\`, \`models\`, \`maxTurns\`, \`context.truncate.outputDir\`, \`permissions.allow\`,
\`permissions.additionalDirectories\`, \`permissions.defaultMode\` (unless it is \`plan\`), whatever of \`sandbox\` opens
something (\`forwardPorts: true\` among it), whatever sends more (\`context.memory\` unless it switches it off,
\`context.threadSummary\` unless it is \`off\`, \`context.summary\` unless it is \`simple\`, \`sessions.titles: true\`), shows more
(\`showReasoning: true\`, \`terminalTitle: true\`, \`notifications\` unless they are \`off\`) or keeps secrets
(\`sessions.redactOnWrite: false\`) do not count until you
have said once, at a question that lists them, that you trust the folder. The model is among them because behind
a service that passes requests on its name says who reads the conversation, and at what price; \`--model\` and
\`OPENAI_MODEL\` name one without that question. Rules that ask or deny always count, and so do allow rules that you
saved there yourself with an "always". \`apiKey\` and \`headers\` in a folder's file never count, trusted or not: a key belongs in
\`config.json\` or in the environment. With \`-p\` nobody can be asked, so such settings are left out, and standard error and
the \`init\` line of \`stream-json\` say so.

## When they change later

Your yes is for what you were shown. \`trust.json\` in \`~/.clawdcode\` records it: each rule, directory and variable by
itself, every other of these settings whole, and the file that it stands in. When a \`git pull\` brings another rule or
another address, only that does not count, and the next start asks with the difference: how much is new and gone, then
\`+\` what is new, then \`-\` what is gone. What
only goes away, or only tightens, asks nothing. A setting that you removed and that comes back as it was is still agreed to
until you answer the next question.

With \`-p\` what is new is left out, and that is said. Where the new \`baseUrl\` would have taken the place of one that you had
agreed to, and you name no endpoint of your own, the run ends with exit code 52 instead: what was meant for one server must
not go to another.

Folders that you trusted with an earlier version, which did not record what for, ask once more.
`;
}

function rowsOf(key: string, node: Node): string[][] {
  if (key === '$schema') return [[code(key), '', node.description ?? '']];
  const { properties, additionalProperties: each } = node;
  const below = properties === undefined ? [] : Object.entries(properties);
  /** What it holds where it is not null. */
  const inside = node.anyOf?.find((one) => one.properties !== undefined)?.properties ?? {};
  const items = typeof each === 'object' && each.properties !== undefined ? each.properties : {};
  const nested = [
    ...below.flatMap(([name, child]) => rowsOf(`${key}.${name}`, child)),
    ...Object.entries(inside).flatMap(([name, child]) => rowsOf(`${key}.${name}`, child)),
    ...Object.entries(items).flatMap(([name, child]) => rowsOf(`${key}.ID.${name}`, child)),
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

/** In the formatter's own layout: every column as wide as its widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
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
