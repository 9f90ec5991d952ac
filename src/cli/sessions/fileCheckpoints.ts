import { existsSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createFileCheckpoints, type OpenFileCheckpoints } from '../../checkpoints/createFileCheckpoints.ts';
import type { CheckpointBlobs, NeedsApproval } from '../../checkpoints/types.ts';
import type { Settings } from '../../config/schema.ts';
import { type ContextManager, getProjectStoragePath } from '../../context/index.ts';
import { isInside } from '../../disk/paths.ts';
import { unmoved } from '../../disk/settingsPaths.ts';
import type { FileCheckpoints, PathChange, RestoreStep } from '../../protocol/checkpoints.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { ownEnvironment } from '../process/lookUp.ts';
import type { WriteRedaction } from './redaction.ts';

/**
 * Opens the checkpoints of the project's files for the open session; contents are stored with the session's blobs.
 * Undefined if the settings disable checkpoints.
 */
export function openFileCheckpoints(
  context: ContextManager,
  { checkpoints }: Pick<Settings, 'checkpoints'>,
  place: AppPaths,
  onWarning: (message: string) => void,
  redaction: WriteRedaction | undefined,
  needsApproval?: NeedsApproval,
): OpenFileCheckpoints | undefined {
  const { enabled, ...limits } = checkpoints;
  if (!enabled) return undefined;
  const blobs = context.blobs();
  const files = createFileCheckpoints({
    root: place.root,
    extraRoots: unmoved(place.addedDirectories?.() ?? []),
    folder: join(getProjectStoragePath(place.dataRoot, place.root), 'unchanged'),
    exclude: [place.dataRoot],
    blobs: blobsOf(blobs.verbatim(), redaction),
    holdsSecrets: redaction?.holdsSecrets,
    ...(needsApproval && { needsApproval }),
    limits,
    onWarning,
    env: ownEnvironment(place),
  });
  const [first] = context.entries();
  return filesAfterMove(files, first?.subtype === 'session_start' ? first.cwd : undefined, place.root);
}

/**
 * Wraps the blob store so that contents with secrets are never stored, including results of merges and files about to
 * be replaced by a rewind.
 */
function blobsOf(blobs: CheckpointBlobs, redaction: WriteRedaction | undefined): CheckpointBlobs {
  if (redaction === undefined) return blobs;
  return {
    read: (ref) => blobs.read(ref),
    put: async (bytes) => {
      if (redaction.holdsSecrets(bytes))
        throw new Error('it contains secrets, which the settings do not allow to be stored');
      return blobs.put(bytes);
    },
  };
}

// Rewinds of files in a session that started in another folder. If the project was moved, the paths in the log are
// mapped to the new folder; if the old project still exists, its files are not changed from here.

/**
 * Wraps the port for a session whose log started with the project root `began`; returns it unchanged if `began` is
 * undefined or the same.
 */
export function filesAfterMove<T extends FileCheckpoints>(
  files: T,
  began: string | undefined,
  root: string,
): T {
  if (began === undefined || began === root) return files;
  const isThere = existsSync(began);
  const old = isThere ? realpathSync.native(began) : began;
  const isForeign = ({ path }: PathChange): boolean => isInside(path, old) && !isInside(path, root);
  const here = (change: PathChange): PathChange =>
    isForeign(change) ? { ...change, path: join(root, relative(old, change.path)) } : change;

  return {
    ...files,
    async plan(changes, foreign = new Set()) {
      if (!isThere)
        return files.plan(changes.map(here), new Set([...foreign].map((path) => here({ path }).path)));
      const { steps } = await files.plan(
        changes.filter((change) => !isForeign(change)),
        foreign,
      );
      const left = new Set(changes.filter(isForeign).map(({ path }) => path));
      return { steps: [...steps, ...[...left].map((path) => refused(path, old))] };
    },
    since: (kept) => files.since(isThere ? kept.filter((change) => !isForeign(change)) : kept.map(here)),
    // Changes in another project may still be shown here.
    diff: (changes) => files.diff(isThere ? changes : changes.map(here)),
  };
}

function refused(path: string, project: string): RestoreStep {
  return {
    path,
    action: 'refuse',
    reason: `it belongs to another project, ${project}`,
    added: 0,
    removed: 0,
  };
}
