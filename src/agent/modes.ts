/** The permission mode of a session: the last one in its log, or the one that it was opened with. */
import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';
import { createModeTracker, createPlanTracker, lastMode } from './sessionFacts.ts';

/** Modes that this session cannot use, each with a sentence for the user that explains why. */
export type RefusedModes = Readonly<Partial<Record<PermissionMode, string>>>;

export interface Modes {
  /** Never a refused mode, whatever the log says. */
  current(): PermissionMode;
  /** The modes that Shift+Tab cycles through, in this order. */
  readonly cycle: readonly PermissionMode[];
  /** Switches the mode and tells the model; shows the reason if the mode is refused, does nothing if it is current. */
  set(mode: PermissionMode): Promise<void>;
  /**
   * Returns the mode that follows an approved plan: one that this process was in. Earlier modes in the log prove
   * nothing: it may come from another person.
   */
  afterPlan(): PermissionMode;
  /**
   * Called before a prompt: if the session was opened in plan mode, logs that, so that the model knows. Other initial
   * modes are not logged: the model need not know them, and a resumed session must not inherit them.
   */
  announce(): Promise<void>;
  /**
   * Called after a rewind: the mode stays as the user set it; the model gets a note if the last one it knows differs.
   */
  retell(): Promise<void>;
}

export function createModes(
  context: ContextManager,
  opened: PermissionMode,
  emit: (event: AgentEvent) => void,
  refused: RefusedModes = {},
): Modes {
  const modeOfLog = createModeTracker();
  const modesBeforePlan = createPlanTracker(context.entries().at(-1)?.seq);
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
      const recorded = lastMode(context.live().entries);
      const now = current();
      if (now !== (recorded ?? opened) || (recorded === undefined && now === 'plan')) await record(now);
    },
  };
}

/**
 * How much runs without approval, least first. After a plan comes the stricter of two modes, the last one used and the
 * last one selected: cycling through a mode with Shift+Tab must not grant anything.
 */
const freedom: Readonly<Record<PermissionMode, number>> = {
  dontAsk: 0,
  default: 1,
  plan: 1,
  auto: 2,
  acceptEdits: 2,
  bypassPermissions: 3,
};

/**
 * Returns the modes for Shift+Tab. `dontAsk` and `bypassPermissions` are included only if the session was started in
 * them, so that they are never selected by accident.
 */
function cycleOf(opened: PermissionMode, refused: RefusedModes): readonly PermissionMode[] {
  return permissionModes.filter(
    (mode) =>
      refused[mode] === undefined &&
      (mode === opened || (mode !== 'dontAsk' && mode !== 'bypassPermissions')),
  );
}

/** Returns the note that tells the model about a mode; the system prompt never contains the mode. */
function modeNote(mode: PermissionMode): string {
  switch (mode) {
    case 'plan':
      return 'Plan mode is on: change nothing. Explore with read-only tools, then present a concrete plan with ExitPlanMode.';
    case 'acceptEdits':
      return 'Edits inside the project are accepted without approval. Commands still need approval.';
    case 'bypassPermissions':
      return 'The user has turned off approval prompts. Be especially careful.';
    case 'default':
      return 'Permission mode: default. Edits and commands need the user’s approval.';
    case 'auto':
      return 'Permission mode: auto. Calls that need approval are judged against what the user has asked for. Stay within that, and do not work around a denial.';
    case 'dontAsk':
      return 'Permission mode: dontAsk. No one can approve calls: those that no rule allows are denied. Do not work around a denial; say what you would need.';
  }
}
