/** Puts the permission room to work: rules from every layer, rules learnt in this session, the shell parser. */
import { join } from 'node:path';
import { settingsFiles } from '../config/loadSettings.ts';
import { addLocalRule } from '../config/localRules.ts';
import type { LoadedSettings } from '../config/types.ts';
import { realpath } from '../disk/realPath.ts';
import { coverage } from '../permissions/commandRule.ts';
import { decide, type PermissionInput, type Policy } from '../permissions/decide.ts';
import { expandGlob } from '../permissions/expandGlob.ts';
import { explain } from '../permissions/explain.ts';
import { decideFile } from '../permissions/fileDecision.ts';
import { filesBelow, findUpwards } from '../permissions/filesBelow.ts';
import { gitFolder, gitRunsPrograms, gitShows, trackedFiles } from '../permissions/gitPrograms.ts';
import { linksIn, listTree } from '../permissions/listTree.ts';
import { parseRule, type SourcedRule } from '../permissions/rules.ts';
import { isSensitive } from '../permissions/sensitive.ts';
import { loadShellParser } from '../permissions/shell.ts';
import { saveLocally } from '../permissions/suggestTool.ts';
import type { PermissionExplanation } from '../protocol/explanation.ts';
import type { Access, PermissionDecision, PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import { isDirectory } from './workspace.ts';

export interface Permissions {
  decide(tool: string, access: Access, mode: PermissionMode): Promise<PermissionDecision>;
  /** What is decided about a call, and what led to it; of no call, about the last one that was asked about or refused. */
  explain(
    call: PermissionInput | undefined,
    mode: PermissionMode,
  ): Promise<PermissionExplanation | undefined>;
  /** What decisions are made from, the shell's grammar included. */
  policy(mode: PermissionMode): Promise<Policy>;
  /** Saves an "always" and says what was saved where. */
  remember(suggestion: RuleSuggestion): Promise<string>;
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
  /** The folder with the grammar files. */
  readonly wasm: string;
  /** Reading in here never asks: what the program itself stored for the model. */
  readonly ownDirectories: readonly string[];
  /** Rules were saved into the folder's local settings. */
  readonly onSaved: (rules: readonly string[]) => Promise<void>;
}

export function createPermissions(loaded: LoadedSettings, places: PermissionPlaces): Permissions {
  const { home, root } = places;
  const localSettingsFile = settingsFiles(places).local;
  let rules: readonly SourcedRule[] = loaded.rules;
  const managedOnly = loaded.settings.allowManagedPermissionRulesOnly;
  let parser: ReturnType<typeof loadShellParser> | undefined;
  let held: PermissionInput | undefined;
  const loadParser = (): ReturnType<typeof loadShellParser> => {
    parser ??= loadShellParser(places.wasm).catch(() => notUnderstood);
    return parser;
  };
  // The grammar is loaded for the first command, not before: most sessions begin with reading.
  const parserFor = async ({ type }: Access): Promise<Policy['parseCommand']> =>
    type === 'command' ? await loadParser() : notUnderstood;
  const policyFor = (mode: PermissionMode, parseCommand: Policy['parseCommand']): Policy => ({
    mode,
    rules,
    root,
    ...(places.cwd !== undefined && { startDirectory: places.cwd }),
    additionalDirectories: loaded.settings.permissions.additionalDirectories,
    ownDirectories: places.ownDirectories,
    home,
    realpath,
    expandGlob,
    linksIn,
    listTree,
    isDirectory,
    filesBelow,
    findUpwards,
    gitFolder,
    gitRunsPrograms,
    trackedFiles,
    gitShows: gitShows(process.env, realpath),
    parseCommand,
    localSettingsFile,
  });

  return {
    // What does not count must not look as if it did: the start has named it.
    rules: () => rules.filter(({ text }) => !('error' in parseRule(text))),
    isWithheld(path) {
      if (isSensitive(path) || isSensitive(realpath(path))) return true;
      if (rules.every(({ behavior }) => behavior === 'allow')) return false;
      const request = { tool: 'Read', verb: 'read', path } as const;
      const { behavior, cause } = decideFile(request, policyFor('default', notUnderstood));
      return behavior !== 'allow' && (cause === 'rule' || cause === 'secret');
    },
    async decide(tool, access, mode) {
      // The grammar is loaded for the first command, not before: most sessions begin with reading.
      const { suggestion, ...decision } = decide({ tool, access }, policyFor(mode, await parserFor(access)));
      if (decision.behavior !== 'allow') held = { tool, access };
      // A rule that would not count is not offered.
      const isOffered = suggestion !== undefined && (!managedOnly || suggestion.destination === 'mode');
      return isOffered ? { ...decision, suggestion } : decision;
    },
    async explain(call, mode) {
      const input = call ?? held;
      return input && explain(input, policyFor(mode, await parserFor(input.access)));
    },
    policy: async (mode) => policyFor(mode, await loadParser()),
    async matches(patterns, command) {
      if (patterns.length === 0) return false;
      const parsed = (await loadParser())(command);
      if (!parsed.ok || parsed.parts.length === 0) return false;
      const allowed = patterns.map((pattern) => ({
        text: `Bash(${pattern})`,
        behavior: 'allow' as const,
        source: 'sandbox.excludedCommands',
        base: root,
      }));
      return parsed.parts.every((part) => allowed.some((rule) => coverage(rule, part) !== undefined));
    },
    suggestHost: (domain) =>
      saveLocally([`WebFetch(domain:${domain})`], policyFor('default', notUnderstood), domain),
    async remember({ rules: texts, destination, file }) {
      if (managedOnly)
        return 'Nothing was saved: on this machine only the allow rules of managed settings count.';
      const add = (source: string): void => {
        rules = [
          ...rules,
          ...texts.map((text) => ({ text, behavior: 'allow' as const, source, base: root })),
        ];
      };
      if (destination !== 'local' || file === undefined) {
        add('session');
        return `Allowed for this session: ${texts.join(', ')}`;
      }
      for (const text of texts) {
        const saved = await addLocalRule(file, 'allow', text, process.env);
        if (saved.type === 'refused') {
          add('session');
          return `Allowed for this session only. ${saved.message}`;
        }
      }
      add(file);
      await places.onSaved(texts);
      return `Saved to ${file}: allow ${texts.join(', ')}`;
    },
  };
}

/** Without the grammar no command is understood, and what is not understood is asked about. */
const notUnderstood = () => ({ ok: false as const });

/** Where the build puts the shell grammar. */
export function grammarFolder(packageRoot: string): string {
  return join(packageRoot, 'dist');
}
