/** Permission rules as users write them: `Tool` or `Tool(specifier)`, with the source of each. */
import {
  agentToolAlias,
  agentToolName,
  builtinToolSpecifiers,
  type RuleSpecifier,
  skillToolName,
} from '../../protocol/toolNames.ts';

/** A rule in force. `base` is the directory that `/x` in a file pattern is relative to. */
export interface SourcedRule {
  readonly text: string;
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** Where it was written: ".clawdcode.local.json", "--allowed-tools", "session". */
  readonly source: string;
  /** From managed settings: no mode overrides it. */
  readonly managed?: true;
  readonly base: string;
}

interface ParsedRule {
  readonly tool: string;
  /** The text in the parentheses; absent = everything that the tool does. */
  readonly spec?: string;
}

/** Tools of other agents. No call has these names here, but settings may be shared with those agents. */
const foreignSpecifiers: Readonly<Record<string, RuleSpecifier | 'any'>> = {
  MultiEdit: 'path',
  NotebookEdit: 'path',
  WebSearch: 'none',
  KillShell: 'none',
};

/** Rules may use either name of the tool. */
const agentSpecifiers = { [agentToolName]: 'any', [agentToolAlias]: 'any' } as const;

const specifiers: ReadonlyMap<string, RuleSpecifier | 'any'> = new Map(
  Object.entries({
    ...builtinToolSpecifiers,
    [skillToolName]: 'any',
    ...agentSpecifiers,
    ...foreignSpecifiers,
  }),
);

/** Parses one rule; an invalid one returns a sentence that says what to write instead. */
export function parseRule(text: string): ParsedRule | { readonly error: string } {
  const match = /^([A-Za-z][\w.-]*\*?)(?:\((.*)\))?$/s.exec(text.trim());
  const tool = match?.[1];
  if (tool === undefined)
    return { error: `"${text}" is not a rule. Write Tool or Tool(specifier), e.g. Bash(npm run build).` };
  const spec = match?.[2]?.trim();
  const problem = tool.startsWith('mcp__') ? mcpProblem(tool, spec) : toolProblem(tool, spec);
  if (problem !== undefined) return { error: `"${text}": ${problem}` };
  return spec === undefined || spec === '*' ? { tool } : { tool, spec };
}

function mcpProblem(tool: string, spec: string | undefined): string | undefined {
  if (spec !== undefined && spec !== '*')
    return `rules for MCP tools take no specifier. Write ${tool} without parentheses.`;
  if (tool !== EVERY_MCP_TOOL && !/^mcp__[\w.-]+?(?:__(?:[\w.-]+|\*))?$/.test(tool))
    return 'an MCP rule is mcp__server, mcp__server__tool, mcp__server__* or mcp__* for every server.';
  return undefined;
}

function toolProblem(tool: string, spec: string | undefined): string | undefined {
  const takes = specifiers.get(tool);
  if (takes === undefined) {
    const near = [...specifiers.keys()].find((name) => name.toLowerCase() === tool.toLowerCase());
    const known = [...Object.keys(builtinToolSpecifiers), skillToolName, agentToolName].join(', ');
    return near ? `tool names are case-sensitive: ${near}.` : `unknown tool. Known tools: ${known}.`;
  }
  if (spec === undefined) return undefined;
  if (spec === '') return `the parentheses are empty. Write ${tool} for everything that it does.`;
  if (takes === 'none' && spec !== '*') return `${tool} takes no specifier. Write ${tool}.`;
  if (
    takes === 'domain' &&
    spec !== '*' &&
    !/^domain:(?:\*|(?:\*\.)?[^\s*/:?#@[\]]+|\[[\da-f:.]+\])$/i.test(spec)
  )
    return 'WebFetch rules name a domain, without scheme, port and path: WebFetch(domain:example.com), or WebFetch(domain:*.example.com) for its subdomains.';
  if (takes === 'command' && /^:?\*?$/.test(spec) && spec !== '*')
    return 'a command is missing before ":*". Write Bash for every command.';
  return undefined;
}

const EVERY_MCP_TOOL = 'mcp__*';

/** True if a rule for `rule` covers calls of `tool`; `mcp__server` and `mcp__server__*` cover the entire server. */
export function namesTool(rule: string, tool: string): boolean {
  if (rule === tool || (rule === agentToolAlias && tool === agentToolName)) return true;
  if (rule === EVERY_MCP_TOOL) return tool.startsWith('mcp__');
  if (!rule.startsWith('mcp__')) return false;
  const server = rule.endsWith('__*') ? rule.slice(0, -3) : rule;
  return tool.startsWith(`${server}__`) && !server.slice('mcp__'.length).includes('__');
}
