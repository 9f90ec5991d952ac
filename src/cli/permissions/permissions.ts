/** Puts the permission room to work: rules from every layer, rules learnt in this session. */
import { settingsFiles } from '../../config/loadSettings.ts';
import { addLocalRule } from '../../config/localRules.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { realpath } from '../../disk/realPath.ts';
import { decide, type PermissionInput } from '../../permissions/decide.ts';
import { explain } from '../../permissions/explain.ts';
import { decideFile } from '../../permissions/files/fileDecision.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import { diskLookups } from '../../permissions/lookups/diskLookups.ts';
import { notUnderstood, type PermissionEngine } from '../../permissions/PermissionEngine.ts';
import type { Policy, PolicyFacts } from '../../permissions/policy.ts';
import type { AnsweredCall, LearnedRules } from '../../permissions/rules/learnRules.ts';
import { parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import { saveLocally } from '../../permissions/rules/suggestFiles.ts';
import type {
  Access,
  PermissionDecision,
  PermissionExplanation,
  PermissionMode,
  RuleSuggestion,
} from '../../protocol/permissions.ts';

export interface Permissions {
  decide(tool: string, access: Access, mode: PermissionMode): Promise<PermissionDecision>;
  /** What is decided about a call, and what led to it; of no call, about the last one that was asked about or refused. */
  explain(
    call: PermissionInput | undefined,
    mode: PermissionMode,
  ): Promise<PermissionExplanation | undefined>;
  /** Rules from past answers; see `proposeRules`. */
  propose(calls: readonly AnsweredCall[], least: number): Promise<LearnedRules>;
  /** Saves an "always" and says what was saved where. */
  remember(suggestion: RuleSuggestion): Promise<string>;
  /** Allow rules that a skill of the user's own brings; they end with the turn. */
  allowForTurn(rules: readonly string[], source: string): void;
  endTurn(): void;
  rules(): readonly SourcedRule[];
  /** Whether every part of a command matches one of the patterns, as in `Bash(pattern)`. */
  matches(patterns: readonly string[], command: string): Promise<boolean>;
  /** What "always" saves for a host that a command wants to reach. */
  suggestHost(domain: string): RuleSuggestion;
  /** Whether a file must not be shown to the model in passing: a secret, or one that a rule keeps from reading. */
  isWithheld(path: string): boolean;
}

export interface PermissionPlaces {
  readonly dataRoot: string;
  readonly home: string;
  readonly root: string;
  /** Where the program was started; absent = the root. */
  readonly cwd?: string;
  /** Decides about commands. */
  readonly engine: PermissionEngine;
  /** Rules were saved into the folder's local settings. */
  readonly onSaved: (rules: readonly string[]) => Promise<void>;
  /** Rules saved since the settings were read: added to here, so that later sessions of this process heed them. */
  readonly saved: SourcedRule[];
}

export function createPermissions(loaded: LoadedSettings, places: PermissionPlaces): Permissions {
  const { engine, home, root, saved } = places;
  const localSettingsFile = settingsFiles(places).local;
  const ofSession: SourcedRule[] = [];
  let ofTurn: readonly SourcedRule[] = [];
  const allRules = (): readonly SourcedRule[] => [...loaded.rules, ...saved, ...ofSession, ...ofTurn];
  const managedOnly = loaded.settings.allowManagedPermissionRulesOnly;
  let held: PermissionInput | undefined;
  const lookups = diskLookups(process.env);
  const factsFor = (mode: PermissionMode): PolicyFacts => ({
    mode,
    rules: allRules(),
    root,
    ...(places.cwd !== undefined && { startDirectory: places.cwd }),
    additionalDirectories: loaded.settings.permissions.additionalDirectories,
    home,
    localSettingsFile,
  });
  /** For what is no command, and takes no time. */
  const policyFor = (mode: PermissionMode): Policy => ({
    ...factsFor(mode),
    ...lookups,
    parseCommand: notUnderstood,
  });

  return {
    allowForTurn(rules, source) {
      if (managedOnly) return;
      const added = rules.map((text) => ({ text, behavior: 'allow' as const, source, base: root }));
      ofTurn = [...ofTurn, ...added];
    },
    endTurn() {
      ofTurn = [];
    },
    // What does not count must not look as if it did: the start has named it.
    rules: () => allRules().filter(({ text }) => !('error' in parseRule(text))),
    isWithheld(path) {
      if (isSensitive(path) || isSensitive(realpath(path))) return true;
      if (allRules().every(({ behavior }) => behavior === 'allow')) return false;
      const request = { tool: 'Read', verb: 'read', path } as const;
      const { behavior, cause } = decideFile(request, policyFor('default'));
      return behavior !== 'allow' && (cause === 'rule' || cause === 'secret');
    },
    async decide(tool, access, mode) {
      const input = { tool, access };
      const { suggestion, ...decision } =
        access.type === 'command'
          ? await engine.decide(input, factsFor(mode))
          : decide(input, policyFor(mode));
      if (decision.behavior !== 'allow') held = input;
      // A rule that would not count is not offered.
      const isOffered = suggestion !== undefined && (!managedOnly || suggestion.destination === 'mode');
      return isOffered ? { ...decision, suggestion } : decision;
    },
    async explain(call, mode) {
      const input = call ?? held;
      if (input?.access.type === 'command') return await engine.explain(input, factsFor(mode));
      return input && explain(input, policyFor(mode));
    },
    propose: (calls, least) => engine.propose(calls, factsFor('default'), least),
    matches: async (patterns, command) =>
      patterns.length > 0 && (await engine.matches(patterns, command, root)),
    suggestHost: (domain) => {
      const written = domain.includes(':') ? `[${domain}]` : domain;
      return saveLocally([`WebFetch(domain:${written})`], policyFor('default'), domain);
    },
    async remember({ rules: texts, destination, file }) {
      if (managedOnly)
        return 'Nothing was saved: on this machine only the allow rules of managed settings count.';
      const add = (to: SourcedRule[], source: string): void => {
        to.push(...texts.map((text) => ({ text, behavior: 'allow' as const, source, base: root })));
      };
      if (destination !== 'local' || file === undefined) {
        add(ofSession, 'session');
        return `Allowed for this session: ${texts.join(', ')}`;
      }
      for (const text of texts) {
        const saved = await addLocalRule(file, 'allow', text, process.env);
        if (saved.type === 'refused') {
          add(ofSession, 'session');
          return `Allowed for this session only. ${saved.message}`;
        }
      }
      add(saved, file);
      await places.onSaved(texts);
      return `Saved to ${file}: allow ${texts.join(', ')}`;
    },
  };
}
