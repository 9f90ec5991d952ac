/**
 * Collects the layers of settings, lowest precedence first: what each contributes, its problems, and which settings of
 * a folder wait for the user's trust.
 */
import type { HookSource } from '../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import { type ClaudeFile, claudeRules } from './claude/claudeSettings.ts';
import { readSettingsText } from './files.ts';
import type { SettingSource, SettingsFlags } from './flags.ts';
import { type GrantingFile, grantLookup } from './grants.ts';
import { extractHooks, markUnapproved } from './hooks.ts';
import { dropReserved, dropUnnamedModels, leafPaths, mergeValues } from './managed.ts';
import {
  enabledServerGrant,
  extractServers,
  readSharedServers,
  SERVERS_GRANT,
  SHARED_SERVERS_FILE,
} from './mcpServers.ts';
import { createOpenedPaths, type DirectoryRefusal, type OpenedPaths } from './openedPaths.ts';
import { parseSettings, rulesOf } from './parseSettings.ts';
import { modelsNamedIn, type SettingsPaths, settingsFiles, shownPath } from './settingsFiles.ts';
import { withholdUntrusted } from './trust.ts';
import type {
  Grant,
  Layer,
  Problem,
  SettingsFile,
  SettingsRule,
  UnsupportedSettings,
  UntrustedSetting,
  Values,
} from './types.ts';

export interface LoadOptions extends SettingsPaths {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: SettingsFlags;
  readonly trusted: boolean;
  readonly granted?: readonly Grant[] | undefined;
  readonly savedRules?: readonly string[];
  /** Where the program was started; absent = the root. */
  readonly cwd?: string | undefined;
  /** The value of `--settings`: a file or JSON text. */
  readonly settingsFlag?: string | undefined;
  /** The files to apply; absent = all. Managed settings always apply. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  readonly mcp?: { readonly configs: readonly string[]; readonly strict: boolean; readonly cwd: string };
  /** Why a directory must not be added to the workspace; absent = all may. */
  readonly directoryRefusal?: DirectoryRefusal;
}

interface FileContext {
  /** Servers of `.mcp.json` that Claude Code's settings disable. */
  readonly disabledServers: ReadonlySet<string>;
  /** True for a server of `.mcp.json` that the user's own settings for Claude Code enable. */
  readonly isEnabled: (server: McpServerSource) => boolean;
  /** Models that managed settings name. */
  readonly managedModels: readonly string[];
}

