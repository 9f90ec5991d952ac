/** Onboarding on the full screen: draws the flow's dialogs and its form. */
import { Box, usePaste } from 'ink';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { DialogView } from '../dialog/DialogView.tsx';
import { fieldInput } from '../dialog/field.ts';
import { Lines, TextField } from '../dialog/Lines.tsx';
import { applyEdit } from '../input/textBuffer.ts';
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, DialogKey } from '../keys/keymap.ts';
import { useDialogKeys } from '../keys/useKeys.ts';
import { titledRule, wrapText } from '../print/spans.ts';
import type { Theme } from '../theme/theme.ts';
import type { OnboardingResult } from '../types.ts';
import {
  adviceOf,
  type Form,
  fieldNames,
  leaveKey,
  pastedText,
  secretFrom,
  stepForm,
  withField,
  withInsertion,
} from './accessForm.ts';
import { createSetup, ONBOARDING_TITLE, setupDialog } from './flow.ts';
import type { AccessField, SetupPort } from './SetupPort.ts';

interface OnboardingProps {
  /** A new port restarts the flow, because the last answer could not be saved. */
  readonly setup: SetupPort;
  /** The problem with the last answer. */
  readonly message?: string | undefined;
  /** True if the problem is in the settings file, which can be reloaded. */
  readonly canReread?: boolean | undefined;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  /** Milliseconds; distinguishes an answer from text typed ahead. */
  readonly now?: () => number;
  readonly onDone: (result: OnboardingResult) => void;
}

export function Onboarding(props: OnboardingProps) {
  const { setup, message, canReread, width, rows, theme, isActive = true, now } = props;
  const onDone = useRef(props.onDone);
  onDone.current = props.onDone;
  const flow = useMemo(() => createSetup(setup, (result) => onDone.current(result)), [setup]);
  useEffect(() => {
    flow.start();
    return flow.dispose;
  }, [flow]);
  const { step, found } = useSyncExternalStore(flow.subscribe, flow.snapshot);
  // Memoized so that the selection survives renders.
  const dialog = useMemo(
    () => (step.type === 'form' ? undefined : setupDialog({ step, found }, { message, canReread })),
    [step, found, message, canReread],
  );
  const room = { width, rows, theme, isActive };
  if (step.type === 'form')
    return (
      <AccessForm
        {...room}
        title={ONBOARDING_TITLE}
        latest={() => {
          const { step: current } = flow.snapshot();
          return current.type === 'form' ? current.form : step.form;
        }}
        savedTo={setup.savedTo}
        onChange={(form) => flow.dispatch({ type: 'edit', form })}
        onSubmit={(form) => flow.dispatch({ type: 'submit', form })}
        onBack={() => flow.dispatch({ type: 'home' })}
        onQuit={() => flow.dispatch({ type: 'quit' })}
      />
    );
  if (dialog === undefined) return null;
  return (
    <DialogView
      {...room}
      dialog={dialog}
      now={now}
      onAnswer={flow.dispatch}
      onPaste={(text) => {
        const pasted = pastedText(fieldInput(text));
        if (step.type === 'choices' && pasted !== '') flow.dispatch({ type: 'pasted', text: pasted });
      }}
    />
  );
}

interface AccessFormProps {
  readonly title: string;
  /** The current form: one input event may contain several keys. */
  readonly latest: () => Form;
  readonly savedTo: string;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  readonly onChange: (form: Form) => void;
  readonly onSubmit: (form: Form) => void;
  readonly onBack: () => void;
  readonly onQuit: () => void;
}

const labels: Readonly<Record<AccessField, string>> = {
  apiKey: 'Key:      ',
  baseUrl: 'Endpoint: ',
  model: 'Model:    ',
};
/** For narrow screens, so that the endpoint's host stays visible. */
const shortLabels: typeof labels = { apiKey: 'Key: ', baseUrl: 'URL: ', model: 'Use: ' };
const NARROW = 32;

const place: DialogFocus = { contexts: ['Form'], typing: 'text' };

/**
 * Key, endpoint and model. Enter goes from the key to the endpoint, so that the user sees where the key will be sent.
 */
export function AccessForm(props: AccessFormProps) {
  const {
    title,
    latest,
    savedTo,
    width,
    rows,
    theme,
    isActive = true,
    onChange,
    onSubmit,
    onBack,
    onQuit,
  } = props;
  const onKey = (key: DialogKey): void => {
    const form = latest();
    if (key.type === 'edit') edit(key.edit);
    else if (key.type === 'text') edit({ type: 'insert', text: key.text });
    else if (key.type !== 'action') return;
    else if (key.name === 'form:cancel') onBack();
    else if (key.name === 'app:interrupt') onQuit();
    else if (key.name === 'form:previous') onChange(stepForm(form, -1));
    else if (key.name === 'form:next') onChange(stepForm(form, 1));
    else if (key.name === 'form:submit') form.active === 0 ? onChange(leaveKey(form)) : onSubmit(form);
  };
  const edit = (change: Parameters<typeof applyEdit>[1]): void => {
    const form = latest();
    const name = fieldNames[form.active] ?? 'model';
    const clean = change.type === 'insert' ? { ...change, text: fieldInput(change.text) } : change;
    const buffer = applyEdit(form.fields[name], clean);
    // Moving the cursor changes no text.
    if (clean.type === 'move') onChange({ ...form, fields: { ...form.fields, [name]: buffer } });
    else if (clean.type === 'insert') onChange(withInsertion(form, name, clean.text, buffer));
    else onChange(withField(form, name, buffer));
  };
  const keymap = useDialogKeys(() => place, onKey, isActive);
  usePaste((text) => edit({ type: 'insert', text: pastedText(fieldInput(text)) }), { isActive });

  const form = latest();
  const problem = form.problem === undefined ? [] : wrapText(form.problem, width, theme.error);
  const hints = keyHints(keymap, place);
  const keys = joinWithDots(
    hints.does('form:submit', 'continues'),
    hints.does('form:next', 'next field'),
    'Esc goes back',
  );
  const advice = [adviceOf(form), keys, `It will be saved to ${savedTo}, readable only by you.`]
    .filter((text) => text !== '')
    .flatMap((text) => wrapText(text, width, theme.dim));
  const room = Math.max(0, rows - fieldNames.length);
  const head = [titledRule(title, width, theme), ...problem].slice(
    0,
    Math.max(Math.min(room, 3), room - advice.length),
  );
  return (
    <Box flexDirection="column">
      <Lines lines={head} />
      {fieldNames.map((name, index) => (
        <TextField
          key={name}
          label={(width < NARROW ? shortLabels : labels)[name]}
          buffer={form.fields[name]}
          width={width}
          theme={theme}
          isActive={isActive && form.active === index}
          secretFrom={secretFrom(form, name)}
          placeholder={name === 'model' ? 'chosen from a list' : ''}
        />
      ))}
      <Lines lines={advice.slice(0, Math.max(0, room - head.length))} />
    </Box>
  );
}
