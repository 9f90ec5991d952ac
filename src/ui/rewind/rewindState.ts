/** The state of the rewind dialog: the list of turns, what to restore, and the effect on files. Pure. */
import { changedText } from '../../commands/rewind/rewind.ts';
import type { RestoreStep, RewindPlan, TurnRecord } from '../../protocol/checkpoints.ts';
import { foldSteps, moreText, type StepRow } from '../../protocol/files/foldSteps.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import { count } from '../../protocol/text/numbers.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { type Choice, type ChoiceDialog, choiceOfKey } from '../dialog/choices.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { renderDiff } from '../print/diff.ts';
import { formatAge } from '../print/numbers.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { padEnd, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** The choices for a turn. */
export type RestoreChoice = RewindScope | 'fork' | 'cancel';

export interface TurnList {
  /** Oldest first; undefined until loaded. */
  readonly turns: readonly TurnRecord[] | undefined;
  readonly selected: number;
  /** True if all turns are loaded. */
  readonly isWhole: boolean;
  /** Why there are none; ready to show. */
  readonly problem?: string;
}

/** The list keeps its position during the other steps. */
export type RewindState = { readonly list: TurnList } & (
  | { readonly step: 'turns' }
  /** `plan` is undefined until it is ready. */
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
      /** First visible line. */
      readonly top: number;
    }
);

/** The state before anything is loaded. */
export const startState: RewindState = {
  step: 'turns',
  list: { turns: undefined, selected: 0, isWhole: false },
};

/**
 * Replaces the turns. The cursor stays on its turn; at first it is on the newest. `asked`: the requested number of
 * turns.
 */
export function withTurns(state: RewindState, turns: readonly TurnRecord[], asked: number): RewindState {
  const { list } = state;
  const { uuid } = list.turns?.[list.selected] ?? {};
  const found = turns.findIndex((turn) => turn.uuid === uuid);
  const selected = found === -1 ? Math.max(0, turns.length - 1) : found;
  return { ...state, list: { turns, selected, isWhole: turns.length < asked } };
}

/** Moves the cursor by rows, stopping at both ends. */
export function moveBy(list: TurnList, by: number): TurnList {
  const last = Math.max(0, (list.turns?.length ?? 0) - 1);
  return { ...list, selected: Math.min(last, Math.max(0, list.selected + by)) };
}

/** Goes back one step; undefined from the list. */
export function stepBack(state: RewindState): RewindState | undefined {
  const { list } = state;
  if (state.step === 'turns') return undefined;
  if (state.step === 'choose') return { step: 'turns', list };
  const { plan, scope } = state;
  const choice = restoreChoices(plan).findIndex(({ answer }) => answer === scope);
  return { step: 'choose', list, turn: plan.turn, plan, choice: Math.max(0, choice) };
}

