/** Where the user is on the way back: the list of turns, what goes back, what it does to the files. Pure. */
import type { RewindPlan, RewindScope, TurnRecord } from '../../protocol/rewind.ts';
import { type Choice, choiceOfKey } from '../components/choices.ts';
import type { ChoiceDialog } from '../dialog/dialog.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { actionWords, planSummary, shortPath } from './planRows.ts';

/** What can be chosen for a turn. */
export type Way = RewindScope | 'fork' | 'cancel';

export interface TurnList {
  /** Oldest first; undefined until they are read. */
  readonly turns: readonly TurnRecord[] | undefined;
  readonly selected: number;
  /** All turns are there. */
  readonly isWhole: boolean;
  /** Why there are none; ready to show. */
  readonly problem?: string;
}

/** The list stays where it was while one of its turns is looked at. */
export type RewindState = { readonly list: TurnList } & (
  | { readonly step: 'turns' }
  /** `plan` is undefined until it is made. */
  | {
      readonly step: 'choose';
      readonly turn: TurnRecord;
      readonly plan: RewindPlan | undefined;
      readonly choice: number;
    }
  | {
      readonly step: 'files';
      readonly plan: RewindPlan;
      readonly scope: RewindScope;
      /** First line on screen. */
      readonly top: number;
    }
);

/** Before anything is read. */
export const startState: RewindState = {
  step: 'turns',
  list: { turns: undefined, selected: 0, isWhole: false },
};

/** More turns: the cursor stays on its turn; at first it is on the newest. `asked` is how many were asked for. */
export function withTurns(state: RewindState, turns: readonly TurnRecord[], asked: number): RewindState {
  const { list } = state;
  const { uuid } = list.turns?.[list.selected] ?? {};
  const found = turns.findIndex((turn) => turn.uuid === uuid);
  const selected = found === -1 ? Math.max(0, turns.length - 1) : found;
  return { ...state, list: { turns, selected, isWhole: turns.length < asked } };
}

/** Moves the cursor by rows, and stops at both ends. */
export function moveBy(list: TurnList, by: number): TurnList {
  const last = Math.max(0, (list.turns?.length ?? 0) - 1);
  return { ...list, selected: Math.min(last, Math.max(0, list.selected + by)) };
}

/** One step back; undefined from the list. */
export function stepBack(state: RewindState): RewindState | undefined {
  const { list } = state;
  if (state.step === 'turns') return undefined;
  if (state.step === 'choose') return { step: 'turns', list };
  const { plan, scope } = state;
  const choice = waysOf(plan).findIndex(({ answer }) => answer === scope);
  return { step: 'choose', list, turn: plan.turn, plan, choice: Math.max(0, choice) };
}

/** What can be chosen; without changed files there is only the conversation. */
export function waysOf(plan: RewindPlan | undefined): readonly (Choice & { readonly answer: Way })[] {
  const fork = {
    answer: 'fork',
    letter: 'k',
    label: 'Fork from there',
    detail: 'a new session; this one and the files stay',
  } as const;
  const cancel = { answer: 'cancel', letter: 'n', action: 'confirm:no', label: 'Cancel' } as const;
  const conversation = {
    answer: 'conversation',
    letter: 'c',
    label: 'The conversation',
    detail: 'files stay as they are',
  } as const;
  if (plan === undefined) return [cancel];
  if (plan.noFiles !== undefined || !plan.plan.steps.some(({ action }) => action !== 'nothing')) {
    const detail = plan.noFiles ?? 'no file has changed since';
    return [{ ...conversation, detail }, fork, cancel];
  }
  const detail = planSummary(plan.plan.steps);
  return [
    { answer: 'both', letter: 'b', label: 'Conversation and files', detail },
    conversation,
    { answer: 'files', letter: 'f', label: 'The files', detail: 'the conversation stays' },
    fork,
    cancel,
  ];
}

/** What is restored of a plan, with every path: on the screen the paths are looked at before the last Enter. */
export function wayDialog(plan: RewindPlan, root: string): ChoiceDialog<Way> {
  const { turn, noFiles, notes } = plan;
  const asked = `Question: rewind to before "${turn.text.slice(0, 100)}": restore what?`;
  const paths = plan.plan.steps
    .filter(({ action }) => action !== 'nothing')
    .map(({ action, path, reason }) => {
      const why = reason === undefined ? '' : ` (${reason})`;
      return { sign: 'does', text: `${actionWords[action]}: ${shortPath(path, root)}${why}` } as const;
    });
  return {
    type: 'choices',
    id: `rewind ${turn.uuid}`,
    title: `Rewind to before “${turn.text}”. Restore what?`,
    body: [
      { type: 'text', text: asked, only: 'lines' },
      { type: 'list', items: paths, more: 'more paths', only: 'lines' },
      ...[...(noFiles === undefined ? [] : [noFiles]), ...notes].map(
        (text) => ({ type: 'text', text }) as const,
      ),
    ],
    choices: waysOf(plan),
    cancel: 'cancel',
  };
}

/** The choice that a key takes at once. */
export function wayOf(plan: RewindPlan | undefined, key: DialogKey): Way | undefined {
  const ways = waysOf(plan);
  return ways[choiceOfKey(ways, key) ?? -1]?.answer;
}
