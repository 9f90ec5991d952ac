/** The permission mode of a subagent: its definition may only tighten the mode of the agent that started it. Pure. */
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { Modes } from '../modes.ts';
import type { ParentAgent } from './types.ts';

/** The modes in which less runs without approval, or less can run at all. Modes that are neither are not listed. */
const tighter: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  plan: [],
  dontAsk: ['plan'],
  default: ['plan', 'dontAsk'],
  acceptEdits: ['plan', 'dontAsk', 'default'],
  auto: ['plan', 'dontAsk', 'default'],
  bypassPermissions: ['plan', 'dontAsk', 'default', 'acceptEdits', 'auto'],
};

/** Returns `wanted` if it is stricter than the parent's mode, otherwise the parent's. */
export function tightened(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  return wanted !== undefined && tighter[parent].includes(wanted) ? wanted : parent;
}

/** The parent lends its mode, tightened. Switching it, as "accept edits" in a question does, switches the parent's. */
export function childModes(parent: ParentAgent): Modes {
  return {
    current: parent.mode,
    cycle: [],
    set: parent.setMode,
    // A subagent hands over no plan: its result does that.
    afterPlan: parent.mode,
    announce: async () => {},
    retell: async () => {},
  };
}
