/**
 * Claude Code's settings files, read as layers just below our own of the same scope: which of their settings apply
 * here, and which do not. A mistake disables only the file or the key that contains it.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isRecord } from '../../protocol/json.ts';
import { shortened } from '../../protocol/text/visible.ts';
import { readSettingsText } from '../files.ts';
import { parsePermissionMode } from '../modes.ts';
import { parseSettings } from '../parseSettings.ts';
import { settingsSchema } from '../schema.ts';
import type { Layer, Problem, SettingsRule, Values } from '../types.ts';
import { type RuleBase, translateRule, userRuleBase } from './claudeRules.ts';

type ClaudeLayer = 'user' | 'project' | 'local';

/** What one of the files says about the servers of `.mcp.json`. */
interface SharedServerChoice {
  readonly enablesAll: boolean;
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

export interface ClaudeFile {
  readonly layer: ClaudeLayer;
  readonly path: string;
  /** As displayed. */
  readonly name: string;
  readonly state: 'loaded' | 'broken';
  /** The settings that apply here, checked, as written: rules are not translated yet. */
  readonly values: Values;
  readonly problems: readonly Problem[];
  readonly servers: SharedServerChoice;
  /** Settings in it that have no effect here, for display. */
  readonly unsupported: readonly string[];
  /** Identifies its content. */
  readonly hash: string;
}

interface Places {
  readonly home: string;
  readonly root: string;
}

/** Where the files are, as displayed and on disk. */
function claudeFiles({ home, root }: Places): { layer: ClaudeLayer; path: string; name: string }[] {
  const user = { layer: 'user', path: join(home, '.claude/settings.json') } as const;
  const ofRoot = (['settings.json', 'settings.local.json'] as const).map((file) => ({
    layer: file === 'settings.json' ? ('project' as const) : ('local' as const),
    path: join(root, '.claude', file),
    name: `.claude/${file}`,
  }));
  // In the home folder, the user's file is not a project's.
  return [{ ...user, name: '~/.claude/settings.json' }, ...ofRoot.filter(({ path }) => path !== user.path)];
}

/** Reads the files that exist. Never rejects. */
export async function readClaudeFiles(places: Places): Promise<ReadonlyMap<ClaudeLayer, ClaudeFile>> {
  const read = await Promise.all(claudeFiles(places).map(readClaudeFile));
  return new Map(read.flatMap((file) => (file === undefined ? [] : [[file.layer, file] as const])));
}

async function readClaudeFile(place: {
  readonly layer: ClaudeLayer;
  readonly path: string;
  readonly name: string;
}): Promise<ClaudeFile | undefined> {
  const { layer, path, name } = place;
  const nothing = { values: {}, servers: NO_CHOICE, unsupported: [], hash: '' };
  try {
    const text = await readSettingsText(path);
    const { values, problems, broken, written } = parseSettings(text, name, layer, settingsIn);
    const hash = createHash('sha256').update(text).digest('hex');
    if (broken) return { ...place, ...nothing, problems: problems.map(asForeign), state: 'broken', hash };
    return {
      ...place,
      ...{ state: 'loaded', values, problems, hash },
      servers: serverChoice(written),
      unsupported: unsupportedIn(written, layer),
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const problem = { layer, file: name, message: `${name} cannot be read, so it is ignored: ${message}` };
    return { ...place, ...nothing, problems: [problem], state: 'broken' };
  }
}

/** Rules in a file that cannot be read protect nothing, which is worth more than a line number. */
function asForeign(problem: Problem): Problem {
  return { ...problem, message: `${problem.message} Its permission rules do not protect anything either.` };
}

const permissionKeys = [
  ...(['allow', 'ask', 'deny', 'additionalDirectories', 'defaultMode'] as const),
  ...(['disableBypassPermissionsMode', 'disableAutoMode'] as const),
];

/** Settings with the same name and shape here, once this version has them. */
const sameKeys = ['hooks', 'disableAllHooks'].filter((key) => Object.hasOwn(settingsSchema.shape, key));

/** Settings about the servers of `.mcp.json`. */
const serverKeys = ['enableAllProjectMcpServers', 'enabledMcpjsonServers', 'disabledMcpjsonServers'];

/** Picks what applies here, in our shape; not checked yet. */
function settingsIn(written: Values): Values {
  const picked: Values = {};
  const permissions = pickPermissions(written.permissions);
  if (permissions !== undefined) picked.permissions = permissions;
  if (written.env !== undefined) picked.env = textsOf(written.env);
  for (const key of sameKeys) if (written[key] !== undefined) picked[key] = written[key];
  return picked;
}

function pickPermissions(written: unknown): unknown {
  if (!isRecord(written)) return written;
  const picked: Values = {};
  for (const key of permissionKeys) {
    const value = written[key];
    if (value === undefined || (key === 'defaultMode' && isForeignMode(value))) continue;
    // A single rule in place of a list is a mistake that must not cost a deny rule.
    picked[key] = ['allow', 'ask', 'deny'].includes(key) && typeof value === 'string' ? [value] : value;
  }
  return picked;
}

/** Modes that this version does not have, and `auto`, which only the user's own config.json switches on. */
function isForeignMode(value: unknown): boolean {
  return typeof value === 'string' && ['auto', undefined].includes(parsePermissionMode(value));
}

/** Variables may be written as numbers and booleans there. */
function textsOf(env: unknown): unknown {
  if (!isRecord(env)) return env;
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  );
}

const NO_CHOICE: SharedServerChoice = { enablesAll: false, enabled: [], disabled: [] };

function serverChoice(written: Values): SharedServerChoice {
  const namesIn = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
  return {
    enablesAll: written.enableAllProjectMcpServers === true,
    enabled: namesIn(written.enabledMcpjsonServers),
    disabled: namesIn(written.disabledMcpjsonServers),
  };
}

/** The settings without effect, by name; a repository chooses the names, so odd ones are only counted. */
function unsupportedIn(written: Values, layer: ClaudeLayer): string[] {
  const known = new Set(['$schema', 'permissions', 'env', ...sameKeys, ...serverKeys]);
  const permissions = isRecord(written.permissions) ? written.permissions : {};
  const mode = permissions.defaultMode;
  const found = [
    ...Object.keys(written).filter((key) => !known.has(key)),
    ...Object.keys(permissions)
      .filter((key) => !(permissionKeys as readonly string[]).includes(key))
      .map((key) => `permissions.${key}`),
    ...(isForeignMode(mode) ? [`permissions.defaultMode ${String(mode)}`] : []),
    // A repository cannot approve its own servers.
    ...(layer === 'user'
      ? []
      : serverKeys.filter((key) => key.startsWith('enable') && written[key] !== undefined)),
  ];
  const plain = found.filter((name) => /^[\w$. -]{1,60}$/.test(name));
  const odd = found.length - plain.length;
  return odd === 0 ? plain : [...plain, `${odd} with unusual names`];
}

/** The rules of a file in our dialect. */
interface ClaudeRules {
  /** With the translated rules. */
  readonly values: Values;
  readonly rules: readonly SettingsRule[];
  readonly problems: readonly Problem[];
  /** Allow rules without effect, as written. */
  readonly unused: readonly string[];
}

/** Limits, so that an untrusted file cannot flood the screen. */
const MAX_PROBLEMS = 20;
const MAX_SHOWN = 200;

/** Translates the rules of a file's checked values. Pure. */
export function claudeRules(
  values: Values,
  { name, layer }: { readonly name: string; readonly layer: Layer },
  { home, root, cwd }: Places & { readonly cwd: string },
): ClaudeRules {
  const permissions = values.permissions as Values | undefined;
  if (permissions === undefined) return { values, rules: [], problems: [], unused: [] };
  const place: RuleBase = { root, cwd, userBase: layer === 'user' ? userRuleBase(home) : undefined };
  const rules = new Map<string, SettingsRule>();
  const problems: Problem[] = [];
  const unused: string[] = [];
  for (const behavior of ['allow', 'ask', 'deny'] as const) {
    for (const text of (permissions[behavior] ?? []) as readonly string[]) {
      const translated = translateRule(text, behavior, place);
      for (const rule of translated.rules) {
        const one = { behavior, ...rule, source: name };
        rules.set(JSON.stringify([one.behavior, one.text, one.base]), one);
      }
      if (translated.isUnused === true) unused.push(text);
      if (translated.complaint === undefined) continue;
      const message = `${name}: the ${behavior} rule ${shown(text)}: ${translated.complaint}`;
      problems.push({ layer, file: name, key: `permissions.${behavior}`, message });
    }
  }
  const all = [...rules.values()];
  const textsFor = (behavior: SettingsRule['behavior']): string[] => [
    ...new Set(all.flatMap((rule) => (rule.behavior === behavior ? [rule.text] : []))),
  ];
  const lists = Object.fromEntries(
    (['allow', 'ask', 'deny'] as const)
      .filter((behavior) => permissions[behavior] !== undefined || textsFor(behavior).length > 0)
      .map((behavior) => [behavior, textsFor(behavior)]),
  );
  const left = problems.length - MAX_PROBLEMS;
  return {
    values: { ...values, permissions: { ...permissions, ...lists } },
    rules: all,
    problems:
      left <= 0
        ? problems
        : [
            ...problems.slice(0, MAX_PROBLEMS),
            { layer, file: name, message: `${name}: ${left} more rules like these.` },
          ],
    unused,
  };
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, MAX_SHOWN));
}
