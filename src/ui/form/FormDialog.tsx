import { Box, usePaste } from 'ink';
import { useContext, useMemo } from 'react';
import type { Form } from '../../protocol/forms.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import type { DialogRoom } from '../dialog/choices.ts';
import { Lines, TextField } from '../dialog/Lines.tsx';
import { useLatest, useStrayWord, useTypeAheadGuard } from '../dialog/useAnswers.ts';
import { createBuffer } from '../input/textBuffer.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { formLayout, OWN_ANSWER } from './formLayout.ts';
import { createForm, formFocus, pasteIntoForm, pressForm } from './formState.ts';

export interface FormDialogProps extends DialogRoom {
  /** Use it as `key`, too, so that each form starts with fresh state. */
  readonly id: string;
  readonly title: string;
  readonly form: Form;
  readonly isActive?: boolean;
  /** The current time in ms, to detect typing ahead. */
  readonly now?: () => number;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

/** Asks the questions of a form, one at a time. Esc declines. */
export function FormDialog(props: FormDialogProps) {
  const { id, title, form, width, rows, theme, isActive = true, now, onAnswer } = props;
  const [state, latest, set] = useLatest(() => createForm(form));
  const counts = useTypeAheadGuard(`${id} ${state.page}`, now);
  const stray = useStrayWord(now);
  const keymap = useContext(KeymapContext);
  const layout = useMemo(
    () => formLayout(form, title, state, { width, rows, theme }, keymap),
    [form, title, state, width, rows, theme, keymap],
  );
  const onKey = (key: DialogKey): void => {
    const { pageRows, lowest } = layout;
    const step = pressForm(form, latest(), key, { pageRows, lowest, counts, stray });
    set(step.state);
    if (step.answer !== undefined) onAnswer(step.answer);
  };
  useDialogKeys(() => formFocus(form, latest()), onKey, isActive);
  usePaste((text) => set(pasteIntoForm(form, latest(), text)), { isActive });

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
