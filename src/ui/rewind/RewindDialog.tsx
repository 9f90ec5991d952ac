/** Rewind: choose a turn, choose what to restore, review the effect on files, confirm. */
import { useContext, useEffect, useMemo, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';
import type { TurnRecord } from '../../protocol/checkpoints.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import { Lines } from '../dialog/Lines.tsx';
import { listKeys } from '../dialog/SelectList.tsx';
import { useLatest, useTypeAheadGuard } from '../dialog/useAnswers.ts';
import type { DialogFocusAction, DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import type { Theme } from '../theme/theme.ts';
import { focusOf, rewindFrame } from './rewindFrame.ts';
import {
  linesWanted,
  moveBy,
  planLines,
  type RestoreChoice,
  type RewindState,
  restoreChoiceOf,
  restoreChoices,
  startState,
  stepBack,
  withTurns,
} from './rewindState.ts';

interface RewindDialogProps {
  readonly agent: Pick<Agent, 'turns' | 'canUndoRewind' | 'planRewind' | 'state' | 'submit'>;
  /** Starts with this turn instead of the list. */
  readonly turn?: TurnRecord | undefined;
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
  readonly now: () => Date;
  /** Milliseconds, to ignore keys typed ahead; the system clock by default. */
  readonly clock?: () => number;
  readonly onFork: (turn: TurnRecord) => void;
  readonly onClose: () => void;
}

/** Turns read at first, and the factor by which more are read whenever the cursor reaches the oldest. */
const FIRST = 200;
const TIMES = 5;

export function RewindDialog(props: RewindDialogProps) {
  const { agent, turn: asked, width, rows, theme, now, onFork, onClose } = props;
  const [state, latest, set] = useLatest<RewindState>(() => startState);
  // True if Enter was pressed while the list was loading.
  const enterWaits = useRef(false);
  const load = async (limit: number): Promise<void> => {
    try {
      set(withTurns(latest(), await agent.turns(limit), limit));
      if (enterWaits.current) enter();
    } catch (error) {
      set({ ...latest(), list: { ...latest().list, turns: [], isWhole: true, problem: messageOf(error) } });
    }
  };
  const choose = async (turn: TurnRecord): Promise<void> => {
    set({ step: 'choose', list: latest().list, turn, plan: undefined, choice: 0 });
    const plan = await agent.planRewind(turn.uuid).catch(() => undefined);
    const current = latest();
    if (current.step !== 'choose' || current.turn.uuid !== turn.uuid) return;
    if (plan === undefined) onClose();
    else set({ ...current, plan, choice: 0 });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it begins with, once
  useEffect(() => {
    void (asked === undefined ? load(FIRST) : choose(asked));
  }, []);

  const steps = state.step === 'files' ? state.plan.plan.steps : undefined;
  const limit = state.step === 'files' ? linesWanted(state.top + rows) : 0;
  const { root } = agent.state();
  const fileLines = useMemo(
    () => (steps === undefined ? [] : planLines(steps, { width, theme, root, limit })),
    [steps, width, theme, root, limit],
  );
  const keymap = useContext(KeymapContext);
  const frame = rewindFrame(state, {
    width,
    rows,
    theme,
    now: now(),
    canUndo: agent.canUndoRewind(),
    fileLines,
    keymap,
  });
  const { counts } = useTypeAheadGuard(state.step, props.clock);

  const move = (by: number): void => {
    const current = latest();
    if (current.step === 'files') {
      const top = Math.max(0, Math.min(frame.lowestTop, current.top + by));
      set({ ...current, top });
    } else if (current.step === 'choose') {
      const many = restoreChoices(current.plan).length;
      set({ ...current, choice: Math.max(0, Math.min(many - 1, current.choice + Math.sign(by))) });
    } else {
      const list = moveBy(current.list, by);
      set({ ...current, list });
      if (list.selected === 0 && !list.isWhole && list.turns !== undefined)
        void load(list.turns.length * TIMES);
    }
  };
  const submit = (to: string, scope: RewindScope): void => {
    agent.submit({ type: 'rewind', to, scope });
    onClose();
  };
  const take = (way: RestoreChoice | undefined): void => {
    const current = latest();
    if (current.step !== 'choose' || way === undefined) return;
    const { turn, plan } = current;
    if (way === 'cancel') onClose();
    else if (way === 'fork') onFork(turn);
    else if (way === 'conversation') submit(turn.uuid, way);
    else if (plan !== undefined) set({ step: 'files', list: current.list, plan, scope: way, top: 0 });
  };
  const enter = (): void => {
    const current = latest();
    if (current.step === 'turns') {
      enterWaits.current = current.list.turns === undefined;
      const turn = current.list.turns?.[current.list.selected];
      if (turn !== undefined) void choose(turn);
    } else if (!counts(true)) return;
    else if (current.step === 'choose') take(restoreChoices(current.plan)[current.choice]?.answer);
    else submit(current.plan.turn.uuid, current.scope);
  };
  const back = (): void => {
    const current = latest();
    const isFirst = asked !== undefined && current.step === 'choose';
    const before = isFirst ? undefined : stepBack(current);
    if (before === undefined) onClose();
    else set(before);
  };
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    ...listKeys(move, Math.max(1, frame.pageRows - 1)),
    'select:accept': enter,
    'select:cancel': back,
    'rewind:undo': () => {
      if (latest().step !== 'turns' || !agent.canUndoRewind()) return;
      agent.submit({ type: 'undo_rewind' });
      onClose();
    },
    'confirm:previous': () => move(-1),
    'confirm:next': () => move(1),
    'confirm:accept': enter,
    'confirm:cancel': back,
    'app:interrupt': onClose,
    'app:exit': onClose,
  };
  const onKey = (key: DialogKey): void => {
    const current = latest();
    const handler = key.type === 'action' ? handlers[key.name] : undefined;
    if (handler !== undefined) handler();
    else if (current.step === 'choose') take(restoreChoiceOf(current.plan, key));
  };
  useDialogKeys(() => focusOf(latest()), onKey);
  return <Lines lines={frame.lines} />;
}

function messageOf(error: unknown): string {
  return `The session cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
