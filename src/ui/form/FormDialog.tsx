import { Box, usePaste } from 'ink';
import { useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { Form } from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import type { DialogRoom } from '../dialog/choices.ts';
import { Lines, TextField } from '../dialog/Lines.tsx';
import { isEnterKey, useLatest, useStrayWord, useTypeAheadGuard } from '../dialog/useAnswers.ts';
import { createBuffer } from '../input/textBuffer.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { formLayout, OWN_ANSWER } from './formLayout.ts';
import { createForm, formFocus, isTyping, pasteIntoForm, pressForm } from './formState.ts';

export interface FormDialogProps extends DialogRoom {
  /** Use it as `key`, too, so that each form starts with fresh state. */
  readonly id: string;
  readonly title: string;
  readonly form: Form;
  readonly isActive?: boolean;
  /** The current time in ms, to detect typing ahead. */
  readonly now?: () => number;
  readonly onAnswer: (answer: PermissionAnswer) => void;
  /** See `PermissionDialog`. */
  readonly onUnmeant?: ((text: string) => void) | undefined;
}

/** Asks the questions of a form, one at a time. Esc declines. Nothing is sent before the review was read to its end. */
export function FormDialog(props: FormDialogProps) {
  const { id, title, form, width, rows, theme, isActive = true, now, onAnswer, onUnmeant } = props;
  const [state, latest, set] = useLatest(() => createForm(form));
  const guard = useTypeAheadGuard(`${id} ${state.page} ${state.holds}`, now, id);
  const stray = useStrayWord(now);
  const keymap = useContext(KeymapContext);
  // Another page, and another size, which breaks the lines elsewhere, start over.
  const place = `${state.page} ${width} ${rows}`;
  const drawn = useRef({ place, seen: 0 });
  const seen = drawn.current.place === place ? drawn.current.seen : 0;
  const layout = useMemo(
    () => formLayout(form, title, state, { width, rows, theme }, keymap, seen),
    [form, title, state, width, rows, theme, keymap, seen],
  );
  useLayoutEffect(() => {
    drawn.current = { place, seen: layout.seen };
  });
  const onKey = (key: DialogKey): void => {
    const { pageRows, lowest, unread } = layout;
    // The page that the previous key has turned to is not drawn yet.
    const isDrawn = latest().holds === state.holds && latest().page === state.page;
    const step = pressForm(form, latest(), key, {
      ...{ pageRows, lowest, unread, stray },
      counts: () => isDrawn && guard.counts(isEnterKey(key)),
    });
    if (step.answer !== undefined || step.state.page !== latest().page) guard.answered(isEnterKey(key));
    set(step.state);
    if (step.unmeant !== undefined) onUnmeant?.(step.unmeant);
    if (step.answer !== undefined) onAnswer(step.answer);
  };
  useDialogKeys(() => formFocus(form, latest()), onKey, isActive);
  usePaste(
    (text) => {
      if (isTyping(form, latest())) set(pasteIntoForm(form, latest(), text));
      else {
        stray.begin();
        onUnmeant?.(text);
      }
    },
    { isActive },
  );

  return (
    <Box flexDirection="column">
      <Lines lines={layout.above} />
      {layout.typing !== undefined && (
        <TextField
          label={layout.typing}
          buffer={state.fields[state.page]?.text ?? createBuffer()}
          width={width}
          theme={theme}
          isActive={isActive}
          {...(form.fields[state.page]?.type === 'choice' && { placeholder: OWN_ANSWER })}
        />
      )}
      <Lines lines={layout.below} />
    </Box>
  );
}
