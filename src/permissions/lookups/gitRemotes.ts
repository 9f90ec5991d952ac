/**
 * Where the remotes of a repository lead. When git pushes to a local repository, it runs that repository's hooks; when
 * it fetches from one, some versions start programs that its settings name. If commands can write there, anything may
 * run.
 */
import { resolve } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';
import { isInside, temporaryFolders } from '../../disk/paths.ts';
import type { GitSetting } from '../../protocol/files/gitSettings.ts';
import { locate } from '../files/locate.ts';
import { gitAddress, isHostPrefix } from '../options/git/gitAddress.ts';
import { realpathForAll } from './realpathForAll.ts';

/** A setting, and the file that sets it. */
export interface PlacedSetting {
  readonly setting: GitSetting;
  readonly file: string;
}

export interface RemoteSettings {
  /** Settings of the repository. */
  readonly own: readonly PlacedSetting[];
  readonly user: readonly GitSetting[];
  /** The settings in `.gitmodules`, if git would read them. */
  readonly modules: readonly PlacedSetting[];
  /** The folders with the settings. */
  readonly folders: readonly string[];
  readonly worktree: string;
}

interface Machine {
  readonly home: string;
  /** The folders in which commands can write. */
  readonly workspace: readonly string[];
}

/** The names of remotes that have a URL: git treats any other name as a path. */
export function remoteNames(settings: readonly GitSetting[]): ReadonlySet<string> {
  const names = new Set<string>();
  const emptied = new Set<string>();
  for (const { section, subsection, key, value } of settings) {
    if (section !== 'remote' || subsection === undefined || key !== 'url') continue;
    // An empty value clears the URLs before it.
    if (value === undefined || value === '') emptied.add(subsection);
    else names.add(subsection);
  }
  return new Set([...names].filter((name) => !emptied.has(name)));
}

/** The names of groups of remotes: git-fetch(1), `remotes.<group>`. */
export const remoteGroups = (settings: readonly GitSetting[]): ReadonlySet<string> =>
  new Set(
    settings.flatMap(({ section, subsection, key }) => (section === 'remotes' ? [subsection ?? key] : [])),
  );

/** The setting or file of a repository that leads git to a program, or to a folder in which commands can write. */
export function remoteInside(given: RemoteSettings, machine: Machine): string | undefined {
  const { own, user, modules, worktree, folders } = given;
  const settings = [...user, ...own.map(({ setting }) => setting)];
  const names = remoteNames(settings);
  const bases = [worktree, ...worktreesNamed(own, folders)];
  const effectOf = (address: string): string | undefined => {
    const found = gitAddress(address);
    if (found.type === 'program') return 'names a program that git would start';
    return found.type === 'path' && isWritable(found.path, bases, machine) ? LEADS_INSIDE : undefined;
  };
  /** Git treats a name that is no remote as a URL or path; `.` is the repository itself. */
  const effectOfName = (name: string): string | undefined =>
    name === '.' || names.has(name) ? undefined : effectOf(name);
  for (const { setting, file } of own) {
    const rows = leading.filter(({ form }) => form.test(formOf(setting)));
    const effect = rows.map((row) => row.effect(setting, effectOf, effectOfName)).find(Boolean);
    if (effect !== undefined) return `${nameOf(setting)} in ${file}, which ${effect}`;
  }
  const addresses = settings.flatMap(({ section, key, value }) =>
    section === 'remote' && key === 'url' && value ? [value] : [],
  );
  for (const { setting, file } of modules) {
    const { key, value = '' } = setting;
    const effect =
      key === 'url' ? submoduleAddresses(value, addresses).map(effectOf).find(Boolean) : undefined;
    if (effect !== undefined) return `${nameOf(setting)} in ${file}, which ${effect}`;
  }
  const old = folders.flatMap((folder) => ['remotes', 'branches'].map((name) => `${folder}/${name}`));
  const entry = old.flatMap((folder) => entriesOf(folder).map(({ name }) => `${folder}/${name}`))[0];
  return entry && `${entry}, which defines a remote in a way that git no longer recommends`;
}

