/** The permissions of a session: rules from all settings layers plus rules saved during the session. */

import type { AllowedBy } from '../../agent/hooks/callHooks.ts';
import { derivedFrom } from '../../config/addedDirectories.ts';
import { SETTINGS_FLAG } from '../../config/flags.ts';
import { addLocalRule } from '../../config/localRules.ts';
import { settingsFiles } from '../../config/settingsFiles.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { realpath } from '../../disk/paths.ts';
import { pathsInWorktree } from '../../disk/settingsPaths.ts';
import type { CommandEffect } from '../../permissions/command/commandEffects.ts';
import { decidePlain, type PermissionInput } from '../../permissions/decideCall.ts';
import { decideFile } from '../../permissions/files/fileDecision.ts';
import { linkedSecret } from '../../permissions/files/linkedSecret.ts';
import { secretPlaceTest } from '../../permissions/files/secretPlace.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import { diskLookups } from '../../permissions/lookups/diskLookups.ts';
import { isMisread } from '../../permissions/lookups/filesBelow.ts';
import { lookupsOnce } from '../../permissions/lookups/lookupsOnce.ts';
import { notUnderstood, type PermissionEngine } from '../../permissions/PermissionEngine.ts';
import type { Policy, PolicyFacts } from '../../permissions/policy.ts';
import type { AnsweredCall, LearnedRules } from '../../permissions/rules/learnRules.ts';
import { parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import { saveLocally } from '../../permissions/rules/suggestRules.ts';
import { rulesInWorktree } from '../../permissions/rules/worktreeRules.ts';
import { bindsCommands, coversDomain } from '../../permissions/webDecision.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type {
  Access,
  PermissionDecision,
  PermissionExplanation,
  PermissionMode,
  RuleSuggestion,
} from '../../protocol/permissions.ts';
import type { CommandStep, GitUse, HostVerdict } from '../../protocol/sandbox.ts';
import { revealLine } from '../../protocol/text/reveal.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { type AppPaths, packageRoot } from '../process/appPaths.ts';
import { ownEnvironment } from '../process/lookUp.ts';
import { ownFiles } from '../process/ownFiles.ts';
import { askedAgain, changeSinceRules } from './boundRules.ts';
import { createToolBindings, type DefinitionChange, type ToolBindings } from './toolBindings.ts';
import { scriptsIn } from './workspaceScripts.ts';

export interface Permissions {
  /** `allowedBy`: a hook that allows the call like an allow rule for the tool. */
  decide(
    tool: string,
    access: Access,
    mode: PermissionMode,
    allowedBy?: AllowedBy,
  ): Promise<PermissionDecision>;
  /** True if a rule covers a call or part of it, and for an invalid rule. */
  covers(rule: string, tool: string, access: Access): Promise<boolean>;
  /** Notes a call that needs approval or was denied, for `explain`. */
  hold(call: PermissionInput): void;
  /** Explains the decision about a call; without a call, about the last one noted with `hold`. */
  explain(
    call: PermissionInput | undefined,
    mode: PermissionMode,
  ): Promise<PermissionExplanation | undefined>;
  /**
   * The effects of a command from the user's own settings; see `effectsOf`. `changed`: further folders that count as
   * the workspace.
   */
  effects(
    command: string,
    cwd: string,
    changed: readonly string[],
  ): Promise<readonly CommandEffect[] | undefined>;
  /** Proposes rules from past answers; see `proposeRules`. */
  propose(calls: readonly AnsweredCall[], least: number): Promise<LearnedRules>;
  /** Saves an "always" and returns a sentence that names the rule and where it was saved. */
  remember(suggestion: RuleSuggestion): Promise<string>;
  /** Replaces the rules of `--settings`. */
  replaceFlagRules(rules: readonly SourcedRule[]): void;
  /** Adds allow rules of a skill until the end of the turn, and protects the scripts that they run. */
  allowForTurn(rules: TurnRules): void;
  endTurn(): void;
  rules(): readonly SourcedRule[];
  /** True if every part of a command matches one of the patterns, as in `Bash(pattern)`. */
  matches(patterns: readonly string[], command: string): Promise<boolean>;
  /** Whether a command, run in a folder, may change git folders in the sandbox. */
  gitUse(command: string, cwd: string): Promise<GitUse>;
  /** True if a command, run in a folder, does nothing but install or remove dependencies. */
  replacesPackages(command: string, cwd: string): Promise<boolean>;
  /** True if a command, run in a folder, does nothing but install what the project lists. */
  installs(command: string, cwd: string): Promise<boolean>;
  /** See `CommandSandbox.steps`. */
  steps(command: string, cwd: string): Promise<readonly CommandStep[]>;
  /** Returns the rule that "always" saves for a host. */
  suggestHost(domain: string): RuleSuggestion;
  /**
   * True if a file's content must not reach the model unasked: a secret, a file that a rule denies reading, or one that
   * cannot be judged, since its name is not UTF-8.
   */
  isWithheld(path: string): boolean;
  /** True if Read may read the file without approval even in the strictest mode. */
  isReadable(path: string): boolean;
  /**
   * Returns a function that says why writing a file needs approval even in acceptEdits, ready to show; undefined if it
   * does not. Its lookups are cached, so discard it after use.
   */
  writeApprovals(): (path: string) => string | undefined;
  /** The same rules, including ones added later, for an agent in a worktree of the project. */
  inWorktree(path: string): Permissions;
}

