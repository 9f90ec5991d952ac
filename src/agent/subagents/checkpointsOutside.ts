/** The checkpoints of a subagent that works in a folder of its own, which a rewind leaves alone. */
import type { Access } from '../../protocol/permissions.ts';
import type { CheckpointKeeper } from '../checkpoints.ts';

interface Apart {
  /** True for paths in that folder. */
  readonly isApart: (path: string) => boolean;
  /** True if commands cannot change files outside of it: the user's own edits are not taken for theirs then. */
  readonly isConfined: () => Promise<boolean>;
}

/** Passes on only what may change files outside that folder. */
export function checkpointsOutside(
  keeper: CheckpointKeeper,
  { isApart, isConfined }: Apart,
): CheckpointKeeper {
  let confined: Promise<boolean> | undefined;
  const rest = async (access: Access): Promise<Access | undefined> => {
    if (access.type === 'write') {
      const paths = access.paths.filter((path) => !isApart(path));
      return paths.length === 0 ? undefined : { ...access, paths };
    }
    if (access.type !== 'command') return access;
    confined ??= isConfined();
    return (await confined) ? undefined : access;
  };
  return {
    ...keeper,
    scan() {},
    handleEvent() {},
    async before(access, signal) {
      const outside = await rest(access);
      if (outside !== undefined) await keeper.before(outside, signal);
    },
    async after(callId, cause, access, signal) {
      const outside = await rest(access);
      return outside === undefined
        ? { filesChanged: [], drafts: [] }
        : keeper.after(callId, cause, outside, signal);
    },
  };
}
