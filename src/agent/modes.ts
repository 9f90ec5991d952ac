/** The permission mode of a session: the last one in its log, else the one that it was opened with. */
import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { PermissionMode } from '../protocol/permissions.ts';
import { followMode, lastMode, modeBeforePlan } from './sessionFacts.ts';

export interface Modes {
  current(): PermissionMode;
  /** Switches and tells the model; nothing happens when it is the current one. */
  set(mode: PermissionMode): Promise<void>;
  /** Back to the mode before the plan, when the user has accepted it. */
  leavePlan(): Promise<void>;
  /**
   * Before a prompt: tells the model of plan mode when the session was opened in it, as the log does not yet.
   * The other modes are between the user and the program, and a session must not inherit them by itself.
   */
  announce(): Promise<void>;
  /** After going back: the mode stays as the user set it, and the model is told where it heard of another. */
  retell(): Promise<void>;
}

export function createModes(
  context: ContextManager,
  opened: PermissionMode,
  emit: (event: AgentEvent) => void,
): Modes {
  const modeOfLog = followMode();
  const current = (): PermissionMode => modeOfLog(context.entries()) ?? opened;
  const record = async (mode: PermissionMode): Promise<void> => {
    await context.addMessage('system', modeNote(mode), { mode }, 'mode');
  };
  const set = async (mode: PermissionMode): Promise<void> => {
    if (mode === current()) return;
    await record(mode);
    emit({ type: 'mode_changed', mode });
  };
  return {
    current,
    set,
    leavePlan: () => set(modeBeforePlan(context.entries()) ?? (opened === 'plan' ? 'default' : opened)),
    async announce() {
      if (opened === 'plan' && lastMode(context.entries()) === undefined) await record(opened);
    },
    async retell() {
      const told = lastMode(context.live().entries);
      const now = current();
      if (now !== (told ?? opened) || (told === undefined && now === 'plan')) await record(now);
    },
  };
}

/** What the model is told of a mode; the mode is never part of the system prompt. */
function modeNote(mode: PermissionMode): string {
  switch (mode) {
    case 'plan':
      return 'Plan mode is on: change nothing. Explore with read-only tools, then hand over a concrete plan with ExitPlanMode.';
    case 'acceptEdits':
      return 'Edits inside the project are accepted without asking. Commands are still asked about.';
    case 'bypassPermissions':
      return 'The user has switched permission questions off. Take all the more care.';
    case 'default':
      return 'Permission mode: default. Edits and commands are shown to the user first.';
  }
}
