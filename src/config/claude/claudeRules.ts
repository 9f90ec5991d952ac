/**
 * Translates permission rules of Claude Code's settings into ours. A deny or ask rule is never dropped silently: if it
 * cannot be translated exactly, it covers more, and a notice says so. An allow rule never covers more than it did.
 * Pure.
 */
import { join } from 'node:path';
import { builtinToolSpecifiers, type RuleSpecifier, skillToolName } from '../../protocol/toolNames.ts';
import { nearest } from '../nearest.ts';
import type { SettingsRule } from '../types.ts';

type Behavior = SettingsRule['behavior'];

/** Where the rules of a file apply. All paths are absolute. */
export interface RuleBase {
  readonly root: string;
  readonly cwd: string;
  /** The folder that `/x` is relative to in a user's file; absent for a project's files. */
  readonly userBase?: string | undefined;
}

/** One rule of ours; `base` as in `SettingsRule`. */
interface Rule {
  readonly text: string;
  readonly base: string;
  /** Absent = as written in the file. */
  readonly behavior?: 'ask';
}

interface TranslatedRule {
  readonly rules: readonly Rule[];
  /** For a deny or ask rule: how the rules differ from what was written, and what to write instead. */
  readonly complaint?: string;
  /** True for an allow rule that has no meaning here. */
  readonly isUnused?: true;
}

/** Translates one rule. */
export function translateRule(text: string, behavior: Behavior, place: RuleBase): TranslatedRule {
  const [, tool, spec] = /^\s*([^()\s]+)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  const broad = /^\s*([A-Za-z_]\w*)/.exec(text)?.[1];
  if (tool !== undefined) return ruleOf(tool, spec?.trim(), behavior, place);
  if (behavior === 'allow') return UNUSED;
  if (broad === undefined || !kinds.has(broad)) return { rules: [], complaint: NOT_A_RULE };
  return more([broad], behavior, place, 'its parentheses do not match');
}

const NOT_A_RULE = 'it is not a rule, so it protects nothing. Write Tool or Tool(specifier).';
const UNUSED: TranslatedRule = { rules: [], isUnused: true };
/** The tool does not exist here, so there is nothing to deny. */
const FULFILLED: TranslatedRule = { rules: [] };

/** Claude Code's names for tools that have another name here. */
const otherNames: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'KillBash',
  TaskStop: 'KillBash',
  TaskOutput: 'BashOutput',
  SlashCommand: skillToolName,
};

/** Claude Code's tools that do the same as part of one of ours; without a path, such a rule concerns only that tool. */
const partsOfTools: Readonly<Record<string, { readonly tool: string; readonly files?: string }>> = {
  MultiEdit: { tool: 'Edit' },
  NotebookEdit: { tool: 'Edit', files: '*.ipynb' },
  NotebookRead: { tool: 'Read', files: '*.ipynb' },
  LS: { tool: 'Read' },
};

/** Claude Code's tools that have no counterpart here. */
const missingTools: ReadonlySet<string> = new Set(
  `CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitWorktree LSP ListMcpResourcesTool Monitor PowerShell
  ReadMcpResourceTool SendMessage TaskCreate TaskGet TaskList TaskUpdate TeamCreate TeamDelete TodoRead ToolSearch`.split(
    /\s+/,
  ),
);

const kinds: ReadonlyMap<string, RuleSpecifier | 'any'> = new Map<string, RuleSpecifier | 'any'>([
  ...Object.entries(builtinToolSpecifiers),
  [skillToolName, 'any'],
  ['Agent', 'any'],
  ['WebSearch', 'none'],
  ['AskUserQuestion', 'none'],
]);

const EVERY_MCP_TOOL = 'mcp__*';