interface PermissionPlaces {
  readonly dataRoot: string;
  readonly home: string;
  readonly root: string;
  /** Where the program was started; absent = the root. */
  readonly cwd?: string;
  /** The environment of commands; absent = the process's own. */
  readonly env?: AppPaths['env'];
  /** Decides about commands. */
  readonly engine: PermissionEngine;
  /** Called when rules were saved in the folder's local settings. */
  readonly onSaved: (rules: readonly string[]) => Promise<void>;
  /** Rules saved since the settings were read; extended here, so that later sessions of this process apply them. */
  readonly saved: SourcedRule[];
}

interface TurnRules {
  /** Shown to the user. */
  readonly source: string;
  /** The allow rules that apply at the time of the call. */
  readonly rules: () => readonly string[];
  /** Absolute paths. */
  readonly scripts: readonly string[];
}

/** Rules in addition to those of the settings. */
interface AddedRules {
  /** Saved; see `PermissionPlaces`. */
  readonly saved: SourcedRule[];
  readonly ofSession: SourcedRule[];
  ofTurn: readonly TurnRules[];
  /** Replaces the rules of `--settings`; undefined = as at the start. */
  ofFlag: readonly SourcedRule[] | undefined;
  /** The tools to which MCP rules are bound. */
  readonly bindings: ToolBindings;
}

export function createPermissions(loaded: LoadedSettings, places: PermissionPlaces): Permissions {
  const bindings = createToolBindings(places);
  const added = { saved: places.saved, ofSession: [], ofTurn: [], ofFlag: undefined, bindings };
  return permissionsAt(loaded, places, added);
}

