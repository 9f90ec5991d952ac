/** A rule suggestion in the form of Claude Code's `PermissionUpdate`, for hooks and driving programs. Pure. */
import type { RuleSuggestion } from './permissions.ts';

/** What "always" would save. */
export function permissionUpdateOf({ rules, destination }: RuleSuggestion): object {
  if (destination === 'mode') return { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  return {
    type: 'addRules',
    behavior: 'allow',
    rules: rules.map((rule) => {
      const [, toolName = rule, ruleContent] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
      return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
    }),
    destination: destination === 'local' ? 'localSettings' : 'session',
  };
}