function ruleOf(
  written: string,
  spec: string | undefined,
  behavior: Behavior,
  place: RuleBase,
): TranslatedRule {
  if (written.startsWith('mcp__')) return mcpRule(written, spec, behavior, place);
  if (written.includes('*')) return manyTools(written, spec, behavior, place);
  const hasSpec = spec !== undefined && spec !== '' && spec !== '*';
  const part = Object.hasOwn(partsOfTools, written) ? partsOfTools[written] : undefined;
  if (part !== undefined) {
    const files = hasSpec ? spec : part.files;
    if (files === undefined) return behavior === 'allow' ? UNUSED : FULFILLED;
    // Permission to list a folder is not permission to read the files in it.
    const tool = behavior === 'allow' && written === 'LS' ? 'Glob' : part.tool;
    return pathRule(tool, files, behavior, place);
  }
  if (missingTools.has(written)) return behavior === 'allow' ? UNUSED : FULFILLED;
  const tool = Object.hasOwn(otherNames, written) ? (otherNames[written] ?? written) : written;
  const kind = kinds.get(tool);
  if (kind === undefined) return unknownTool(written, spec, behavior, place);
  if (!hasSpec) return exactly([tool], place);
  if (kind === 'path') return pathRule(tool, spec, behavior, place);
  if (kind === 'command') return commandRule(tool, spec, behavior, place);
  if (kind === 'domain') return domainRule(tool, spec, behavior, place);
  if (kind === 'any') return namedRule(tool, spec, behavior, place);
  return behavior === 'allow' ? UNUSED : more([tool], behavior, place, `${tool} takes no specifier`);
}

function exactly(texts: readonly string[], place: RuleBase): TranslatedRule {
  return { rules: texts.map((text) => ({ text, base: place.root })) };
}

/** A deny or ask rule that covers more than was written. */
function more(texts: readonly string[], behavior: Behavior, place: RuleBase, why: string): TranslatedRule {
  const verb = behavior === 'deny' ? 'denied' : 'asked about';
  return {
    ...exactly(texts, place),
    complaint: `${why}, so more is ${verb} than it says: ${texts.join(', ')}.`,
  };
}

/** A deny rule about calls that cannot be distinguished here: all calls of the tool ask. */
function asking(tool: string, place: RuleBase): TranslatedRule {
  return {
    rules: [{ text: tool, base: place.root, behavior: 'ask' }],
    complaint: `rules cannot name parameters of a call, so every call of ${tool} asks instead.`,
  };
}

function mcpRule(
  tool: string,
  spec: string | undefined,
  behavior: Behavior,
  place: RuleBase,
): TranslatedRule {
  const isWhole = spec === undefined || spec === '' || spec === '*';
  if (/^mcp__[\w.-]+?(?:__(?:[\w.-]+|\*))?$/.test(tool)) {
    if (isWhole) return exactly([tool], place);
    return behavior === 'allow'
      ? UNUSED
      : more([tool], behavior, place, 'rules for MCP tools take no specifier');
  }
  if (behavior === 'allow') return UNUSED;
  if (/^mcp__\*(?:__\*)?$/.test(tool)) return exactly([EVERY_MCP_TOOL], place);
  const server = /^mcp__[\w.-]+?(?=__)/.exec(tool)?.[0];
  return more([server ?? EVERY_MCP_TOOL], behavior, place, 'a part of a name cannot be matched');
}

/** `*` and other patterns for tool names. */
function manyTools(
  pattern: string,
  spec: string | undefined,
  behavior: Behavior,
  place: RuleBase,
): TranslatedRule {
  if (behavior === 'allow') return UNUSED;
  const expression = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
  const matching = [...kinds.keys()].filter((name) => new RegExp(`^${expression}$`, 's').test(name));
  const texts = /^\*+$/.test(pattern) ? [...matching, EVERY_MCP_TOOL] : matching;
  if (spec === undefined || spec === '' || spec === '*') return exactly(texts, place);
  return more(texts, behavior, place, 'a pattern for tools takes no specifier');
}