/** `worktree`: the folder of an agent that works apart from the project's files. */
function permissionsAt(
  loaded: LoadedSettings,
  places: PermissionPlaces,
  added: AddedRules,
  worktree?: string,
): Permissions {
  const { engine, home, root: project, env = process.env } = places;
  const root = worktree ?? project;
  const localSettingsFile = settingsFiles(places).local;
  const allRules = (): readonly SourcedRule[] => {
    const { ofFlag } = added;
    const given =
      ofFlag === undefined
        ? loaded.rules
        : [...loaded.rules.filter(({ source }) => source !== SETTINGS_FLAG), ...ofFlag];
    const ofTurn = added.ofTurn.flatMap(({ rules: now, source }) =>
      now().map((text) => ({ text, behavior: 'allow' as const, source, base: project })),
    );
    const rules = [...given, ...added.saved, ...added.ofSession, ...ofTurn];
    return worktree === undefined
      ? rules
      : rulesInWorktree(rules, { root: project, path: worktree, home, realpath });
  };
  const managedOnly = loaded.settings.allowManagedPermissionRulesOnly;
  let held: PermissionInput | undefined;
  const lookups = diskLookups(env);
  const { directories } = loaded.added;
  const workspaceNow = derivedFrom(directories, (added) => {
    const additionalDirectories = [...pathsInWorktree(added, { project, worktree: root })];
    return {
      additionalDirectories,
      inSecretPlace: secretPlaceTest({ home, root, additionalDirectories, realpath }),
      run: scriptsIn(loaded, { project, root, home }),
    };
  });
  const own = ownFiles(packageRoot());
  const factsFor = (mode: PermissionMode): PolicyFacts => ({
    mode,
    rules: allRules(),
    root,
    ...(places.cwd !== undefined && worktree === undefined && { startDirectory: places.cwd }),
    additionalDirectories: workspaceNow().additionalDirectories,
    home,
    platform: process.platform,
    executedFiles: [...workspaceNow().run, ...added.ofTurn.flatMap(({ scripts }) => scripts)],
    ownFiles: own,
    localSettingsFile,
  });
  /** The policy for everything except commands, without slow lookups. */
  const policyFor = (mode: PermissionMode): Policy => ({
    ...factsFor(mode),
    ...lookups,
    parseCommand: notUnderstood,
  });

  /** Why the rules that allow an MCP tool do not cover it as it is now defined. */
  const changeSince = async (
    access: Access,
    { behavior, rule }: { readonly behavior: string; readonly rule?: unknown },
  ): Promise<DefinitionChange | undefined> => {
    const definition = access.type === 'unknown' ? access.definition : undefined;
    if (definition === undefined || behavior !== 'allow' || rule === undefined) return undefined;
    const isSaved = ({ source }: SourcedRule): boolean =>
      !source.startsWith('--') && source !== SESSION && added.ofTurn.every((one) => one.source !== source);
    return changeSinceRules(allRules(), definition, isSaved, added.bindings);
  };

  return {
    inWorktree: (path) => permissionsAt(loaded, places, added, path),
    replaceFlagRules(rules) {
      added.ofFlag = managedOnly ? rules.filter(({ behavior }) => behavior !== 'allow') : rules;
    },
    allowForTurn(more) {
      if (!managedOnly) added.ofTurn = [...added.ofTurn, more];
    },
    endTurn() {
      added.ofTurn = [];
    },
    // Leaves out invalid rules, which have no effect; they were reported at the start.
    rules: () => allRules().filter(({ text }) => !('error' in parseRule(text))),
    isWithheld(path) {
      const real = realpath(path);
      const { additionalDirectories, inSecretPlace } = workspaceNow();
      if (
        isMisread(real) ||
        [path, real].some((one) => isSensitive(one) || inSecretPlace(one)) ||
        lookups.holdsCredentials?.(real) === true ||
        linkedSecret(real, { ...lookups, home, root, additionalDirectories }) !== undefined
      )
        return true;
      if (allRules().every(({ behavior }) => behavior === 'allow')) return false;
      const request = { tool: 'Read', verb: 'read', path } as const;
      const { behavior, cause } = decideFile(request, policyFor('default'));
      return behavior !== 'allow' && (cause === 'rule' || cause === 'secret');
    },
    isReadable: (path) =>
      decideFile({ tool: 'Read', verb: 'read', path }, policyFor('default')).behavior === 'allow',
    writeApprovals() {
      const once = lookupsOnce(lookups, () => performance.now());
      const policy = { ...policyFor('acceptEdits'), ...once.lookups };
      return (path) => {
        const { behavior, reason } = decideFile({ tool: toolNames.write, verb: 'write', path }, policy);
        return behavior === 'allow' ? undefined : reason;
      };
    },
    async covers(rule, tool, access) {
      if ('error' in parseRule(rule)) return true;
      // Checked as a deny rule, which covers a command if it covers any part of it.
      const rules = [{ text: rule, behavior: 'deny' as const, source: 'if', base: root }];
      const decided =
        access.type === 'command'
          ? await engine.decide({ tool, access }, { ...factsFor('default'), rules })
          : decidePlain({ tool, access }, { ...policyFor('default'), rules });
      return decided.rule?.text === rule;
    },
    async decide(tool, access, mode, allowedBy) {
      const isRule = allowedBy !== undefined && (!managedOnly || allowedBy.isManaged);
      const extra = isRule
        ? [{ text: tool, behavior: 'allow' as const, source: allowedBy.source, base: root }]
        : [];
      const rules = [...allRules(), ...extra];
      const byRules =
        access.type === 'command'
          ? await engine.decide({ tool, access }, { ...factsFor(mode), rules })
          : decidePlain({ tool, access }, { ...policyFor(mode), rules });
      const change = isRule ? undefined : await changeSince(access, byRules);
      const { suggestion, ...decision } =
        change === undefined ? byRules : askedAgain(change, byRules.rule, mode);
      // Do not offer to save a rule that would have no effect.
      const isEffective = suggestion?.isOnlyBound === true || suggestion?.destination === 'mode';
      const isOffered = suggestion !== undefined && (!managedOnly || isEffective);
      if (!isOffered) return decision;
      const binds = access.type === 'unknown' && access.definition;
      return { ...decision, suggestion: { ...suggestion, ...(binds && { binds }) } };
    },
    hold(call) {
      held = call;
    },
    async explain(call, mode) {
      const input = call ?? held;
      if (input === undefined || input.access.type === 'command')
        return input && engine.explain(input, factsFor(mode));
      const { explain } = await import('../../permissions/explain.ts');
      const { rule, ...explained } = explain(input, policyFor(mode));
      const change = await changeSince(input.access, { ...explained, rule });
      if (change === undefined) return { ...explained, ...(rule && { rule }) };
      const { behavior, reason } = askedAgain(change, rule, mode);
      return { ...explained, behavior, reason };
    },
    effects(command, cwd, changed) {
      const facts = factsFor('default');
      const folders = [...new Set([...facts.additionalDirectories, ...changed])];
      return engine.effects(command, cwd, { ...facts, additionalDirectories: folders });
    },
    propose: (calls, least) => engine.propose(calls, factsFor('default'), least),
    gitUse: (command, cwd) => engine.gitUse(command, cwd, factsFor('default')),
    replacesPackages: (command, cwd) => engine.replacesPackages(command, cwd, factsFor('default')),
    installs: (command, cwd) => engine.installs(command, cwd, factsFor('default')),
    steps: (command, cwd) => engine.steps(command, cwd, factsFor('default')),
    matches: async (patterns, command) =>
      patterns.length > 0 && (await engine.matches(patterns, command, root)),
    suggestHost: (domain) => {
      const written = domain.includes(':') ? `[${domain}]` : domain;
      return saveLocally([`WebFetch(domain:${written})`], policyFor('default'), domain);
    },
    async remember({ rules: texts, destination, file, binds, isOnlyBound }) {
      if (binds !== undefined && isOnlyBound === true) {
        await added.bindings.accept(binds, true);
        return `Allowed as it is defined now: ${binds.tool}`;
      }
      if (managedOnly)
        return 'Nothing was saved: on this machine only the allow rules of managed settings apply.';
      const shown = texts.map(revealLine).join(', ');
      const add = (to: SourcedRule[], source: string): void => {
        to.push(...texts.map((text) => ({ text, behavior: 'allow' as const, source, base: project })));
      };
      if (destination !== 'local' || file === undefined) {
        add(added.ofSession, SESSION);
        if (binds !== undefined) await added.bindings.accept(binds, false);
        return `Allowed for this session: ${shown}`;
      }
      for (const text of texts) {
        const gitEnv = ownEnvironment({ root: project, addedDirectories: directories, env });
        const written = await addLocalRule(file, 'allow', text, gitEnv);
        if (written.type === 'refused') {
          add(added.ofSession, SESSION);
          if (binds !== undefined) await added.bindings.accept(binds, false);
          return `Allowed for this session only. ${written.message}`;
        }
      }
      add(added.saved, file);
      if (binds !== undefined) await added.bindings.accept(binds, true);
      await places.onSaved(texts);
      return `Saved to ${file}: allow ${shown}`;
    },
  };
}

