/** Whether a shell command may run: every part of it and every file that it is redirected to or from. */
import type { Access, AskCause, PermissionDecision } from '../protocol/permissions.ts';
import { forbidsPart, mayForbid } from './commandRule.ts';
import { causeOf, decideFile } from './fileDecision.ts';
import { hasGlob } from './globOverlap.ts';
import type { ParsedCommand } from './parsedCommand.ts';
import { decidePart, type PartVerdict } from './partDecision.ts';
import { touchedByOthers } from './plainEdits.ts';
import type { Policy } from './policy.ts';
import { readOnlyUse } from './readOnly.ts';
import type { SourcedRule } from './rules.ts';
import { couldBeSensitive } from './sensitive.ts';
import { suggestForCommand } from './suggestCommand.ts';
import { gravest } from './verdicts.ts';
import { locate, pathsIn, possiblePaths } from './wordPaths.ts';
import { track, type Visit } from './workingDirectory.ts';

type Understood = Extract<ParsedCommand, { ok: true }>;
type CommandAccess = Extract<Access, { type: 'command' }>;

/** Longest path that a system takes. */
const maxPathLength = 4096;

const planning =
  'Plan mode: only commands that look are run. Investigate, then hand the plan over with ExitPlanMode.';
/** Longer ones are not understood; looking in them for what a rule forbids would take minutes. */
const maxCheckedLength = 64_000;
const tooLong =
  'This command is too long to be checked against the rules. Write a long script to a file and run that.';
const obscure = 'This command could not be fully understood, so no rule can allow it.';

/** Decides a command for the tool that runs it. */
export function decideCommand(tool: string, access: CommandAccess, policy: Policy): PermissionDecision {
  const { command, cwd } = access;
  const parsed = policy.parseCommand(command);
  if (command.length > maxCheckedLength && policy.rules.some(({ behavior }) => behavior !== 'allow'))
    return { behavior: policy.mode === 'bypassPermissions' ? 'deny' : 'ask', reason: tooLong };
  const denied = forbiddingRule('deny', command, parsed, cwd, policy) ?? toolRule('deny', tool, policy);
  if (denied) return denied;
  if (policy.mode === 'bypassPermissions')
    return { behavior: 'allow', basis: 'mode', reason: 'Mode bypassPermissions.' };
  if (!parsed.ok) {
    if (policy.mode === 'plan') return { behavior: 'deny', reason: planning };
    return { behavior: 'ask', reason: obscure };
  }
  if (policy.mode === 'plan' && !looksOnly(parsed)) return { behavior: 'deny', reason: planning };
  const asked = forbiddingRule('ask', command, parsed, cwd, policy) ?? toolRule('ask', tool, policy);
  if (asked) return asked;

  const verdicts = partVerdicts(parsed, cwd, policy);
  const worst = gravest(verdicts);
  if (worst === undefined)
    return { behavior: 'allow', basis: 'read-only', reason: 'An empty command does nothing.' };
  const { behavior, reason, rule } = worst;
  if (behavior !== 'ask') {
    const basis = behavior === 'allow' ? { basis: basisOf(verdicts) } : {};
    return { behavior, reason, ...basis, ...(rule && { rule }) };
  }
  const suggestion = suggestForCommand(verdicts, policy);
  const causes = verdicts
    .filter((one) => one.behavior === 'ask')
    .map((one): AskCause => one.cause ?? { type: 'limit', reason: one.reason });
  return { behavior, reason, causes, ...(rule && { rule }), ...(suggestion && { suggestion }) };
}

/** A command only looks when all of its parts do; else a rule counts before the mode. */
function basisOf(verdicts: readonly PartVerdict[]): NonNullable<PartVerdict['basis']> {
  const order = ['rule', 'mode', 'read-only'] as const;
  return order.find((one) => verdicts.some(({ basis }) => basis === one)) ?? 'read-only';
}

function partVerdicts(parsed: Understood, cwd: string, policy: Policy): readonly PartVerdict[] {
  const visits = track(parsed.parts, cwd, policy);
  const touched = policy.mode === 'acceptEdits' ? touchedByOthers(visits, parsed.writes, policy) : [];
  const parts = visits.map((visit, index) => decidePart(visit, touched[index] ?? null, policy));
  const mentions = parsed.mentions.flatMap((word) => decideMention(word, visits, cwd, policy));
  const writes = parsed.writes.map((path) => decideRedirect('write', path, visits, cwd, policy));
  const reads = parsed.reads.map((path) => decideRedirect('read', path, visits, cwd, policy));
  return [...parts, ...mentions, ...writes, ...reads];
}

