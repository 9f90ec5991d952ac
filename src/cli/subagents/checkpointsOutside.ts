/** The checkpoints of a subagent that works in a separate folder, which a rewind does not change. */
import type { CheckpointKeeper } from '../../agent/checkpoints.ts';
import type { ParentAgent } from '../../agent/subagents/types.ts';
import type { Access } from '../../protocol/permissions.ts';
import type { CommandSandbox, Confinement } from '../../protocol/sandbox.ts';

interface Outside {
  readonly checkpoints: CheckpointKeeper;
  /** The sandbox with which its commands must be started. */
  readonly sandbox: CommandSandbox;
}

interface Place {
  /** True for paths in that folder. */
  readonly isApart: (path: string) => boolean;
  /** True if confined commands may also write to other folders that checkpoints cover. */
  readonly sharesFolders: () => boolean;
  /** Ids of the subagent's calls whose processes are still running. */
  readonly running: () => readonly string[];
}

/**
 * Passes on only what may change files outside that folder. A command is passed on when one of its programs is about to
 * start unconfined, or if it may write to other folders anyway; if it moves to the background, as long as it runs.
 * Otherwise it cannot change such files, and the user's own edits are not mistaken for its.
 */
export function checkpointsOutside(
  lend: ParentAgent['checkpoints'],
  sandbox: CommandSandbox,
  { isApart, sharesFolders, running }: Place,
): Outside {
  let current: { readonly access: Access; readonly signal: AbortSignal; isPassedOn: boolean } | undefined;
  /** Calls whose commands were passed on. */
  const passedOn = new Set<string>();
  const keeper = lend(() => running().filter((callId) => passedOn.has(callId)));
  /** The same object before and after a call. */
  const rests = new WeakMap<Access, Access>();
  const rest = (access: Access): Access | undefined => {
    if (access.type !== 'write') return access;
    const paths = access.paths.filter((path) => !isApart(path));
    if (paths.length === 0) return undefined;
    const part = rests.get(access) ?? { ...access, paths };
    rests.set(access, part);
    return part;
  };
  const starting = async (confinement: Confinement): Promise<Confinement> => {
    if ((confinement.isConfined && !sharesFolders()) || current === undefined || current.isPassedOn)
      return confinement;
    current.isPassedOn = true;
    await keeper.before(current.access, current.signal);
    return confinement;
  };
  return {
    sandbox: {
      ...sandbox,
      confine: async (request) => starting(await sandbox.confine(request)),
      outside: async (request, reason) => starting(await sandbox.outside(request, reason)),
    },
    checkpoints: {
      ...keeper,
      scan() {},
      handleEvent() {},
      cancel: (access) => keeper.cancel(rest(access) ?? access),
      // What a command changes in that folder is not scanned.
      soFar: async () => undefined,
      async before(access, signal) {
        if (access.type === 'command') {
          current = { access, signal, isPassedOn: false };
          return;
        }
        const outside = rest(access);
        if (outside !== undefined) await keeper.before(outside, signal);
      },
      async after(callId, cause, access, signal) {
        const isPassedOn = access.type !== 'command' || current?.isPassedOn === true;
        if (access.type === 'command') {
          if (isPassedOn) passedOn.add(callId);
          current = undefined;
        }
        const outside = isPassedOn ? rest(access) : undefined;
        return outside === undefined
          ? { filesChanged: [], drafts: [] }
          : keeper.after(callId, cause, outside, signal);
      },
    },
  };
}
