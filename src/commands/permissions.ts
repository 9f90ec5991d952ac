import type { AgentState } from '../agent/types.ts';
import { parsePermissionMode } from '../config/modes.ts';
import { modeLabels, type PermissionMode, permissionModes } from '../protocol/permissions.ts';
import { alignColumns } from './figures.ts';
import { explanationPage } from './pages/explanationPage.ts';
import type { Command, CommandHost, CommandResult, RuleInfo } from './types.ts';

const meanings: Readonly<Record<PermissionMode, string>> = {
  default: 'reads inside the project run; edits and commands ask',
  acceptEdits: 'edits inside the project run; commands ask',
  plan: 'nothing is changed; the model explores and hands over a plan',
  auto: 'a second model call judges what would ask; what it must not decide still asks',
  dontAsk: 'never asks; calls that no rule allows are denied',
  bypassPermissions: 'nothing asks; only deny rules hold',
};

/**
 * Shows the mode and all rules by source. With a mode, switches to it. With `why` and optionally a command, explains a
 * decision.
 */
export const permissions: Command = {
  name: 'permissions',
  aliases: [],
  description: 'show the permission mode and the rules; switch the mode',
  argumentHint: '[mode|why]',
  needsUser: (args) => (args === '' || /^why(?:\s|$)/.test(args) ? undefined : 'Use --permission-mode.'),
  run: (args, host) => {
    const { mode, modes } = host.agent.state();
    if (/^why(?:\s|$)/.test(args)) return explain(args.slice('why'.length).trim(), host);
    if (args !== '') return switchTo(args, modes);
    const rules = host.rules();
    const sources = [...new Set(rules.map((rule) => rule.source))];
    const lines = sources.flatMap((source) => ['', source, ...ruleLines(rules, source)]);
    if (rules.length === 0)
      lines.push('', 'No rules. “Don’t ask again” in an approval saves them to .clawdcode.local.json.');
    const text = [
      `Mode: ${modeLabels[mode]} (${meanings[mode]}). Shift+Tab changes it, or /permissions and a mode.`,
      ...lines,
    ].join('\n');
    return {
      type: 'notice',
      text: rules.length === 0 ? text : `${text}\n\nDeny wins over ask, ask over allow.`,
    };
  },
};

async function explain(command: string, host: CommandHost): Promise<CommandResult> {
  const explanation = await host.explainPermission(command === '' ? undefined : command);
  if (explanation !== undefined) return { type: 'page', page: explanationPage(explanation) };
  const text = 'No call asked or was denied in this session. Name a command: /permissions why npm test';
  return { type: 'notice', text };
}

/**
 * Switches the mode. `bypassPermissions` is only available in sessions started in it, so that it is never entered by
 * accident.
 */
function switchTo(name: string, { cycle, refused }: AgentState['modes']): CommandResult {
  const mode = parsePermissionMode(name);
  if (mode === undefined) {
    const text = `There is no mode ${JSON.stringify(name)}. Choose one of: ${permissionModes.join(', ')}; or ask why with /permissions why.`;
    return { type: 'notice', level: 'error', text };
  }
  const why = refused[mode];
  if (why !== undefined) return { type: 'notice', level: 'error', text: why };
  if (mode === 'bypassPermissions' && !cycle.includes(mode)) {
    const text = 'Start with --permission-mode bypassPermissions to run without questions.';
    return { type: 'notice', level: 'error', text };
  }
  return { type: 'op', op: { type: 'set_mode', mode } };
}

function ruleLines(rules: readonly RuleInfo[], source: string): string[] {
  const own = rules.filter((rule) => rule.source === source);
  return alignColumns(
    (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
      own.filter((rule) => rule.behavior === behavior).map((rule) => [behavior, onOneLine(rule.text)]),
    ),
  );
}

/** A line break in a rule must not make it look like two rules. */
const onOneLine = (text: string): string => text.replaceAll('\n', '‹U+000A›');
