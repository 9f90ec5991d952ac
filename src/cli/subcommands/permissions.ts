/** `clawdcode permissions …`: connects the subcommands with their dependencies. Loaded only when used. */

import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { explanationPage } from '../../commands/permissions/permissions.ts';
import { settingsFiles } from '../../config/settingsFiles.ts';
import { rememberRules } from '../../config/trust.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { NO_ONE_TO_ASK } from '../../headless/denials.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { InProcessEngine } from '../../permissions/InProcessEngine.ts';
import type { AnsweredCall, LearnedRules } from '../../permissions/rules/learnRules.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type ExplainedCall, explainedIn } from '../../protocol/explainedCall.ts';
import type { Access, PermissionMode } from '../../protocol/permissions.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { probeMachine } from '../../sandbox/probe.ts';
import { renderPage } from '../../ui/print/page.ts';
import { shownLine, shownText } from '../../ui/print/sanitize.ts';
import { parseArguments } from '../options.ts';
import { createPermissions, type Permissions } from '../permissions/permissions.ts';
import { withScriptsOfWorkspace } from '../permissions/workspaceScripts.ts';
import { grammarFolder } from '../permissionThread/ThreadedEngine.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { GRAMMAR_FLAGS } from '../process/heap.ts';
import { probeOptions } from '../sandbox.ts';
import { jsonDocument, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { allEntries } from '../sessionCommand/readEntries.ts';
import { openSessions } from '../sessionCommand/sessions.ts';
import { readSettings, sandboxByFlag, trustIn } from '../startup.ts';
import { createPermissionsProgram, type LearnFlags, type TestFlags } from './permissionsProgram.ts';

/** Exit codes of `test`, for scripts. */
const CODES = { allow: EXIT.ok, ask: 1, deny: 2 } as const;

/** `argv`: the arguments after `permissions`. Returns the exit code. */
export async function permissionsCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let code: number = EXIT.ok;
  const program = createPermissionsProgram(() => ({
    async test(words, flags) {
      code = await test(place, output, words, flags);
    },
    async learn(flags) {
      code = await learn(place, output, flags);
    },
  }));
  return (await parseSubcommand(program, argv, output)) ?? code;
}

async function test(
  place: AppPaths,
  output: Output,
  words: readonly string[],
  { tool, mode, sandbox, json = false, allowedTools = [], disallowedTools = [] }: TestFlags,
): Promise<number> {
  const access = accessOf(tool, words, place);
  if (access === undefined) {
    output.say(`"${words.join(' ')}" is not a URL. Enter the full one: https://example.com/page`);
    return EXIT.badInput;
  }
  const { loaded, permissions } = await open(place, { allowedTools, disallowedTools });
  for (const { message } of loaded.problems) output.hint(message);
  const explained = await permissions.explain({ tool, access }, mode ?? modeOf(loaded));
  if (explained === undefined) throw new Error('a call that is named is explained');
  const probe = probeOptions(place, loaded, sandboxByFlag(loaded, sandbox));
  const explanation =
    explained.hiding === undefined ? explained : explainedIn(explained, (await probeMachine(probe)).state);
  if (json) await output.write(jsonDocument(explanation));
  else await output.write(rendered(explanation, output));
  return CODES[explanation.behavior];
}

const rendered = (explanation: ExplainedCall, output: Output): string =>
  `${renderPage(explanationPage(explanation), Math.max(20, output.width), output.theme)}\n`;

const modeOf = ({ settings }: LoadedSettings): PermissionMode => settings.permissions.defaultMode;

/** Returns the access that the tool would ask for. */
function accessOf(tool: string, words: readonly string[], place: AppPaths): Access | undefined {
  if (tool === toolNames.bash) return { type: 'command', command: words.join(' '), cwd: place.cwd };
  if (/^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(tool))
    return { type: 'write', paths: paths(words, place) };
  if (/^(?:Read|Grep|Glob)$/.test(tool)) return { type: 'read', paths: paths(words, place) };
  if (tool !== toolNames.webFetch) return { type: tool.startsWith('mcp__') ? 'unknown' : 'none' };
  const url = words.join(' ');
  return URL.canParse(url) ? { type: 'web', url, domain: domainOf(url) } : undefined;
}

const paths = (words: readonly string[], { cwd }: AppPaths): readonly string[] =>
  words.map((word) => resolve(cwd, word));

async function learn(
  place: AppPaths,
  output: Output,
  { min, sessions: limit, json = false, save = false }: LearnFlags,
): Promise<number> {
  const { permissions } = await open(place, {});
  const calls = await callsOf(place, limit);
  const learned = await permissions.propose(calls, min);
  const asked = calls.length;
  if (json) await output.write(jsonDocument({ answered: asked, ...learned }));
  else await output.write(shown(learned, asked, place));
  if (!save || learned.rules.length === 0) return EXIT.ok;
  const { local } = settingsFiles(place);
  const rules = learned.rules.map(({ rule }) => rule);
  const outcome = await permissions.remember({ rules, destination: 'local', file: local, label: '' });
  const isSaved = outcome.startsWith('Saved');
  if (isSaved && !json) await output.line(outcome);
  if (!isSaved) output.say(outcome.replace(/^Allowed for this session only\. /, ''));
  return isSaved ? EXIT.ok : EXIT.failed;
}

