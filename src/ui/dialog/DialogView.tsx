/** Draws a dialog and translates keys into its answers. */
import { usePaste } from 'ink';
import { useRef } from 'react';
import { useDialogKeys } from '../keys/useKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { ruled, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import { type ChoiceDialog, choiceDialogLines, choicesPlace, type DialogRoom } from './choices.ts';
import { type Dialog, keptChoice, pressChoice, questionOf, quits, type WaitDialog } from './dialog.ts';
import { Lines } from './Lines.tsx';
import { SelectList } from './SelectList.tsx';
import { useLatest, useStrayWord, useTypeAheadGuard } from './useAnswers.ts';

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
  const { width, rows, theme, isActive = true, onAnswer } = props;
  switch (dialog.type) {
    case 'choices':
      return <ChoiceView key={dialog.id} {...props} dialog={dialog} />;
    case 'wait':
      return <WaitView key={dialog.id} {...props} dialog={dialog} />;
    case 'list':
      return (
        <SelectList
          key={dialog.id}
          width={width}
          rows={rows}
          theme={theme}
          isActive={isActive}
          title={dialog.title}
          items={dialog.items}
          textOf={({ label }) => label}
          {...(dialog.empty === undefined ? {} : { empty: dialog.empty })}
          onPick={({ answer }) => onAnswer(answer)}
          onCancel={() => onAnswer(dialog.cancel)}
          onQuit={() => onAnswer(dialog.quit ?? dialog.cancel)}
        />
      );
  }
}

function ChoiceView<A>(props: DialogViewProps<A, ChoiceDialog<A>>) {
  const { dialog, isActive = true, now, onAnswer, onPaste } = props;
  const [selected, latest, set] = useLatest(() => 0);
  const before = useRef(dialog);
  if (before.current !== dialog) {
    const kept = keptChoice(before.current, dialog, latest());
    before.current = dialog;
    if (kept !== latest()) set(kept);
  }
  const counts = useTypeAheadGuard(questionOf(dialog), now);
  const stray = useStrayWord(now);
  const keymap = useDialogKeys(
    () => choicesPlace,
    (key) => {
      const step = pressChoice(dialog, latest(), key, { counts, stray });
      if (step.type === 'select') set(step.index);
      else if (step.type === 'answer') onAnswer(step.answer);
    },
    isActive,
  );
  usePaste((text) => onPaste?.(text), { isActive });
  const row = Math.min(selected, dialog.choices.length - 1);
  return <Lines lines={choiceDialogLines(dialog, row, props, keymap)} />;
}

/** A static message; Esc cancels. */
function WaitView<A>(props: DialogViewProps<A, WaitDialog<A>>) {
  const { dialog, width, rows, theme, isActive = true, onAnswer } = props;
  useDialogKeys(
    () => choicesPlace,
    (key) => {
      if (quits(dialog, key)) onAnswer(dialog.quit ?? dialog.cancel);
      else if (key.type === 'action' && key.name === 'confirm:cancel') onAnswer(dialog.cancel);
    },
    isActive,
  );
  const lines = [
    ruled(dialog.title, width, theme),
    ...wrapText(sanitizeLine(dialog.text), width),
    theme.dim(truncate('Esc back', width)),
  ];
  return <Lines lines={lines.slice(0, rows)} />;
}
