/** Decides whether a shell command may run, by all its parts and all files it is redirected to or from. */
import {
  type Access,
  type AskCause,
  type PermissionDecision,
  PLAN_ADVICE,
} from '../../protocol/permissions.ts';
import { causeOf, decideFile } from '../files/fileDecision.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { couldBeSensitive, isSensitive } from '../files/sensitive.ts';
import { gravest, type Policy, reasonOf, workspaceFolders } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import { commandSpec } from '../rules/commandRule.ts';
import { changesBefore, unchanged } from '../rules/gitChanges.ts';
import type { SourcedRule } from '../rules/rules.ts';
import { suggestForCommand } from '../rules/suggestForCommand.ts';
import { isPlainVariable } from '../shell/assignments.ts';
import type { ParsedCommand } from '../shell/parsedCommand.ts';
import { everyDirectory, goesToTop, track, type Visit } from '../shell/workingDirectory.ts';
import { byRule, forbidden } from './forbidden/forbidden.ts';
import { secretInText } from './hiddenSecrets.ts';
import { decidePart, type PartVerdict } from './partDecision.ts';
import { aroundEach } from './plainEdits.ts';
import { rewrittenSecret } from './rewrittenSecrets.ts';
import { hidingOf, isNoFile, showsFiles } from './treeDecision.ts';
import { pathsIn, shortText } from './words.ts';

type Understood = Extract<ParsedCommand, { ok: true }>;
type CommandAccess = Extract<Access, { type: 'command' }>;

/** One action of a command, and the decision about it. */
export interface Judged {
  readonly visit?: Visit;
  /** A redirection, or a word that becomes a variable's value. */
  readonly file?: string;
  readonly verdict: PartVerdict;
}

/** A decision with an explanation. */
interface CommandJudgement {
  readonly decision: PermissionDecision;
  readonly isUnderstood: boolean;
  /** True if the parts determined the decision, rather than a rule about the whole or the mode. */
  readonly isByParts: boolean;
  /**
   * The parts of the command with their decisions before deny and ask rules. Empty if the command was not understood.
   */
  readonly parts: () => readonly Judged[];
}

const planning = {
  behavior: 'deny',
  reason: 'Plan mode: only read-only commands run.',
  modelAdvice: PLAN_ADVICE,
} as const;
/** Longer commands are not understood, and matching them against deny and ask rules would take minutes. */
const maxCheckedLength = 64_000;
const tooLong =
  'This command is too long to check against the rules. Write it to a script file and run that.';
const obscure = 'This command could not be fully understood, so no rule can allow it.';

/** Decides about a command for the tool that runs it. */
export const decideCommand = (tool: string, access: CommandAccess, policy: Policy): PermissionDecision =>
  judgeCommand(tool, access, policy).decision;

/** Decides, and explains the decision. */
export function judgeCommand(tool: string, access: CommandAccess, policy: Policy): CommandJudgement {
  const { command, cwd } = access;
  const parsed = policy.parseCommand(command);
  const parts = (): readonly Judged[] => (parsed.ok ? judgeParts(parsed, cwd, policy) : []);
  const judged = (decision: PermissionDecision): CommandJudgement => ({
    decision,
    isUnderstood: parsed.ok,
    isByParts: false,
    parts,
  });
  const strict = policy.rules.find(({ behavior }) => behavior !== 'allow');
  if (command.length > maxCheckedLength && strict)
    return judged({
      ...byRule(policy.mode === 'bypassPermissions' ? 'deny' : 'ask', strict),
      reason: tooLong,
    });
  const denied = toolRule('deny', tool, policy) ?? forbidden('deny', command, parsed, cwd, policy);
  if (denied?.behavior === 'deny') return judged(denied);
  if (policy.mode === 'bypassPermissions')
    return judged(denied ?? { behavior: 'allow', basis: 'mode', reason: 'Mode bypassPermissions.' });
  if (policy.mode === 'plan' && !(parsed.ok && isReadOnlyCommand(parsed))) return judged(planning);
  if (denied) {
    const hiding = parsed.ok ? hidingDenied(tool, command, parsed, cwd, policy) : undefined;
    return judged({ ...denied, ...(hiding && { hiding }) });
  }
  const asked = forbidden('ask', command, parsed, cwd, policy) ?? toolRule('ask', tool, policy);
  if (asked) return judged(alsoAsking(asked, tool, parts()));
  if (!parsed.ok) {
    const secret = secretInText(command, cwd, policy);
    const causes =
      secret === undefined ? undefined : [{ type: 'limit', reason: secret, isSecret: true } as const];
    return judged({ behavior: 'ask', reason: obscure, ...(causes && { causes }) });
  }

  const all = parts();
  const decision = decideByParts(all, policy);
  if (decision.behavior === 'allow' || decision.hiding !== undefined || !hasCommandRules(policy))
    return { ...judged(decision), isByParts: true, parts: () => all };
  // A rule that allows commands never makes one need approval that would not need it otherwise.
  const unruled = withoutCommandRules(policy);
  const without = decideByParts(judgeParts(parsed, cwd, unruled), unruled);
  const { hiding } = without;
  const final = without.behavior === 'allow' ? without : { ...decision, ...(hiding && { hiding }) };
  return { ...judged(final), isByParts: true, parts: () => all };
}