/** What a redirection reads or writes, from wherever the command may be at that point. */
function decideRedirect(
  verb: 'read' | 'write',
  target: string | null,
  visits: readonly Visit[],
  cwd: string,
  policy: Policy,
): PartVerdict {
  const word = verb === 'write' ? 'Writes to' : 'Reads';
  if (target === null)
    return { behavior: 'ask', reason: `${word} a file that is only known when the command runs.` };
  if (/^\/dev\/(?:null|stdout|stderr|stdin|tty|fd\/\d+)$/.test(target))
    return { behavior: 'allow', basis: 'read-only', reason: 'No file.' };
  const directories = everyDirectory(visits, cwd);
  if (directories === null) return { behavior: 'ask', reason: `${word} ${target} in an unknown directory.` };
  const tool = verb === 'write' ? 'Edit' : 'Read';
  const verdicts = directories.map((directory) =>
    decideFile({ tool, verb, path: locate(target, directory, policy) }, policy, true),
  );
  const worst = gravest(verdicts);
  if (worst === undefined) return { behavior: 'ask', reason: `${word} ${target}.` };
  const causes = verdicts.filter(({ behavior }) => behavior === 'ask').map((one) => causeOf(one, verb));
  // Of a pattern, what it means is only known when the command runs.
  const cause = hasGlob(target) ? undefined : (causes.find(({ type }) => type === 'limit') ?? causes[0]);
  return {
    behavior: worst.behavior,
    reason: `${word} ${target}: ${worst.reason}`,
    cause,
    ...(worst.basis && { basis: worst.basis }),
    ...(worst.rule && { rule: worst.rule }),
  };
}

/** A secret that becomes a variable's value is as good as read. */
function decideMention(
  word: string,
  visits: readonly Visit[],
  cwd: string,
  policy: Policy,
): readonly PartVerdict[] {
  return pathsIn(null, word)
    .filter(couldBeSensitive)
    .map((path) => decideRedirect('read', path, visits, cwd, policy));
}

function everyDirectory(visits: readonly Visit[], cwd: string): readonly string[] | null {
  const all = new Set([cwd]);
  for (const { directories } of visits) {
    if (directories === null) return null;
    for (const directory of directories) all.add(directory);
  }
  return [...all];
}

/** In plan mode: nothing but commands that look, and no file written. */
function looksOnly(parsed: Understood): boolean {
  const harmlessWrites = parsed.writes.every(
    (path) => path !== null && /^\/dev\/(?:null|stdout|stderr)$/.test(path),
  );
  return (
    harmlessWrites &&
    parsed.parts.every((part) => part.carrier || part.argv[0] === 'cd' || readOnlyUse(part) !== undefined)
  );
}

function toolRule(behavior: 'ask' | 'deny', tool: string, policy: Policy): PermissionDecision | undefined {
  const rule = policy.rules.find(
    (candidate) => candidate.behavior === behavior && candidate.text.trim() === tool,
  );
  return rule && decision(behavior, rule);
}

/** A rule that denies or asks about the command itself or a file that it names. */
function forbiddingRule(
  behavior: 'ask' | 'deny',
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): PermissionDecision | undefined {
  const rules = policy.rules.filter((rule) => rule.behavior === behavior);
  if (rules.length === 0) return undefined;
  const byCommand = rules.find((rule) =>
    parsed.ok ? parsed.parts.some((part) => forbidsPart(rule, part)) : mayForbid(rule, command),
  );
  if (byCommand) return decision(behavior, byCommand);
  const seen = new Set<string>();
  for (const { path, verb } of namedPaths(command, parsed, cwd, policy)) {
    if (seen.has(verb + path)) continue;
    seen.add(verb + path);
    const tool = verb === 'read' ? 'Read' : 'Edit';
    const verdict = decideFile({ tool, verb, path, byPattern: true }, policy, true);
    if (verdict.behavior === behavior && verdict.rule)
      return { behavior, reason: `${path}: ${verdict.reason}`, rule: verdict.rule };
  }
  return undefined;
}

function* namedPaths(
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): Generator<{ path: string; verb: 'read' | 'write' }> {
  if (!parsed.ok) {
    for (const word of command.split(/[\s"'`;&|<>(){}=]+/))
      if (word !== '' && word.length < maxPathLength) yield { path: locate(word, cwd, policy), verb: 'read' };
    return;
  }
  const visits = track(parsed.parts, cwd, policy);
  for (const { part, directories } of visits) {
    const verb = readOnlyUse(part) === undefined ? 'write' : 'read';
    for (const directory of directories ?? [cwd])
      for (const word of possiblePaths(part)) yield { path: locate(word, directory, policy), verb };
  }
  for (const [verb, targets] of [
    ['write', parsed.writes],
    ['read', parsed.reads],
  ] as const)
    for (const directory of everyDirectory(visits, cwd) ?? [cwd])
      for (const target of targets)
        if (target !== null) yield { path: locate(target, directory, policy), verb };
}

const decision = (behavior: 'ask' | 'deny', rule: SourcedRule): PermissionDecision => ({
  behavior,
  reason: `Rule ${rule.text} (${rule.source}).`,
  rule: { text: rule.text, source: rule.source },
});
