import { relative } from 'node:path';
import type { RuleSuggestion } from '../protocol/permissions.ts';
import type { Policy } from './policy.ts';

/** "Always" for one tool of an MCP server. */
export function suggestForTool(tool: string, policy: Policy): RuleSuggestion {
  return saveLocally([tool], policy);
}

/** Rules that go to the local settings file; the label says which and where. */
export function saveLocally(rules: readonly string[], policy: Policy): RuleSuggestion {
  const file = policy.localSettingsFile;
  const way = relative(policy.root, file);
  const shown = way.startsWith('..') ? file : way;
  return {
    rules,
    destination: 'local',
    file,
    label: `Yes, and don't ask again: saves ${rules.join(', ')} to ${shown}`,
  };
}