/** The decision that the parts of a command amount to. */
function decideByParts(all: readonly Judged[], policy: Policy): PermissionDecision {
  const verdicts = all.map(({ verdict }) => verdict);
  const worst = gravest(verdicts);
  if (worst === undefined)
    return { behavior: 'allow', basis: 'read-only', reason: 'An empty command does nothing.' };
  const { behavior } = worst;
  const basis = behavior === 'allow' ? basisOf(verdicts) : undefined;
  const { rule, reason } =
    basis === undefined
      ? { ...worst, reason: reasonOf(verdicts, behavior) }
      : (verdicts.find((one) => one.basis === basis) ?? worst);
  const suggestion = behavior === 'ask' ? suggestForCommand(verdicts, policy) : undefined;
  const hiding = verdicts.every(isReading) ? hidingOf(verdicts) : undefined;
  return {
    behavior,
    reason,
    ...(basis && { basis }),
    ...(behavior === 'allow' && { ...approvalOf(verdicts), ...replacesOf(verdicts) }),
    ...(basis === 'read-only' && verdicts.some(isSearch) && { searches: true }),
    ...(behavior === 'ask' && { causes: causesOf(verdicts) }),
    ...(hiding && { hiding }),
    ...(rule && { rule }),
    ...(suggestion && { suggestion }),
  };
}

/** What the parts replace because of the mode. */
function replacesOf(verdicts: readonly PartVerdict[]): Pick<PermissionDecision, 'replaces'> {
  const replaces = [...new Set(verdicts.flatMap((one) => one.replaces ?? []))];
  return replaces.length > 0 ? { replaces } : {};
}

const isSearch = ({ use }: PartVerdict): boolean =>
  use?.trees?.some(({ path, namesOnly }) => namesOnly !== true && !isNoFile(path)) === true;

/** Which parts of an allowed command the user has not approved. */
function approvalOf(
  verdicts: readonly PartVerdict[],
): Pick<PermissionDecision, 'isGuarded' | 'showsUnapproved'> {
  if (!verdicts.some(({ isApproved }) => isApproved)) return { isGuarded: true };
  const isShowing = verdicts.some(({ isApproved, use }) => !isApproved && use && showsFiles(use));
  return isShowing ? { showsUnapproved: true } : {};
}

/** True for what does no more than a read-only command: rules may open the files that it reads. */
const isReading = ({ behavior, basis, reads }: PartVerdict): boolean =>
  behavior !== 'allow' || basis === 'read-only' || reads === true;

const allowsCommands = (rule: SourcedRule): boolean =>
  rule.behavior === 'allow' && commandSpec(rule) !== undefined;

const hasCommandRules = ({ rules }: Policy): boolean => rules.some(allowsCommands);

const withoutCommandRules = (policy: Policy): Policy => ({
  ...policy,
  rules: policy.rules.filter((rule) => !allowsCommands(rule)),
});

/**
 * The files that must be hidden from a command so that no deny rule may apply to it and nothing else needs approval, if
 * the rules may apply only because it searches a folder; undefined otherwise. Empty if it would come across no such file.
 */
function hidingDenied(
  tool: string,
  command: string,
  parsed: Understood,
  cwd: string,
  policy: Policy,
): readonly string[] | undefined {
  const listing = { ...withoutCommandRules(policy), listsSearched: true } as const;
  if (forbidden('deny', command, parsed, cwd, listing) !== undefined) return undefined;
  if ((forbidden('ask', command, parsed, cwd, policy) ?? toolRule('ask', tool, policy)) !== undefined)
    return undefined;
  const verdicts = judgeParts(parsed, cwd, listing).map(({ verdict }) => verdict);
  if (!verdicts.every(isReading)) return undefined;
  return verdicts.every(({ behavior }) => behavior === 'allow') ? [] : hidingOf(verdicts);
}

