/** Applies deny and ask rules to a command, to the files it names, and to the commands it runs from elsewhere. */
import type { PermissionDecision } from '../../../protocol/permissions.ts';
import { decideFile } from '../../files/fileDecision.ts';
import type { Policy } from '../../policy.ts';
import { commandSpec } from '../../rules/commandRule.ts';
import { changesBefore, followsGit, unchanged } from '../../rules/gitChanges.ts';
import type { SourcedRule } from '../../rules/rules.ts';
import type { ParsedCommand } from '../../shell/parsedCommand.ts';
import { track } from '../../shell/workingDirectory.ts';
import { scriptFromInput } from '../embeddedCode.ts';
import { embeddedScripts } from '../embeddedScripts.ts';
import { mayNameForbidden, namedPaths } from '../namedPaths.ts';
import { projectTasks } from '../projectTasks.ts';
import { isNoFile } from '../treeDecision.ts';
import { mayWriteForbidden, writesFiles } from '../unnamedWrites.ts';
import { shortText } from '../words.ts';
import { evaluatedTexts, storedCommands } from './evaluatedWords.ts';
import { matchesKnown, matchForbidden, matchText } from './forbiddenCommand.ts';
import { writtenScripts } from './writtenScripts.ts';

/** Tasks that run other tasks. */
const MAX_TASKS = 4;

/**
 * If it is unclear whether a rule matches, or a task of the project runs what it matches, the result is ask, even for
 * deny rules and in every mode.
 */
export function forbidden(
  behavior: 'ask' | 'deny',
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): PermissionDecision | undefined {
  const rules = policy.rules.filter((rule) => rule.behavior === behavior);
  if (rules.length === 0) return undefined;
  const { sure, perhaps } = ruled(rules, behavior, command, parsed, cwd, policy);
  if (sure) return sure;
  const inner = [
    ...innerScripts(parsed, cwd, policy).map(({ script, directory }) =>
      forbidden(behavior, script, policy.parseCommand(script), directory, policy),
    ),
    ...givenFiles(behavior, parsed, cwd, policy),
  ];
  return (
    inner.find((one) => one?.behavior === behavior) ??
    perhaps() ??
    inner.find((one) => one !== undefined) ??
    ofUnknownScripts(rules, parsed, cwd, policy) ??
    ofStored(behavior, parsed, cwd, policy) ??
    ofTasks(rules, behavior, parsed, cwd, policy, 0)
  );
}

/** Of a command in the value of a variable: it asks, since the shell runs it only where it evaluates the value. */
function ofStored(
  behavior: 'ask' | 'deny',
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): PermissionDecision | undefined {
  for (const script of storedCommands(parsed)) {
    const found = forbidden(behavior, script, policy.parseCommand(script), cwd, policy);
    if (found?.rule) return mayBe(found.rule, script);
  }
  return undefined;
}

/** Of a script that the command writes before it runs it, and that only running it tells: it asks, like one from a pipe. */
function ofUnknownScripts(
  rules: readonly SourcedRule[],
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): PermissionDecision | undefined {
  const unknown = parsed.ok
    ? writtenScripts(parsed.parts, cwd, policy).find(({ command }) => command === undefined)
    : undefined;
  const rule = rules.find((one) => commandSpec(one) !== undefined) ?? rules[0];
  return unknown && rule && mayBe(rule, unknown.text);
}

/** The here-documents that shells run, and the scripts that the command writes to the files it runs. */
function innerScripts(
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): readonly { readonly script: string; readonly directory: string }[] {
  if (!parsed.ok) return [];
  const written = writtenScripts(parsed.parts, cwd, policy).flatMap(({ command, directory }) =>
    command === undefined ? [] : [{ script: command, directory }],
  );
  if (!parsed.parts.some(({ inputText }) => inputText !== undefined)) return written;
  const inputs = track(parsed.parts, cwd, policy).flatMap(({ part, directories }) => {
    const script = scriptFromInput(part);
    return script === undefined ? [] : (directories ?? [cwd]).map((directory) => ({ script, directory }));
  });
  return [...inputs, ...written];
}

/**
 * Applies rules about files to words that may be run as commands. Rules about commands examine such words themselves.
 */
function givenFiles(
  behavior: 'ask' | 'deny',
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): readonly (PermissionDecision | undefined)[] {
  const rules = policy.rules.filter((rule) => commandSpec(rule) === undefined);
  if (!parsed.ok || !rules.some((rule) => rule.behavior === behavior)) return [];
  const about: Policy = { ...policy, rules };
  return track(parsed.parts, cwd, policy).flatMap(({ part, directories }) =>
    embeddedScripts(part).flatMap(({ script, isCertain }) =>
      (directories ?? [cwd]).map((directory) => {
        const inner = policy.parseCommand(script);
        if (isCertain) return forbidden(behavior, script, inner, directory, about);
        const own = rules.filter((rule) => rule.behavior === behavior);
        const { sure, byPattern } = ruled(own, behavior, script, inner, directory, about);
        return sure ?? byPattern;
      }),
    ),
  );
}

interface Ruled {
  /** The decision of a rule that certainly matches. */
  readonly sure?: PermissionDecision;
  /** Of one about files that a pattern of the shell may match. */
  readonly byPattern?: PermissionDecision | undefined;
  /** Of any that may match. */
  readonly perhaps: () => PermissionDecision | undefined;
}