/** Returns all calls that the user decided in the newest sessions of the project. */
async function callsOf(place: AppPaths, limit: number): Promise<readonly AnsweredCall[]> {
  const sessions = await openSessions(place);
  try {
    const { sessions: found } = await sessions.list({ project: sessions.projects, limit });
    const calls: AnsweredCall[] = [];
    for (const session of found) calls.push(...(await answeredCalls(allEntries(session.file, () => {}))));
    return calls;
  } finally {
    await sessions.close();
  }
}

/** Maximum number of calls shown per rule. */
const MAX_CALLS = 5;

function shown({ rules, refused }: LearnedRules, asked: number, place: AppPaths): string {
  const lines = [`You answered ${asked} approval ${asked === 1 ? 'prompt' : 'prompts'} in this project.`];
  if (rules.length === 0) lines.push('No rule would have avoided enough of them; --min 1 shows all.');
  for (const { rule, times, covers } of rules) {
    lines.push('', `${rule}  would have avoided ${times} ${times === 1 ? 'prompt' : 'prompts'}:`);
    for (const { call, times: each } of covers.slice(0, MAX_CALLS))
      lines.push(`  ${each} × ${shownCall(call)}`);
    if (covers.length > MAX_CALLS) lines.push(`  and ${covers.length - MAX_CALLS} other calls`);
  }
  for (const { rule, call } of refused)
    lines.push('', `${rule}  is left out: it covers a call that you denied: ${shownCall(call)}`);
  if (rules.length > 0) {
    const allow = rules.map(({ rule }) => rule);
    lines.push(
      '',
      `For ${settingsFiles(place).local}, or with --save:`,
      JSON.stringify({ permissions: { allow } }, null, 2),
    );
  }
  return `${lines.map((line) => shownText(line)).join('\n')}\n`;
}

/** On one line with nothing hidden: the user decides by this text whether to save the rule. */
const shownCall = (call: string): string => shownLine(call, true).replace(/ +/g, ' ');

async function open(
  place: AppPaths,
  { allowedTools = [], disallowedTools = [] }: Pick<TestFlags, 'allowedTools' | 'disallowedTools'>,
): Promise<{ readonly loaded: LoadedSettings; readonly permissions: Permissions }> {
  const parsed = await parseArguments([], place.version);
  if (parsed.type !== 'run') throw new Error('the empty command line is a run');
  const loaded = await withScriptsOfWorkspace(
    place,
    await readSettings(place, { ...parsed.options, allowedTools, disallowedTools }, await trustIn(place)),
  );
  // The grammar is loaded in this thread.
  for (const [wanted] of GRAMMAR_FLAGS) setFlagsFromString(wanted);
  const permissions = createPermissions(loaded, {
    ...place,
    engine: new InProcessEngine(grammarFolder(place.packageRoot), process.env),
    saved: [],
    onSaved: (rules) => rememberRules(place.dataRoot, place.root, rules),
  });
  return { loaded, permissions };
}

// Reads from a session's log the calls that the user was asked about, with the answers.

/**
 * Returns calls whose result records a decision by the user. Left out: results of older versions, which do not record
 * it, and calls denied because there was no user to ask.
 */
async function answeredCalls(entries: AsyncIterable<JSONLEntry>): Promise<readonly AnsweredCall[]> {
  const open = new Map<string, { readonly tool: string; readonly access: Access }>();
  const found: AnsweredCall[] = [];
  for await (const { tool, toolResult, cwd } of entries) {
    if (tool !== undefined && toolResult === undefined) {
      const access = accessOfAnswered(tool.name, tool.input, cwd);
      if (access !== undefined) open.set(tool.id, { tool: tool.name, access });
    }
    if (toolResult === undefined) continue;
    const call = open.get(toolResult.id);
    open.delete(toolResult.id);
    if (call === undefined || toolResult.permission?.basis !== 'user') continue;
    const isDenied = toolResult.status === 'denied';
    if (isDenied && String(toolResult.error ?? toolResult.output).includes(NO_ONE_TO_ASK)) continue;
    found.push({ ...call, answer: isDenied ? 'denied' : 'allowed' });
  }
  return found;
}

/** Returns the access of a call, for tools whose "always" saves a rule. */
function accessOfAnswered(tool: string, input: unknown, cwd: string): Access | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { command, url } = input as { readonly command?: unknown; readonly url?: unknown };
  if (tool === toolNames.bash)
    return typeof command === 'string' ? { type: 'command', command, cwd } : undefined;
  if (tool.startsWith('mcp__')) return { type: 'unknown' };
  if (tool !== toolNames.webFetch || typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return { type: 'web', url, domain: domainOf(url) };
}

/** Returns the host in the same form as the tool: in lower case, without port and trailing dot. */
const domainOf = (url: string): string => new URL(url).hostname.toLowerCase().replace(/\.$/, '');
