/** The page of `/permissions why` and `clawdcode permissions test`: the decision and its reasons, part by part. */
import type { ExplainedPart, PermissionExplanation } from '../../protocol/permissions.ts';
import { blankLine, hanging, type Page, type PageLine, pageLine, type Role } from './page.ts';

const words = {
  allow: { sign: '✓', role: 'success', verdict: 'runs without a question' },
  ask: { sign: '?', role: 'warning', verdict: 'asks' },
  deny: { sign: '✗', role: 'error', verdict: 'is not allowed' },
} as const satisfies Record<string, { sign: string; role: Role; verdict: string }>;

/** Lays out the explanation of one call. */
export function explanationPage(explanation: PermissionExplanation): Page {
  const { behavior, tool, mode, call, reason, saves, isUnderstood, parts } = explanation;
  const { sign, role, verdict } = words[behavior];
  return () => [
    hanging(
      pageLine({ text: `${sign} `, role }, { text: `${tool} ${oneLine(call)}`.trim(), role: 'strong' }),
      2,
    ),
    hanging(pageLine(`  In mode ${mode} it ${verdict}.`), 2),
    ...reason.split('\n').map((line) => hanging(pageLine(`  ${line}`), 4)),
    ...(isUnderstood ? [] : [pageLine({ text: '  It could not be parsed.', role: 'dim' })]),
    ...(parts.length === 0 ? [] : [blankLine, ...parts.flatMap(partLines)]),
    ...(saves.length === 0
      ? []
      : [blankLine, hanging(pageLine({ text: '"Always" would save: ', role: 'dim' }, saves.join(', ')), 2)]),
  ];
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
    ...(verdict === undefined ? [] : verdict.reason.split('\n').map((line) => dim('why', line))),
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
