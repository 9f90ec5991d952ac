/** The permission mode of a session: the last one in its log, else the one that it was opened with. */
import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';
import { followMode, lastMode, modesBeforePlan } from './sessionFacts.ts';

/** Modes that cannot be had in this session, each with why: a sentence ready to show. */
export type RefusedModes = Readonly<Partial<Record<PermissionMode, string>>>;

export interface Modes {
  /** Never a refused one, whatever the log says. */
  current(): PermissionMode;
  /** What Shift+Tab goes through, in this order. */
  readonly cycle: readonly PermissionMode[];
  /** Switches and tells the model, or says why not; nothing happens when it is the current one. */
  set(mode: PermissionMode): Promise<void>;
  /** The mode that accepting a plan leads to. */
  afterPlan(): PermissionMode;
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
  refused: RefusedModes = {},
): Modes {
  const modeOfLog = followMode();
  const current = (): PermissionMode => {
    const mode = modeOfLog(context.entries()) ?? opened;
    return refused[mode] === undefined ? mode : 'default';
  };
  const record = async (mode: PermissionMode): Promise<void> => {
    await context.addMessage('system', modeNote(mode), { mode }, 'mode');
  };
  const set = async (mode: PermissionMode): Promise<void> => {
    const why = refused[mode];
    if (why !== undefined) emit({ type: 'notice', level: 'error', text: why });
    if (why !== undefined || mode === current()) return;
    await record(mode);
    emit({ type: 'mode_changed', mode });
  };
  const cycle = cycleOf(opened, refused);
  return {
    current,
    cycle,
    set,
    afterPlan() {
      const first = opened === 'plan' ? 'default' : opened;
      const { used = first, last = first } = modesBeforePlan(context.entries());
      const modes = [used, last].filter((mode) => cycle.includes(mode));
      return modes.toSorted((a, b) => freedom[a] - freedom[b])[0] ?? first;
    },
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

/**
 * How much runs without a question, least first. A plan is followed by the stricter one of the mode that was worked in
 * before and the mode that was last selected: a mode that Shift+Tab only passed through grants nothing.
 */
const freedom: Readonly<Record<PermissionMode, number>> = {
  dontAsk: 0,
  default: 1,
  plan: 1,
  auto: 2,
  acceptEdits: 2,
  bypassPermissions: 3,
};

/** `dontAsk` and `bypassPermissions` are only for a session that was started in them: nobody gets there by a slip. */
function cycleOf(opened: PermissionMode, refused: RefusedModes): readonly PermissionMode[] {
  return permissionModes.filter(
    (mode) =>
      refused[mode] === undefined &&
      (mode === opened || (mode !== 'dontAsk' && mode !== 'bypassPermissions')),
  );
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
    case 'auto':
      return 'Permission mode: auto. What would be shown to the user first is judged against what the user has asked for. Stay within that, and do not work around a denial.';
    case 'dontAsk':
      return 'Permission mode: dontAsk. Nothing can be approved: calls that no rule allows are denied. Do not work around a denial; say what would be needed.';
  }
}
