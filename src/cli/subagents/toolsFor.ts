/** The tools of a subagent: those of its definition, without those that no subagent gets. Pure. */
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import { agentToolName, toolNames } from '../../protocol/toolNames.ts';
import type { Tool } from '../../protocol/tools.ts';

/** A subagent starts no others, and speaks only through its last message: no plans, no questions to the user. */
const neverOffered: ReadonlySet<string> = new Set([
  agentToolName,
  toolNames.exitPlanMode,
  toolNames.askUserQuestion,
]);

/** The tools that a definition lets its subagent use. */
export function toolsFor(
  { tools: allowed, disallowedTools }: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  all: readonly Tool[],
): readonly Tool[] {
  return all.filter(
    ({ name }) =>
      !neverOffered.has(name) &&
      (allowed === undefined || allowed.some((one) => names(one, name))) &&
      !disallowedTools.some((one) => names(one, name)),
  );
}

/** `mcp__server` and `mcp__server__*` name all tools of a server; `*` names all tools. */
function names(written: string, tool: string): boolean {
  const name = written.toLowerCase();
  const of = tool.toLowerCase();
  if (name === '*' || name === of) return true;
  if (!name.startsWith('mcp__')) return false;
  return of.startsWith(`${name.replace(/__\*$/, '')}__`);
}
