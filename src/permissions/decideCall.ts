/**
 * Decides about one tool call: its access, the rules and the mode → allow, ask or deny, with a reason. Deny always
 * overrides ask, and ask overrides allow. Commands are left to the caller (`decide.ts`): their tables are large, and
 * the program's main thread never decides about them.
 */
import type { Access, AccessPaths, PermissionDecision } from '../protocol/permissions.ts';
import { causeOf, decideFile } from './files/fileDecision.ts';
import { gravest, type Policy } from './policy.ts';
import { namesTool, parseRule, type SourcedRule } from './rules/rules.ts';
import { suggestForFiles, suggestForTool } from './rules/suggestRules.ts';
import { decideWeb } from './webDecision.ts';

export interface PermissionInput {
  readonly tool: string;
  readonly access: Access;
}

type CommandAccess = Extract<Access, { type: 'command' }>;

/** Decides about a command by rules and parts. */
type DecideCommand = (tool: string, access: CommandAccess, policy: Policy) => PermissionDecision;

/** A call of any tool that does not run commands. */
interface PlainInput {
  readonly tool: string;
  readonly access: Exclude<Access, CommandAccess>;
}

/** The command, the paths or the URL of a call, or the name of the tool. */
export function shownCall({ tool, access }: PermissionInput): string {
  if (access.type === 'command') return access.command;
  if (access.type === 'web') return access.url;
  return access.type === 'read' || access.type === 'write' ? access.paths.join(' ') : tool;
}

/** Decides one call that runs no command. Never throws and never asks the user. */
export function decidePlain(input: PlainInput, policy: Policy): PermissionDecision {
  return decideCall(input, policy, notACommand);
}

const notACommand: DecideCommand = () => {
  throw new Error('Commands are decided by decide().');
};

/** Decides one call, and commands with `decideCommand`. Never throws and never asks the user. */
export function decideCall(
  input: PermissionInput,
  policy: Policy,
  decideCommand: DecideCommand,
): PermissionDecision {
  const byRules = (current: Policy): PermissionDecision => decideByRules(input, current, decideCommand);
  const decision = askedByManaged(policy, byRules) ?? byRules(policy);
  if (policy.mode !== 'dontAsk' || decision.behavior !== 'ask') return decision;
  const reason = input.access.type === 'question' ? UNANSWERED : unasked(decision);
  const { rule, hiding } = decision;
  return { behavior: 'deny', reason, ...(rule && { rule }), ...(hiding && { hiding }) };
}

/**
 * In `bypassPermissions` deny rules apply and nothing asks, except for managed settings: their ask rules are matched as
 * strictly as deny rules, even in commands that were not understood, and then ask.
 */
function askedByManaged(
  policy: Policy,
  byRules: (policy: Policy) => PermissionDecision,
): PermissionDecision | undefined {
  if (policy.mode !== 'bypassPermissions') return undefined;
  const asking = policy.rules.filter(({ behavior, managed }) => behavior === 'ask' && managed === true);
  if (asking.length === 0 || byRules(policy).behavior !== 'allow') return undefined;
  const asDeny = asking.map((rule) => ({ ...rule, behavior: 'deny' as const }));
  const { behavior, reason, rule } = byRules({ ...policy, rules: asDeny });
  return behavior === 'allow' ? undefined : { behavior: 'ask', reason, ...(rule && { rule }) };
}

/** In `dontAsk`: the model's answer to its own question. */
const UNANSWERED =
  'This session does not ask (mode dontAsk). Use your best judgement, and say what you assumed.';

/** In `dontAsk`: tells the model why the call did not run, and what it can do instead. */
function unasked({ reason, suggestion }: PermissionDecision): string {
  const rules = suggestion?.rules.join(', ') ?? '';
  const remedy = rules === '' ? 'what you would need' : `that the user could allow it with the rule ${rules}`;
  return (
    `${reason} It needs approval, and this session does not ask (mode dontAsk). Only reads inside the project, read-only ` +
    `commands and calls covered by an allow rule run without approval: continue with those, or say ${remedy}.`
  );
}

