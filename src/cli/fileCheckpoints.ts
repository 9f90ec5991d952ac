import { join, resolve } from 'node:path';
import { createFileCheckpoints, type OpenFileCheckpoints } from '../checkpoints/createFileCheckpoints.ts';
import type { Settings } from '../config/schema.ts';
import { type ContextManager, getProjectStoragePath } from '../context/index.ts';
import type { Place } from './place.ts';

/**
 * Looks after the project's files for the open session: their contents lie with the session's originals. Undefined
 * where the settings say so.
 */
export function openFileCheckpoints(
  context: ContextManager,
  { checkpoints, permissions }: Pick<Settings, 'checkpoints' | 'permissions'>,
  place: Place,
  onWarning: (message: string) => void,
): OpenFileCheckpoints | undefined {
  const { enabled, ...limits } = checkpoints;
  if (!enabled) return undefined;
  const { log } = context.session.parts;
  return createFileCheckpoints({
    root: place.root,
    extraRoots: permissions.additionalDirectories.map((folder) =>
      resolve(place.root, folder.replace(/^~(?=\/|$)/, place.home)),
    ),
    folder: join(getProjectStoragePath(place.dataRoot, place.root), 'unchanged', log.sessionId),
    exclude: [place.dataRoot],
    blobs: log.blobs,
    limits,
    onWarning,
    env: place.env,
  });
}