export class SettingsLayers {
  readonly problems: Problem[] = [];
  readonly files: SettingsFile[] = [];
  readonly untrusted: UntrustedSetting[] = [];
  readonly granting: GrantingFile[] = [];
  readonly rules: SettingsRule[] = [];
  readonly sources: Record<string, string> = {};
  readonly servers: McpServerSource[] = [];
  readonly heldServers: string[] = [];
  readonly unsupported: UnsupportedSettings[] = [];
  readonly hooks: HookSource[] = [];
  merged: Values = {};
  /** The values of the user's own file. */
  own: Values = {};
  /** Resolves the paths of all layers, each once. */
  readonly paths: OpenedPaths;
  readonly #options: LoadOptions;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.paths = createOpenedPaths(options, options.directoryRefusal);
  }

  /** Adds values that override those so far. `sources`: where each comes from, by path. */
  add(values: Values, sources: string | Readonly<Record<string, string>>): void {
    this.merged = mergeValues(this.merged, this.paths.resolved(values));
    for (const path of typeof sources === 'string' ? leafPaths(values) : [])
      this.sources[path] = sources as string;
    if (typeof sources !== 'string') Object.assign(this.sources, sources);
  }

  /** Adds Claude Code's file of a layer, below ours of the same layer. */
  addClaude({ layer, path, name, state, hash, ...file }: ClaudeFile): void {
    const { home, root, cwd = root } = this.#options;
    this.files.push({ layer, path, name, state, isForeign: true });
    this.problems.push(...file.problems);
    const hooks = this.#takeHooks(file.values, layer, name);
    let values = file.values;
    this.problems.push(...this.paths.dropRefused(values, name, layer));
    if (layer === 'user') {
      delete values.hooks;
      this.hooks.push(...hooks);
    } else {
      // Rules that the user saved are in our own file, so none are saved for this one.
      values = this.#applyTrust(values, name, 'project').kept;
      this.#addFolderHooks(hooks, values, layer, name);
    }
    const translated = claudeRules(values, { name, layer }, { home, root, cwd });
    this.problems.push(...translated.problems);
    this.rules.push(...translated.rules);
    this.add(translated.values, name);
    const names = [...file.unsupported, ...translated.unused];
    if (names.length > 0) this.unsupported.push({ file: name, path, hash, names });
  }

  /** Reads and adds our own file of a layer. */
  async addFile(layer: SettingSource, context: FileContext): Promise<void> {
    const path = settingsFiles(this.#options)[layer];
    const name = shownPath(path, this.#options);
    const { values, state, problems } = await readLayer(path, name, layer);
    this.files.push({ layer, path, name, state });
    this.problems.push(...problems, ...dropReserved(values, name, layer));
    this.problems.push(...this.paths.dropRefused(values, name, layer));
    const servers = extractServers(values, layer, name);
    const hooks = this.#takeHooks(values, layer, name);
    let applied = values;
    if (layer === 'user') {
      this.own = values;
      this.hooks.push(...hooks);
      delete values.hooks;
      this.servers.push(...servers);
    } else {
      const named = [...modelsNamedIn(this.own), ...context.managedModels];
      this.problems.push(...dropSecrets(values, name, layer, this.#options));
      this.problems.push(...dropUnnamedModels(values, name, layer, named));
      if (layer === 'project') await this.#addSharedServers(context);
      this.#addFolderServers(servers, name, layer);
      const { kept, held } = this.#applyTrust(values, name, layer);
      applied = kept;
      this.#addFolderHooks(hooks, applied, layer, name);
      this.problems.push(...changedEndpoint(held, layer, this.#options));
    }
    this.rules.push(...rulesOf(applied, name, this.#options.root));
    this.add(applied, name);
  }

  async #addSharedServers({ disabledServers, isEnabled }: FileContext): Promise<void> {
    const { problems, servers } = await readSharedServers(this.#options.root);
    this.problems.push(...problems);
    const usable = servers.filter(({ name }) => !disabledServers.has(name));
    const file = SHARED_SERVERS_FILE;
    this.#addFolderServers(
      usable.filter((server) => !isEnabled(server)),
      file,
      'project',
    );
    for (const server of usable.filter(isEnabled))
      this.#addFolderServers([server], file, 'project', enabledServerGrant(server));
  }

  /** Servers of a folder's file wait for trust, all at once. */
  #addFolderServers(
    servers: readonly McpServerSource[],
    file: string,
    layer: Layer,
    grant = SERVERS_GRANT,
  ): void {
    if (servers.length === 0) return;
    const { held } = this.#applyTrust({ mcpServers: grant }, file, layer);
    if (held.length === 0) this.servers.push(...servers);
    else this.heldServers.push(...servers.map(({ name }) => name));
  }

  /** Removes the values of a folder that wait for trust. */
  #applyTrust(values: Values, file: string, layer: Layer): ReturnType<typeof withholdUntrusted> {
    this.granting.push({ source: file, values });
    const isGranted = grantedIn(layer, this.#options);
    const result = withholdUntrusted(values, file, isGranted, this.paths.grantText);
    this.untrusted.push(...result.held);
    return result;
  }

  #takeHooks(values: Values, layer: SettingSource, name: string): readonly HookSource[] {
    const { hooks, problems } = extractHooks(structuredClone(values), layer, name);
    this.problems.push(...problems);
    return hooks;
  }

  #addFolderHooks(hooks: readonly HookSource[], kept: Values, layer: SettingSource, name: string): void {
    const approved = extractHooks(kept, layer, name).hooks;
    this.hooks.push(...markUnapproved(hooks, approved, this.#options.trusted));
  }
}

type Granted = Pick<LoadOptions, 'trusted' | 'granted' | 'savedRules'>;

/** Returns whether the user has approved a grant in a file of this layer. */
function grantedIn(layer: Layer, { trusted, granted, savedRules }: Granted): (grant: Grant) => boolean {
  const isAgreed = granted === undefined ? () => true : grantLookup(granted);
  const saved = new Set(layer === 'local' ? savedRules : []);
  return (grant) =>
    (grant.kind === 'permissions.allow' && saved.has(grant.text)) || (trusted && isAgreed(grant));
}

/**
 * Reports that the folder named an endpoint that the user approved, and now names another: until that is approved,
 * requests meant for the first must not go to the default.
 */
function changedEndpoint(
  held: readonly UntrustedSetting[],
  layer: Layer,
  { trusted, granted = [] }: Granted,
): Problem[] {
  if (!trusted || (granted.length > 0 && granted.every(({ kind }) => kind !== 'baseUrl'))) return [];
  return held.flatMap(({ file, key }) =>
    key !== 'baseUrl'
      ? []
      : [
          {
            layer,
            file,
            key,
            message: `${file}: "baseUrl" is not the one you agreed to, so it is ignored. Run clawdcode here to decide.`,
          },
        ],
  );
}

async function readLayer(
  path: string,
  name: string,
  layer: Layer,
): Promise<{ values: Values; state: SettingsFile['state']; problems: readonly Problem[] }> {
  try {
    const { values, problems, broken } = parseSettings(await readSettingsText(path), name, layer);
    return { values, problems, state: broken ? 'broken' : 'loaded' };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { values: {}, problems: [], state: 'missing' };
    const problem = {
      layer,
      file: name,
      message: `${name} cannot be read, so it is ignored: ${message}`,
    };
    return { values: {}, problems: [problem], state: 'broken' };
  }
}

/**
 * A key in a folder's file would be shared with the folder, or lure the user's own key away; headers contain keys too,
 * and a provider names both a key and its address.
 */
function dropSecrets(values: Values, file: string, layer: Layer, places: SettingsPaths): Problem[] {
  const user = shownPath(settingsFiles(places).user, places);
  const advice = {
    apiKey: `a key belongs in ${user} or in OPENAI_API_KEY. Move it, and renew it if the file was shared.`,
    headers: `they belong in ${user}. Move them, and renew what is secret in them if the file was shared.`,
    providers: `they belong in ${user}, since they say where keys are sent.`,
  };
  return Object.entries(advice).flatMap(([key, where]) => {
    const value = values[key];
    delete values[key];
    if (value === undefined || value === null || Object.keys(value).length === 0) return [];
    return [{ layer, file, key, message: `${file}: "${key}" is ignored here: ${where}` }];
  });
}
