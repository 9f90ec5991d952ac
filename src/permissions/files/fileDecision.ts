/** Decides whether one file may be read or written: by rules, secrets, the workspace and the mode, in that order. */
import { dirname, join } from 'node:path';
import { type AskCause, type PermissionDecision, PLAN_ADVICE } from '../../protocol/permissions.ts';
import { mayHoldCredentials } from '../lookups/credentialSettings.ts';
import { dependsOnProcess } from '../lookups/realpathForAll.ts';
import { gravest, type Policy, workspaceFolders } from '../policy.ts';
import { namesTool, parseRule, type SourcedRule } from '../rules/rules.ts';
import {
  contains,
  fixedPath,
  forbids,
  isExactly,
  mayForbid,
  type PatternPlace,
  permits,
} from './filePattern.ts';
import { hasGlob } from './globOverlap.ts';
import { linkedSecret } from './linkedSecret.ts';
import {
  namesThrough,
  type ProtectedName,
  type ProtectionPlace,
  protectedName,
  protectionPlace,
} from './protectedNames.ts';
import { secretPlaceTest } from './secretPlace.ts';
import { couldBeSensitive, foldPath, isSensitive } from './sensitive.ts';

/** The deciding factor, so that a rule can be suggested. */
export interface FileVerdict extends PermissionDecision {
  readonly cause: 'rule' | 'secret' | 'protected' | 'outside' | 'mode' | 'workspace';
  /** The path with its links resolved. */
  readonly realPath: string;
}

interface FileRequest {
  readonly tool: string;
  readonly verb: 'read' | 'write';
  /** Absolute. */
  readonly path: string;
  /** Where it led when the call was prepared, if known; nothing else will be accessed. */
  readonly realPath?: string;
  /** Match only rules with a pattern: the path is a word of a command that may not be a file. */
  readonly byPattern?: boolean;
  /** The shell expands the wildcards of the path. */
  readonly ofShell?: boolean;
  /** False for a new folder, and for a word of a command that may not be a file. */
  readonly isFile?: boolean;
}

/**
 * Decides about a path; with `globs` it may contain shell wildcards. A pattern is checked by what it could match and by
 * what it matches now, since a harmless-looking name may be a link.
 */
export function decideFile(request: FileRequest, policy: Policy, globs = false): FileVerdict {
  const verdict = decideOne(request, policy, globs);
  if (!globs || request.byPattern === true || !hasGlob(request.path) || verdict.behavior === 'deny')
    return verdict;
  const files = policy.expandGlob(request.path);
  if (files === undefined)
    return {
      ...verdict,
      behavior: 'ask',
      reason: `${request.path} matches files that cannot all be checked.`,
    };
  const inSecretPlace = secretPlaceTest(policy);
  const risky = files
    .filter((file) => request.verb === 'write' || policy.realpath(file) !== file || inSecretPlace(file))
    .map((path) => decideOne({ ...request, path }, policy, false))
    // Links out of the workspace come first: if only names are listed, a secret's name is not a reason to ask.
    .sort((a, b) => Number(b.cause === 'outside') - Number(a.cause === 'outside'));
  const isCertain = verdict.behavior === 'ask' && verdict.cause !== 'secret';
  return gravest(isCertain ? [verdict, ...risky] : [...risky, verdict]) ?? verdict;
}

/** The cause of a verdict that asks. */
export function causeOf({ cause, realPath, reason }: FileVerdict, verb: FileRequest['verb']): AskCause {
  if (verb === 'write' && cause === 'mode') return { type: 'edit', path: realPath };
  return { type: 'limit', reason, ...(cause === 'secret' && { isSecret: true }) };
}