function unknownTool(
  tool: string,
  spec: string | undefined,
  behavior: Behavior,
  place: RuleBase,
): TranslatedRule {
  if (behavior === 'allow') return UNUSED;
  const known = [...kinds.keys(), ...Object.keys(partsOfTools), ...Object.keys(otherNames)];
  const meant = nearest(tool, known);
  if (meant === undefined)
    return { rules: [], complaint: `there is no tool ${tool} here, so it protects nothing.` };
  const rule = ruleOf(meant, spec, behavior, place);
  return { complaint: `it is applied to ${meant}: there is no tool ${tool}.`, ...rule };
}

/**
 * `./x` and `x` are relative to the working directory there, and a name without a slash is matched at any depth; `/x`
 * is relative to the project, or to the user's settings file.
 */
function pathRule(tool: string, spec: string, behavior: Behavior, place: RuleBase): TranslatedRule {
  const isAllow = behavior === 'allow';
  if (spec.startsWith('!')) {
    if (isAllow) return UNUSED;
    return { rules: [], complaint: 'exceptions ("!") do not apply: the other rules hold without it.' };
  }
  const at = (pattern: string, base: string): Rule => ({ text: `${tool}(${pattern})`, base });
  if (spec.startsWith('//') || /^~(?:\/|$)/.test(spec)) return { rules: [at(spec, place.root)] };
  if (spec.startsWith('/')) {
    const bases = place.userBase === undefined ? [place.root] : [place.userBase];
    if (place.userBase !== undefined && !isAllow) bases.push(place.root);
    return { rules: bases.map((base) => at(spec, base)) };
  }
  const bare = spec.replace(/^(?:\.\/+)+/, '');
  const pattern = isAllow ? spec : bare;
  if (pattern === '') return isAllow ? UNUSED : { rules: [at('**', place.root)] };
  const isAnywhere = !pattern.slice(0, -1).includes('/');
  const bases = isAllow ? [place.cwd] : isAnywhere ? [place.root] : [...new Set([place.root, place.cwd])];
  return { rules: bases.map((base) => at(pattern, base)) };
}

/** Parameters of Claude Code's Bash tool, which its rules can name: `Bash(run_in_background:true)`. */
const ofCall = /^(?:run_in_background|timeout|description|dangerouslyDisableSandbox|sandbox)\s*:(?!\*$)/;

function commandRule(tool: string, spec: string, behavior: Behavior, place: RuleBase): TranslatedRule {
  if (/^:?\*?$/.test(spec)) return exactly([tool], place);
  if (!ofCall.test(spec)) return exactly([`${tool}(${spec})`], place);
  return behavior === 'allow' ? UNUSED : asking(tool, place);
}

function domainRule(tool: string, spec: string, behavior: Behavior, place: RuleBase): TranslatedRule {
  if (isDomain.test(spec)) return exactly([`${tool}(${spec})`], place);
  if (behavior === 'allow') return UNUSED;
  const host = /^(?:domain:)?(?:[a-z]+:\/\/)?((?:\*\.)?[\w-]+(?:\.[\w-]+)+)(?:[:/]|$)/i.exec(spec)?.[1];
  const covered = host !== undefined && isDomain.test(`domain:${host}`) ? `${tool}(domain:${host})` : tool;
  return more([covered], behavior, place, 'rules for WebFetch name a domain');
}

const isDomain = /^domain:(?:\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[\da-f:.]+\])$/i;

/** Names of subagents, skills and commands. */
function namedRule(tool: string, spec: string, behavior: Behavior, place: RuleBase): TranslatedRule {
  if (tool === 'Agent') {
    if (!/^(?:model|isolation|run_in_background|prompt|description|subagent_type)\s*:/.test(spec))
      return exactly([`${tool}(${spec})`], place);
    return behavior === 'allow' ? UNUSED : asking(tool, place);
  }
  const name = spec.replace(/^\//, '');
  const alone = name.replace(/(?::| )\*$/, '');
  if (alone === '') return exactly([tool], place);
  if (alone === name) return exactly([`${tool}(${name})`], place);
  return exactly([`${tool}(${alone})`, `${tool}(${alone} *)`], place);
}

/** The folder that `/x` is relative to in the user's own file. */
export function userRuleBase(home: string): string {
  return join(home, '.claude');
}
