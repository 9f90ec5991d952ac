/** Finds skills and custom commands in the user's and the repository's folders. Reads only their front matter. */
import { createHash } from 'node:crypto';
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { readSmallFile } from '../disk/realFile.ts';
import type { Skill, SkillList, SkillProblem } from '../protocol/extensions/skills.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import {
  isUnknownModel,
  listValue,
  modelOf,
  readFrontMatter,
  switchValue,
  textValue,
} from './frontMatter.ts';

export interface SkillFolders {
  /** The user's home directory. */
  readonly home: string;
  /** Our own folder in the home directory. */
  readonly dataRoot: string;
  /** The repository's root, links resolved. */
  readonly root: string;
  /** The directory in which the program was started. */
  readonly cwd: string;
  /** True for a file that must not be sent to the model without asking: a secret, or one that a rule denies reading. */
  readonly isSensitive: (path: string) => boolean;
  /** Approved plugins; their skills are named `plugin:skill`. */
  readonly plugins?: readonly PluginFolder[] | undefined;
}

/** An installed plugin. */
export interface PluginFolder {
  readonly name: string;
  readonly folder: string;
}

/** Maximum bytes of one file. */
const MAX_BYTES = 200_000;
/** Maximum number of files of one kind in one folder. */
const MAX_FILES = 500;
const MAX_DEPTH = 6;
/** Maximum characters of a description: the limit of the Agent Skills format. */
const MAX_DESCRIPTION = 1024;
/** Maximum characters of a repository's permission rules: what cannot be shown in full cannot be approved. */
const MAX_RULES = 1000;

/**
 * Returns all skills and commands, without duplicate names. The user's take precedence over the repository's, then skills
 * over commands, and our own folders over those of other agents.
 */
export async function findSkills(places: SkillFolders): Promise<SkillList> {
  const folders = [...skillFolders(places), ...pluginFolders(places.plugins ?? [])];
  const found = await Promise.all(folders.map((folder) => readFolder(folder, places)));
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const list of found) {
    problems.push(...list.problems);
    for (const skill of list.skills) {
      // Names are matched in any case, so `Release` would replace `release`.
      const key = skill.name.toLowerCase();
      if (!skills.has(key)) skills.set(key, skill);
    }
  }
  const sorted = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills: sorted, problems };
}

/** Returns the skills and commands of plugins alone. */
export async function findPluginSkills(plugins: readonly PluginFolder[]): Promise<SkillList> {
  const places = { root: '/', isSensitive: () => false };
  const found = await Promise.all(pluginFolders(plugins).map((folder) => readFolder(folder, places)));
  return {
    skills: found.flatMap(({ skills }) => skills),
    problems: found.flatMap(({ problems }) => problems),
  };
}

function pluginFolders(plugins: readonly PluginFolder[]): Folder[] {
  return plugins.flatMap(({ name, folder }) =>
    (['skill', 'command'] as const).map(
      (kind): Folder => ({ path: join(folder, `${kind}s`), kind, scope: 'user', plugin: name }),
    ),
  );
}

interface Folder {
  /** The plugin that it belongs to. */
  readonly plugin?: string;
  readonly path: string;
  readonly kind: Skill['kind'];
  readonly scope: Skill['scope'];
}

/** Returns the folders to search, in order of precedence. Source: Claude Code (`.claude`), Agent Skills (`.agents`). */
function skillFolders({ home, dataRoot, root, cwd }: SkillFolders): Folder[] {
  const user = [dataRoot, join(home, '.claude'), join(home, '.agents')];
  // Packages of a monorepo may have their own skills; the nearest folder takes precedence.
  const project = folderChain(root, cwd)
    .reverse()
    .flatMap((folder) => ['.clawdcode', '.claude', '.agents'].map((name) => join(folder, name)));
  const foldersIn = (paths: readonly string[], scope: Skill['scope']): Folder[] =>
    (['skill', 'command'] as const).flatMap((kind) =>
      paths.map((path) => ({ path: join(path, `${kind}s`), kind, scope })),
    );
  // If the home directory is the repository itself, its folders belong to the user.
  const others = project.filter((path) => !user.includes(path));
  return [...foldersIn(user, 'user'), ...foldersIn(others, 'project')];
}

/** Returns the folders from the root down to the working directory. */
function folderChain(root: string, cwd: string): string[] {
  const way = relative(root, cwd);
  if (way.startsWith('..')) return [cwd];
  const folders = [root];
  for (const name of way.split(sep).filter((part) => part !== ''))
    folders.push(join(folders.at(-1) ?? root, name));
  return folders;
}

async function readFolder(
  folder: Folder,
  places: Pick<SkillFolders, 'root' | 'isSensitive'>,
): Promise<SkillList> {
  const files = folder.kind === 'skill' ? await skillFiles(folder.path) : await commandFiles(folder.path);
  const read = await Promise.all(files.map((file) => readSkill(file, folder, places)));
  return {
    skills: read.flatMap((one) => (one !== undefined && 'name' in one ? [one] : [])),
    problems: read.flatMap((one) => (one !== undefined && 'message' in one ? [one] : [])),
  };
}

async function skillFiles(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  return names.map(({ name }) => join(folder, name, 'SKILL.md'));
}

async function commandFiles(folder: string, depth = 0): Promise<string[]> {
  const names = await namesIn(folder);
  const files = names.filter(({ name }) => /\.md$/i.test(name)).map(({ name }) => join(folder, name));
  if (depth >= MAX_DEPTH) return files;
  for (const { name, isFolder } of names) {
    if (isFolder && files.length < MAX_FILES)
      files.push(...(await commandFiles(join(folder, name), depth + 1)));
  }
  return files.slice(0, MAX_FILES);
}

