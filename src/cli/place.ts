/** Where and as what the program runs: read from the process once, handed on as plain data. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ManagedSource } from '../config/managed.ts';
import { realpath } from '../disk/realPath.ts';
import { packageRoot, programVersion } from './packageRoot.ts';
import { findRoot } from './workspace.ts';

export interface Place {
  readonly cwd: string;
  /** The project's root, links resolved. */
  readonly root: string;
  readonly home: string;
  /** `~/.clawdcode`, or what `CLAWDCODE_HOME` says. */
  readonly dataRoot: string;
  readonly packageRoot: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As in `SettingsPlaces`: absent but in tests. */
  readonly managed?: ManagedSource;
}

/** The folder in which the program was started is gone. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError';
}

/** Throws a `NoPlaceError` where there is nothing to work in. */
export function readPlace(): Place {
  const cwd = realpath(currentFolder());
  const home = homedir();
  return {
    cwd,
    root: findRoot(cwd),
    home,
    dataRoot: process.env.CLAWDCODE_HOME || join(home, '.clawdcode'),
    packageRoot: packageRoot(),
    version: programVersion(),
    // For the whole run, and for whatever it starts.
    env: process.argv.includes('--no-color')
      ? { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined }
      : process.env,
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = 'the folder that you are in no longer exists: cd to one that does, and start again.';
    throw new NoPlaceError(message, { cause });
  }
}
