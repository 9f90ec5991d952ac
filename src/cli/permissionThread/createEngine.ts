import { join } from 'node:path';
import { startQuietThread } from '../process/quietThread.ts';
import { ThreadedEngine } from './ThreadedEngine.ts';

/** Decides about commands in a thread of its own. `onFailure` hears why it could not. */
export function createPermissionEngine(
  packageRoot: string,
  onFailure: (reason: string) => void,
): ThreadedEngine {
  const wasm = grammarFolder(packageRoot);
  const file = join(packageRoot, 'dist/permissionWorker.js');
  return new ThreadedEngine(
    () => startQuietThread(file, { name: 'permissions', maxHeapMb: MAX_HEAP_MB, workerData: { wasm } }),
    { onFailure },
  );
}

/** Several times what the index of a very large repository takes. */
const MAX_HEAP_MB = 512;

/** Where the build puts the shell grammar. */
export function grammarFolder(packageRoot: string): string {
  return join(packageRoot, 'dist');
}
