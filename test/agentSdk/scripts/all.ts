/** All scripts, in the order of the tables in docs/agent-sdk.md. */
import type { Script } from '../play.ts';
import { hookScripts } from './hooks.ts';
import { permissionScripts } from './permissions.ts';
import { promptScripts } from './prompts.ts';
import { requestScripts } from './requests.ts';
import { serverScripts } from './servers.ts';
import { sessionScripts } from './sessions.ts';

export const scripts: readonly Script[] = [
  ...promptScripts,
  ...permissionScripts,
  ...hookScripts,
  ...serverScripts,
  ...sessionScripts,
  ...requestScripts,
];