function ruled(
  rules: readonly SourcedRule[],
  behavior: 'ask' | 'deny',
  command: string,
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
): Ruled {
  const evaluated = evaluatedTexts(parsed);
  const found = rules.map((rule) => {
    if (!parsed.ok)
      return {
        rule,
        match: matchesKnown(rule, parsed.known ?? []) ? ('yes' as const) : matchText(rule, command),
        text: undefined,
      };
    const matches = parsed.parts.map((part) => ({ match: matchForbidden(rule, part), text: part.text }));
    const match =
      matches.find((one) => one.match === 'yes') ?? matches.find((one) => one.match === 'perhaps');
    const isEvaluated = (): boolean =>
      evaluated !== undefined &&
      (evaluated.hasPart || [command, ...evaluated.texts].some((one) => matchText(rule, one) === 'yes'));
    if (match === undefined && isEvaluated()) return { rule, match: 'perhaps' as const, text: command };
    return { rule, ...(match ?? { match: 'no' as const, text: '' }) };
  });
  const sure = found.find(({ match }) => match === 'yes');
  const none = (): undefined => undefined;
  if (sure) return { sure: byRule(behavior, sure.rule), perhaps: none };
  const seen = new Set<string>();
  let perhapsFile: PermissionDecision | undefined;
  for (const { path, verb, ofShell = false, isFile = false } of namedPaths(command, parsed, cwd, policy)) {
    const key = `${verb}${ofShell}${isFile}${path}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const tool = verb === 'read' ? 'Read' : 'Edit';
    // `Edit` without a pattern forbids writing any file, but not every word is one.
    const byPattern = !isFile || verb === 'read' || isNoFile(path);
    const verdict = decideFile({ tool, verb, path, byPattern, ofShell }, policy, true);
    if (verdict.behavior === behavior && verdict.rule)
      return {
        sure: { behavior, reason: `${path}: ${verdict.reason}`, rule: verdict.rule },
        perhaps: none,
      };
    // A shell pattern that could match a forbidden file.
    if (verdict.behavior === 'ask' && verdict.rule)
      perhapsFile ??= { behavior: 'ask', reason: `${path}: ${verdict.reason}`, rule: verdict.rule };
  }
  const everyEdit = rules.find(({ text }) => /^(?:Edit|Write)$/.test(text.trim()));
  if (everyEdit && parsed.ok) {
    const visits = track(parsed.parts, cwd, policy);
    const changes = changesBefore(visits, parsed.writes, policy);
    const isWriting = visits.some(({ part, directories }, at) =>
      writesFiles(part, directories ?? [cwd], followsGit(changes[at] ?? unchanged), policy),
    );
    if (isWriting) return { sure: byRule(behavior, everyEdit), perhaps: none };
  }
  return {
    byPattern: perhapsFile,
    perhaps: () => {
      if (perhapsFile) return perhapsFile;
      const perhaps = found.find(({ match }) => match === 'perhaps');
      if (perhaps) return mayBe(perhaps.rule, perhaps.text ?? command);
      const open = mayNameForbidden(command, parsed, cwd, rules, policy);
      return open && mayBe(open.rule, open.text);
    },
  };
}

/**
 * The first task whose commands in the project's file certainly match a rule, or write files that a rule forbids
 * editing. Asks, since the model did not necessarily write that file.
 */
function ofTasks(
  rules: readonly SourcedRule[],
  behavior: 'ask' | 'deny',
  parsed: ParsedCommand,
  cwd: string,
  policy: Policy,
  depth: number,
): PermissionDecision | undefined {
  if (!parsed.ok || depth > MAX_TASKS) return undefined;
  for (const { part, directories } of track(parsed.parts, cwd, policy))
    for (const { file, scripts, directory } of (directories ?? [cwd]).flatMap((at) =>
      projectTasks(part, at, policy),
    ))
      for (const script of scripts) {
        const inner = policy.parseCommand(script);
        const { sure } = ruled(rules, behavior, script, inner, directory, policy);
        const found = sure?.rule ?? writtenBy(inner, directory, rules, policy);
        if (found) {
          const reason = `Rule ${found.text} (${found.source}) may apply: ${part.text} runs ${shortText(script)}, as defined in ${file}.`;
          return { behavior: 'ask', reason, rule: { text: found.text, source: found.source } };
        }
        const deeper = ofTasks(rules, behavior, inner, directory, policy, depth + 1);
        if (deeper) return deeper;
      }
  return undefined;
}

function writtenBy(
  parsed: ParsedCommand,
  directory: string,
  rules: readonly SourcedRule[],
  policy: Policy,
): SourcedRule | undefined {
  if (!parsed.ok) return undefined;
  for (const { part, directories } of track(parsed.parts, directory, policy)) {
    const found = mayWriteForbidden(part, directories ?? [directory], false, rules, policy);
    if (found) return found;
  }
  return undefined;
}

/** The decision of a rule that matches. */
export const byRule = (behavior: 'ask' | 'deny', rule: SourcedRule): PermissionDecision => ({
  behavior,
  reason: `Rule ${rule.text} (${rule.source}).`,
  rule: { text: rule.text, source: rule.source },
});

function mayBe(rule: Pick<SourcedRule, 'text' | 'source'>, text: string): PermissionDecision {
  return {
    behavior: 'ask',
    reason: `Rule ${rule.text} (${rule.source}) may apply to ${shortText(text)}: what it does is known only at run time.`,
    rule: { text: rule.text, source: rule.source },
  };
}
