/** Draws a dialog and translates keys into its answers. */
import { Box, usePaste } from 'ink';
import { useContext, useMemo, useRef } from 'react';
import { applyEdit, createBuffer } from '../input/textBuffer.ts';
import type { DialogFocus, DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import {
  bodyLines,
  type ChoiceDialog,
  choiceDialogLines,
  choicesFocus,
  type DialogRoom,
  type ListReading,
  turned,
} from './choices.ts';
import {
  type Dialog,
  keptChoice,
  type ListDialog,
  pressChoice,
  questionOf,
  quits,
  type TextDialog,
  type WaitDialog,
} from './dialog.ts';
import { fieldInput, fieldText } from './field.ts';
import { Lines, TextField } from './Lines.tsx';
import { SelectList } from './SelectList.tsx';
import { isEnterKey, useLatest, useStrayWord, useTypeAheadGuard } from './useAnswers.ts';

interface DialogViewProps<A, D = Dialog<A>> extends DialogRoom {
  readonly dialog: D;
  readonly isActive?: boolean;
  /** The current time in ms, to detect typing ahead. */
  readonly now?: (() => number) | undefined;
  readonly onAnswer: (answer: A) => void;
  /** Called with text that was pasted instead of choosing. */
  readonly onPaste?: (text: string) => void;
}

export function DialogView<A>({ dialog, ...props }: DialogViewProps<A>) {
  switch (dialog.type) {
    case 'choices':
      return <ChoiceView key={dialog.id} {...props} dialog={dialog} />;
    case 'text':
      return <TextView key={dialog.id} {...props} dialog={dialog} />;
    case 'wait':
      return <WaitView key={dialog.id} {...props} dialog={dialog} />;
    case 'list':
      return <ListView key={dialog.id} {...props} dialog={dialog} />;
  }
}

function ListView<A>({ dialog, ...props }: DialogViewProps<A, ListDialog<A>>) {
  const { width, rows, theme, isActive = true, onAnswer } = props;
  /** The chosen variants, by name of the item. */
  const [variants, latest, set] = useLatest<Readonly<Record<string, number>>>(() => ({}));
  const answerOf = ({ name, answer, variants: all = [] }: ListDialog<A>['items'][number]): A =>
    all[latest()[name] ?? 0]?.answer ?? answer;
  const { variant } = dialog;
  const next = ({ name, variants: all = [] }: ListDialog<A>['items'][number]): void => {
    if (all.length > 0) set({ ...latest(), [name]: ((latest()[name] ?? 0) + 1) % all.length });
  };
  return (
    <SelectList
      width={width}
      rows={rows}
      theme={theme}
      isActive={isActive}
      title={dialog.title}
      items={dialog.items}
      textOf={({ label }) => label}
      {...(dialog.empty === undefined ? {} : { empty: dialog.empty })}
      {...(dialog.start === undefined ? {} : { start: dialog.start })}
      {...(dialog.escape === undefined ? {} : { escape: dialog.escape })}
      {...detailsOf(dialog, variants, props)}
      {...(variant === undefined ? {} : { variant, onVariant: next })}
      onPick={(item) => onAnswer(answerOf(item))}
      onCancel={() => onAnswer(dialog.cancel)}
      onQuit={() => onAnswer(dialog.quit ?? dialog.cancel)}
    />
  );
}

/** Rows for the details of the selected item. */
const DETAIL_ROWS = 5;

function detailsOf<A>(
  { items, variant = '' }: ListDialog<A>,
  chosen: Readonly<Record<string, number>>,
  { width, theme }: DialogRoom,
) {
  if (items.every(({ detail, variants }) => detail === undefined && variants === undefined)) return {};
  const detailOf = (item: ListDialog<A>['items'][number] | undefined) => {
    const one = item?.variants?.[chosen[item.name] ?? 0];
    const about = [...(item?.detail ?? []), ...(one === undefined ? [] : [`${variant}: ${one.text}`])];
    const lines = about.flatMap((line) => wrapText(sanitizeLine(line), width - 2, theme.dim));
    const shown = ['', ...lines.map((line) => `  ${line}`)].slice(0, DETAIL_ROWS);
    // Always as many rows, so that the list does not move.
    return <Lines lines={[...shown, ...Array(DETAIL_ROWS - shown.length).fill(' ')]} />;
  };
  return { detailRows: DETAIL_ROWS, detailOf };
}

const textPlace: DialogFocus = { contexts: ['Select'], typing: 'text' };

/** Text above a field; Enter answers, Esc cancels. */
function TextView<A>(props: DialogViewProps<A, TextDialog<A>>) {
  const { dialog, width, rows, theme, isActive = true, onAnswer } = props;
  const [state, latest, set] = useLatest(() => ({
    buffer: applyEdit(createBuffer(), { type: 'insert', text: fieldInput(dialog.initial) }),
    problem: '',
  }));
  const insert = (text: string): void => edited({ type: 'insert', text: fieldInput(text) });
  const edited = (edit: Parameters<typeof applyEdit>[1]): void =>
    set({ buffer: applyEdit(latest().buffer, edit), problem: '' });
  const accept = (): void => {
    const read = dialog.read(fieldText(latest().buffer));
    if ('problem' in read) set({ ...latest(), problem: read.problem });
    else onAnswer(read.answer);
  };
  useDialogKeys(
    () => textPlace,
    (key) => {
      if (quits(dialog, key)) onAnswer(dialog.quit ?? dialog.cancel);
      else if (key.type === 'edit') edited(key.edit);
      else if (key.type === 'text') insert(key.text);
      else if (key.type === 'action' && key.name === 'select:accept') accept();
      else if (key.type === 'action' && key.name === 'select:cancel') onAnswer(dialog.cancel);
    },
    isActive,
  );
  usePaste(insert, { isActive });
  const head = [
    titledRule(sanitizeLine(dialog.title), width, theme),
    ...bodyLines(dialog.body, Math.max(0, rows - 4), props),
  ];
  const problem = wrapText(sanitizeLine(state.problem), width, theme.error);
  return (
    <Box flexDirection="column">
      <Lines lines={head} />
      <TextField label={dialog.label} buffer={state.buffer} width={width} theme={theme} isActive={isActive} />
      {state.problem !== '' && <Lines lines={problem.slice(0, Math.max(1, rows - head.length - 2))} />}
      <Lines lines={[theme.dim(truncate('Enter accepts · Esc goes back', width))]} />
    </Box>
  );
}

function ChoiceView<A>(props: DialogViewProps<A, ChoiceDialog<A>>) {
  const { dialog, isActive = true, now, onAnswer, onPaste, width, rows, theme } = props;
  const [selected, latest, set] = useLatest(() => 0);
  const before = useRef(dialog);
  if (before.current !== dialog) {
    const kept = keptChoice(before.current, dialog, latest());
    before.current = dialog;
    if (kept !== latest()) set(kept);
  }
  const guard = useTypeAheadGuard(questionOf(dialog), now);
  const stray = useStrayWord(now);
  const [reading, latestReading, setReading] = useListReading(dialog.id, width);
  const row = Math.min(selected, dialog.choices.length - 1);
  const keymap = useContext(KeymapContext);
  const { lines, page } = useMemo(
    () => choiceDialogLines(dialog, row, { width, rows, theme }, keymap, reading),
    [dialog, row, width, rows, theme, keymap, reading],
  );
  useDialogKeys(
    () => choicesFocus,
    (key) => {
      const pages = pagesOf(key);
      if (page !== undefined) setReading(turned(latestReading(), page, pages));
      if (pages !== 0) return;
      const isUnread = page !== undefined && latestReading().seen < page.total;
      const step = pressChoice(dialog, latest(), key, {
        counts: () => guard.counts(isEnterKey(key)),
        ...{ stray, isUnread },
      });
      if (step.type === 'select') set(step.index);
      else if (step.type === 'answer') {
        guard.answered(isEnterKey(key));
        onAnswer(step.answer);
      }
    },
    isActive,
  );
  usePaste(
    (text) => {
      stray.begin();
      onPaste?.(text);
    },
    { isActive },
  );
  return <Lines lines={lines} />;
}

function pagesOf(key: DialogKey): -1 | 0 | 1 {
  if (key.type !== 'action') return 0;
  return key.name === 'confirm:pageUp' ? -1 : key.name === 'confirm:pageDown' ? 1 : 0;
}

const unread: ListReading = { top: 0, seen: 0 };

/** Starts over with another question and another width, which breaks the lines elsewhere. */
function useListReading(
  id: string,
  width: number,
): readonly [ListReading, () => ListReading, (next: ListReading) => void] {
  const [state, latest, set] = useLatest(() => ({ id, width, reading: unread }));
  const of = (one: typeof state): ListReading =>
    one.id === id && one.width === width ? one.reading : unread;
  return [of(state), () => of(latest()), (reading) => set({ id, width, reading })];
}

/** A static message; Esc cancels. */
function WaitView<A>(props: DialogViewProps<A, WaitDialog<A>>) {
  const { dialog, width, rows, theme, isActive = true, onAnswer } = props;
  useDialogKeys(
    () => choicesFocus,
    (key) => {
      if (quits(dialog, key)) onAnswer(dialog.quit ?? dialog.cancel);
      else if (key.type === 'action' && key.name === 'confirm:cancel') onAnswer(dialog.cancel);
    },
    isActive,
  );
  const lines = [
    titledRule(dialog.title, width, theme),
    ...wrapText(sanitizeLine(dialog.text), width),
    theme.dim(truncate('Esc back', width)),
  ];
  return <Lines lines={lines.slice(0, rows)} />;
}
