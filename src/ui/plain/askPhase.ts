import { OFFICIAL_URL } from '../../protocol/models/modelNames.ts';
import { configDialog } from '../config/configDialogs.ts';
import type { Phase, Snapshot } from '../controller/types.ts';
import { fieldText } from '../dialog/field.ts';
import { confirmDialog, modelsDialog, serverDialog, stepAfter, trustDialog } from '../dialog/phaseDialogs.ts';
import { createBuffer } from '../input/textBuffer.ts';
import {
  checkForm,
  type Form,
  fieldNames,
  keyIn,
  MOVED,
  MOVED_ADDRESS,
  pastedText,
  withInsertion,
} from '../onboarding/accessForm.ts';
import { createSetup, type Step, setupDialog, startingServers } from '../onboarding/flow.ts';
import type { AccessField } from '../onboarding/SetupPort.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { refusalDialog } from '../sessions/refusal.ts';
import { type DialoguePorts, dialogueOf } from './askDialog.ts';
import { items, pick, rewind, tasks } from './askLists.ts';

/** Asks the question for which the full screen would show a dialog. Called once per phase. */
export function askPhase({ phase, session }: Snapshot, ports: DialoguePorts): void {
  switch (phase.type) {
    case 'trust':
      ports.ask(
        dialogueOf(trustDialog(phase.question), (isTrusted) =>
          ports.controller.advance(stepAfter(isTrusted, phase)),
        ),
      );
      return;
    case 'server':
      ports.ask(
        dialogueOf(serverDialog(phase.question), (isApproved) =>
          ports.controller.advance(stepAfter(isApproved, phase)),
        ),
      );
      return;
    case 'onboarding':
      onboarding(phase, ports);
      return;
    case 'picking':
      pick(phase.picker, ports);
      return;
    case 'refused':
      ports.ask(
        dialogueOf(refusalDialog(phase, new Date(ports.now())), (answer) =>
          ports.controller.answerRefusal(answer),
        ),
      );
      return;
    case 'models': {
      const dialog = modelsDialog(phase, session?.agent.state().model.id);
      const answer = (picked?: { readonly id: string }): void => ports.controller.pickModel(picked?.id);
      if (dialog.items.length > 0) ports.ask(dialogueOf(dialog, answer));
      else {
        ports.tell(`${dialog.empty} /model followed by a name switches to that model.`);
        answer(undefined);
      }
      return;
    }
    case 'items':
      if (session !== undefined) ports.ask(items(session.agent, ports));
      return;
    case 'confirm':
      ports.ask(dialogueOf(confirmDialog(phase.question), (yes) => ports.controller.confirm(yes)));
      return;
    case 'config': {
      const dialog = configDialog(phase.step, phase.settings);
      if (dialog.type === 'wait') ports.tell(dialog.plainText);
      else ports.ask(dialogueOf(dialog, (answer) => ports.controller.configure(answer)));
      return;
    }
    case 'tasks': {
      const asked = session && tasks(session.agent, ports);
      if (asked !== undefined) ports.ask(asked);
      return;
    }
    case 'rewind':
      if (session !== undefined) void rewind(session.agent, phase.turn, ports);
      return;
    case 'booting':
    case 'session':
    case 'leaving':
      return;
    case 'themes':
    case 'keys':
      ports.tell('This only applies to the full-screen interface.');
      ports.controller.closeDialog();
      return;
    default:
      phase satisfies never;
  }
}

// Onboarding in plain mode: the same flow as on the full screen, with dialogs read out and the form asked field by
// field.

/** Searches for local servers, then asks. */
export function onboarding(
  { setup, message, canReread, answer }: Extract<Phase, { type: 'onboarding' }>,
  ports: DialoguePorts,
): void {
  const flow = createSetup(setup, (result) => ports.controller.advance(answer(result)));
  let announced: Step | undefined;
  /** Shown once. */
  let problem = message;

  const update = (): void => {
    const { step, found, isDone } = flow.snapshot();
    if (isDone || step === announced) return;
    // Waits until the list is loaded.
    if (step.type === 'choices' && found === undefined) return;
    announced = step;
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
          return dialogue.answer(text) && 'That looks like a key, not like the name of a model.';
        tellMoved();
        flow.dispatch({ type: 'pasted', text: key });
        return undefined;
      },
    });
  /** Explains what happened to a key that was visible while typed. */
  const tellMoved = (): void =>
    ports.tell(
      `${MOVED} It was not sent or used for anything else.${ports.showsAnswers ? ' It is still visible where you typed it: clear it if others can see the screen.' : ''}`,
    );

  const askField = (form: Form, [name = 'model', ...rest]: readonly AccessField[]): void => {
    if (form.problem !== undefined && form.problem !== MOVED && form.problem !== MOVED_ADDRESS)
      ports.tell(`Error: ${form.problem}`);
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
        if (next.problem === MOVED_ADDRESS) {
          ports.tell(MOVED_ADDRESS);
          // A local server usually needs no key; if this one does, the check says so.
          flow.dispatch({ type: 'edit', form: next, asks: rest.filter((one) => one !== 'baseUrl') });
          return undefined;
        }
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
  if (usual !== '') return `An empty line uses ${sanitizeLine(usual)}`;
  return name === 'model' ? 'An empty line chooses from a list.' : `An address such as ${OFFICIAL_URL}`;
}