/** The visible names in a folder, sorted; at most `MAX_FILES`. */
export async function namesIn(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const names: { name: string; isFolder: boolean }[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (!entry.name.startsWith('.')) names.push({ name: entry.name, isFolder: entry.isDirectory() });
      if (names.length >= MAX_FILES) break;
    }
  } catch {
    // The folder does not exist.
  }
  return names.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readSkill(
  file: string,
  { path: folder, kind, scope, plugin }: Folder,
  places: Pick<SkillFolders, 'root' | 'isSensitive'>,
): Promise<Skill | SkillProblem | undefined> {
  if ((await stat(file).catch(() => undefined)) === undefined) return undefined;
  const text = await readSkillFile({ file, scope }, places);
  if (typeof text !== 'string') return { file, message: text.problem };
  const { values, body } = await readFrontMatter(text);
  const own = nameOf(file, folder, kind, values);
  const name = plugin === undefined ? own : `${plugin}:${own}`;
  if (!NAME.test(name))
    return {
      file,
      message: `The name "${visibleLine(name, 100)}" cannot be a command. Use lower-case letters, digits and hyphens.`,
    };
  const description = [textValue(values.description), textValue(values.when_to_use)]
    .filter(Boolean)
    .join(' ');
  const wanted = listValue(values['allowed-tools']);
  const asks =
    scope === 'project' && wanted.length > 0 && wanted.join(', ').length <= MAX_RULES
      ? { tools: wanted, digest: digestOf(text) }
      : undefined;
  const argumentHint = textValue(values['argument-hint']);
  const fork = forkOf(values);
  const model = fork === undefined ? modelOf(values.model) : undefined;
  return {
    name,
    kind,
    description: (description === '' ? firstLine(body) : description)
      .slice(0, MAX_DESCRIPTION)
      .toWellFormed(),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    file,
    scope,
    ...(plugin === undefined ? {} : { plugin }),
    // A command without a description is meant only for its author.
    modelCanUse:
      switchValue(values['disable-model-invocation']) !== true && (kind === 'skill' || description !== ''),
    userCanUse: switchValue(values['user-invocable']) !== false,
    // What a plugin allows itself was not part of its approval.
    allowedTools: scope === 'user' && plugin === undefined ? wanted : [],
    ...(asks === undefined ? {} : { asks }),
    ...(fork === undefined ? {} : { fork }),
    ...(model === undefined ? {} : { model }),
    ignored: Object.keys(values)
      .filter(
        (key) =>
          (!KEYS.has(key) && !(FORK_KEYS.has(key) && fork !== undefined)) ||
          (key === 'allowed-tools' &&
            (plugin !== undefined || (scope === 'project' && asks === undefined))) ||
          (key === 'model' && isUnknownModel(values.model)),
      )
      .sort(),
  };
}

/** Identifies the content that the user approves. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The subagent that follows the instructions. Source of the keys: Claude Code. */
function forkOf(values: Readonly<Record<string, unknown>>): Skill['fork'] {
  if (textValue(values.context) !== 'fork') return undefined;
  const model = modelOf(values.model);
  const agent = textValue(values.agent) ?? 'general-purpose';
  return { agent, ...(model === undefined ? {} : { model }) };
}

/** Front matter keys that have an effect with `context: fork`. */
const FORK_KEYS: ReadonlySet<string> = new Set(['context', 'agent']);

/** Front matter keys that have an effect here or are purely informational; all others are reported as ignored. */
const KEYS: ReadonlySet<string> = new Set([
  ...['name', 'description', 'when_to_use', 'argument-hint', 'allowed-tools', 'disable-model-invocation'],
  ...['model', 'user-invocable', 'license', 'compatibility', 'metadata', 'version'],
]);

/** A valid name; each part between colons starts with a letter or digit. */
const NAME = /^[a-z0-9][\w-]{0,63}(?::[a-z0-9][\w-]{0,63}){0,5}$/i;

/** Names a skill after its folder, and a command after its path: `git/commit.md` is `git:commit`. */
function nameOf(
  file: string,
  folder: string,
  kind: Skill['kind'],
  values: Readonly<Record<string, unknown>>,
): string {
  if (kind === 'command') return relative(folder, file).replace(/\.md$/i, '').split(sep).join(':');
  const own = textValue(values.name);
  return own !== undefined && NAME.test(own) ? own : basename(dirname(file));
}

function firstLine(body: string): string {
  const line = body.split('\n').find((one) => one.trim() !== '') ?? '';
  return visibleLine(line.replace(/^#+\s*/, ''), 200);
}

/**
 * Reads a skill's file. A file of the repository must not lead out of it, and must not be one that may hold secrets:
 * its text is sent to the model.
 */
export async function readSkillFile(
  { file, scope }: Pick<Skill, 'file' | 'scope'>,
  { root, isSensitive }: Pick<SkillFolders, 'root' | 'isSensitive'>,
): Promise<string | { readonly problem: string }> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return { problem: 'The file is gone.' };
  if (scope === 'project') {
    const way = relative(root, real);
    if (way.startsWith('..') || isSensitive(real))
      return { problem: 'It leads out of the project or to a secret, so it is not read.' };
  }
  const text = await readSmallFile(real, MAX_BYTES);
  return text ?? { problem: `It cannot be read as a file of at most ${MAX_BYTES / 1000} kB.` };
}
