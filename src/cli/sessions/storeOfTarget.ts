import { basename } from 'node:path';
import type { SessionTarget } from '../../agent/types.ts';
import { getProjectStoragePath, PersistentStore, type Redaction } from '../../context/index.ts';
import type { AppPaths } from '../process/appPaths.ts';

/**
 * Returns the store of the requested session if it is not this project's own: another project's, or a read-only one.
 * Otherwise undefined.
 */
export function storeOfTarget(
  target: SessionTarget,
  place: AppPaths,
  redaction?: Redaction,
): PersistentStore | undefined {
  if (target.type !== 'id') return undefined;
  const { dataRoot, root, version } = place;
  const own = basename(getProjectStoragePath(dataRoot, root));
  const isElsewhere = target.project !== undefined && target.project !== own;
  const options = {
    dataRoot,
    projectRoot: root,
    programVersion: version,
    redaction,
    ...(target.project !== undefined && isElsewhere ? { project: target.project } : {}),
  };
  if (target.mode === 'read') return new ReadingStore(options);
  return isElsewhere ? new PersistentStore(options) : undefined;
}

/** Opens sessions read-only: without a lock, even while another program writes them. */
class ReadingStore extends PersistentStore {
  override openSession(sessionId: string): ReturnType<PersistentStore['openSession']> {
    return this.openReader(sessionId);
  }
}
