/**
 * Installed plugins: copies in `plugins` of the data folder, and what the user has approved of each. The approval is
 * for one content of the whole folder; a plugin whose files have changed is not used until it is approved again.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, opendir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import { OWN_GIT_ARGUMENTS, ownGitEnvironment } from '../../disk/ownPrograms.ts';
import { realpath as realpathNow } from '../../disk/realPath.ts';
import { readPlugin } from '../../extensions/readPlugin.ts';
import type { PluginContents, PluginInfo } from '../../protocol/extensions/plugins.ts';
import { ONCE } from '../../protocol/once.ts';
import type { AppPaths } from '../process/appPaths.ts';

const fileSchema = z.looseObject({
  plugins: z
    .record(z.string(), z.looseObject({ source: z.string(), enabled: z.boolean(), hash: z.string() }))
    .default({}),
});
type Registry = z.infer<typeof fileSchema>;

type Place = Pick<AppPaths, 'dataRoot' | 'cwd' | 'env'>;

/** A copy that is not installed yet. */
export interface StagedPlugin {
  readonly folder: string;
  readonly source: string;
  readonly hash: string;
  readonly contents: PluginContents;
}

/** Limits of one plugin. */
const MAX_FILES = 2000;
const MAX_BYTES = 20_000_000;
const MAX_DEPTH = 12;
const CLONE_TIMEOUT_MS = 60_000;

const pluginsFolder = ({ dataRoot }: Pick<Place, 'dataRoot'>): string => join(dataRoot, 'plugins');
const registryFile = ({ dataRoot }: Pick<Place, 'dataRoot'>): string => join(dataRoot, 'plugins.json');

/** Folder of an installed plugin. */
export function folderOf(place: Pick<Place, 'dataRoot'>, name: string): string {
  return join(pluginsFolder(place), name);
}

/** Copies or clones a plugin into a folder of its own, and reads it. Returns a sentence if that is not possible. */
export async function stagePlugin(place: Place, source: string): Promise<StagedPlugin | string> {
  const folder = join(pluginsFolder(place), `.new-${randomBytes(6).toString('hex')}`);
  await mkdir(pluginsFolder(place), { recursive: true, mode: 0o700 });
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
    const contents = problem ?? (await readPlugin(folder));
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

const TOO_MUCH = `It has more than ${MAX_FILES} files or ${MAX_BYTES / 1_000_000} MB, so it is not installed.`;

/** Moves a staged plugin into its place and records the approval of its content. */
export async function installPlugin(
  place: Place,
  { folder, source, hash, contents }: StagedPlugin,
): Promise<void> {
  const target = folderOf(place, contents.name);
  await rm(target, { recursive: true, force: true });
  await rename(folder, target);
  await change(place, (plugins) => ({ ...plugins, [contents.name]: { source, enabled: true, hash } }));
}

export function discardPlugin({ folder }: StagedPlugin): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Approves an installed plugin as it is now, or turns it off. */
export async function switchPlugin(place: Place, name: string, enabled: boolean): Promise<void> {
  const hash = enabled ? await contentHash(folderOf(place, name)) : undefined;
  await change(place, (plugins) => {
    const before = plugins[name];
    return before === undefined
      ? plugins
      : { ...plugins, [name]: { ...before, enabled, hash: hash ?? before.hash } };
  });
}

export async function removePlugin(place: Place, name: string): Promise<void> {
  await rm(folderOf(place, name), { recursive: true, force: true });
  await change(place, ({ [name]: _, ...plugins }) => plugins);
}

/** All installed plugins, by name. Never rejects. */
export async function listPlugins(place: Pick<Place, 'dataRoot'>): Promise<readonly PluginInfo[]> {
  const { plugins } = await readRegistry(place);
  return Promise.all(
    Object.entries(plugins)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([name, { source, enabled, hash }]): Promise<PluginInfo> => {
        const folder = folderOf(place, name);
        const [contents, now] = await Promise.all([readPlugin(folder), contentHash(folder)]);
        const unusable = (why: string): PluginInfo['state'] => ({ type: 'unusable', why });
        if (typeof contents === 'string')
          return { name, source, state: unusable(contents), contents: undefined };
        const isChanged = now !== hash || contents.name !== name;
        const state: PluginInfo['state'] = !enabled
          ? { type: 'disabled' }
          : isChanged
            ? unusable(`Its files have changed since you approved it: clawdcode plugin enable ${name}`)
            : { type: 'enabled' };
        return { name, source, state, contents };
      }),
  );
}