function decideByRules(
  input: PermissionInput,
  policy: Policy,
  decideCommand: DecideCommand,
): PermissionDecision {
  const { access, tool } = input;
  switch (access.type) {
    case 'read':
      return decideFiles(tool, 'read', access, policy);
    case 'write':
      return decideFiles(tool, 'write', access, policy);
    case 'command':
      return decideCommand(tool, access, policy);
    case 'web':
      return decideWeb(tool, access, policy);
    case 'plan':
    case 'question':
    case 'named':
    case 'none':
    case 'unknown':
      return decideTool(input, policy);
  }
}

function decideFiles(
  tool: string,
  verb: 'read' | 'write',
  { paths, realPaths }: AccessPaths,
  policy: Policy,
): PermissionDecision {
  const verdicts = paths.map((path, index) => {
    const realPath = realPaths?.[index];
    return decideFile({ tool, verb, path, ...(realPath !== undefined && { realPath }) }, policy);
  });
  const worst = gravest(verdicts);
  if (worst === undefined) return decideTool({ tool, access: { type: 'none' } }, policy);
  const { behavior, reason, rule, basis, modelAdvice } = worst;
  const replaces = verdicts.flatMap((one) => one.replaces ?? []);
  if (behavior !== 'ask')
    return {
      ...{ behavior, reason },
      ...(basis && { basis }),
      ...(behavior === 'allow' && replaces.length > 0 && { replaces }),
      ...(rule && { rule }),
      ...(modelAdvice && { modelAdvice }),
    };
  const suggestion = suggestForFiles(tool, verb, verdicts, policy);
  const causes = verdicts.filter((one) => one.behavior === 'ask').map((one) => causeOf(one, verb));
  return { behavior, reason, causes, ...(rule && { rule }), ...(suggestion && { suggestion }) };
}

/** Returns true if a rule's specifier covers a name: `git` is that name, `git:*` also names such as `git:commit`. */
function coversName(spec: string, name: string): boolean {
  // A repository chooses how it writes the name of a skill, and calls find it in any case.
  const [wanted, called] = [spec.toLowerCase(), name.toLowerCase()];
  const [, base] = /^(.*)[: ]\*$/.exec(wanted) ?? [];
  return called === (base ?? wanted) || (base !== undefined && called.startsWith(`${base}:`));
}

/** Decides about tools that use neither files nor the shell. */
function decideTool({ tool, access }: PermissionInput, policy: Policy): PermissionDecision {
  const find = (behavior: SourcedRule['behavior']): SourcedRule | undefined =>
    policy.rules.find((rule) => {
      const parsed = parseRule(rule.text);
      if (rule.behavior !== behavior || 'error' in parsed || !namesTool(parsed.tool, tool)) return false;
      return parsed.spec === undefined || (access.type === 'named' && coversName(parsed.spec, access.name));
    });
  const by = (behavior: PermissionDecision['behavior'], rule: SourcedRule): PermissionDecision => ({
    behavior,
    reason: `Rule ${rule.text} (${rule.source}).`,
    ...(behavior === 'allow' && { basis: 'rule' }),
    rule: { text: rule.text, source: rule.source },
  });
  const denied = find('deny');
  if (denied) return by('deny', denied);
  // Only the user can answer, whatever the mode and the rules allow.
  if (access.type === 'question') return { behavior: 'ask', reason: 'The model asks for your decision.' };
  if (policy.mode === 'bypassPermissions')
    return { behavior: 'allow', basis: 'mode', reason: 'Mode bypassPermissions.' };
  const asked = find('ask');
  if (asked) return by('ask', asked);
  // Only the user can approve a plan; no rule can.
  if (access.type === 'plan') return { behavior: 'ask', reason: 'The plan is ready for you to accept.' };
  // A rule says that the user trusts the tool, not that it changes nothing.
  if (access.type === 'unknown' && policy.mode === 'plan')
    return { behavior: 'ask', reason: `Plan mode: ${tool} may change things.` };
  const allowed = find('allow');
  if (allowed) return by('allow', allowed);
  if (access.type !== 'unknown')
    return { behavior: 'allow', basis: 'read-only', reason: `${tool} changes nothing outside the session.` };
  return {
    behavior: 'ask',
    reason: `ClawdCode cannot check what ${tool.startsWith('mcp__') ? 'an MCP tool' : tool} does.`,
    suggestion: suggestForTool(tool, policy),
  };
}
