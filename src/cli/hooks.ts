/** The hooks of a session: their code is loaded only if any are configured. */
import type { SessionOrigin } from '../agent/hooks/turnHooks.ts';
import type { SessionTarget } from '../agent/types.ts';
import { newId } from '../context/index.ts';
import { ownProgramEnvironment } from '../disk/ownPrograms.ts';
import { realpath } from '../disk/paths.ts';
import type { HookRunner, HookRunnerDeps } from '../hooks/HookRunner.ts';
import type { HttpSend } from '../model/http/types.ts';
import { type HookPort, type HookSource, noAnswer } from '../protocol/extensions/hooks.ts';
import { findShell } from '../tools/builtinTools.ts';
import { withoutKeys } from '../tools/shell/childEnvironment.ts';
import { fetchOverSend } from './mcp/fetchOverSend.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { AppPaths } from './process/appPaths.ts';

interface LiveHooks extends HookPort {
  /** Uses these hooks from now on. */
  replace(sources: readonly HookSource[]): Promise<void>;
}

interface HookHelpers extends Pick<HookRunnerDeps, 'callBack' | 'pluginProblem' | 'judge' | 'callTool'> {
  readonly send: HttpSend;
  /** Variables that hooks do not inherit. */
  readonly secretEnv: readonly string[];
}

/** Opens the hooks of a session, which may change while it runs. */
export async function openHooks(
  { root, env }: AppPaths,
  sources: readonly HookSource[],
  { covers, send, secretEnv, ...helpers }: Pick<Permissions, 'covers'> & HookHelpers,
): Promise<LiveHooks> {
  let runner: HookRunner | undefined;
  const replace: LiveHooks['replace'] = async (now) => {
    if (runner === undefined && now.length === 0) return;
    const { HookRunner } = await import('../hooks/HookRunner.ts');
    if (runner !== undefined) return runner.replace(now);
    runner = new HookRunner(now, {
      root,
      env: withoutKeys(ownProgramEnvironment(env, root, realpath), secretEnv),
      shell: findShell(env),
      fetch: fetchOverSend(send),
      covers,
      ...helpers,
      newId,
      now: () => Date.now(),
    });
  };
  await replace(sources);
  return {
    replace,
    has: (event) => runner?.has(event) ?? false,
    run: (...call) => runner?.run(...call) ?? Promise.resolve(noAnswer),
    list: () => runner?.list() ?? [],
    close: () => runner?.close() ?? Promise.resolve(),
  };
}

/** How a session came to be open. `isFirst`: it is the first of the process, so it is not the result of `/clear`. */
export function originOf(target: SessionTarget, isResumed: boolean, isFirst: boolean): SessionOrigin {
  if (target.type !== 'new' && target.mode === 'fork') return 'fork';
  if (isResumed) return 'resume';
  return isFirst ? 'startup' : 'clear';
}