/** The available choices; without changed files, only the conversation can be restored. */
export function restoreChoices(
  plan: RewindPlan | undefined,
): readonly (Choice & { readonly answer: RestoreChoice })[] {
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

/** A turn's facts for display, used by the full screen and by plain mode. */
export function turnFacts(
  turn: TurnRecord,
  now: Date,
): { readonly asked: string; readonly age: string; readonly changes: string } {
  return {
    asked: sanitizeLine(turn.text).trim() || '(an image)',
    age: formatAge(new Date(turn.timestamp), now),
    changes: changedText(turn),
  };
}

/** Asks what to restore. Lists the paths in plain mode; the full screen shows them in the next step. */
export function restoreDialog(plan: RewindPlan, root: string): ChoiceDialog<RestoreChoice> {
  const { turn, noFiles, notes } = plan;
  const asked = `Question: rewind to before "${turn.text.slice(0, 100)}": restore what?`;
  const paths = foldSteps(
    plan.plan.steps.filter(({ action }) => action !== 'nothing'),
    root,
  ).map((row) => {
    const { step } = row;
    const { action, path, reason = '' } = step;
    const isCount = row.type === 'more';
    const remarks = [modesOf(step).trim(), ...(isCount ? [] : [...kindOf(step), reason])];
    const said = remarks.filter((text) => text !== '');
    const why = said.length === 0 ? '' : ` (${said.join('; ')})`;
    const what = isCount ? moreIn(row, root) : shortPath(path, root);
    return { sign: 'does', text: `${actionWords[action]}: ${what}${why}` } as const;
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
    choices: restoreChoices(plan),
    cancel: 'cancel',
  };
}

/** The choice that a key selects directly. */
export function restoreChoiceOf(plan: RewindPlan | undefined, key: DialogKey): RestoreChoice | undefined {
  const ways = restoreChoices(plan);
  return ways[choiceOfKey(ways, key) ?? -1]?.answer;
}

// The effect of a rewind on files: each path with its action, then the diffs.

/** Maximum lines laid out. */
const MAX_LINES = 5000;
/** Lines laid out at a time. */
const STEP = 500;

/** The action on a path in a word. */
const actionWords: Readonly<Record<RestoreStep['action'], string>> = {
  create: 'recreate',
  modify: 'restore',
  delete: 'delete',
  mode: 'permissions',
  merge: 'merge',
  refuse: 'leave',
  nothing: 'unchanged',
};

/**
 * Returns text such as "2 files to restore, 1 to delete, 1 left unchanged"; does not count files that already match.
 */
function planSummary(steps: readonly RestoreStep[]): string {
  const many = (...actions: RestoreStep['action'][]): number =>
    steps.filter(({ action }) => actions.includes(action)).length;
  const parts = [
    [many('create', 'modify', 'mode'), 'to restore'],
    [many('delete'), 'to delete'],
    [many('merge'), 'to merge with your changes'],
    [many('refuse'), 'left unchanged'],
  ] as const;
  const counted = parts.filter(([number]) => number > 0);
  if (counted.length === 0) return 'every file already matches that point';
  return counted
    .map(([number, what], index) => (index === 0 ? `${count(number, 'file')} ${what}` : `${number} ${what}`))
    .join(', ');
}

/** How many lines to lay out for a page that ends at this line, with some to spare for scrolling. */
export function linesWanted(end: number): number {
  return Math.min(MAX_LINES, STEP * Math.ceil((end + STEP / 2) / STEP));
}

interface PlanLinesOptions {
  readonly width: number;
  readonly theme: Theme;
  /** Paths inside this folder are shown relative to it. */
  readonly root: string;
  /** Maximum lines of diffs; every path is listed, or counted by folder. */
  readonly limit: number;
}

/** Styled lines of at most `width` columns. */
export function planLines(
  steps: readonly RestoreStep[],
  { width, theme, root, limit }: PlanLinesOptions,
): readonly string[] {
  const shown = steps.filter(({ action }) => action !== 'nothing');
  const lines = foldSteps(shown, root).flatMap((row) => rowLines(row, width, theme, root));
  for (const step of shown) {
    if (step.diff === undefined || step.diff === '') continue;
    const left = limit - lines.length;
    if (left < 3) return [...lines, theme.dim(truncate('… and more diffs', width))];
    lines.push('', theme.strong(truncate(shortPath(step.path, root), width, 'start')));
    lines.push(
      ...renderDiff(step.diff, { width, theme, maxLines: left, clean: reveal }).split('\n').filter(Boolean),
    );
  }
  return lines;
}

/** For example "12,345 more in node_modules/". */
function moreIn(row: Extract<StepRow, { type: 'more' }>, root: string): string {
  return moreText(row, (path) => shortPath(path, root));
}

/** A path for display on one line. */
function shortPath(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return shownLine(inside);
}

/** Modes of files and folders that need no mention. */
const ORDINARY = new Set([0o644, 0o664, 0o600, 0o640, 0o660, 0o755, 0o775, 0o700, 0o750]);

/** Returns text such as "  600 → 644" if permissions change, and "  executable" for a new file that is. */
function modesOf({ from, to }: RestoreStep): string {
  if (to?.type !== 'file' && to?.type !== 'folder') return '';
  if (from?.type === to.type)
    return from.mode === to.mode ? '' : `  ${from.mode.toString(8)} → ${to.mode.toString(8)}`;
  if (!ORDINARY.has(to.mode)) return `  ${to.mode.toString(8)}`;
  return to.type === 'file' && (to.mode & 0o111) !== 0 ? '  executable' : '';
}

/** What a path becomes that is neither a file nor a folder. */
function kindOf({ to, action }: RestoreStep): readonly string[] {
  if (action === 'refuse') return [];
  if (to?.type === 'link') return [`a link to ${quotedName(to.target)}`];
  return to?.type === 'special' ? [`a ${to.kind}`] : [];
}

function rowLines(row: StepRow, width: number, theme: Theme, root: string): string[] {
  if (row.type === 'path') return stepLines(row.step, width, theme, root);
  const { word, paint } = actionOf(row.step, width, theme);
  const modes = width < 40 ? '' : modesOf(row.step);
  const room = Math.max(4, width - word.length - modes.length);
  return [paint(word) + truncate(`… and ${moreIn(row, root)}`, room) + theme.dim(modes)];
}

function stepLines(step: RestoreStep, width: number, theme: Theme, root: string): string[] {
  const { path, reason, added, removed } = step;
  const { word, paint } = actionOf(step, width, theme);
  const modes = modesOf(step);
  const lines = width < 40 ? '' : added + removed > 0 ? `  +${added} −${removed}${modes}` : modes;
  const room = Math.max(4, width - word.length - lines.length);
  const head = paint(word) + truncate(shortPath(path, root), room, 'start') + theme.dim(lines);
  const remarks = [...kindOf(step), ...(reason === undefined ? [] : [reason])];
  const why = remarks.flatMap((text) => wrapText(sanitizeLine(text), Math.max(4, width - 2), paint));
  return [head, ...why.map((line) => `  ${line}`)];
}

/** The word for the action, and its color. */
function actionOf({ action }: RestoreStep, width: number, theme: Theme) {
  const paint = action === 'refuse' || action === 'merge' ? theme.warning : theme.text;
  return { word: width >= 40 ? padEnd(actionWords[action], 12) : `${actionWords[action]} `, paint };
}
