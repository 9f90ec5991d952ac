/** The hooks of a session: their code is loaded only if any are configured. */
import type { SessionOrigin } from '../agent/hooks/turnHooks.ts';
import type { SessionTarget } from '../agent/types.ts';
import type { LoadedSettings } from '../config/types.ts';
import { newId } from '../context/index.ts';
import { ownProgramEnvironment } from '../disk/ownPrograms.ts';
import { realpath } from '../disk/realPath.ts';
import type { HttpSend } from '../model/http/types.ts';
import type { CallBack, HookPort } from '../protocol/extensions/hooks.ts';
import { findShell } from '../tools/builtinTools.ts';
import { withoutKeys } from '../tools/shell/childEnvironment.ts';
import { fetchOverSend } from './mcp/fetchOverSend.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { AppPaths } from './process/appPaths.ts';

/** Undefined without hooks. */
export async function openHooks(
  { root, env }: AppPaths,
  { hooks }: LoadedSettings,
  { covers }: Pick<Permissions, 'covers'>,
  send: HttpSend,
  callBack: CallBack | undefined,
): Promise<HookPort | undefined> {
  if (hooks.length === 0) return undefined;
  const { HookRunner } = await import('../hooks/HookRunner.ts');
  return new HookRunner(hooks, {
    root,
    env: withoutKeys(ownProgramEnvironment(env, root, realpath)),
    shell: findShell(env),
    fetch: fetchOverSend(send),
    callBack,
    covers,
    newId,
    now: () => Date.now(),
  });
}

/** How a session came to be open. `isFirst`: it is the first of the process, so it is not the result of `/clear`. */
export function originOf(target: SessionTarget, isResumed: boolean, isFirst: boolean): SessionOrigin {
  if (target.type !== 'new' && target.mode === 'fork') return 'fork';
  if (isResumed) return 'resume';
  return isFirst ? 'startup' : 'clear';
}
