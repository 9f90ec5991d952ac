import type { PermissionMode } from '../protocol/permissions.ts';
import { alignColumns } from './textTable.ts';
import type { Command, RuleInfo } from './types.ts';

const meanings: Readonly<Record<PermissionMode, string>> = {
  default: 'reads inside the project run; edits and commands ask',
  acceptEdits: 'edits inside the project run; commands ask',
  plan: 'nothing is changed; the model explores and hands over a plan',
  bypassPermissions: 'nothing asks; only deny rules hold',
};

/** Shows the mode and every rule, by where it was written. */
export const permissions: Command = {
  name: 'permissions',
  aliases: [],
  description: 'show the permission mode and the rules',
  run: (_args, host) => {
    const { mode } = host.agent.state();
    const rules = host.rules();
    const sources = [...new Set(rules.map((rule) => rule.source))];
    const lines = sources.flatMap((source) => ['', source, ...ruleLines(rules, source)]);
    if (rules.length === 0)
      lines.push('', 'No rules. "Always" at a question writes them to .clawdcode.local.json.');
    const text = [`Mode: ${mode} (${meanings[mode]}). Shift+Tab changes it.`, ...lines].join('\n');
    return {
      type: 'notice',
      text: rules.length === 0 ? text : `${text}\n\nDeny wins over ask, ask over allow.`,
    };
  },
};

function ruleLines(rules: readonly RuleInfo[], source: string): string[] {
  const own = rules.filter((rule) => rule.source === source);
  return alignColumns(
    (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      own.filter((rule) => rule.behavior === behavior).map((rule) => [behavior, rule.text]),
    ),
  );
}
