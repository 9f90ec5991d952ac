/**
 * Installed plugins: copies in `plugins` of the data folder, and the user's approvals. An approval is for the exact
 * content of the folder; a plugin whose files have changed is not used until it is approved again.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { readHooks } from '../../config/hooks.ts';
import { type JsonFile, openJsonFile } from '../../disk/jsonFile.ts';
import { runGit } from '../../disk/ownGit.ts';
import { type HookReader, pluginNamePattern, readPlugin } from '../../extensions/readPlugin.ts';
import type { HookSource } from '../../protocol/extensions/hooks.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import { JITLESS } from '../../protocol/json.ts';
import { visibleLine, visibleText } from '../../protocol/text/visible.ts';
import { type AppPaths, workspaceOf } from '../process/appPaths.ts';
import { bytesBelow, contentHash, contentStamp, filesIn, TOO_MUCH } from './pluginContent.ts';

const fileSchema = z.looseObject({
  plugins: z
    .record(z.string(), z.looseObject({ source: z.string(), enabled: z.boolean(), hash: z.string() }))
    .default({}),
});
type Registry = z.infer<typeof fileSchema>;

type Place = Pick<AppPaths, 'dataRoot' | 'cwd' | 'root' | 'addedDirectories' | 'env'>;

/** A copy that is not installed yet. */
interface StagedCopy {
  readonly folder: string;
  readonly source: string;
  readonly hash: string;
  readonly contents: PluginContents;
}

const CLONE_TIMEOUT_MS = 60_000;
/** Maximum bytes that git may write, including its own copy of the content. */
const MAX_CLONE_BYTES = 100_000_000;
const MAX_CLONE_OUTPUT = 1_000_000;
const WATCH_MS = 200;

/** Without it, nothing is approved. */
const registryFile = ({ dataRoot }: PluginLocation): JsonFile<Registry> =>
  openJsonFile<Registry>({
    file: join(dataRoot, 'plugins.json'),
    parse: (value) => fileSchema.parse(value, JITLESS),
    empty: { plugins: {} },
  });