/** The source of rules that the user gave in this session. */
const SESSION = 'session';

/** Milliseconds after a request was sent; a quick reply may already end the turn. */
const AFTER_MS = 100;

/**
 * Calls `prepare` once before the first shell command: while the model writes it, or thinks after calling another tool.
 * A session without tool calls pays nothing. Call `underway` when a request has been sent, and `handle` with each event
 * of the agent.
 */
export function warmUpCommands(prepare: () => void): {
  underway(): void;
  handle(event: AgentEvent): void;
} {
  let timer: NodeJS.Timeout | undefined;
  let usesTools = false;
  let isPrepared = false;
  const prepareOnce = (): void => {
    clearTimeout(timer);
    if (!isPrepared) prepare();
    isPrepared = true;
  };
  return {
    underway() {
      if (usesTools && !isPrepared) timer ??= setTimeout(prepareOnce, AFTER_MS).unref();
    },
    handle(event) {
      if (event.type === 'tool_call_delta') {
        usesTools = true;
        if (event.name === toolNames.bash) prepareOnce();
      } else if (event.type === 'turn_ended') {
        clearTimeout(timer);
        timer = undefined;
      }
    },
  };
}

// Decides which hosts sandboxed commands may reach, by settings and `WebFetch(domain:…)` rules. Pure.

interface HostSettings {
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  /** True if managed settings define the allowed hosts; neither rules nor the user's answers can then add hosts. */
  readonly isWholeList: boolean;
}

/** Decides about one host. A deny from any source is final; a managed ask rule asks in every mode. */
export function hostVerdict(
  host: string,
  { allowedDomains, deniedDomains, isWholeList }: HostSettings,
  rules: readonly SourcedRule[],
): HostVerdict {
  const covers = (domain: string): boolean => coversDomain(domain, host);
  const speaking = rules.filter((rule) => bindsCommands(rule, host));
  if (deniedDomains.some(covers) || speaking.some(({ behavior }) => behavior === 'deny')) return 'deny';
  const counting = isWholeList ? speaking.filter(({ managed }) => managed === true) : speaking;
  const isAllowed = allowedDomains.some(covers) || counting.some(({ behavior }) => behavior === 'allow');
  if (isWholeList && !isAllowed) return 'deny';
  const asking = speaking.filter(({ behavior }) => behavior === 'ask');
  if (asking.some(({ managed }) => managed === true)) return 'always ask';
  return asking.length > 0 || !isAllowed ? 'ask' : 'allow';
}