function decideOne(request: FileRequest, policy: Policy, globs: boolean): FileVerdict {
  const { path, verb } = request;
  const realPath = request.realPath ?? policy.realpath(path);
  const verdict = (
    behavior: PermissionDecision['behavior'],
    cause: FileVerdict['cause'],
    reason: string,
    rule?: SourcedRule,
  ): FileVerdict => ({
    behavior,
    cause,
    realPath,
    reason,
    ...(behavior === 'allow' && { basis: basisOf[cause] }),
    ...(rule && { rule: { text: rule.text, source: rule.source } }),
  });
  const byRule = (behavior: 'allow' | 'ask' | 'deny', rule: SourcedRule): FileVerdict =>
    verdict(behavior, 'rule', `Rule ${rule.text} (${rule.source}).`, rule);

  const paths = [...new Set([path, realPath])];
  const denied = forbidding('deny', request, paths, policy);
  if (denied) return byRule('deny', denied);
  const possiblyDenied = dependsOnProcess(realPath)
    ? forbidding('deny', request, paths, policy, 'anything')
    : globs && hasGlob(path)
      ? forbidding('deny', request, paths, policy, 'wildcards')
      : undefined;
  if (possiblyDenied) return byRule(policy.mode === 'bypassPermissions' ? 'deny' : 'ask', possiblyDenied);
  if (policy.mode === 'bypassPermissions') return verdict('allow', 'mode', 'Mode bypassPermissions.');
  if (policy.mode === 'plan' && verb === 'write')
    return {
      ...verdict('deny', 'mode', 'Plan mode: changes are not allowed.'),
      modelAdvice: PLAN_ADVICE,
    };
  const asked =
    forbidding('ask', request, paths, policy) ??
    (globs && hasGlob(path) ? forbidding('ask', request, paths, policy, 'wildcards') : undefined);
  if (asked) return byRule('ask', asked);

  const outside = !inWorkspace(realPath, policy);
  const allowing = policy.rules.filter((rule) => allows(rule, request, realPath, outside, policy));
  const inSecretPlace = secretPlaceTest(policy);
  const secret =
    paths.findLast((one) => (globs ? couldBeSensitive : isSensitive)(one) || inSecretPlace(one)) ??
    (namesThrough(realPath, policy.homeLinks(policy.home)).some(
      (one) => isSensitive(one) || inSecretPlace(one),
    ) ||
    ((verb === 'read' || mayHoldCredentials(realPath)) && policy.holdsCredentials?.(realPath) === true)
      ? realPath
      : linkedSecret(realPath, policy));
  const guarded = verb === 'write' ? protectedAmong(paths, request, policy) : undefined;
  if (secret !== undefined || guarded) {
    const named = allowing.find(
      (rule) =>
        (secret === undefined || namesTheFile(rule, 'secret', realPath, policy)) &&
        (guarded === undefined || namesTheFile(rule, 'protected', realPath, policy)),
    );
    if (named) return byRule('allow', named);
    if (secret !== undefined)
      return verdict(
        'ask',
        'secret',
        `${secret} may hold secrets, so it is never ${past(verb)} without approval.`,
      );
    if (guarded)
      return verdict(
        'ask',
        'protected',
        `${guarded.path} controls ${guarded.by}, so writing it always needs approval.`,
      );
  }
  const [allowed] = allowing;
  if (allowed) return byRule('allow', allowed);
  if (outside) return verdict('ask', 'outside', `${realPath} is outside the workspace ${policy.root}.`);
  if (verb === 'read') return verdict('allow', 'workspace', 'Reading inside the workspace.');
  if (policy.mode === 'acceptEdits')
    return { ...verdict('allow', 'mode', 'Mode acceptEdits.'), replaces: [realPath] };
  return verdict('ask', 'mode', 'Edits need your approval in this mode.');
}

/** The basis of an allowed access, by cause. */
const basisOf = {
  rule: 'rule',
  mode: 'mode',
  workspace: 'read-only',
  secret: 'rule',
  protected: 'rule',
  outside: 'rule',
} as const;

const past = (verb: 'read' | 'write'): string => (verb === 'read' ? 'read' : 'written');

/** The first protected path, checking the resolved one before the one as written. */
function protectedAmong(
  paths: readonly string[],
  { isFile = true }: FileRequest,
  policy: Policy,
): { path: string; by: string } | undefined {
  for (const path of paths.toReversed()) {
    const name = protectionOf(path, policy);
    if (name) return { path, by: name.usedBy };
  }
  const realPath = paths.at(-1) ?? '';
  if (policy.executedFiles?.includes(realPath) === true)
    return { path: realPath, by: 'what your settings run (hooks, servers or the status line)' };
  return (
    protectedByLink(realPath, policy) ??
    protectedByInclude(realPath, policy) ??
    (isFile ? protectedAsHead(realPath, policy) : undefined)
  );
}

/**
 * `HEAD` makes a folder without `.git` a repository whose settings git uses; `config`, `objects` and `refs` are
 * ordinary names. Source: gitrepository-layout.
 */
function protectedAsHead(realPath: string, policy: Policy): { path: string; by: string } | undefined {
  if (foldPath(realPath).at(-1) !== 'head' || policy.isDirectory(join(dirname(realPath), '.git')))
    return undefined;
  return { path: realPath, by: 'git, which treats a folder that contains it as a repository' };
}

/** Git's settings may include any file, even one of the project with an ordinary name. */
function protectedByInclude(realPath: string, policy: Policy): { path: string; by: string } | undefined {
  const included = workspaceFolders(policy).flatMap((folder) => policy.gitIncludes(folder, policy.home));
  return included.some((path) => policy.realpath(path) === realPath)
    ? { path: realPath, by: 'git, whose settings include it' }
    : undefined;
}