/** Copies or clones a plugin into a new folder, and reads it. Returns a sentence if that is not possible. */
export async function stagePlugin(place: Place, source: string): Promise<StagedCopy | string> {
  const folder = join(pluginsFolder(place), `.new-${randomBytes(6).toString('hex')}`);
  await mkdir(pluginsFolder(place), { recursive: true, mode: 0o700 });
  await removeStale(place);
  try {
    const problem = isAddress(source)
      ? await clone(place, source, folder)
      : await copy(
          resolve(
            place.cwd,
            source.replace(/^~(?=\/|$)/, () => place.env.HOME ?? homedir()),
          ),
          folder,
        );
    const contents = problem ?? (await readPlugin(folder, readPluginHooks));
    const hash = typeof contents === 'string' ? undefined : await contentHash(folder);
    if (typeof contents === 'string' || hash === undefined) {
      await rm(folder, { recursive: true, force: true });
      return typeof contents === 'string' ? contents : TOO_MUCH;
    }
    return { folder, source, hash, contents };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return `It cannot be copied: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

const STALE_MS = 24 * 60 * 60 * 1000;

/** Removes copies that were never approved because the program was killed. */
async function removeStale(place: PluginLocation): Promise<void> {
  for (const name of await readdir(pluginsFolder(place))) {
    const folder = join(pluginsFolder(place), name);
    const info = name.startsWith('.new-') ? await lstat(folder).catch(() => undefined) : undefined;
    if (info !== undefined && Date.now() - info.mtimeMs > STALE_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

/** Moves a staged plugin into its place and records the approval of its content. */
export async function installPlugin(
  place: Place,
  { folder, source, hash, contents }: StagedCopy,
): Promise<void> {
  const target = folderOf(place, contents.name);
  const before = registryFile(place).read().plugins[contents.name];
  // Data stored by another plugin of the same name must not be visible to it.
  if (before?.source !== source)
    await rm(dataFolderOf(place, contents.name), { recursive: true, force: true });
  await rm(target, { recursive: true, force: true });
  await rename(folder, target);
  await mkdir(dataFolderOf(place, contents.name), { recursive: true, mode: 0o700 });
  await change(place, (plugins) => ({ ...plugins, [contents.name]: { source, enabled: true, hash } }));
}

export function discardPlugin({ folder }: StagedCopy): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Approves the content of an installed plugin that was shown, by its hash. */
export function enablePlugin(place: PluginLocation, { name, hash }: PluginInfo): Promise<void> {
  return change(place, (plugins) => withChange(plugins, name, { enabled: true, hash }));
}

export function disablePlugin(place: PluginLocation, name: string): Promise<void> {
  return change(place, (plugins) => withChange(plugins, name, { enabled: false }));
}

function withChange(
  plugins: Registry['plugins'],
  name: string,
  changed: Partial<Registry['plugins'][string]>,
): Registry['plugins'] {
  const before = plugins[name];
  return before === undefined ? plugins : { ...plugins, [name]: { ...before, ...changed } };
}

/** Deletes the copy of a plugin and its stored data. */
export async function removePlugin(place: PluginLocation, name: string): Promise<void> {
  await change(place, ({ [name]: _, ...plugins }) => plugins);
  for (const folder of [folderOf(place, name), dataFolderOf(place, name)])
    await rm(folder, { recursive: true, force: true });
}

/** All installed plugins, by name. Never rejects. */
export async function listPlugins(place: PluginLocation): Promise<readonly PluginInfo[]> {
  const { plugins } = registryFile(place).read();
  return Promise.all(
    Object.entries(plugins)
      // A name from a damaged registry must not lead out of the folder.
      .filter(([name]) => pluginNamePattern.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([name, { source, enabled, hash: approved }]): Promise<PluginInfo> => {
        const folder = folderOf(place, name);
        const hash = (await contentHash(folder)) ?? '';
        const contents = await readPlugin(folder, readPluginHooks);
        const unusable = (why: string): PluginInfo['state'] => ({ type: 'unusable', why });
        if (typeof contents === 'string')
          return { name, source, state: unusable(contents), contents: undefined, hash };
        const problem =
          hash === '' || contents.name !== name
            ? 'Its copy is damaged: remove it, and add it again.'
            : hash === approved
              ? undefined
              : `Its files have changed since you approved it: clawdcode plugin enable ${name}`;
        const state: PluginInfo['state'] = !enabled
          ? { type: 'disabled' }
          : problem === undefined
            ? { type: 'enabled' }
            : unusable(problem);
        // Content that cannot be hashed cannot be approved.
        return {
          name,
          source,
          state,
          contents: hash === '' || contents.name !== name ? undefined : contents,
          hash,
        };
      }),
  );
}

/**
 * Returns a function that says why a plugin must not be used now: it was turned off, or its files have changed. Reads
 * the files again only if their times have changed.
 */
export function createApprovalCheck(place: PluginLocation): (name: string) => Promise<string | undefined> {
  const approved = new Map<string, string>();
  return async (name) => {
    const entry = registryFile(place).read().plugins[name];
    if (entry?.enabled !== true) return `the plugin ${name} is not enabled`;
    const folder = folderOf(place, name);
    const stamp = `${entry.hash} ${await contentStamp(folder)}`;
    if (approved.get(name) === stamp) return undefined;
    if ((await contentHash(folder)) !== entry.hash)
      return `the files of the plugin ${name} have changed since you approved it`;
    approved.set(name, stamp);
    return undefined;
  };
}

/** Only `https` and `file`: other protocols run programs or need keys. */
const isAddress = (source: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[\w.-]+@[\w.-]+:/.test(source);

async function clone(place: Place, source: string, folder: string): Promise<string | undefined> {
  if (!/^(?:https|file):\/\//i.test(source))
    return 'Only https:// and file:// addresses are cloned. Clone it yourself, and add the folder.';
  const args = [
    ...['-c', 'core.symlinks=false', '-c', 'filter.lfs.smudge=', '-c', 'filter.lfs.required=false'],
    ...[
      'clone',
      '--quiet',
      '--depth=1',
      '--single-branch',
      '--no-tags',
      '--no-recurse-submodules',
      '--template=',
    ],
    ...['--', source, folder],
  ];
  const variables = {
    GIT_ALLOW_PROTOCOL: 'https:file',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = { env: place.env, workspace: [...workspaceOf(place), pluginsFolder(place)], variables };
  // A server could send gigabytes within the time limit.
  const tooLarge = new AbortController();
  const watching = setInterval(async () => {
    if ((await bytesBelow(folder, MAX_CLONE_BYTES)) > MAX_CLONE_BYTES) tooLarge.abort();
  }, WATCH_MS);
  const limits = { timeoutMs: CLONE_TIMEOUT_MS, maxBytes: MAX_CLONE_OUTPUT };
  const call = { cwd: pluginsFolder(place), args, from: localFolder(source), ...limits };
  const { code, problem } = await runGit(git, call, tooLarge.signal);
  clearInterval(watching);
  if (tooLarge.signal.aborted) return TOO_MUCH;
  if (code !== 0) return `git could not clone it: ${visibleText(problem).trim() || `exit code ${code}`}`;
  await rm(join(folder, '.git'), { recursive: true, force: true });
  return undefined;
}

/** The folder of a `file:` address, as git reads it. */
function localFolder(source: string): string | undefined {
  const [, path] = /^file:\/\/(.*)$/is.exec(source) ?? [];
  try {
    return path && decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function copy(from: string, folder: string): Promise<string | undefined> {
  const root = await realpath(from).catch(() => undefined);
  if (root === undefined) return `There is no folder ${from}.`;
  const files = await filesIn(root, { isCopy: false });
  if (files === undefined) return TOO_MUCH;
  for (const file of files) {
    const text = await readFile(file);
    const target = join(folder, relative(root, file));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const { mode } = await lstat(file);
    const handle = await open(target, 'wx', (mode & 0o111) === 0 ? 0o600 : 0o700);
    await handle.writeFile(text).finally(() => handle.close());
  }
  return undefined;
}

function change(
  place: PluginLocation,
  next: (plugins: Registry['plugins']) => Registry['plugins'],
): Promise<void> {
  return registryFile(place).change((registry) => ({ ...registry, plugins: next(registry.plugins) }));
}

// Where plugins are kept.

export type PluginLocation = Pick<AppPaths, 'dataRoot'>;

const pluginsFolder = ({ dataRoot }: PluginLocation): string => join(dataRoot, 'plugins');

/** The copy of an installed plugin. */
export function folderOf(place: PluginLocation, name: string): string {
  return join(pluginsFolder(place), name);
}

/** The folder that a plugin's programs may write to: outside of the copy, which must stay as it was approved. */
export function dataFolderOf({ dataRoot }: PluginLocation, name: string): string {
  return join(dataRoot, 'plugin-data', name);
}

// The hooks of plugins: read like those of settings, and run only while the plugin is approved as it is.

/** Longest hook, as JSON: an approval shows each in full. */
const MAX_HOOK = 2000;

/** Reads a plugin's hooks; those that are too long to be shown in full are not used. */
export const readPluginHooks: HookReader = (value) => {
  const { hooks, problems } = readHooks(value, 'user', 'Its hooks');
  const isShort = ({ hook }: HookSource): boolean => JSON.stringify(hook).length <= MAX_HOOK;
  return {
    hooks: hooks.filter(isShort).map(({ hook }) => hook),
    problems: [
      ...problems.map(({ message }) => visibleLine(message, 500)),
      ...hooks
        .filter((one) => !isShort(one))
        .map(({ hook }) => `A hook for ${hook.event} is longer than ${MAX_HOOK} characters and not used.`),
    ],
  };
};

/** The hooks of a plugin in a folder as sources of a session's hooks. */
export function hookSources(
  place: PluginLocation,
  { name, folder }: { readonly name: string; readonly folder: string },
  hooks: readonly HookSource['hook'][],
): HookSource[] {
  const plugin = { name, folder, data: dataFolderOf(place, name) };
  return hooks.map((hook) => ({ hook, scope: 'user', source: `plugin ${name}`, plugin }));
}
