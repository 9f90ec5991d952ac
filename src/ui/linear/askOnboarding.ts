/**
 * Onboarding in plain mode: the same flow as on the full screen, with its dialogs read out and its form asked field by
 * field.
 */
import { OFFICIAL_URL } from '../../protocol/modelNames.ts';
import type { Phase } from '../controller/types.ts';
import { fieldText } from '../dialog/field.ts';
import { createBuffer } from '../input/textBuffer.ts';
import {
  checkForm,
  type Form,
  fieldNames,
  keyIn,
  MOVED,
  pastedText,
  withInsertion,
} from '../onboarding/accessForm.ts';
import { createSetup, type Step, setupDialog, startingServers } from '../onboarding/flow.ts';
import type { AccessField } from '../onboarding/SetupPort.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { type DialoguePorts, dialogueOf } from './askDialog.ts';

/** Searches for local servers, then asks. */
export function onboarding(
  { setup, message, canReread, answer }: Extract<Phase, { type: 'onboarding' }>,
  ports: DialoguePorts,
): void {
  const flow = createSetup(setup, (result) => ports.controller.advance(answer(result)));
  let told: Step | undefined;
  /** Shown once. */
  let problem = message;

  const update = (): void => {
    const { step, found, isDone } = flow.snapshot();
    if (isDone || step === told) return;
    // Waits until the list is loaded.
    if (step.type === 'choices' && found === undefined) return;
    told = step;
    if (step.type === 'form') {
      askField(step.form, step.asks);
      return;
    }
    const dialog = setupDialog({ step, found }, { message: problem, canReread });
    if (step.type === 'choices') problem = undefined;
    if (step.type === 'help') {
      ports.tell(...startingServers);
      flow.dispatch({ type: 'again' });
    } else if (dialog.type === 'wait') ports.tell(sanitizeLine(dialog.plainText));
    else askStep(step, dialogueOf(dialog, flow.dispatch));
  };
  /** Does not echo a key that was given as the answer to another question. */
  const askStep = (step: Step, dialogue: ReturnType<typeof dialogueOf>): void =>
    ports.ask({
      ...dialogue,
      answer(text) {
        const key = keyIn(text);
        if (key === undefined || step.type === 'refused') return dialogue.answer(text);
        if (step.type !== 'choices')
          return dialogue.answer(text) && 'That looks like a key, and no model is called so.';
        tellMoved();
        flow.dispatch({ type: 'pasted', text: key });
        return undefined;
      },
    });
  /** Says what happened to a key that was typed visibly. */
  const tellMoved = (): void =>
    ports.tell(
      `${MOVED} It was not sent, and not kept as anything else.${ports.showsAnswers ? ' It is still visible where you typed it: clear it if others can see the screen.' : ''}`,
    );

  const askField = (form: Form, [name = 'model', ...rest]: readonly AccessField[]): void => {
    if (form.problem !== undefined && form.problem !== MOVED) ports.tell(`Error: ${form.problem}`);
    const usual = name === 'apiKey' ? '' : fieldText(form.fields[name]);
    const question = `${questions[name]} ${emptyLine(name, usual)}`;
    ports.ask({
      tell: [question],
      isSecret: name === 'apiKey',
      answer(line) {
        const text = pastedText(line);
        const next =
          text === '' && name !== 'apiKey'
            ? { ...form, problem: undefined }
            : withInsertion(form, name, text, createBuffer(text));
        if (next.problem === MOVED) {
          tellMoved();
          const fields = name === 'model' ? { ...next.fields, model: form.fields.model } : next.fields;
          flow.dispatch({ type: 'edit', form: { ...next, fields }, asks: [name, ...rest] });
          return undefined;
        }
        const checked = checkForm(next);
        if (checked.type === 'problem' && checked.field === name && name !== 'apiKey')
          return `${checked.message} ${question}`;
        const active = fieldNames.indexOf(rest[0] ?? name);
        if (rest.length === 0) flow.dispatch({ type: 'submit', form: next });
        else flow.dispatch({ type: 'edit', form: { ...next, active }, asks: rest });
        return undefined;
      },
      cancel: () => flow.dispatch({ type: 'quit' }),
    });
  };

  flow.subscribe(update);
  flow.start();
}

const questions: Readonly<Record<AccessField, string>> = {
  apiKey: 'Key? It is not shown while you type.',
  baseUrl: 'Endpoint?',
  model: 'Model?',
};

function emptyLine(name: AccessField, usual: string): string {
  if (name === 'apiKey') return 'An empty line for none, as most local servers need none.';
  if (usual !== '') return `An empty line takes ${sanitizeLine(usual)}`;
  return name === 'model' ? 'An empty line chooses from a list.' : `An address such as ${OFFICIAL_URL}`;
}
