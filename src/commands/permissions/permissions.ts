import type { AgentState } from '../../agent/types.ts';
import { parsePermissionMode } from '../../config/modes.ts';
import type { ExplainedCall } from '../../protocol/explainedCall.ts';
import {
  type ExplainedPart,
  modeLabels,
  type PermissionMode,
  permissionModes,
} from '../../protocol/permissions.ts';
import { alignColumns } from '../figures.ts';
import { blankLine, hanging, type Page, type PageLine, pageLine, type Role } from '../pages/page.ts';
import type { Command, CommandHost, CommandResult, RuleInfo } from '../types.ts';

const meanings: Readonly<Record<PermissionMode, string>> = {
  default: 'reads inside the project run; edits and commands ask',
  acceptEdits: 'edits inside the project run; commands ask',
  plan: 'nothing is changed; the model explores and presents a plan',
  auto: 'a second model call judges calls that would need approval; some still ask',
  dontAsk: 'never asks; calls that no rule allows are denied',
  bypassPermissions: 'never asks; only deny rules apply',
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
      `Mode: ${modeLabels[mode]} (${meanings[mode]}). Shift+Tab changes it, or /permissions MODE.`,
      ...lines,
    ].join('\n');
    return {
      type: 'notice',
      text: rules.length === 0 ? text : `${text}\n\nDeny takes precedence over ask, and ask over allow.`,
    };
  },
};

async function explain(command: string, host: CommandHost): Promise<CommandResult> {
  const explanation = await host.explainPermission(command === '' ? undefined : command);
  if (explanation !== undefined) return { type: 'page', page: explanationPage(explanation) };
  const text =
    'No call in this session needed approval or was denied. Name a command: /permissions why npm test';
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
    const text = 'Start with --permission-mode bypassPermissions to run without approvals.';
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

// The page of `/permissions why` and `clawdcode permissions test`: the decision and its reasons, part by part.

const words = {
  allow: { sign: '✓', role: 'success', verdict: 'runs without asking' },
  ask: { sign: '?', role: 'warning', verdict: 'asks' },
  deny: { sign: '✗', role: 'error', verdict: 'is not allowed' },
} as const satisfies Record<string, { sign: string; role: Role; verdict: string }>;

/** Lays out the explanation of one call. */
export function explanationPage(explanation: ExplainedCall): Page {
  const { behavior, tool, mode, call, reason, saves, isUnderstood, parts } = explanation;
  const { sign, role, verdict } = words[behavior];
  return () => [
    hanging(
      pageLine({ text: `${sign} `, role }, { text: `${tool} ${oneLine(call)}`.trim(), role: 'strong' }),
      2,
    ),
    hanging(pageLine(`  In mode ${mode} it ${verdict}.`), 2),
    ...reason.split('\n').map((line) => hanging(pageLine(`  ${line}`), 4)),
    ...hiddenLines(explanation),
    ...(isUnderstood ? [] : [pageLine({ text: '  It could not be parsed.', role: 'dim' })]),
    ...(parts.length === 0 ? [] : [blankLine, ...parts.flatMap(partLines)]),
    ...(saves.length === 0
      ? []
      : [blankLine, hanging(pageLine({ text: '"Always" would save: ', role: 'dim' }, saves.join(', ')), 2)]),
  ];
}

/** What the sandbox hides, and what would be different without one or with one. */
function hiddenLines({ hiding = [], sandbox }: ExplainedCall): readonly PageLine[] {
  if (hiding.length === 0) return [];
  const names = hiding.join(', ');
  const line = (text: string): readonly PageLine[] => [hanging(pageLine(`  ${text}`), 2)];
  if (sandbox?.type === 'on') return line(`The sandbox hides these from it: ${names}.`);
  const would = `In a sandbox it would run without asking, with these hidden: ${names}.`;
  if (sandbox?.type === 'off') return line(`${would} The sandbox is off: ${sandbox.reason}.`);
  return line(
    sandbox === undefined
      ? would
      : `${would} The sandbox is not available: ${sandbox.reason}. ${sandbox.fix}`,
  );
}

function partLines({ text, words: given, folders, verdict }: ExplainedPart): readonly PageLine[] {
  const { sign, role } =
    verdict === undefined ? { sign: '·', role: 'dim' as const } : words[verdict.behavior];
  const dim = (label: string, value: string): PageLine =>
    hanging(pageLine({ text: `  ${label} `, role: 'dim' }, value), 4);
  const unknown = given.filter(({ value }) => value === null).map(({ source }) => oneLine(source));
  const read = given.filter(({ source, value }) => value !== null && value !== source);
  return [
    hanging(pageLine({ text: `${sign} `, role }, { text: oneLine(text), role: 'strong' }), 2),
    ...(verdict === undefined ? [] : verdict.reason.split('\n').map((line) => dim('why:', line))),
    ...(verdict?.rule === undefined ? [] : [dim('rule', `${verdict.rule.text}, in ${verdict.rule.source}`)]),
    ...(verdict?.row === undefined ? [] : [dim('built in', verdict.row)]),
    ...(verdict?.stopped ?? []).map(({ text: rule, source, reason, row }) =>
      dim('not', `${rule}, in ${source}: does not cover ${reason}${row === undefined ? '' : ` (${row})`}`),
    ),
    ...read.map(({ source, value }) => dim('word', `${oneLine(source)} is ${JSON.stringify(value)}`)),
    ...(unknown.length === 0 ? [] : [dim('known only at run time', unknown.join('  '))]),
    ...(folders === null ? [dim('in', 'a folder known only at run time')] : foldersLine(folders, dim)),
  ];
}

const foldersLine = (
  folders: readonly string[],
  dim: (label: string, value: string) => PageLine,
): readonly PageLine[] => (folders.length === 0 ? [] : [dim('in', folders.join(' or '))]);

/** Collapses ordinary whitespace only; the printer makes unusual spaces and control characters visible. */
const oneLine = (text: string): string => text.replace(/[ \t\n]+/g, ' ').replace(/^ | $/g, '');
