/**
 * Finds the paths in the hidden places of the home that lead elsewhere through links: with dotfiles in a repository, the
 * settings of shells, git, editors and ClawdCode itself are files of a workspace, whatever their names there.
 */
import { type BigIntStats, type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf, statOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { type HomeLink, protectedNames, protectedUse } from '../files/protectedNames.ts';
import { secretFolders } from '../files/sensitive.ts';
import { realpathForAll } from './realpathForAll.ts';

/** Maximum folders read, nearest first. */
const MAX_FOLDERS = 1000;
/** Of folders that do not belong to a program by their names. */
const MAX_DEPTH = 4;
/** The settings of ClawdCode, and of Claude Code, which it reads as the user's own: in practice all of them. */
const ownPlaces = ['.clawdcode', '.claude', '.agents'];
const MAX_OWN_FOLDERS = 5000;
const MAX_OWN_DEPTH = 20;
/** Packages and git's own data, and what sessions write: no settings, and thousands of folders. */
const skipped =
  /(?:^|\/)(?:node_modules|\.git)$|^\.(?:clawdcode|claude)\/(?:projects|sessions|worktrees|cache)$/;
/** Variables that move a place of the home. */
const movedBy: Readonly<Record<string, string>> = {
  CLAWDCODE_HOME: '.clawdcode',
  CLAUDE_CONFIG_DIR: '.claude',
  XDG_CONFIG_HOME: '.config',
  GIT_CONFIG_GLOBAL: '.gitconfig',
};

/**
 * Searches once for all lookups of one decision, and reads a folder again only if it has changed. Blocks for some
 * milliseconds; never throws.
 */
export function createHomeLinks(
  env: Readonly<Record<string, string | undefined>>,
): (home: string) => readonly HomeLink[] {
  const search = createSearch(env);
  const known = new Map<string, readonly HomeLink[]>();
  return (home) => {
    const links = known.get(home) ?? search(home);
    // A decision takes one turn of the event loop.
    if (known.size === 0) setImmediate(() => known.clear());
    known.set(home, links);
    return links;
  };
}

function createSearch(
  env: Readonly<Record<string, string | undefined>>,
): (home: string) => readonly HomeLink[] {
  const entriesOf = createListing();
  return (home) => {
    const realHome = realpathForAll(home);
    const found: HomeLink[] = [];
    const seen = new Set<string>();
    const search = (from: readonly Place[], maxDepth: number, maxFolders: number): void => {
      const pending = from.map((place) => ({ ...place, depth: 0, isSettings: hasUse(place.name) }));
      let left = maxFolders;
      // The loop also visits folders appended in its body.
      for (const { name, folder, isElsewhere, depth, isSettings } of pending) {
        if (seen.has(folder)) continue;
        seen.add(folder);
        left -= 1;
        if (left < 0) return;
        for (const entry of entriesOf(folder)) {
          const isLink = entry.isSymbolicLink();
          if (!isLink && !isElsewhere && (depth >= maxDepth || !entry.isDirectory())) continue;
          const inHome = name === '' ? entry.name : `${name}/${entry.name}`;
          const at = `${folder}/${entry.name}`;
          const target = isLink ? realpathForAll(at) : at;
          // A link to the home itself or one of its parents says nothing about its contents.
          if (isLink && isInside(realHome, target)) continue;
          if (isLink || isElsewhere) found.push({ name: join(home, inHome), target });
          if (depth >= maxDepth || skipped.test(inHome)) continue;
          if (isLink ? statOf(target)?.isDirectory() !== true : !entry.isDirectory()) continue;
          // What is in such a folder belongs to it, too.
          const isInUse = isSettings || hasUse(inHome);
          if (!isInUse && !mayHoldSettings(inHome)) continue;
          pending.push({
            ...{ name: inHome, folder: target, isElsewhere: isLink || isElsewhere },
            // Plugins of an editor are nested deeply.
            ...{ depth: isInUse ? depth : depth + 1, isSettings: isInUse },
          });
        }
      }
    };
    const moved = Object.entries(movedBy).flatMap(([variable, name]): Place[] => {
      const folder = env[variable]?.startsWith('/') ? realpathForAll(env[variable]) : realHome;
      if (isInside(realHome, folder) || folder === join(realHome, name)) return [];
      found.push({ name: join(home, name), target: folder });
      return [{ name, folder, isElsewhere: true }];
    });
    const own = ownPlaces.map((name): Place => {
      const folder = realpathForAll(join(home, name));
      return { name, folder, isElsewhere: folder !== join(realHome, name) };
    });
    const isOwn = ({ name }: Place): boolean => ownPlaces.includes(name);
    search([...moved.filter(isOwn), ...own], MAX_OWN_DEPTH, MAX_OWN_FOLDERS);
    search(
      [{ name: '', folder: realHome, isElsewhere: false }, ...moved.filter((place) => !isOwn(place))],
      MAX_DEPTH,
      MAX_FOLDERS,
    );
    return found;
  };
}

interface Place {
  /** In the home. */
  readonly name: string;
  /** Where it really is; not a folder in case of a file. */
  readonly folder: string;
  /** True if a link or a variable leads there. */
  readonly isElsewhere: boolean;
}

/**
 * True for a folder, as a path in the home, that belongs to a program which starts on its own. Not for programs and
 * packages: what is linked there is run by the user, like any program of a project.
 */
function hasUse(name: string): boolean {
  const use = name === '' ? undefined : protectedUse(name);
  return use !== undefined && use !== 'the PATH';
}

/** True for another folder in which a link may replace settings or secrets. */
const mayHoldSettings = (name: string): boolean =>
  settingsFolders.has(name) || /^\.config\/[^/]+$/.test(name);

const settingsFolders: ReadonlySet<string> = new Set([
  ...secretFolders.flatMap((folder) => [...parentsOf(folder), folder]),
  ...protectedNames.flatMap(({ pattern }) =>
    pattern.startsWith('~/') ? parentsOf(pattern.slice('~/'.length)) : [],
  ),
]);

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The links and folders in a folder, remembered until it changes. */
function createListing(): (folder: string) => readonly Dirent[] {
  const known = new Map<
    string,
    { readonly changed: BigIntStats['ctimeNs']; readonly entries: readonly Dirent[] }
  >();
  return (folder) => {
    const changed = lstatOf(folder)?.ctimeNs;
    if (changed === undefined) return [];
    const before = known.get(folder);
    if (before?.changed === changed) return before.entries;
    try {
      const entries = readdirSync(folder, { withFileTypes: true }).filter(
        (entry) => entry.isDirectory() || entry.isSymbolicLink(),
      );
      known.set(folder, { changed, entries });
      return entries;
    } catch {
      // A file, or unreadable.
      return [];
    }
  };
}
