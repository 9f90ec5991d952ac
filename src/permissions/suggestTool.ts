import { relative } from 'node:path';
import type { RuleSuggestion } from '../protocol/permissions.ts';
import type { Policy } from './policy.ts';

/** "Always" for one tool of an MCP server. */
export function suggestForTool(tool: string, policy: Policy): RuleSuggestion {
  return saveLocally([tool], policy);
}

/** Rules that go to the local settings file; the label says which, where, and what for if that is not plain. */
export function saveLocally(rules: readonly string[], policy: Policy, subject?: string): RuleSuggestion {
  const file = policy.localSettingsFile;
  const way = relative(policy.root, file);
  const shown = way.startsWith('..') ? file : way;
  const what = subject === undefined ? '' : ` for ${subject}`;
  return {
    rules,
    destination: 'local',
    file,
    label: `Yes, and don't ask again${what}: saves ${rules.join(', ')} to ${shown}`,
  };
}