/** A question that a rule requires also says what else needs approval, and what would be hidden from the command. */
function alsoAsking(asked: PermissionDecision, tool: string, parts: readonly Judged[]): PermissionDecision {
  const verdicts = parts.map(({ verdict }) => verdict);
  if (!verdicts.some(({ behavior }) => behavior === 'ask')) return asked;
  // A rule about a file asks whether it may be shown.
  const isAboutCall = asked.rule?.text.trim().startsWith(tool) === true;
  const staysHidden = isAboutCall && verdicts.every(isReading) ? hidingOf(verdicts) : undefined;
  const reason = `${asked.reason} ${reasonOf(verdicts, 'ask')}`;
  return { ...asked, reason, ...(staysHidden && { staysHidden }) };
}

/** The cause of each part that asks. */
function causesOf(verdicts: readonly PartVerdict[]): readonly AskCause[] {
  return verdicts
    .filter(({ behavior }) => behavior === 'ask')
    .map(({ cause, reason }) => cause ?? { type: 'limit', reason });
}

/** A command is read-only if all of its parts are; otherwise a rule takes precedence over the mode. */
function basisOf(verdicts: readonly PartVerdict[]): NonNullable<PartVerdict['basis']> {
  const order = ['rule', 'mode', 'read-only'] as const;
  return order.find((one) => verdicts.some(({ basis }) => basis === one)) ?? 'read-only';
}

function judgeParts(parsed: Understood, cwd: string, policy: Policy): readonly Judged[] {
  const visits = track(parsed.parts, cwd, policy);
  const file = (shown: string, verdict: PartVerdict): Judged => ({ file: shown, verdict });
  const around = aroundEach(visits, parsed.writes, policy);
  const changes = changesBefore(visits, parsed.writes, policy);
  const decided = visits.map((visit, index): Judged & { visit: Visit } => ({
    visit,
    verdict: decidePart(visit, around[index] ?? unknownAround, changes[index] ?? unchanged, policy),
  }));
  const isOpen = decided.some(({ verdict }) => verdict.isApproved);
  const onlyReads = decided.every(({ verdict: { basis, reads } }) => basis === 'read-only' || reads);
  const visited = onlyReads ? decided : decided.map((one) => ({ ...one, verdict: decideAmongOthers(one) }));
  const judged = [
    ...(isOpen ? visited.map((one) => ({ ...one, verdict: decideInUserEnvironment(one, policy) })) : visited),
    ...parsed.mentions.flatMap((word) =>
      decideMention(word, visits, cwd, policy).map((verdict) => file(word, verdict)),
    ),
    ...parsed.writes.map((path) =>
      file(`> ${path ?? '?'}`, decideRedirect('write', path, visits, cwd, policy)),
    ),
    ...parsed.reads.map((path) =>
      file(`< ${path ?? '?'}`, decideRedirect('read', path, visits, cwd, policy)),
    ),
  ];
  const rewritten = rewrittenSecret(judged, everyDirectory(visits, cwd) ?? [], policy);
  return rewritten === undefined ? judged : [...judged, file(rewritten.name, rewritten.verdict)];
}

const unknownAround = { touched: null, named: null };

/** Decides about the target of a redirection, for every directory in which the command may be at that point. */
function decideRedirect(
  verb: 'read' | 'write',
  target: string | null,
  visits: readonly Visit[],
  cwd: string,
  policy: Policy,
): PartVerdict {
  const word = verb === 'write' ? 'Writes to' : 'Reads';
  if (target === null) return { behavior: 'ask', reason: `${word} a file that is known only at run time.` };
  if (isNoFile(target)) return { behavior: 'allow', basis: 'read-only', reason: 'Not a file.' };
  const directories = everyDirectory(visits, cwd);
  if (directories === null) return { behavior: 'ask', reason: `${word} ${target} in an unknown directory.` };
  const tool = verb === 'write' ? 'Edit' : 'Read';
  const verdicts = directories.map((directory) =>
    decideFile({ tool, verb, path: locate(target, directory, policy) }, policy, true),
  );
  const worst = gravest(verdicts);
  if (worst === undefined) return { behavior: 'ask', reason: `${word} ${target}.` };
  const causes = verdicts.filter(({ behavior }) => behavior === 'ask').map((one) => causeOf(one, verb));
  // The meaning of a pattern is known only at run time.
  const limits = causes.filter((one) => one.type === 'limit');
  const certain = hasGlob(target) ? undefined : (limits[0] ?? causes[0]);
  const cause = limits.find(({ isSecret }) => isSecret) ?? certain;
  return {
    behavior: worst.behavior,
    reason: `${word} ${target}: ${worst.reason}`,
    cause,
    ...(worst.basis && { basis: worst.basis }),
    ...(worst.behavior === 'allow' && { replaces: verdicts.flatMap((one) => one.replaces ?? []) }),
    ...(worst.rule && { rule: worst.rule }),
    ...(verb === 'read' && { reads: true, use: { contents: [target], names: [] } }),
  };
}

