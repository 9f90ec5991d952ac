/** Onboarding on the screen: draws the dialogs of the flow, and its form. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { DialogView } from '../dialog/DialogView.tsx';
import { AccessForm } from '../onboarding/AccessForm.tsx';
import { createSetup, ONBOARDING_TITLE, setupDialog } from '../onboarding/flow.ts';
import type { SetupPort } from '../onboarding/SetupPort.ts';
import type { Theme } from '../theme/theme.ts';
import type { OnboardingResult } from '../types.ts';
import { fieldInput } from './field.ts';
import { pastedText } from './onboardingForm.ts';

export interface OnboardingProps {
  /** Another one begins again: what was answered could not be kept. */
  readonly setup: SetupPort;
  /** What went wrong with the last answer. */
  readonly message?: string | undefined;
  /** Whether that was a mistake in the settings, which can be read again. */
  readonly canReread?: boolean | undefined;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  /** Milliseconds, for telling an answer from typing ahead. */
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
  // The same object as long as it says the same: a choice stays selected.
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
