/** The rewind dialog as styled lines for a given size. Pure. */

import type { TurnRecord } from '../../protocol/checkpoints.ts';
import type { RewindScope } from '../../protocol/ops.ts';
import { choiceLines, choicesFocus } from '../dialog/choices.ts';
import { windowAround } from '../dialog/selection.ts';
import { joinWithDots, type KeyHints, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, Keymap } from '../keys/keymap.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule } from '../print/spans.ts';
import { padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { type RewindState, restoreChoices, type TurnList, turnFacts } from './rewindState.ts';

interface FrameOptions {
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
  readonly now: Date;
  /** True if there is a rewind to undo. */
  readonly canUndo: boolean;
  /** The effect on files, laid out for this width. */
  readonly fileLines: readonly string[];
  readonly keymap: Keymap;
}

interface RewindFrame {
  readonly lines: readonly string[];
  /** Visible rows of the scrolling part. */
  readonly pageRows: number;
  /** The largest first line that still fills the page. */
  readonly lowestTop: number;
}

/** How keys are read: what to restore is a question, the other steps are lists. */
export function focusOf({ step }: RewindState): DialogFocus {
  if (step === 'choose') return choicesFocus;
  // The effect on files scrolls like a list.
  return step === 'files' ? filesPlace : turnsPlace;
}

/** `answer`: letters typed ahead must not undo anything. */
const turnsPlace: DialogFocus = { contexts: ['Rewind', 'Select'], typing: 'answer' };
const filesPlace: DialogFocus = { contexts: ['Select'], typing: 'answer' };

/** The title, the scrolling part and a hint, as far as there is room. */
export function rewindFrame(state: RewindState, options: FrameOptions): RewindFrame {
  switch (state.step) {
    case 'turns':
      return turnsFrame(state.list, options);
    case 'choose':
      return chooseFrame(state, options);
    case 'files':
      return filesFrame(state, options);
  }
}

function turnsFrame(
  { turns, selected, isWhole, problem }: TurnList,
  { width, rows, theme, now, canUndo, keymap }: FrameOptions,
): RewindFrame {
  const pageRows = Math.max(1, rows - (rows >= 4 ? 2 : rows >= 3 ? 1 : 0));
  const items = turns ?? [];
  const selection = { items, visible: items, filter: '', selected, top: 0 };
  // Centres the cursor if possible, so that the turns before and after it are visible.
  const { top } = windowAround({ ...selection, top: selected - Math.floor(pageRows / 2) }, pageRows);
  const first = Math.max(0, top);
  const list = items.slice(first, first + pageRows).map((turn, index) => {
    const isSelected = first + index === selected;
    const mark = isSelected ? theme.accent('❯ ') : '  ';
    return mark + turnRow(turn, { width: width - 2, isSelected, now, theme });
  });
  const nothing = problem ?? (turns === undefined ? 'Reading the session…' : 'No prompts yet.');
  const place = items.length <= pageRows ? '' : `${selected + 1} of ${items.length}${isWhole ? '' : '+'} · `;
  const hints = keyHints(keymap, turnsPlace);
  const moving = joined(hints.keys('select:previous', 'select:next'), hints.key('select:accept'));
  const hint = hintOf(
    place,
    [
      joinWithDots(
        moving,
        canUndo ? hints.does('rewind:undo', 'undoes the last rewind') : undefined,
        'Esc closes',
      ),
      joined(moving, canUndo ? hints.key('rewind:undo') : undefined, 'Esc'),
    ],
    width,
  );
  return framed({
    title: 'Rewind to before…',
    body: list.length === 0 ? [theme.dim(truncate(`  ${sanitizeLine(nothing)}`, width))] : list,
    hint,
    options: { width, rows, theme },
    pageRows,
    lowestTop: 0,
  });
}

function chooseFrame(
  { turn, plan, choice }: Extract<RewindState, { step: 'choose' }>,
  { width, rows, theme, keymap }: FrameOptions,
): RewindFrame {
  const ways = choiceLines(restoreChoices(plan), choice, width, theme);
  const notes = (plan?.notes ?? []).map((note) => theme.warning(truncate(sanitizeLine(note), width)));
  const waiting = plan === undefined ? [theme.dim(truncate('Checking the files…', width))] : [];
  const body = [...waiting, ...ways];
  const room = rows - body.length - 2;
  const hints = keyHints(keymap, choicesFocus);
  return framed({
    title: `Rewind to before “${sanitizeLine(turn.text)}”. Restore what?`,
    body: room >= notes.length ? [...body, ...notes] : body,
    hint: hintOf(
      '',
      [
        joinWithDots(
          joined(hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')),
          'Esc goes back to the list',
        ),
        joinWithDots(hints.key('confirm:accept'), 'Esc'),
      ],
      width,
    ),
    options: { width, rows, theme },
    pageRows: 1,
    lowestTop: 0,
  });
}

const titles: Readonly<Record<RewindScope, string>> = {
  both: 'Files, if conversation and files are restored',
  files: 'Files to restore',
  conversation: 'Conversation',
};

function filesFrame(
  { scope, top }: Extract<RewindState, { step: 'files' }>,
  { width, rows, theme, fileLines: lines, keymap }: FrameOptions,
): RewindFrame {
  const pageRows = Math.max(1, rows - (rows >= 4 ? 2 : rows >= 3 ? 1 : 0));
  const lowestTop = Math.max(0, lines.length - pageRows);
  const first = Math.min(top, lowestTop);
  const last = Math.min(lines.length, first + pageRows);
  const place = lines.length <= pageRows ? '' : `${first + 1}–${last} of ${lines.length} · `;
  return framed({
    title: titles[scope],
    body: lines.slice(first, last),
    hint: hintOf(place, fileHints(keyHints(keymap, filesPlace)), width),
    options: { width, rows, theme },
    pageRows,
    lowestTop,
  });
}

function fileHints(hints: KeyHints): readonly string[] {
  const does = hints.does('select:accept', 'confirms');
  return [
    joinWithDots(does, hints.keys('select:pageUp', 'select:pageDown'), 'Esc goes back'),
    joinWithDots(does, 'Esc'),
    joinWithDots(hints.key('select:accept'), 'Esc'),
  ];
}

function joined(...keys: readonly (string | undefined)[]): string {
  return keys.filter((key) => key !== undefined).join(' ');
}

function framed({
  title,
  body,
  hint,
  options: { width, rows, theme },
  ...rest
}: {
  readonly title: string;
  readonly body: readonly string[];
  readonly hint: string;
  readonly options: Pick<FrameOptions, 'width' | 'rows' | 'theme'>;
} & Pick<RewindFrame, 'pageRows' | 'lowestTop'>): RewindFrame {
  const all = [
    ...(rows >= 3 ? [titledRule(title, width, theme)] : []),
    ...body,
    ...(rows >= 4 ? [theme.dim(hint)] : []),
  ];
  return { lines: all.slice(0, Math.max(1, rows)), ...rest };
}

/** The first hint that fits after the position; otherwise the last one without it. */
function hintOf(place: string, hints: readonly string[], width: number): string {
  const fitting = hints.find((hint) => textWidth(place + hint) <= width);
  return fitting === undefined ? truncate(hints.at(-1) ?? '', width) : place + fitting;
}

// Rows of the list of turns: age, prompt, changes.

/** Columns of the age and of the changes. */
const AGE = 12;
const CHANGES = 24;

/** One row of at most `width` columns: the prompt first, the rest if there is room. */
function turnRow(
  turn: TurnRecord,
  { width, isSelected, now, theme }: { width: number; isSelected: boolean; now: Date; theme: Theme },
): string {
  const facts = turnFacts(turn, now);
  const age = width >= 60 ? padEnd(facts.age, AGE) : '';
  const changes = width >= 44 ? padStart(truncate(facts.changes, CHANGES), CHANGES) : '';
  const room = Math.max(1, width - textWidth(age) - textWidth(changes) - (changes === '' ? 0 : 1));
  const asked = padEnd(truncate(facts.asked, room), room);
  const text = isSelected ? theme.accent(asked) : asked;
  return theme.dim(age) + text + (changes === '' ? '' : theme.dim(` ${changes}`));
}
