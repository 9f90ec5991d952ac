/**
 * Remembers the folders of a project in a small file next to its sessions, so that they are found after the folder was
 * moved or renamed. A folder is recognized by its inode number and creation time, which a second clone never shares. The
 * same git remote, if the old folder no longer exists, is only a hint: anyone can write it into a copied folder.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { lstatOf } from '../../../disk/fileLookups.ts';
import { folderIdentity, isSameIdentity } from '../../../disk/folderIdentity.ts';
import { type JsonFile, openJsonFile } from '../../../disk/jsonFile.ts';
import { detectGitRemote, getProjectStoragePath, projectFolderIn, projectSlug } from '../pathUtils.ts';
import { hasRealFolders, storedFile } from '../storedFiles.ts';

const placeSchema = z.object({
  /** Absolute path with links resolved. */
  root: z.string(),
  dev: z.number(),
  ino: z.number(),
  /** Milliseconds since the epoch; 0 if the file system does not provide it. */
  birthtimeMs: z.number(),
  gitRemote: z.string().exactOptional(),
});
type Place = z.infer<typeof placeSchema>;

/** Newest last. */
const placesSchema = z.object({ v: z.literal(1), places: z.array(placeSchema) });

const maxPlaces = 8;

export interface ProjectFolders {
  /** Folder name in `projects/` for sessions started here. */
  readonly own: string;
  /** Folder names of sessions that were started when this folder was elsewhere. */
  readonly moved: readonly string[];
  /** Folder names of sessions that may belong to this project: it has the same git remote, and their folder is gone. */
  readonly likely: readonly string[];
}

/** Records the project's current folder if possible. Call it when a session is opened, before anything is said in it. */
export async function recordProjectFolder(dataRoot: string, root: string): Promise<void> {
  await recordFolder(dataRoot, root).catch(() => undefined);
}

async function recordFolder(dataRoot: string, root: string): Promise<void> {
  const folder = getProjectStoragePath(dataRoot, root);
  const here = await placeOf(root);
  const isLast = (places: readonly Place[]): boolean =>
    JSON.stringify(places.at(-1)) === JSON.stringify(here);
  if (here === undefined || isLast(readPlaces(folder)) || isLinked(folder)) return;
  await placesFile(folder).change((known) => {
    if (isLast(known.places)) return known;
    const others = known.places.filter((place) => !isSameFolder(place, here));
    return { v: 1, places: [...others, here].slice(-maxPlaces) };
  });
}

/**
 * The folders of the project's sessions. `lastKnown` returns the last known folder of a project without such a file.
 */
export async function projectFolders(
  dataRoot: string,
  root: string,
  lastKnown: (project: string) => Pick<Place, 'root' | 'gitRemote'> | undefined,
): Promise<ProjectFolders> {
  const ownFolder = getProjectStoragePath(dataRoot, root);
  const own = basename(ownFolder);
  const here = await placeOf(root);
  const names = await readdir(dirname(ownFolder)).catch(() => []);
  const moved: string[] = [];
  const likely: string[] = [];
  if (here === undefined) return { own, moved, likely };
  for (const name of names) {
    if (name === own) continue;
    const places = readPlaces(join(dirname(ownFolder), name));
    const last = places.at(-1) ?? lastKnown(name);
    if (places.some((place) => isSameFolder(place, here))) moved.push(name);
    else if (last !== undefined && (await isLikely(last, here))) likely.push(name);
  }
  return { own, moved, likely };
}

/** The last folder of a project, and whether another folder or none is there now. */
export async function lastProjectFolder(
  dataRoot: string,
  project: string,
  recorded: string | undefined,
): Promise<{ readonly root: string | undefined; readonly isMoved: boolean }> {
  const place = readPlaces(projectFolderIn(dataRoot, project)).at(-1);
  const root = place?.root ?? recorded;
  if (root === undefined) return { root, isMoved: false };
  const now = await placeOf(root, false);
  if (now === undefined) return { root, isMoved: true };
  return {
    root,
    isMoved: place === undefined ? projectSlug(now.root) !== project : !isSameFolder(place, now),
  };
}

/** True if the latest session of this path was opened in another folder, which was there before. */
export async function isOtherFolder(dataRoot: string, root: string): Promise<boolean> {
  const real = await realpath(root).catch(() => root);
  const last = readPlaces(getProjectStoragePath(dataRoot, real)).at(-1);
  const here = folderIdentity(real);
  return last !== undefined && last.root === real && here !== undefined && !isSameIdentity(last, here);
}

const fileName = 'project.json';

const readPlaces = (folder: string): readonly Place[] =>
  isLinked(folder) ? [] : placesFile(folder).read().places;

/** True if something else than a file of this folder is there, such as a link in a folder that was copied. A change also
 * uses the folder for locks. */
function isLinked(folder: string): boolean {
  const file = join(folder, fileName);
  if (!hasRealFolders(folder, join(folder, 'locks'))) return true;
  return storedFile(file) === undefined && lstatOf(file) !== undefined;
}

function placesFile(folder: string): JsonFile<z.output<typeof placesSchema>> {
  return openJsonFile<z.output<typeof placesSchema>>({
    file: join(folder, fileName),
    parse: (value) => placesSchema.parse(value),
    empty: { v: 1, places: [] },
    isCompact: true,
  });
}

/** Undefined if the folder does not exist. */
async function placeOf(root: string, withRemote = true): Promise<Place | undefined> {
  try {
    const real = await realpath(root);
    const { dev, ino, birthtimeMs } = await stat(real);
    const gitRemote = withRemote ? await detectGitRemote(real) : undefined;
    return { root: real, dev, ino, birthtimeMs, ...(gitRemote === undefined ? {} : { gitRemote }) };
  } catch {
    return undefined;
  }
}

/** Without a creation time, only the same path counts as the same folder. */
function isSameFolder(a: Place, b: Place): boolean {
  return isSameIdentity(a, b) && ((a.birthtimeMs > 0 && b.birthtimeMs > 0) || a.root === b.root);
}

async function isLikely(was: Pick<Place, 'root' | 'gitRemote'>, here: Place): Promise<boolean> {
  if (was.gitRemote === undefined || was.gitRemote !== here.gitRemote) return false;
  return (await stat(was.root).catch(() => undefined)) === undefined;
}
