/** The first minute: what was found on this machine, a key and an endpoint, or the demo. Nothing is kept before it was tried. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { DialogPlace } from '../keys/dialogKeys.ts';
import { useDialogKeys } from '../keys/useDialogKeys.ts';
import { AccessForm } from '../onboarding/AccessForm.tsx';
import { ChoiceScreen, leaves } from '../onboarding/ChoiceScreen.tsx';
import type { Access, AccessOutcome, FoundServer, SetupPort } from '../onboarding/SetupPort.ts';
import { factsOf, foundText, offersOf, type SetupDeed, setupChoices } from '../onboarding/setupChoices.ts';
import {
  correctedForm,
  pastedForm,
  refusedChoices,
  type Step,
  startingServers,
} from '../onboarding/steps.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { OnboardingResult } from '../types.ts';
import { choicesPlace } from './choices.ts';
import { fieldInput } from './field.ts';
import { Lines } from './Lines.tsx';
import { checkForm, createForm, type Form, fieldNames, pastedText } from './onboardingForm.ts';
import { ruled } from './permissionLayout.ts';
import { SelectList } from './SelectList.tsx';
import { useLatest } from './useLatest.ts';

export interface OnboardingProps {
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

const TITLE = 'Welcome to ClawdCode';
const listPlace: DialogPlace = { contexts: ['Select'], typing: 'text' };

export function Onboarding(props: OnboardingProps) {
  const { setup, message, canReread, width, rows, theme, isActive = true, now, onDone } = props;
  const [step, latest, set] = useLatest<Step>(() => ({ type: 'choices' }));
  const [found, setFound] = useState<readonly FoundServer[]>();
  const asking = useRef<AbortController>(undefined);
  /** An answer to an earlier search comes too late. */
  const searches = useRef(0);
  const room = { width, rows, theme, isActive };

  const search = (): void => {
    searches.current += 1;
    const asked = searches.current;
    setFound(undefined);
    const show = (servers: readonly FoundServer[]): readonly FoundServer[] => {
      if (asked === searches.current) setFound(servers);
      return servers;
    };
    void setup.search().then(show).then(setup.refine).then(show);
  };
  const isDone = useRef(false);
  // Another setup: what was answered could not be kept, and is asked again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for once; again only when somebody asks
  useEffect(() => {
    isDone.current = false;
    home();
    search();
    return () => {
      searches.current += 1;
      asking.current?.abort();
    };
  }, [setup]);
  const choices = useMemo(() => setupChoices(found, canReread), [found, canReread]);

  const done = (result: OnboardingResult): void => {
    if (!isDone.current) onDone(result);
    isDone.current = true;
  };
  const quit = (): void => done({ type: 'quit' });
  const home = (): void => set({ type: 'choices' });
  const keep = (access: Access): void => done({ type: 'credentials', ...access });
  const take = (deed: SetupDeed): void => {
    if (deed.type === 'use')
      keep({ baseUrl: deed.offer.server.baseUrl, apiKey: '', model: deed.offer.model.id });
    else if (deed.type === 'choose') set({ type: 'found' });
    else if (deed.type === 'endpoint') {
      const form = createForm({ baseUrl: deed.baseUrl });
      if (deed.isSure) check({ baseUrl: deed.baseUrl, apiKey: '', model: '' }, form);
      else set({ type: 'form', form });
    } else if (deed.type === 'form') set({ type: 'form', form: createForm(setup.defaults) });
    else if (deed.type === 'again') search();
    else if (deed.type === 'help') set({ type: 'help' });
    else done({ type: deed.type });
  };
  const submit = (form: Form): void => {
    const result = checkForm(form);
    if (result.type === 'ok') check(result.access, form);
    else
      set({
        type: 'form',
        form: { ...form, active: fieldNames.indexOf(result.field), problem: result.message },
      });
  };
  const check = (access: Access, form: Form): void => {
    asking.current?.abort();
    const controller = new AbortController();
    asking.current = controller;
    set({ type: 'checking', access, form });
    void setup.check(access, controller.signal).then((outcome) => {
      if (!controller.signal.aborted) answered(access, form, outcome);
    });
  };
  const answered = (access: Access, form: Form, outcome: AccessOutcome): void => {
    if (outcome.type === 'accepted') keep(outcome.access);
    else if (outcome.type === 'refused') set({ type: 'refused', access, form, refusal: outcome });
    else {
      const { baseUrl, models, isProven } = outcome;
      const listed = { ...access, baseUrl };
      const [only, ...others] = models;
      if (only !== undefined && others.length === 0) choose(listed, only.id, isProven, form);
      else set({ type: 'models', access: listed, models, isProven, form });
    }
  };
  const choose = (access: Access, model: string, isProven: boolean, form: Form): void => {
    if (isProven) keep({ ...access, model });
    else check({ ...access, model }, form);
  };
  const stopAsking = (form: Form): void => {
    asking.current?.abort();
    set({ type: 'form', form });
  };
  // A list takes Ctrl+C for leaving the list.
  useDialogKeys(
    () => listPlace,
    (key) => key.type === 'action' && key.name === 'app:interrupt' && quit(),
    isActive && (step.type === 'found' || step.type === 'models'),
  );

  switch (step.type) {
    case 'choices':
      return (
        <ChoiceScreen
          {...room}
          key="choices"
          title={TITLE}
          texts={[
            ...(message === undefined ? [] : [{ text: message, paint: theme.error }]),
            { text: foundText(found), paint: found === undefined ? theme.dim : theme.text },
          ]}
          choices={choices}
          now={now}
          onTake={({ deed }) => take(deed)}
          onEscape={quit}
          onQuit={quit}
          onPaste={(text) => {
            const pasted = pastedText(fieldInput(text));
            if (pasted !== '') set({ type: 'form', form: pastedForm(pasted, setup.defaults) });
          }}
        />
      );
    case 'help':
      return (
        <ChoiceScreen
          {...room}
          key="help"
          title="Starting a local server"
          texts={startingServers.map((text) => ({ text, paint: theme.text }))}
          choices={helpChoices}
          now={now}
          onTake={({ deed }) => {
            if (deed === 'again') search();
            home();
          }}
          onEscape={home}
          onQuit={quit}
        />
      );
    case 'found':
      return (
        <SelectList
          {...room}
          title="Models on this machine"
          items={offersOf(found ?? [])}
          textOf={({ server, model }) => `${model.id} · ${server.name} · ${factsOf(model)}`}
          onPick={(offer) => take({ type: 'use', offer })}
          onCancel={home}
        />
      );
    case 'form':
      return (
        <AccessForm
          {...room}
          title={TITLE}
          latest={() => {
            const current = latest();
            return current.type === 'form' ? current.form : step.form;
          }}
          savedTo={setup.savedTo}
          onChange={(form) => set({ type: 'form', form })}
          onSubmit={submit}
          onBack={home}
          onQuit={quit}
        />
      );
    case 'checking':
      return <Asking {...room} access={step.access} onCancel={() => stopAsking(step.form)} onQuit={quit} />;
    case 'refused':
      return (
        <ChoiceScreen
          {...room}
          key="refused"
          title="That did not work"
          texts={[{ text: step.refusal.message, paint: theme.error }]}
          choices={refusedChoices(step)}
          now={now}
          onTake={({ deed }) => {
            if (deed === 'correct') set({ type: 'form', form: correctedForm(step) });
            else if (deed === 'again') check(step.access, step.form);
            else if (deed === 'keep') keep(step.access);
            else home();
          }}
          onEscape={() => set({ type: 'form', form: correctedForm(step) })}
          onQuit={quit}
        />
      );
    case 'models':
      return (
        <SelectList
          {...room}
          title="Which model?"
          items={step.models}
          textOf={(model) => `${model.id} · ${factsOf(model)}`}
          onPick={({ id }) => choose(step.access, id, step.isProven, step.form)}
          onCancel={() => set({ type: 'form', form: step.form })}
        />
      );
  }
}

const helpChoices = [
  { label: 'Look again', letter: 'r', deed: 'again' },
  { label: 'Back', letter: 'b', deed: 'back' },
] as const;

interface AskingProps {
  readonly access: Access;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive: boolean;
  readonly onCancel: () => void;
  readonly onQuit: () => void;
}

/** While the endpoint is asked: nothing moves, and Esc gives up. */
function Asking({ access, width, rows, theme, isActive, onCancel, onQuit }: AskingProps) {
  useDialogKeys(
    () => choicesPlace,
    (key) => {
      if (leaves(key)) onQuit();
      else if (key.type === 'action' && key.name === 'confirm:cancel') onCancel();
    },
    isActive,
  );
  const what = access.model === '' ? 'which models it has' : `whether ${access.model} answers`;
  const text = `Asking ${sanitizeLine(hostOf(access.baseUrl))} ${what}…`;
  const lines = [
    ruled(TITLE, width, theme),
    ...wrapText(text, width),
    theme.dim(truncate('Esc back', width)),
  ];
  return <Lines lines={lines.slice(0, rows)} />;
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}
