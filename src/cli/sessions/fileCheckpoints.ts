import { join, resolve } from 'node:path';
import { createFileCheckpoints, type OpenFileCheckpoints } from '../../checkpoints/createFileCheckpoints.ts';
import type { CheckpointBlobs } from '../../checkpoints/types.ts';
import type { Settings } from '../../config/schema.ts';
import { type ContextManager, getProjectStoragePath } from '../../context/index.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { filesAfterMove } from './filesAfterMove.ts';
import type { WriteRedaction } from './redaction.ts';

/**
 * Opens the checkpoints of the project's files for the open session; contents are stored with the session's blobs.
 * Undefined if the settings disable checkpoints.
 */
export function openFileCheckpoints(
  context: ContextManager,
  { checkpoints, permissions }: Pick<Settings, 'checkpoints' | 'permissions'>,
  place: AppPaths,
  onWarning: (message: string) => void,
  redaction: WriteRedaction | undefined,
): OpenFileCheckpoints | undefined {
  const { enabled, ...limits } = checkpoints;
  if (!enabled) return undefined;
  const blobs = context.blobs();
  const files = createFileCheckpoints({
    root: place.root,
    extraRoots: permissions.additionalDirectories.map((folder) =>
      resolve(place.root, folder.replace(/^~(?=\/|$)/, place.home)),
    ),
    folder: join(getProjectStoragePath(place.dataRoot, place.root), 'unchanged'),
    exclude: [place.dataRoot],
    blobs: blobsOf(blobs.verbatim(), redaction),
    holdsSecrets: redaction?.holdsSecrets,
    limits,
    onWarning,
    env: place.env,
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
