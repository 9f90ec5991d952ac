import { spawn } from 'node:child_process';
import type { AppPaths } from './appPaths.ts';
import { ownEnvironment } from './lookUp.ts';

/** Opens a web address in the user's browser. If that fails, the address is on screen, and the user can open it. */
export function openBrowser(url: string, place: Pick<AppPaths, 'env' | 'root' | 'addedDirectories'>): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const options = {
    env: ownEnvironment(place),
    stdio: 'ignore',
    detached: true,
  } as const;
  spawn(opener, [url], options)
    .on('error', () => undefined)
    .unref();
}