/** A repository may contain `AGENTS.md` or `.vscode` as a link: its target is protected as well. */
function protectedByLink(realPath: string, policy: Policy): { path: string; by: string } | undefined {
  const folders = workspaceFolders(policy).flatMap((folder) => [folder, join(folder, '.github')]);
  for (const link of folders.flatMap((folder) => policy.linksIn(folder))) {
    const name = protectionOf(link, policy);
    if (name && contains(policy.realpath(link), realPath)) return { path: realPath, by: name.usedBy };
  }
  return undefined;
}

/** The protected name that a path is or is inside of. */
export function protectionOf(path: string, policy: Policy): ProtectedName | undefined {
  const own = policy.ownFiles?.find((place) => contains(place, path));
  return own === undefined
    ? protectedName(path, placesOf(policy))
    : { pattern: own, usedBy: 'ClawdCode itself' };
}

function placesOf(policy: Policy): ProtectionPlace {
  const { home, realpath } = policy;
  return protectionPlace(home, workspaceFolders(policy), realpath, policy.homeLinks(home));
}

/** True if a resolved path is in the project or in a directory added to it. */
export function inWorkspace(realPath: string, policy: Policy): boolean {
  return workspaceFolders(policy).some((directory) => contains(policy.realpath(directory), realPath));
}

/**
 * Where an allow rule's folder leads. Links in the workspace are not followed: they may come from the project, or from
 * a command run since the rule was approved.
 */
export function placeOfRule(folder: string, policy: Policy): string {
  const real = policy.realpath(folder);
  if (real === folder || inWorkspace(real, policy)) return real;
  return [policy.root, ...policy.additionalDirectories].some((own) => contains(own, folder)) ? folder : real;
}

const patternPlace = (rule: SourcedRule, policy: Policy): PatternPlace => ({
  ...{ base: rule.base, home: policy.home },
  realpath: (path) => placeOfRule(path, policy),
});

/** `Edit` rules cover every way to write; denying `Read` denies all access, including edits. */
function appliesTo(ruleTool: string, { tool, verb }: FileRequest, forbidding: boolean): boolean {
  if (namesTool(ruleTool, tool)) return true;
  if (verb === 'write') return ruleTool === 'Edit' || (forbidding && ruleTool === 'Write');
  return ruleTool === 'Read';
}

function forbidding(
  behavior: 'ask' | 'deny',
  request: FileRequest,
  paths: readonly string[],
  policy: Policy,
  standsFor: 'itself' | 'wildcards' | 'anything' = 'itself',
): SourcedRule | undefined {
  return policy.rules.find((rule) => {
    const parsed = parseRule(rule.text);
    if (rule.behavior !== behavior || 'error' in parsed || parsed.tool === 'Bash') return false;
    const readBan = parsed.tool === 'Read' && parsed.spec !== undefined;
    if (!appliesTo(parsed.tool, request, true) && !readBan) return false;
    if (parsed.spec === undefined) return request.byPattern !== true;
    if (standsFor === 'anything') return true;
    const place = { ...policy, base: rule.base };
    return standsFor === 'wildcards'
      ? mayForbid(parsed.spec, request.path, place, request.ofShell)
      : forbids(parsed.spec, paths, place);
  });
}

/** An allow rule without a pattern covers only the workspace. */
function allows(
  rule: SourcedRule,
  request: FileRequest,
  realPath: string,
  outside: boolean,
  policy: Policy,
): boolean {
  const parsed = parseRule(rule.text);
  if (rule.behavior !== 'allow' || 'error' in parsed || !appliesTo(parsed.tool, request, false)) return false;
  if (parsed.tool === 'Bash') return false;
  return parsed.spec === undefined ? !outside : permits(parsed.spec, realPath, patternPlace(rule, policy));
}

/** True if the rule names exactly this file or this kind of file, rather than everything around it. */
function namesTheFile(
  rule: SourcedRule,
  kind: 'secret' | 'protected',
  realPath: string,
  policy: Policy,
): boolean {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.spec === undefined) return false;
  const place = patternPlace(rule, policy);
  if (isExactly(parsed.spec, realPath, place)) return true;
  if (kind === 'secret')
    return isSensitive(parsed.spec) || secretPlaceTest(policy)(fixedPath(parsed.spec, place));
  const named = protectionOf(fixedPath(parsed.spec, place), policy);
  return named?.isGeneral === true ? protectionOf(realPath, policy)?.isGeneral === true : named !== undefined;
}