const LEADS_INSIDE = 'leads git to a repository where commands can write, and git would start its hooks';

type Effect = (value: string) => string | undefined;

interface Row {
  /** Matches `section.key`, or `section.*.key` with a subsection. */
  readonly form: RegExp;
  readonly effect: (setting: GitSetting, ofAddress: Effect, ofName: Effect) => string | undefined;
}

/** Settings with URLs, parts of URLs, or names of remotes: git-config(1), git-lfs-config(5). */
const leading: readonly Row[] = [
  {
    form: /^(?:remote|submodule)\.\*\.(?:url|pushurl)$|^(?:remote\.\*\.lfs|lfs\.)(?:push)?url$/,
    effect: ({ value }, ofAddress) => (value ? ofAddress(value) : undefined),
  },
  {
    form: /^remote\.\*\.vcs$/,
    effect: ({ value }, ofAddress) => (value ? ofAddress(`${value}::`) : undefined),
  },
  {
    form: /^branch\.\*\.(?:push)?remote$|^remote\.pushdefault$|^extensions\.partialclone$/,
    effect: ({ value }, _, ofName) => (value ? ofName(value) : undefined),
  },
  {
    form: /^remotes\./,
    effect: ({ value = '' }, _, ofName) => value.split(/\s+/).filter(Boolean).map(ofName).find(Boolean),
  },
  // A remote without a URL: its name is the URL.
  {
    form: /^remote\.\*\./,
    effect: ({ subsection = '' }, _, ofName) => ofName(subsection),
  },
  {
    form: /^url\.\*\.(?:push)?insteadof$/,
    effect: ({ subsection = '' }, ofAddress) =>
      isHostPrefix(subsection) ? undefined : (ofAddress(subsection) ?? LEADS_INSIDE),
  },
];

/** Relative URLs of submodules are relative to the remote's URL, or to the repository: gitmodules(5). */
function submoduleAddresses(address: string, remotes: readonly string[]): readonly string[] {
  if (!/^\.\.?\//.test(address)) return [address];
  const paths = remotes.flatMap((remote) => {
    const found = gitAddress(remote);
    return found.type === 'path' ? [`${found.path}/${address}`] : [];
  });
  return remotes.length === 0 ? [address] : paths;
}

/** Folders that the settings name as the worktree, in which git starts. */
const worktreesNamed = (own: readonly PlacedSetting[], folders: readonly string[]): readonly string[] =>
  own.flatMap(({ setting: { section, subsection, key, value } }) =>
    section === 'core' && subsection === undefined && key === 'worktree' && value
      ? folders.map((folder) => resolve(folder, value))
      : [],
  );

/** True if a path leads, or may lead, to a folder in which commands can write. */
function isWritable(path: string, bases: readonly string[], { home, workspace }: Machine): boolean {
  // Other users' homes, and folders of processes.
  if (/^~[^/]|^\/(?:proc|dev)\//.test(path)) return true;
  const open = [...workspace, ...temporaryFolders(), '/dev/shm'].flatMap((folder) => [
    folder,
    realpathForAll(folder),
  ]);
  return bases
    .map((base) => locate(path, base, { home, realpath: realpathForAll }))
    .flatMap((place) => [place, realpathForAll(place)])
    .some((place) => open.some((folder) => isInside(place, folder)));
}

/** `section.key`, or `section.*.key` with a subsection. */
export const formOf = ({ section, subsection, key }: GitSetting): string =>
  `${section}.${subsection === undefined ? '' : '*.'}${key}`;

/** True for a remote's URL, or a replacement for part of one, that contains a password or token. */
export const holdsToken = ({ section, subsection = '', value = '' }: GitSetting): boolean =>
  /^(?:remote|url|branch|submodule|lfs)$/.test(section) &&
  /:\/\/[^\s/@:]*:[^\s/@]+@|:\/\/[^\s/@:]{16,}@/.test(`${subsection} ${value}`);

export const nameOf = ({ section, subsection, key }: GitSetting): string =>
  [section, ...(subsection === undefined ? [] : [subsection.slice(0, 40)]), key].join('.');