/** Using a secret file's content as a variable's value counts as reading it. */
function decideMention(
  word: string,
  visits: readonly Visit[],
  cwd: string,
  policy: Policy,
): readonly PartVerdict[] {
  return pathsIn(null, word)
    .filter((path) => couldBeSensitive(path) && !isHarmlessNow(path, everyDirectory(visits, cwd), policy))
    .map((path) => decideRedirect('read', path, visits, cwd, policy));
}

/** True if a pattern matches only existing files, none of them secret. */
function isHarmlessNow(path: string, directories: readonly string[] | null, policy: Policy): boolean {
  if (!hasGlob(path) || isSensitive(path)) return false;
  return (directories ?? [null]).every((directory) => {
    const files = directory === null ? undefined : policy.expandGlob(locate(path, directory, policy));
    return files?.every((file) => !isSensitive(file) && !isSensitive(policy.realpath(file))) === true;
  });
}

/** In plan mode: only read-only commands, and no file written. */
function isReadOnlyCommand(parsed: Understood): boolean {
  const harmlessWrites = parsed.writes.every((path) => path === '/dev/null');
  return (
    harmlessWrites &&
    parsed.parts.every(
      (part) =>
        part.carrier || part.argv.length === 0 || part.argv[0] === 'cd' || readOnlyUse(part) !== undefined,
    )
  );
}

function toolRule(behavior: 'ask' | 'deny', tool: string, policy: Policy): PermissionDecision | undefined {
  const rule = policy.rules.find(
    (candidate) => candidate.behavior === behavior && candidate.text.trim() === tool,
  );
  return rule && byRule(behavior, rule);
}

/** The verdict on an assignment in a command that does more than read: the user may have exported the variable. */
function decideAmongOthers({
  visit,
  verdict,
}: {
  readonly visit: Visit;
  readonly verdict: PartVerdict;
}): PartVerdict {
  const { part } = visit;
  const sets = part.argv.length === 0 && !part.carrier ? part.envPrefix : [];
  const set = sets.find(({ name }) => !isPlainVariable(name));
  if (set === undefined || verdict.behavior !== 'allow' || verdict.isApproved) return verdict;
  return ask(`${shortText(part.text)} sets variables that may change what another part does.`);
}

// A command that a rule allows in part runs in the user's own environment, in which git may fetch, run helpers, and
// find programs in the project. So the parts that no rule allows must be safe there too; on their own, they run in the
// environment of read-only commands (`tools/shell/childEnvironment.ts`).

/** The verdict on a part in that environment. */
function decideInUserEnvironment(
  { visit, verdict }: { readonly visit: Visit; readonly verdict: PartVerdict },
  policy: Policy,
): PartVerdict {
  if (verdict.behavior !== 'allow' || verdict.isApproved) return verdict;
  const { part, directories } = visit;
  // Variables of the user may name another repository.
  if (goesToTop(part))
    return ask(`${part.text} follows the environment of a command that a rule allows in part.`);
  const name = part.argv[0];
  if (name == null) return verdict;
  const program = policy.projectProgram(workspaceFolders(policy), name);
  if (program !== undefined) return ask(`${name} is ${program} in the PATH of a command that a rule allows.`);
  const { repositories = [], writesLogs } = readOnlyUse(part) ?? {};
  if (writesLogs) return ask(`${name} writes a log in a command of which a rule allows another part.`);
  const places = (directories ?? []).flatMap((directory) =>
    repositories.map((place) => locate(place, directory, policy)),
  );
  return places.some(policy.gitFetches)
    ? ask(`git may fetch missing objects for ${part.text}, since a rule allows another part of the command.`)
    : verdict;
}

/**
 * It has no cause, so it is a limit: the repository decides what would run, so the judge of mode `auto` cannot allow
 * it.
 */
const ask = (reason: string): PartVerdict => ({ behavior: 'ask', reason });
