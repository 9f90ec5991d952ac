import { join } from 'node:path';
import { createFileCheckpoints, type OpenFileCheckpoints } from '../checkpoints/createFileCheckpoints.ts';
import { type ContextManager, getProjectStoragePath } from '../context/index.ts';
import type { Place } from './place.ts';

/** Looks after the project's files for the open session: their contents lie with the session's originals. */
export function openFileCheckpoints(
  context: ContextManager,
  place: Place,
  onWarning: (message: string) => void,
): OpenFileCheckpoints {
  const { log } = context.session.parts;
  return createFileCheckpoints({
    root: place.root,
    folder: join(getProjectStoragePath(place.dataRoot, place.root), 'unchanged', log.sessionId),
    exclude: [place.dataRoot],
    blobs: log.blobs,
    onWarning,
    env: place.env,
  });
}
