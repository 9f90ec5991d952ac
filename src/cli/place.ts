/** Where and as what the program runs: read from the process once, handed on as plain data. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { packageRoot, programVersion } from './packageRoot.ts';
import { findRoot, realpath } from './workspace.ts';

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
}

export function readPlace(): Place {
  const cwd = realpath(process.cwd());
  const home = homedir();
  return {
    cwd,
    root: findRoot(cwd),
    home,
    dataRoot: process.env.CLAWDCODE_HOME || join(home, '.clawdcode'),
    packageRoot: packageRoot(),
    version: programVersion(),
    env: process.env,
  };
}
