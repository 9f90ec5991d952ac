/** Checks whether allow rules still cover an MCP tool as it is now defined, and builds the question if none does. */
import { namesTool, parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import type { McpToolDefinition, PermissionDecision, PermissionMode } from '../../protocol/permissions.ts';
import type { DefinitionChange, ToolBindings } from './toolBindings.ts';

/**
 * The first change, if no allow rule covers the tool as it is now defined. `isSaved`: the rule outlasts the session.
 */
export async function changeSinceRules(
  rules: readonly SourcedRule[],
  definition: McpToolDefinition,
  isSaved: (rule: SourcedRule) => boolean,
  bindings: ToolBindings,
): Promise<DefinitionChange | undefined> {
  const changes: DefinitionChange[] = [];
  for (const rule of rules) {
    const parsed = parseRule(rule.text);
    if (rule.behavior !== 'allow' || 'error' in parsed || !namesTool(parsed.tool, definition.tool)) continue;
    const isExact = parsed.tool === definition.tool;
    const change = await bindings.check(definition, { isExact, isSaved: isSaved(rule) });
    if (change === undefined) return undefined;
    changes.push(change);
  }
  return changes[0];
}

/** The decision to ask again: no judge can override it, and modes that do not ask deny the call. */
export function askedAgain(
  { definition, what, lines }: DefinitionChange,
  rule: PermissionDecision['rule'],
  mode: PermissionMode,
): PermissionDecision {
  const { tool, server } = definition;
  const by = rule === undefined ? 'A rule' : `The rule ${rule.text} (${rule.source})`;
  const reason = `${by} does not cover this call: ${tool} of the MCP server "${server}" ${what}.`;
  if (mode === 'dontAsk')
    return { behavior: 'deny', reason: `${reason} Run clawdcode in another mode to see what changed.` };
  return {
    ...{ behavior: 'ask', reason, causes: [{ type: 'limit', reason }] },
    shown: [`The definition of ${tool}:`, ...lines].join('\n'),
    suggestion: {
      ...{ rules: [tool], destination: 'session', isOnlyBound: true, binds: definition },
      label: `Yes, and allow ${tool} as it is defined now`,
      detail: 'until its server changes it again',
    },
  };
}