/** Only `https` and `file`: other protocols run programs or need keys. */
const isAddress = (source: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[\w.-]+@[\w.-]+:/.test(source);

async function clone(place: Place, source: string, folder: string): Promise<string | undefined> {
  if (!/^(?:https|file):\/\//i.test(source))
    return 'Only https:// and file:// addresses are cloned. Clone it yourself, and add the folder.';
  const git = [
    ...OWN_GIT_ARGUMENTS,
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
  const env = {
    ...ownGitEnvironment(place.env, pluginsFolder(place), realpathNow),
    GIT_ALLOW_PROTOCOL: 'https:file',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const problem = await new Promise<string | undefined>((done) => {
    const options = {
      cwd: pluginsFolder(place),
      env,
      timeout: CLONE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    } as const;
    execFile('git', git, options, (error, _, errors) =>
      done(
        error === null
          ? undefined
          : `git could not clone it: ${errors.trim().slice(0, 500) || error.message}`,
      ),
    );
  });
  if (problem === undefined) await rm(join(folder, '.git'), { recursive: true, force: true });
  return problem;
}

async function copy(from: string, folder: string): Promise<string | undefined> {
  const root = await realpath(from).catch(() => undefined);
  if (root === undefined) return `There is no folder ${from}.`;
  const files = await filesIn(root);
  if (files === undefined) return TOO_MUCH;
  for (const file of files) {
    const text = await readFile(file);
    const target = join(folder, relative(root, file));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const { open } = await import('node:fs/promises');
    const { mode } = await lstat(file);
    const handle = await open(target, 'wx', (mode & 0o111) === 0 ? 0o600 : 0o700);
    await handle.writeFile(text).finally(() => handle.close());
  }
  return undefined;
}

/** The regular files below a folder, without `.git` and links; undefined beyond the limits. */
async function filesIn(folder: string): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  let bytes = 0;
  const walk = async (at: string, depth: number): Promise<boolean> => {
    for await (const entry of await opendir(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && entry.name !== '.git') {
        if (depth >= MAX_DEPTH || !(await walk(path, depth + 1))) return false;
      } else if (entry.isFile()) {
        bytes += (await lstat(path)).size;
        if (found.push(path) > MAX_FILES || bytes > MAX_BYTES) return false;
      }
    }
    return true;
  };
  return (await walk(folder, 0)) ? found.sort() : undefined;
}

/** Identifies names and contents of all files; undefined if they cannot be read. */
async function contentHash(folder: string): Promise<string | undefined> {
  try {
    const files = await filesIn(folder);
    if (files === undefined) return undefined;
    const hash = createHash('sha256');
    for (const file of files) {
      const content = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
      hash.update(JSON.stringify([relative(folder, file), content]));
    }
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

async function change(
  place: Pick<Place, 'dataRoot'>,
  next: (plugins: Registry['plugins']) => Registry['plugins'],
): Promise<void> {
  const registry = await readRegistry(place);
  const text = `${JSON.stringify({ ...registry, plugins: next(registry.plugins) }, null, 2)}\n`;
  await writePrivateFile(registryFile(place), text);
}

/** A missing or damaged file means that nothing is approved. */
async function readRegistry(place: Pick<Place, 'dataRoot'>): Promise<Registry> {
  const text = await readFile(registryFile(place), 'utf8').catch(() => '{}');
  try {
    return fileSchema.parse(JSON.parse(text), ONCE);
  } catch {
    return { plugins: {} };
  }
}
