import { relative } from 'node:path';
import type { RuleSuggestion } from '../../protocol/permissions.ts';
import type { Policy } from '../policy.ts';

/** "Always" for one tool of an MCP server. */
export function suggestForTool(tool: string, policy: Policy): RuleSuggestion {
  return saveLocally([tool], policy);
}

/** Rules that go to the local settings file; the label says what for, the detail where. */
export function saveLocally(rules: readonly string[], policy: Policy, subject?: string): RuleSuggestion {
  const file = policy.localSettingsFile;
  const way = relative(policy.root, file);
  const shown = way.startsWith('..') ? file : way;
  const detail = subject === undefined ? '' : `${rules.join(', ')} · `;
  return {
    rules,
    destination: 'local',
    file,
    label: `Yes, and don't ask again for ${subject ?? rules.join(', ')}`,
    detail: `${detail}saved to ${shown}`,
  };
}
